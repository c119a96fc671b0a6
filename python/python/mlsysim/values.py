"""Values on their way between Python and the extension.

The extension knows numbers, texts, lists, dicts, its own instances, and a quantity as the pair of
its number and its unit's text. Here pint's quantities, numpy's scalars and our own objects become
those, and those become pint's quantities and our own objects.
"""

from __future__ import annotations

from .errors import ScenarioError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLAIN = frozenset({bool, int, float, str})


def to_core(value: Any, field: str) -> Any:
    """``value`` in the extension's terms; ``field`` is what a refusal names.

    A quantity of any pint registry is taken by its unit's name. Nothing is ever taken by
    ``float()`` that might have a unit to lose.
    """
    kind = type(value)
    if kind is str:
        return spelled(value, field)
    if value is None or kind in _PLAIN:
        return value
    core = getattr(value, "_core", None)
    if core is not None:
        return core
    if kind is dict:
        return {_key(key, field): to_core(item, f"{field}.{key}") for key, item in value.items()}
    if kind is list or kind is tuple:
        return [to_core(item, f"{field}[{index}]") for index, item in enumerate(value)]
    if hasattr(value, "magnitude") and hasattr(value, "units"):
        return _measured(value.magnitude, unit_name(value.units), field)
    if hasattr(value, "unit") or hasattr(value, "units"):
        raise _not_understood(value, field, "of quantities, only pint's are; write it as text with its unit")
    if hasattr(value, "tolist"):
        # A scalar or an array of numpy or its like, without a unit.
        return to_core(value.tolist(), field)
    return _uncommon(value, field)


def spelled(text: str, field: str) -> str:
    """``text`` if the core can read it: half a surrogate pair, which Python allows, it cannot."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            # The text is escaped, since no terminal could print it either.
            needed = f"a text of whole characters is needed, but `{ascii(text)[1:-1]}` was given"
            raise ScenarioError(needed, field) from None
    return text


def to_python(value: Any) -> Any:
    """What the extension gave, with quantities of ``mlsysim.ureg`` and our own objects in it."""
    kind = type(value)
    if value is None or kind in _PLAIN:
        return value
    if kind is tuple:
        from .quantities import quantity

        return quantity(*value)
    if kind is dict:
        return {key: to_python(item) for key, item in value.items()}
    if kind is list:
        return [to_python(item) for item in value]
    from .definition import wrap

    return wrap(value)


def to_text(value: Any) -> str:
    """What the extension gave as Python source: a quantity as its text, an entry as its path."""
    kind = type(value)
    if kind is tuple:
        return repr(shown(value))
    if value is None or kind in _PLAIN:
        return repr(value)
    if kind is dict:
        return "{" + ", ".join(f"{key!r}: {to_text(item)}" for key, item in value.items()) + "}"
    if kind is list:
        return "[" + ", ".join(to_text(item) for item in value) + "]"
    return repr(to_python(value))


def shown(value: Any, digits: int | None = None) -> str:
    """A number or a quantity as the core writes it: ``12 ms``; rounded to ``digits`` for reading."""
    from . import _mlsysim

    number, unit = value if type(value) is tuple else (value, "")
    if digits is not None:
        number = float(f"{number:.{digits}g}")
    return f"{_mlsysim.number(number)} {unit}".rstrip()


def unit_name(units: Any) -> str:
    """A pint unit in words that every registry shares: ``gigabyte/second``."""
    # The format is stated, since the registry's default one belongs to the user and might be
    # anything. It is the long one: the symbols of two registries may differ in meaning.
    name = format(units, "C")
    return "" if name == "dimensionless" else name


def _measured(magnitude: Any, unit: str, field: str) -> Any:
    if hasattr(magnitude, "tolist"):
        magnitude = magnitude.tolist()
    if isinstance(magnitude, list):
        return [_measured(item, unit, f"{field}[{index}]") for index, item in enumerate(magnitude)]
    try:
        return float(magnitude), unit
    except (TypeError, ValueError) as error:
        raise _not_understood(magnitude, field) from error


def _uncommon(value: Any, field: str) -> Any:
    from collections.abc import Mapping, Sequence
    from numbers import Integral, Number

    if isinstance(value, str):
        return spelled(str.__str__(value), field)
    if isinstance(value, Integral):
        return int(value)
    # Decimal is a Number, though not a Real one; a complex number has no `__float__`.
    if isinstance(value, Number) and hasattr(value, "__float__"):
        return float(value)
    if isinstance(value, Mapping):
        return to_core(dict(value), field)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return to_core(list(value), field)
    raise _not_understood(value, field)


def _key(key: object, field: str) -> str:
    if isinstance(key, str):
        return spelled(str.__str__(key), field)
    raise ScenarioError(f"the keys are names, but `{key!r}` was given", field)


def _not_understood(
    value: object, field: str, hint: str = "write a number, a text with its unit or a pint quantity"
) -> ScenarioError:
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    return ScenarioError(f"a value of the type `{name}` is not understood; {hint}", field)
