"""Signatures, and the binding of arguments to them.

Python would refuse a misspelt keyword with a bare `TypeError`; here it is refused like any other
wrong input, with the nearest right name.
"""

from __future__ import annotations

from inspect import Parameter, Signature

from . import _mlsysim
from .errors import ScenarioError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Fields = Sequence[dict[str, Any]]


def of_class(fields: Fields, texts: Iterable[str]) -> Signature:
    """Keyword inputs, and the texts that may be given beside them."""
    parameters = [_parameter(field, Parameter.KEYWORD_ONLY) for field in fields]
    parameters += [Parameter(text, Parameter.KEYWORD_ONLY, default="", annotation="str") for text in texts]
    return Signature(parameters, return_annotation=None)


def of_method(arguments: Fields, returned: str) -> Signature:
    """The arguments of a method, after the object itself."""
    parameters = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    parameters += [_parameter(argument, Parameter.POSITIONAL_OR_KEYWORD) for argument in _ordered(arguments)]
    return Signature(parameters, return_annotation=returned)


def bind(function: str, arguments: Fields, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What is given for each of ``arguments``, by name; what is left out stays out.

    Positional ones are taken in the order of the signature.
    """
    names = [argument["name"] for argument in _ordered(arguments)]
    if len(args) > len(names):
        raise ScenarioError(f"{function} takes {_listed(names)}, but {len(args)} values were given")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            near = _mlsysim.nearest(name, names)
            hint = f"did you mean `{near}`?" if near else f"it takes {_listed(names)}"
            raise ScenarioError(f"{function} has no input of that name; {hint}", name)
        if name in given:
            raise ScenarioError(f"{function} is given this input twice", name)
        given[name] = value
    return {name: given[name] for name in names if name in given}


def _parameter(field: dict[str, Any], kind: Any) -> Parameter:
    default = Parameter.empty if field["required"] else field.get("default")
    return Parameter(field["name"], kind, default=default, annotation=field["type"])


def _ordered(arguments: Fields) -> Fields:
    # Python wants what may be left out behind what may not.
    return sorted(arguments, key=lambda argument: not argument["required"])


def _listed(names: Sequence[str]) -> str:
    *most, last = [f"`{name}`" for name in names]
    return f"{', '.join(most)} and {last}" if most else last
