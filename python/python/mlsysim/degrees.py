"""Tensor parallelism: a step at each degree, what the split loses, and where it stops paying.

>>> from mlsysim import tp
>>> split = tp("Llama3_70B", on="DGX_H100", prefill=2048)
>>> [degree.tp for degree in split]
[1, 2, 4, 8]
>>> 1 < split[8].speed_up < 8
True
>>> split.pays_for_latency in (1, 2, 4, 8), split[split.cheapest].fits
(True, True)
>>> rows = split.rows()  # for pandas.DataFrame(rows), or pyarrow.Table.from_pylist(rows)
>>> [name for name in rows[0] if name.startswith("step_")][:3]
['step_ideal', 'step_products', 'step_attention']
"""

from __future__ import annotations

from . import _mlsysim
from .accounting import model_of
from .accounts import PLACE, STEP, asked, check_names, chosen, layout_of, placement_of
from .errors import ScenarioError
from .predictions import machine_of, practice_of
from .values import to_core, to_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike
    from typing import Any, overload

    from ._types import CountLike, Quantity, QuantityLike
    from .accounting import Configuration, Model
    from .engine.scenario_types import TensorParallelSpeedupScenario
    from .measurements import Fit
    from .records import Fleet, NetworkFabric, Node, Workload


class Degree:
    """A step at one degree of tensor parallelism."""

    __slots__ = ("_told",)

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @property
    def tp(self) -> int:
        """How many ranks share a layer."""
        return int(self._told["tp"])

    @property
    def devices(self) -> int:
        """How many devices the layout takes."""
        return int(self._told["devices"])

    @property
    def domains(self) -> int:
        """Between how many domains of fast links a group lies; 1 where it stays within one."""
        return int(self._told["domains"])

    @property
    def time(self) -> Quantity:
        """How long the step takes."""
        time: Quantity = to_python(self._told["time"])
        return time

    @property
    def low(self) -> Quantity:
        """What one measurement in twenty is below."""
        low: Quantity = to_python(self._told["low"])
        return low

    @property
    def high(self) -> Quantity:
        """What one measurement in twenty is above."""
        high: Quantity = to_python(self._told["high"])
        return high

    @property
    def bound(self) -> Quantity:
        """The least time that is possible."""
        bound: Quantity = to_python(self._told["bound"])
        return bound

    @property
    def speed_up(self) -> float:
        """How many times faster than degree 1."""
        return float(self._told["speed_up"])

    @property
    def speed_up_interval(self) -> tuple[float, float]:
        """Between which speed-ups nine measurements in ten lie, from published sweeps of such steps."""
        return float(self._told["speed_up_low"]), float(self._told["speed_up_high"])

    @property
    def efficiency(self) -> float:
        """The speed-up as a share of the degree."""
        return float(self._told["efficiency"])

    @property
    def gain(self) -> float | None:
        """What share of the time of half the degree is saved; nothing at degree 1."""
        gain: float | None = self._told["gain"]
        return gain

    @property
    def fits(self) -> bool:
        """Whether the machine has the devices and the memory."""
        return bool(self._told["fits"])

    @property
    def free(self) -> Quantity:
        """What is left on the fullest device; below 0 where it does not fit."""
        free: Quantity = to_python(self._told["free"])
        return free

    @property
    def step(self) -> dict[str, Any]:
        """The ``ideal`` split of the step, and the ``losses`` beside it by what they are: they add up to it."""
        return dict(to_python(self._told["step"]))

    @property
    def layer(self) -> dict[str, Any]:
        """The same of one layer."""
        return dict(to_python(self._told["layer"]))

    def row(self) -> dict[str, Any]:
        """The degree as a row of a table, times in seconds and memory in bytes."""
        told = self._told
        names = ("tp", "devices", "domains", "speed_up", "speed_up_low", "speed_up_high", "efficiency", "gain", "fits")
        row = {name: told[name] for name in names}
        row |= {name: told[name][0] for name in ("time", "low", "high", "bound")}
        row |= {"free_bytes": told["free"][0]}
        row |= {name: told[name] for name in ("device_seconds_per_token", "usd_per_million_tokens")}
        for what in ("step", "layer"):
            losses = {"ideal": told[what]["ideal"], **told[what]["losses"]}
            row |= {f"{what}_{name}": loss[0] for name, loss in losses.items()}
        return row

    def __repr__(self) -> str:
        return f"<Degree {self.tp}: {self.time:.4g~P}, {self.speed_up:.3f} times faster than 1>"


class Degrees:
    """A step at each degree of tensor parallelism: 1, 2, 4 and so on.

    ``tp`` returns it. ``degrees[8]`` is that of 8 ranks, and iterating gives them all.
    """

    __slots__ = ("_refused", "_told")

    def __init__(self, told: dict[str, Any], refused: tuple[int, str] | None) -> None:
        self._told = told
        self._refused = refused

    def report(self) -> dict[str, Any]:
        """Everything, as ``mlsysim tp -o json`` prints it."""
        told: dict[str, Any] = to_python(self._told)
        return told

    @property
    def pays_for_latency(self) -> int:
        """The degree up to which each doubling saves a tenth of the time, and ends below the interval of the
        degree before."""
        return int(self._told["pays_for_latency_up_to"])

    @property
    def pays_for_latency_if_alike(self) -> int:
        """The same if the predictions of all degrees err alike, so that only the saving counts."""
        return int(self._told["pays_for_latency_if_errors_are_alike_up_to"])

    @property
    def cheapest(self) -> int:
        """The degree with the fewest device-seconds for a token, of those that fit if any does."""
        return int(self._told["cheapest"])

    @property
    def refused(self) -> tuple[int, str] | None:
        """The first doubling that the machine has devices for and the layout does not allow, and why."""
        return self._refused

    def rows(self) -> list[dict[str, Any]]:
        """The degrees as rows of a table: ``pandas.DataFrame(degrees.rows())``."""
        return [degree.row() for degree in self]

    def __iter__(self) -> Iterator[Degree]:
        return (Degree(told) for told in self._told["degrees"])

    def __len__(self) -> int:
        return len(self._told["degrees"])

    def __getitem__(self, tp: int) -> Degree:
        known = [degree.tp for degree in self]
        if tp not in known:
            raise KeyError(f"there is no degree `{tp}`; there are {', '.join(map(str, known))}")
        return next(degree for degree in self if degree.tp == tp)

    def __repr__(self) -> str:
        return f"<Degrees {', '.join(str(degree.tp) for degree in self)}: pays for latency up to {self.pays_for_latency}>"

    def _repr_html_(self) -> str:
        from .html import cells

        heads = ["TP", "time", "low", "high", "speed-up", "efficiency", "fits"]
        rows = [
            [
                str(degree.tp),
                *(f"{time:.4g~P}" for time in (degree.time, degree.low, degree.high)),
                f"{degree.speed_up:.3f}",
                f"{100 * degree.efficiency:.1f} %",
                "yes" if degree.fits else "no",
            ]
            for degree in self
        ]
        return cells("a step at each degree of tensor parallelism", heads, rows, [])


class StatedDegrees:
    """A case that states the times of a layer, at each degree, beside its predicted twin.

    ``tp(scenario=…)`` returns it.
    """

    __slots__ = ("_told",)

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    def report(self) -> dict[str, Any]:
        """Everything, as ``mlsysim tp --scenario … -o json`` prints it."""
        told: dict[str, Any] = to_python(self._told)
        return told

    @property
    def implied(self) -> dict[str, str]:
        """What the case implies: the model, the machine, the tokens, and where that stands."""
        return dict(self._told["implied"])

    def rows(self) -> list[dict[str, Any]]:
        """The degrees as rows of a table, times in seconds: what is stated and what is predicted."""
        return [
            {name: value[0] if type(value) is tuple else value for name, value in told.items()}
            for told in self._told["degrees"]
        ]

    def __len__(self) -> int:
        return len(self._told["degrees"])

    def __repr__(self) -> str:
        return f"<StatedDegrees {', '.join(str(told['tp']) for told in self._told['degrees'])}>"


if TYPE_CHECKING:

    @overload
    def tp(
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
        memory: Mapping[str, Any] | None = None,
        wiring: str | Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        practice: str | Mapping[str, Any] | None = None,
        price: QuantityLike | None = None,
        calibration: str | PathLike[str] | Fit | None = None,
        **degrees: Any,
    ) -> Degrees: ...
    @overload
    def tp(
        model: Model | Workload | Configuration | None = None,
        *,
        scenario: str | TensorParallelSpeedupScenario,
        on: str | Fleet | Node | None = None,
        nodes: CountLike | None = None,
        fabric: str | NetworkFabric | None = None,
        wiring: str | Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        batch: CountLike | None = None,
        sequence: CountLike | None = None,
        practice: str | Mapping[str, Any] | None = None,
    ) -> StatedDegrees: ...


def tp(
    model: Model | Workload | Configuration | None = None,
    layout: str | Mapping[str, Any] | None = None,
    *,
    scenario: str | TensorParallelSpeedupScenario | None = None,
    on: str | Fleet | Node | None = None,
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
    memory: Mapping[str, Any] | None = None,
    wiring: str | Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    practice: str | Mapping[str, Any] | None = None,
    price: QuantityLike | None = None,
    calibration: str | PathLike[str] | Fit | None = None,
    **degrees: Any,
) -> Degrees | StatedDegrees:
    """A step of ``model`` at each degree of tensor parallelism that it and the machine allow.

    Model, the other degrees of the layout, step and machine are given as to ``predict``, and so are
    ``practice``, ``price`` and ``calibration``. With a ``scenario`` instead, the name of a case that
    states the times of a layer or the case itself, its own equations are told at each degree, beside the
    same equations of predicted times; model, machine, ``batch`` and ``sequence`` take the place of what it
    implies.

    >>> stated = tp(scenario="Llama2_70BPrefillTensorParallel8")
    >>> round(stated.rows()[3]["speed_up"], 4)
    6.8966

    Raises
    ------
    ScenarioError
        An input is wrong, or the machine lacks a figure that the prediction needs.
    """
    given = locals()
    names = (*STEP, *PLACE)
    check_names(degrees, (*names, "scenario", "practice", "price", "calibration"), "a split")
    inputs = chosen(given, *names)
    if scenario is not None:
        for name in inputs:
            if name not in ("batch", "sequence", *PLACE[:-1]):
                raise ScenarioError(_SAID, name)
        for name, value in {"layout": layout, "price": price, "calibration": calibration, **degrees}.items():
            if value is not None:
                raise ScenarioError(_SAID, name)
        placement = placement_of(inputs) or None
        chosen_model = None if model is None else model_of(model)._core
        case = to_core(scenario, "scenario")
        return StatedDegrees(
            _mlsysim.stated_degrees(case, chosen_model, inputs, practice_of(practice), placement)
        )
    if model is None:
        raise ScenarioError("a model is needed, such as `Llama3_70B`, or a `scenario`", "model")
    placement = machine_of(inputs)
    core, divided = model_of(model)._core, layout_of(layout, degrees)
    from .measurements import calibration_files

    manner = practice_of(practice), chosen(given, "price"), placement, calibration_files(calibration)
    return Degrees(*asked(inputs, lambda step: _mlsysim.degrees(core, divided, step, *manner)))


#: Why an input cannot be given beside a case.
_SAID = (
    "the case says what is done; only the model, the machine, `batch`, `sequence` and `practice` can be given beside it"
)
