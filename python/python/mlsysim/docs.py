"""Documentation strings, from descriptions."""

from __future__ import annotations

from .values import to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Part = dict[str, Any]


def of_class(description: Part) -> str:
    """The documentation of a class: what it is, and its inputs and outputs."""
    parts = [description["doc"]]
    for title in ("assumptions", "excludes", "derivation"):
        if description[title]:
            parts.append(_section(title.capitalize(), _indented(description[title])))
    if description["fields"]:
        parts.append(_section("Inputs", _table(description["fields"])))
    if description["outputs"]:
        parts.append(_section("Outputs", _table(description["outputs"])))
    return "\n\n".join(parts)


def of_result(description: Part, solver: str) -> str:
    """The documentation of what a solver returns."""
    return f"What ``{solver}`` finds.\n\n{_section('Attributes', _table(description['fields']))}"


def of_field(field: Part) -> str:
    """The documentation of an input."""
    facts = [f"Type: {_type(field)}."]
    if field["range"]:
        facts.append(f"Range: {field['range']}.")
    facts.append("Required." if field["required"] else f"Default: {to_text(field['default'])}.")
    return f"{field['doc']}\n\n{' '.join(facts)}"


def of_output(output: Part) -> str:
    """The documentation of an output: its meaning, equation, unit and source."""
    facts = [f"Equation: ``{output['equation']}``"] if output["equation"] else []
    facts.append(f"Type: {_type(output)}")
    if output["source"]:
        facts.append(f"Source: {output['source']}")
    parts = [output["doc"], "\n".join(facts)]
    if output["errors"]:
        parts.append(_section("Raises", f"ScenarioError\n{_indented(output['errors'])}"))
    return "\n\n".join(parts)


def _type(part: Part) -> str:
    return f"{part['type']} in {part['unit']}" if part["unit"] else part["type"]


def _table(parts: list[Part]) -> str:
    return "\n".join(f"{_name(part)} : {_type(part)}\n{_indented(_summary(part))}" for part in parts)


def _name(part: Part) -> str:
    arguments = part.get("arguments")
    if not arguments:
        return str(part["name"])
    return f"{part['name']}({', '.join(argument['name'] for argument in arguments)})"


def _summary(part: Part) -> str:
    text = str(part["doc"].split("\n\n")[0])
    if "equation" in part:
        return f"{text}\nEquation: ``{part['equation']}``" if part["equation"] else text
    return text if part["required"] else f"{text}\nDefault: {to_text(part['default'])}."


def _section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
