"""Tables for notebooks."""

from __future__ import annotations

from html import escape

from . import _mlsysim
from .errors import ScenarioError
from .values import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_DIGITS = 6


def listing(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """What a part of the registry holds, by name, each with what it is."""
    return _listing(title, "", (_cells(escape(name), escape(about)) for name, about in rows))


def figures(path: str, folder: Iterable[tuple[str, str]]) -> str:
    """A group of figures, each with its value and source; below them what its folder holds."""
    rows = [_figure(path, *sourced) for sourced in _mlsysim.sources(path)]
    rows += [_cells(escape(name), "", escape(about)) for name, about in folder]
    return _listing(path, "<thead><tr><th>figure</th><th>value</th><th>source</th></tr></thead>", rows)


def _figure(path: str, name: str, source: str, url: str | None, note: str | None, unverified: bool) -> str:
    # An address leads somewhere only if it is one of the web; data could hold any text.
    linked = url is not None and url.startswith(("https://", "http://"))
    origin = f'<a href="{escape(url or "")}">{escape(source)}</a>' if linked else escape(source)
    if note:
        origin += f" ({escape(note)})"
    if unverified:
        origin += " [unverified]"
    return _cells(escape(name), _cell(_mlsysim.figure(f"{path}.{name}")), origin)


def counts(title: str, parts: dict[str, int], notes: list[str]) -> str:
    """A model's parameters by part, and what the reader should know."""
    head = "<thead><tr><th>part</th><th>parameters</th></tr></thead>"
    rows = (_cells(escape(part), f"{count:,}") for part, count in parts.items())
    return _listing(title, head, rows) + _noted(notes)


def account(report: dict[str, Any]) -> str:
    """What a rank holds, computes and moves, by part, and what it sends, by group."""
    passes = [name for name, told in report["flops"].items() if told["total"][0]]
    heads = ["part", "parameters", *passes, *(f"moved {name}" for name in passes)]
    head = _head(heads)
    rows = []
    for part, count in report["parameters"].items():
        amounts = [report[what][name][part] for what in ("flops", "bytes") for name in passes]
        if count or any(amount for amount, _ in amounts):
            rows.append(_cells(escape(part), f"{count:,}", *(_cell(amount) for amount in amounts)))
    title = f"{report['model']}: {report['step']['phase']} on {report['devices']:,} devices, stage {report['stage']}"
    sent = [_cells(escape(name), _cell(amount)) for name, amount in report["sent"].items() if amount[0]]
    table = _listing(title, head, rows)
    if sent:
        table += _listing("sent in a step", "<thead><tr><th>group</th><th>sent</th></tr></thead>", sent)
    return table + _noted(report["notes"])


def prediction(report: dict[str, Any]) -> str:
    """A predicted time with its interval and its parts."""
    head = "<thead><tr><th>part</th><th>time</th><th>share</th><th>binds</th><th>of the bound</th></tr></thead>"
    rows = []

    def row(part: dict[str, Any], depth: int) -> None:
        reached = part["share_of_bound"]
        name = "&emsp;" * depth + escape(part["name"])
        shares = f"{100 * part['share']:.1f} %", "" if not reached else f"{100 * reached:.1f} %"
        rows.append(_cells(name, _cell(part["time"]), shares[0], escape(part["binds"]), shares[1]))
        for below in part["parts"]:
            row(below, depth + 1)

    row(report["parts"], 0)
    phase, devices = report["step"]["phase"], report["devices"]
    low, high = (_cell(report[end]) for end in ("low", "high"))
    title = f"{report['model']}: {phase} on {devices:,} devices of {report['machine']['name']}"
    about = f"<p>90 % between {low} and {high}, by the regime {escape(report['regime'])}</p>"
    reasons = "".join(f"<p>{escape(reason)}</p>" for reason in report["reasons"])
    return _listing(title, head, rows) + about + reasons + _noted(report["notes"])


def cells(title: str, heads: list[str], rows: Iterable[list[str]], notes: list[str]) -> str:
    """A table of texts, and what the reader should know."""
    return _listing(title, _head(heads), (_cells(*map(escape, row)) for row in rows)) + _noted(notes)


def _head(names: Iterable[str]) -> str:
    return f"<thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in names)}</tr></thead>"


def _noted(notes: list[str]) -> str:
    return "".join(f"<p>note: {escape(note)}</p>" for note in notes)


def _listing(title: str, head: str, rows: Iterable[str]) -> str:
    return f"<table><caption><b>{escape(title)}</b></caption>{head}<tbody>{''.join(rows)}</tbody></table>"


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
    return _cells(escape(name), cell, escape(meaning.split("\n\n")[0]))


def _cells(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


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
