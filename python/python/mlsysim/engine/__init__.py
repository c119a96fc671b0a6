"""Where the reference keeps its scenario types."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import scenario_types as scenario_types
else:

    def __getattr__(name):
        if name == "scenario_types":
            from importlib import import_module

            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return __all__


__all__ = ["scenario_types"]
