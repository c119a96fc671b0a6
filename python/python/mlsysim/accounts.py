"""``Account``: what one rank of a layout holds, computes, moves and sends in a step of a model, and whether
it fits a machine."""

from __future__ import annotations

from . import _mlsysim
from .errors import ScenarioError
from .explanation import Explanation, Explanations
from .values import to_core, to_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Never, Self, TypeVar, overload

    from ._types import Quantity

    _T = TypeVar("_T")


class Fixed:
    """What models and accounts share: they do not change, and a pickle builds them again."""

    __slots__ = ("_core", "_made")
    #: The function that builds the object again, and its arguments.
    _made: tuple[Any, ...]

    def _hold(self, core: Any, *made: Any) -> Self:
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_made", made)
        return self

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"a {type(self).__name__} does not change; build another one")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError(f"a {type(self).__name__} does not change; build another one")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        restore, *made = self._made
        return restore, tuple(made)


class Reported(Fixed):
    """What accounts and predictions share: all that they tell is one report, which is made once."""

    __slots__ = ("_report",)
    _core: Any
    _report: dict[str, Any]

    def _reported(self) -> dict[str, Any]:
        """The report in the extension's terms; not to be changed."""
        try:
            return self._report
        except AttributeError:
            report: dict[str, Any] = self._core.report()
            object.__setattr__(self, "_report", report)
            return report

    def _told(self, name: str) -> Any:
        return to_python(self._reported()[name])

    def _placed(self, name: str) -> Any:
        if name not in self._reported():
            raise ScenarioError("the account was made without a machine; give `on` to have one", "on")
        return self._told(name)

    @property
    def devices(self) -> int:
        """How many devices the layout takes."""
        return int(self._told("devices"))

    @property
    def notes(self) -> list[str]:
        """What the reader should know."""
        return list(self._told("notes"))

    @property
    def memory(self) -> dict[str, Any]:
        """What a rank of the fullest stage holds, by part, with ``total``, ``capacity`` and ``free``."""
        return dict(self._placed("memory"))

    @property
    def fits(self) -> bool:
        """Whether the machine has the devices and the memory."""
        return bool(self._placed("fit")["fits"])

    @property
    def nearest(self) -> dict[str, Any] | None:
        """The nearest layout that fits, with its ``changes``, where this one does not and another does."""
        found: dict[str, Any] | None = self._placed("fit")["nearest"]
        return found


class Account(Reported):
    """What one rank of a layout holds, computes, moves and sends in a step of a model.

    ``Model.account`` returns it. Amounts are quantities of ``mlsysim.ureg``, parameters are ints.
    """

    __slots__ = ()
    _core: _mlsysim.Account

    def __init__(self) -> None:
        raise TypeError("an Account is what Model.account(…) returns; it cannot be built by hand")

    def report(self) -> dict[str, Any]:
        """Everything that the account tells, as ``mlsysim account -o json`` prints it."""
        told: dict[str, Any] = to_python(self._reported())
        return told

    @property
    def parameters(self) -> dict[str, int]:
        """The parameters that the rank has of each part, and their ``total``."""
        return dict(self._told("parameters"))

    @property
    def flops(self) -> dict[str, dict[str, Quantity]]:
        """The arithmetic of a step: by pass, then by part with the ``total``."""
        return dict(self._told("flops"))

    @property
    def bytes(self) -> dict[str, dict[str, Quantity]]:
        """What a step moves between memory and the device: by pass, then by part."""
        return dict(self._told("bytes"))

    @property
    def sent(self) -> dict[str, Quantity]:
        """What the rank sends in a step, by group (``"tp"``, ``"dp"``, …) with the ``total``."""
        return dict(self._told("sent"))

    @property
    def stage(self) -> int:
        """The stage of the pipeline, from 0."""
        return int(self._told("stage"))

    @property
    def machine(self) -> dict[str, Any]:
        """The machine: its ``devices``, ``domain``, ``link``, ``network`` and more.

        Raises
        ------
        ScenarioError
            The account was made without a machine. The same holds for all that follows from it.
        """
        return dict(self._placed("machine"))

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The groups that the rank exchanges something with, with the ``link`` that each crosses."""
        return list(self._placed("groups"))

    @property
    def bound(self) -> dict[str, Any]:
        """What a step takes at the least, by what takes it, and the least ``time``."""
        return dict(self._placed("bound"))

    if TYPE_CHECKING:

        @overload
        def explain(self, /) -> Explanations: ...
        @overload
        def explain(self, line: str, /) -> Explanation: ...

    def explain(self, line: str | None = None, /) -> Explanation | Explanations:
        """How a line comes about, such as ``flops.forward.mlp``, ``sent.tp`` or ``attention``.

        On a machine there are lines such as ``memory.weights`` and ``bound.network`` too.
        Without a ``line`` it is the tuple of the explanations of all totals that are not zero.

        Raises
        ------
        ScenarioError
            An account has no such line.
        """
        from json import loads

        if line is None:
            return Explanations(self.explain(total) for total in self._core.totals())
        text, data = self._core.explain(line)
        return Explanation(text, loads(data))

    def __repr__(self) -> str:
        told = self._reported()
        layers, devices, total = told["layers"], told["devices"], told["parameters"]["total"]
        return (
            f"<Account of {told['model']}, {told['step']['phase']} on {devices:,} devices: "
            f"stage {told['stage']} with {layers} layers, {total:,} parameters a rank>"
        )

    def _repr_html_(self) -> str:
        from .html import account

        return account(self._reported())


#: The inputs that say what is done with a model.
STEP = (
    "batch",
    "sequence",
    "micro_batch",
    "recompute",
    "precision",
    "gradients",
    "kv_precision",
    "prefill",
    "decode",
    "context",
)
#: The inputs that say what it runs on.
PLACE = ("on", "nodes", "fabric", "wiring", "state", "memory")


def chosen(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """What is ``given`` of the inputs called ``names``, in the extension's terms."""
    return {name: to_core(given[name], name) for name in names if given[name] is not None}


#: What the step's own inputs are called where a prefill or a decode step was asked for.
_PHASES = {"prefill": "sequence", "decode": "batch"}


def accounted(model: _mlsysim.Transformer, layout: Any, question: dict[str, Any]) -> _mlsysim.Account:
    """The account of a step of ``model``, in the extension's terms.

    A refusal names the input as the user wrote it: ``prefill`` or ``decode`` where the step knows
    only a sequence or a batch.
    """
    inputs = dict(question)
    stage = inputs.pop("stage", None)
    placement = placement_of(inputs)
    return asked(inputs, lambda step: model.account(layout, step, stage, placement or None))


def asked(inputs: dict[str, Any], ask: Callable[[dict[str, Any]], _T]) -> _T:
    """What ``ask`` finds for a step of ``inputs``; a refusal names what the user wrote."""
    phases = [phase for phase in _PHASES if phase in inputs]
    if len(phases) > 1:
        raise ScenarioError("a step is a prefill or a decode step, but both were given", "decode")
    for phase in phases:
        taken = [_PHASES[phase]] if phase == "prefill" else ["batch", "sequence"]
        for other in taken:
            if other in inputs:
                raise ScenarioError(f"it is what `{phase}` gives; leave one of them out", other)
        inputs["phase"], inputs[_PHASES[phase]] = phase, inputs.pop(phase)
    if "decode" in phases and "context" not in inputs:
        raise ScenarioError("how many tokens of each sequence are cached is needed for `decode`", "context")
    try:
        return ask(inputs)
    except ScenarioError as error:
        written = [phase for phase in phases if _PHASES[phase] == error.field]
        if not written:
            raise
        raise ScenarioError(error.message, written[0], error.kind) from None


def placement_of(inputs: dict[str, Any]) -> dict[str, Any]:
    """What of ``inputs`` says what the step runs on; it is taken out of them."""
    placement = {name: inputs.pop(name) for name in PLACE if name in inputs}
    for name in placement:
        if "on" not in placement:
            raise ScenarioError("it is about a machine, but none is given; give `on` too", name)
    for name in ("on", "fabric"):
        given = placement.get(name)
        if isinstance(given, _mlsysim.Instance):
            given = placement[name] = given.path
        if name in placement and not isinstance(given, str):
            raise ScenarioError("the name of an entry of the registry is needed", name)
    if not isinstance(placement.get("wiring", ""), str | dict):
        raise ScenarioError("a text or a dict is needed, such as `'rail_domains=32'`", "wiring")
    if not isinstance(placement.get("state", {}), dict):
        raise ScenarioError("a dict is needed, such as `{'peak.bf16': '989 TFLOP/s'}`", "state")
    if not isinstance(placement.get("memory", {}), dict):
        raise ScenarioError("a dict is needed, such as `{'optimizer': 'adam_8bit'}`", "memory")
    return placement


def check_names(degrees: Mapping[str, Any], options: Iterable[str], what: str) -> None:
    """Refuses what is neither a degree of a layout nor an option; ``what`` is what they are given for."""
    known = _mlsysim.Transformer.degrees()
    for name in degrees:
        if name not in known:
            near = _mlsysim.nearest(name, [*known, *options])
            hint = f"; did you mean `{near}`?" if near else ""
            raise ScenarioError(f"{what} has no input of that name{hint}", name)


def layout_of(layout: Any, degrees: dict[str, Any]) -> Any:
    """A layout in the extension's terms: its text, or its degrees by name."""
    if isinstance(layout, str):
        if degrees:
            name = next(iter(degrees))
            raise ScenarioError("give the layout as a text or by its degrees, not both", name)
        return layout
    if layout is not None and not hasattr(layout, "keys"):
        raise ScenarioError(
            f"a text such as `tp=8,pp=4` or a dict of degrees is needed, but `{layout!r}` was given", "layout"
        )
    given = dict(layout or {})
    for name, value in degrees.items():
        if name in given:
            raise ScenarioError("it is given twice", name)
        given[name] = value
    return {name: to_core(value, name) for name, value in given.items()}
