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


class Explanations(tuple[Explanation, ...]):
    """The explanations of several outputs, one after the other; ``data`` is the list of theirs."""

    __slots__ = ()

    @property
    def data(self) -> list[dict[str, Any]]:
        return [explanation.data for explanation in self]

    def __str__(self) -> str:
        return "\n\n".join(str(explanation) for explanation in self)

    __repr__ = __str__


def explain_all(core: _mlsysim.Instance, outputs: list[dict[str, Any]]) -> Explanations:
    """The explanations of all ``outputs`` that take no arguments."""
    names = [output["name"] for output in outputs if not output["arguments"]]
    return Explanations(explain(core, name, ()) for name in names)


def explain(core: _mlsysim.Instance, output: str, arguments: tuple[Any, ...]) -> Explanation:
    """The explanation of an output of an instance of the extension."""
    from json import loads

    text, data = core.explain(output, *(to_core(argument, output) for argument in arguments))
    return Explanation(text, loads(data))
