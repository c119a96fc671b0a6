"""``Explanation``: how a number comes about."""

from __future__ import annotations

from .values import to_core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import _mlsysim


class Explanation:
    """How a number comes about, down to the inputs and their sources.

    ``str()`` gives a tree for people, ``data`` the same tree as nested dicts: ``name``, ``value``
    or ``error``, ``kind``, ``equation``, ``substituted``, ``origin``, ``notes`` and ``parts``.
    """

    __slots__ = ("data", "text")

    def __init__(self, text: str, data: dict[str, Any]) -> None:
        self.text = text
        self.data = data

    def __str__(self) -> str:
        return self.text

    # The prompt shows the tree without a `print`.
    __repr__ = __str__


def explain(core: _mlsysim.Instance, output: str, arguments: tuple[Any, ...]) -> Explanation:
    """The explanation of an output of an instance of the extension."""
    from json import loads

    text, data = core.explain(output, *(to_core(argument, output) for argument in arguments))
    return Explanation(text, loads(data))
