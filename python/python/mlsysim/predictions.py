"""Predicted steps: how long they take, with an interval, and what the time is the sum of.

>>> from mlsysim import predict
>>> step = predict("Llama3_70B", on="Training_512_H100", layout="tp=8,pp=4,dp=16,sp,zero=1", batch=512, sequence=8192)
>>> step.low < step.time < step.high
True
>>> step.binds
'computing'
>>> [part.name for part in step.parts.parts]
['passes', 'sends, waited for', 'pipeline fills and drains', 'replicas, exposed', 'update', 'beside']
>>> print(step.explain("passes.attention.query"))  # doctest: +ELLIPSIS
passes.attention.query = ...  [fitted]
...
"""

from __future__ import annotations

from . import _mlsysim
from .accounting import model_of
from .accounts import PLACE, STEP, Reported, asked, check_names, chosen, layout_of, placement_of
from .errors import ScenarioError
from .explanation import Explanation
from .values import to_core, to_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike
    from typing import Any

    from ._types import CountLike, Quantity, QuantityLike
    from .accounting import Configuration, Model
    from .measurements import Fit
    from .records import Fleet, NetworkFabric, Node, Workload


class Part:
    """A part of a predicted time, and the parts that it is the sum of itself.

    ``part["attention"]`` is a part below it, ``part["attention.query"]`` one further down, and iterating
    gives those right below.
    """

    __slots__ = ("_told",)

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @property
    def name(self) -> str:
        """What it is."""
        return str(self._told["name"])

    @property
    def path(self) -> str:
        """Its path from the step, such as ``passes.attention.query``."""
        return str(self._told["path"])

    @property
    def time(self) -> Quantity:
        """How long it takes."""
        time: Quantity = to_python(self._told["time"])
        return time

    @property
    def share(self) -> float:
        """What share of the step it takes."""
        return float(self._told["share"])

    @property
    def kind(self) -> str:
        """What kind of number its time is."""
        return str(self._told["kind"])

    @property
    def binds(self) -> str:
        """What takes most of it."""
        return str(self._told["binds"])

    @property
    def bound(self) -> Quantity | None:
        """What it takes at the bound; nothing where the bound says nothing of it."""
        bound: Quantity | None = to_python(self._told["bound"])
        return bound

    @property
    def share_of_bound(self) -> float | None:
        """What share of its bound it reaches."""
        share: float | None = self._told["share_of_bound"]
        return share

    @property
    def parts(self) -> list[Part]:
        """What it is the sum of; empty where it is told no further."""
        return [Part(told) for told in self._told["parts"]]

    def rows(self) -> list[dict[str, Any]]:
        """This part and all below it as rows of a table, times in seconds: ``pandas.DataFrame(part.rows())``."""
        told = self._told
        bound = told["bound"]
        row = {
            "part": self.path,
            "seconds": told["time"][0],
            "share": self.share,
            "kind": self.kind,
            "binds": self.binds,
            "bound_seconds": None if bound is None else bound[0],
            "share_of_bound": self.share_of_bound,
        }
        return [row, *(below for part in self.parts for below in part.rows())]

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __getitem__(self, path: str) -> Part:
        first, _, rest = path.partition(".")
        for part in self.parts:
            if first in (part.name, part.path.rpartition(".")[2]):
                return part[rest] if rest else part
        known = [part.path.rpartition(".")[2] for part in self.parts]
        near = _mlsysim.nearest(first, known)
        hint = f"; did you mean `{near}`?" if near else f"; there are {', '.join(known)}" if known else ""
        raise KeyError(f"`{self.name}` has no part `{first}`{hint}")

    def __repr__(self) -> str:
        return f"<Part {self.path or self.name}: {self.time:.6g~P}, {100 * self.share:.1f} %>"


class Prediction(Reported):
    """A step of a layout on a machine, as it is predicted.

    ``predict`` returns it. Times, rates and energies are quantities of ``mlsysim.ureg``.
    """

    __slots__ = ()
    _core: _mlsysim.Forecast

    def __init__(self) -> None:
        raise TypeError("a Prediction is what mlsysim.predict(…) returns; it cannot be built by hand")

    def report(self) -> dict[str, Any]:
        """Everything that is predicted, as ``mlsysim predict -o json`` prints it."""
        told: dict[str, Any] = to_python(self._reported())
        return told

    @property
    def time(self) -> Quantity:
        """How long the step takes."""
        time: Quantity = self._told("time")
        return time

    @property
    def low(self) -> Quantity:
        """What one measurement in twenty is below."""
        low: Quantity = self._told("low")
        return low

    @property
    def high(self) -> Quantity:
        """What one measurement in twenty is above."""
        high: Quantity = self._told("high")
        return high

    @property
    def interval(self) -> tuple[Quantity, Quantity]:
        """What nine measurements in ten lie between."""
        return self.low, self.high

    @property
    def bound(self) -> Quantity:
        """The least time that is possible."""
        bound: Quantity = self._told("bound")
        return bound

    @property
    def kind(self) -> str:
        """What kind of number the time is."""
        return str(self._told("kind"))

    @property
    def share_of_bound(self) -> float:
        """What share of the bound is reached."""
        return float(self._told("share_of_bound"))

    @property
    def binds(self) -> str:
        """What takes most of the time."""
        return str(self._told("binds"))

    @property
    def regime(self) -> str:
        """The regime that the interval was validated in."""
        return str(self._told("regime"))

    @property
    def reasons(self) -> list[str]:
        """Why the interval is as wide as it is."""
        return list(self._told("reasons"))

    @property
    def parts(self) -> Part:
        """The step as the sum of its parts."""
        return Part(self._reported()["parts"])

    @property
    def decode_tokens_per_second(self) -> Quantity | None:
        """How many tokens of a request follow each other in a second once its first one is there; None if none do."""
        rate: Quantity | None = self._told("decode_tokens_per_second")
        return rate

    @property
    def tokens_per_second(self) -> Quantity:
        """How many tokens all replicas together work on in a second."""
        rate: Quantity = self._told("tokens_per_second")["predicted"]
        return rate

    @property
    def utilization(self) -> dict[str, Any]:
        """The model's arithmetic as a share of the ``peak``, by convention: ``hardware`` is HFU, all others MFU.

        Raises
        ------
        ScenarioError
            Nothing is trained.
        """
        told = self._reported()
        if "utilization" not in told:
            raise ScenarioError("utilization is told of steps of training", "utilization")
        return dict(to_python(told["utilization"]))

    @property
    def energy(self) -> Quantity | None:
        """The energy of the step as an estimate: each device at its power, for the whole time."""
        energy: Quantity | None = self._told("energy")["energy"]
        return energy

    @property
    def cost(self) -> Quantity | None:
        """What the step costs; nothing where no price was given."""
        told = self._told("cost")
        cost: Quantity | None = None if told is None else told["cost"]
        return cost

    @property
    def practice(self) -> dict[str, Any]:
        """What the framework does of its own choice."""
        return dict(self._told("practice"))

    def explain(self, path: str = "", /) -> Explanation:
        """How a part comes about, such as ``passes.attention.query``; the time of the step without a path.

        Raises
        ------
        ScenarioError
            There is no such part.
        """
        from json import loads

        text, data = self._core.explain(path)
        return Explanation(text, loads(data))

    def __repr__(self) -> str:
        told = self._reported()
        phase, devices = told["step"]["phase"], told["devices"]
        return (
            f"<Prediction of {told['model']}, {phase} on {devices:,} devices: "
            f"{self.time:.4g~P}, 90 % between {self.low:.4g~P} and {self.high:.4g~P}>"
        )

    def _repr_html_(self) -> str:
        from .html import prediction

        return prediction(self._reported())


def predict(
    model: Model | Workload | Configuration,
    layout: str | Mapping[str, Any] | None = None,
    *,
    on: str | Fleet | Node,
    nodes: CountLike | None = None,
    fabric: str | NetworkFabric | None = None,
    batch: CountLike | None = None,
    sequence: CountLike | None = None,
    micro_batch: CountLike | None = None,
    recompute: str | None = None,
    precision: str | None = None,
    gradients: str | None = None,
    kv_precision: str | None = None,
    prefill: CountLike | None = None,
    decode: CountLike | None = None,
    context: CountLike | None = None,
    answer: CountLike | None = None,
    load: CountLike | bool | None = None,
    memory: Mapping[str, Any] | None = None,
    wiring: str | Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    practice: str | Mapping[str, Any] | None = None,
    power: QuantityLike | None = None,
    price: QuantityLike | None = None,
    calibration: str | PathLike[str] | Fit | None = None,
    **degrees: Any,
) -> Prediction:
    """How long a step of ``model`` takes on a layout and a machine.

    Model, layout, step and machine are given as to ``account``. With ``prefill`` and ``answer``, the tokens of
    each prompt and of each answer, it is the time of a whole ``batch``; with ``load`` too the mean time between
    two tokens of all requests where new ones begin as others end, of at most so many at once, or with ``True``
    of as many as fit. ``practice`` is what the framework does
    of its own choice, as a text (``"products=fp8,attention=unfused"``) or a dict: the precision of
    ``products`` and of the ``cache``, the ``attention`` kernel, whether there are CUDA ``graphs``, the
    ``library`` of AllReduces, and of an engine that serves its ``class``, ``max_batch``, ``max_tokens``,
    whether it ``tunes`` both to its memory, its ``memory_fraction``, whether it ``prescales`` activations
    and whether it ``attends_in_cache_precision``. ``power`` is that of one device, its thermal design power if left out, and
    ``price`` that of one device for the time that it is used (``"2 USD/h"``). ``calibration`` is what
    ``calibrate`` returned, or a folder that it or ``mlsysim calibrate`` wrote; that of this package if left out.

    >>> step = predict("Llama3_8B", on="DGX_H100", tp=8, sp=True, batch=8, price="2 USD/h")
    >>> step.fits, step.cost > 0 * step.cost
    (True, True)

    Raises
    ------
    ScenarioError
        An input is wrong, or the machine lacks a figure that the prediction needs.
    """
    given = locals()
    check_names(degrees, (*STEP, *PLACE, "answer", "load", "practice", "power", "price", "calibration"), "a prediction")
    inputs = chosen(given, *STEP, *PLACE)
    if answer is not None and prefill is None:
        raise ScenarioError("how many tokens each prompt has is needed too, as `prefill`", "answer")
    if load is not None and answer is None:
        raise ScenarioError("how many tokens each answer has is needed too, as `answer`", "load")
    placement = machine_of(inputs)
    served = chosen({**given, "load": None if load is False else load}, "answer", "load")
    if calibration is not None:
        from .measurements import calibration_files

        served["calibration"] = calibration_files(calibration)
    manner = practice_of(practice), chosen(given, "power", "price"), placement
    return _predicted(model_of(model), layout_of(layout, degrees), inputs, manner, served)


def _predicted(
    model: Model,
    layout: Any,
    inputs: dict[str, Any],
    manner: tuple[Any, dict[str, Any], dict[str, Any]],
    served: dict[str, Any],
) -> Prediction:
    core = asked(dict(inputs), lambda step: _mlsysim.Forecast.of(model._core, layout, step, *manner, **served))
    return Prediction.__new__(Prediction)._hold(core, _predicted, model, layout, inputs, manner, served)


def machine_of(inputs: dict[str, Any]) -> dict[str, Any]:
    """What of ``inputs`` says what the step runs on, which has to be there; it is taken out of them."""
    placement = placement_of(inputs)
    if "on" not in placement:
        raise ScenarioError("a machine is needed, such as `DGX_H100`", "on")
    return placement


def practice_of(practice: str | Mapping[str, Any] | None) -> Any:
    """What a framework does of its own choice, in the extension's terms."""
    named = practice if practice is None or isinstance(practice, str) else dict(practice)
    return to_core(named, "practice") or {}
