"""Tables for notebooks."""

from __future__ import annotations

from html import escape

from . import _mlsysim
from .errors import ScenarioError
from .values import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_DIGITS = 6


def table(core: _mlsysim.Instance, description: dict[str, Any]) -> str:
    """An object's inputs and outputs, each with its value and its meaning."""
    title = escape(core.title or core.path or description["name"])
    about = f"<p>{escape(core.description)}</p>" if core.description else ""
    return (
        f"<table><caption><b>{title}</b>{about}</caption>"
        "<thead><tr><th>name</th><th>value</th><th>meaning</th></tr></thead>"
        f"<tbody>{''.join(_rows('', core, description))}</tbody></table>"
    )


def _rows(prefix: str, core: _mlsysim.Instance, description: dict[str, Any]) -> Iterator[str]:
    from .definition import class_of

    for part in (*description["fields"], *description["outputs"]):
        if part.get("arguments"):
            continue
        name = f"{prefix}{part['name']}"
        try:
            value = core.read(part["name"])
        except ScenarioError as error:
            yield _row(name, f"<i>{escape(str(error))}</i>", part["doc"])
            continue
        if isinstance(value, _mlsysim.Instance) and value.path is None:
            yield from _rows(f"{name}.", value, class_of(value.kind)._description)
        elif value is not None:
            yield _row(name, _cell(value), part["doc"])


def _row(name: str, cell: str, meaning: str) -> str:
    summary = escape(meaning.split("\n\n")[0])
    return f"<tr><td>{escape(name)}</td><td>{cell}</td><td>{summary}</td></tr>"


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return "<br>".join(f"{escape(key)}: {_cell(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "<br>".join(_cell(item) for item in value)
    if isinstance(value, (float, tuple)):
        return escape(shown(value, _DIGITS))
    if isinstance(value, _mlsysim.Instance):
        return escape(value.path or value.kind)
    return escape(str(value))
