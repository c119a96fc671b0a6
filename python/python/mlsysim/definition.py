"""Classes made of descriptions: one for each scenario, record and result.

A class has a property for each input and output, documented with its unit and equation. Its
instances hold an instance of the extension, which does all the work.
"""

from __future__ import annotations

from . import _mlsysim
from .values import to_core, to_python, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature
    from typing import Any, Never, Self


class Definition(type):
    """The class of the classes that are made of descriptions."""

    # The description, of which nothing is left to `inspect` until somebody asks for the signature.
    _description: dict[str, Any]
    _texts: tuple[str, ...]

    @property
    def __signature__(cls) -> Signature:
        from .signature import of_class

        return of_class(cls._description["fields"], cls._texts)


class Described(metaclass=Definition):
    """An immutable object of a described type.

    Two are equal if they are of one type with equal values, however those were written; equal ones
    have equal hashes. A copy is the object itself.
    """

    __slots__ = ("_core",)
    _core: _mlsysim.Instance
    #: What the extension says of the type; empty for the classes that types share.
    _description: dict[str, Any] = {"name": "", "fields": [], "outputs": []}
    #: Texts about the object that can be given beside the inputs.
    _texts: tuple[str, ...] = ()

    def __init__(self, /, **inputs: Any) -> None:
        name = type(self)._description["name"]
        if not name:
            raise TypeError(f"{type(self).__name__} is what its types share; build one of those")
        given = {name: to_core(value, name) for name, value in inputs.items()}
        self._hold(_mlsysim.Instance(name, given))

    def _hold(self, core: _mlsysim.Instance) -> None:
        object.__setattr__(self, "_core", core)

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"a {type(self).__name__} does not change; build another one")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError(f"a {type(self).__name__} does not change; build another one")

    if not TYPE_CHECKING:
        # Type checkers know the attributes from the stubs, and shall refuse any other.
        def __getattr__(self, name):
            description = type(self)._description
            names = [part["name"] for part in (*description["fields"], *description["outputs"])]
            if name in names:
                # The property raised `AbsentError`, which Python took for an unknown attribute.
                return to_python(self._core.read(name))
            near = None if name.startswith("_") else _mlsysim.nearest(name, names)
            hint = f"; did you mean `{near}`?" if near else ""
            raise AttributeError(f"{type(self).__name__} has no attribute `{name}`{hint}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Described):
            return NotImplemented
        return self._core == other._core

    def __hash__(self) -> int:
        return hash(self._core)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[_mlsysim.Instance], Described], tuple[_mlsysim.Instance]]:
        return wrap, (self._core,)

    def __repr__(self) -> str:
        """The path in the registry, or what would build the object again."""
        return self._core.path or self._written()

    def _written(self) -> str:
        core, cls = self._core, type(self)
        texts = {"name": core.title, "description": core.description}
        inputs = [f"{text}={texts[text]!r}" for text in cls._texts if texts[text]]
        for field in cls._description["fields"]:
            value = core.read(field["name"])
            if field["required"] or value != field["default"]:
                inputs.append(f"{field['name']}={to_text(value)}")
        return f"{cls.__name__}({', '.join(inputs)})"

    def _repr_html_(self) -> str:
        from .html import table

        return table(self._core, type(self)._description)


def wrap(core: _mlsysim.Instance) -> Any:
    """The object around an instance of the extension."""
    cls = class_of(core.kind)
    made = cls.__new__(cls)
    made._hold(core)
    return made


_CLASSES: dict[str, type[Described]] = {}


def class_of(name: str) -> type[Described]:
    """The class of the described type called ``name``, made when it is first asked for."""
    made = _CLASSES.get(name)
    if made is None:
        made = _CLASSES[name] = _make(name)
    return made


def _make(name: str) -> Any:
    from . import docs, records, solvers
    from .engine import scenario_types

    base: type[Described]
    solver = solvers.solver_of(name)
    description = _mlsysim.describe(solver or name)
    namespace: dict[str, Any] = {"__slots__": (), "__qualname__": name}
    if solver:
        base, module = solvers.SolverResult, solvers.__name__
        # A result's fields are its solver's outputs, whose equations the solver knows.
        fields = [{**output, "required": True} for output in description["outputs"]]
        description = {**description, "name": name, "fields": fields, "outputs": []}
    elif description["family"] == "scenario":
        base, module = scenario_types.BaseScenario, scenario_types.__name__
        inputs = {field["name"] for field in description["fields"]}
        namespace["_texts"] = tuple(text for text in base._texts if text not in inputs)
    else:
        base, module = records.Record, records.__name__
    namespace["__module__"] = module
    namespace["__doc__"] = docs.of_result(description, solver) if solver else docs.of_class(description)
    namespace["_description"] = description
    for field in description["fields"]:
        namespace[field["name"]] = _property(field["name"], (docs.of_output if solver else docs.of_field)(field))
    for output in description["outputs"]:
        make = _method if output["method"] else _property
        namespace[output["name"]] = make(output["name"], docs.of_output(output), output)
    return Definition(name, (base,), namespace)


def _property(name: str, doc: str, output: object = None) -> property:
    def read(self: Described) -> Any:
        return to_python(self._core.read(name))

    return property(read, doc=doc)


def _method(name: str, doc: str, output: dict[str, Any]) -> Any:
    from .signature import bind, of_method

    def call(self: Described, /, *args: Any, **kwargs: Any) -> Any:
        given = bind(name, output["arguments"], args, kwargs)
        return to_python(self._core.call(name, *(to_core(value, field) for field, value in given.items())))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    call.__signature__ = of_method(output["arguments"], output["type"])  # type: ignore[attr-defined]
    return call
