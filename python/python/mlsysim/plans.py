"""Plans: the best way to train a model on a machine, and why.

>>> from mlsysim import plan
>>> best = plan("Llama3_8B", on="DGX_H100", batch=64, sequence=8192, top=3)
>>> best.fits, len(best.layouts), best.best.low < best.best.time < best.best.high
(True, 3, True)
>>> rows = best.rows()  # for pandas.DataFrame(rows), or pyarrow.Table.from_pylist(rows)
>>> rows[0]["step_s"] <= rows[1]["step_s"], rows[0]["devices"]
(True, 8)
>>> plan("Llama3_8B", on="DGX_H100", batch=64, sequence=8192, fix="tp=16")
Traceback (most recent call last):
    ...
mlsysim.errors.ScenarioError: fix: `tp=16` leaves no legal layout; `tp` can be `1`, `2`, `4` and `8`
"""

from __future__ import annotations

from . import _mlsysim
from .accounting import Model, model_of
from .errors import ScenarioError
from .planned import PlannedLayout, quantity_of
from .values import to_core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import Any

    from ._types import CountLike, NumberLike, Quantity, QuantityLike
    from .accounting import Configuration
    from .measurements import Fit
    from .records import Fleet, NetworkFabric, Node, Workload

#: How the names of plan files end.
_ENDINGS = (".toml", ".yaml", ".yml")

#: What cannot be left out, with an example of it.
_NEEDED = {"on": "DGX_H100", "batch": 512, "sequence": 4096}

#: What may be one value or several.
_LISTS = ("devices", "fix", "forbid", "require", "precision")


class Plan:
    """The best layouts of a training on a machine, and how they compare.

    ``plan`` returns it.
    """

    __slots__ = ("_told",)

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    def report(self) -> dict[str, Any]:
        """Everything, as ``mlsysim plan -o json`` prints it."""
        from copy import deepcopy

        return deepcopy(self._told)

    @property
    def layouts(self) -> list[PlannedLayout]:
        """The best layouts that fit and keep what is required, first; none where nothing does."""
        return [PlannedLayout(told) for told in self._told["layouts"]]

    @property
    def best(self) -> PlannedLayout:
        """The best of them.

        Raises
        ------
        ScenarioError
            Nothing fits, or nothing that fits keeps what is required; ``nearest`` is what lacks or misses
            least.
        """
        if not self.fits:
            raise ScenarioError("no layout fits; `nearest` is the one that holds least", None, "absent")
        if not self.is_kept:
            raise ScenarioError(
                "no layout keeps what is required; `nearest` is the one that misses least", None, "absent"
            )
        return self.layouts[0]

    @property
    def fits(self) -> bool:
        """Whether any layout fits, whatever else is required."""
        return self.is_kept or self.lacking is None

    @property
    def nearest(self) -> PlannedLayout | None:
        """Where nothing fits the layout that holds least; where nothing that fits keeps what is required the
        one that misses least of it."""
        told = self._told.get("nearest")
        return None if told is None else PlannedLayout(told)

    @property
    def lacking(self) -> Quantity | None:
        """What a device lacks for the nearest layout, where nothing fits."""
        lacking = self._told.get("lacking_bytes")
        return None if lacking is None else quantity_of(lacking, "B")

    @property
    def front(self) -> list[PlannedLayout]:
        """The layouts that no other beats in all figures of ``pareto``, where some were given."""
        return [PlannedLayout(told) for told in self._told.get("front", [])]

    @property
    def search(self) -> dict[str, Any]:
        """How many layouts are ``legal``, how many of them were ``priced``, and how many of those fit."""
        return dict(self._told["search"])

    @property
    def comparison(self) -> dict[str, Any] | None:
        """How the best compares with the next: the ``gap_s``, and whether they can be ``told_apart``."""
        comparison: dict[str, Any] | None = self._told.get("comparison")
        return comparison

    @property
    def run(self) -> dict[str, Any] | None:
        """The whole run of ``tokens``, where they were given: wall-clock time, cost, energy and carbon, with
        what is assumed and where that stands."""
        run: dict[str, Any] | None = self._told.get("run")
        return run

    @property
    def requirements(self) -> list[dict[str, Any]]:
        """What became of each requirement: whether it is ``met``, its ``value``, and ``by`` how much."""
        return list(self._told.get("require", []))

    @property
    def is_kept(self) -> bool:
        """Whether a layout fits and keeps all that is required."""
        return bool(self._told["layouts"])

    @property
    def notes(self) -> list[str]:
        """What the reader should know of the best."""
        return list(self._told.get("notes", []))

    def rows(self) -> list[dict[str, Any]]:
        """The layouts as rows of a table, best first: ``pandas.DataFrame(plan.rows())``."""
        return [{"rank": rank, **layout.row()} for rank, layout in enumerate(self.layouts, 1)]

    def _title(self) -> str:
        devices = " or ".join(f"{count:,}" for count in self._told["devices"])
        return f"{self._told['model']} on {devices} devices of {self._told['system']}"

    def __repr__(self) -> str:
        if not self.fits:
            return f"<Plan of {self._title()}: none of {self.search['legal']:,} legal layouts fits>"
        if not self.is_kept:
            return f"<Plan of {self._title()}: none of {self.search['legal']:,} legal layouts keeps what is required>"
        best = self.best
        return (
            f"<Plan of {self._title()}: {best.layout}, {best.time:.4g~P}, "
            f"90 % between {best.low:.4g~P} and {best.high:.4g~P}>"
        )

    def __str__(self) -> str:
        heads, *rows = self._cells()
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (heads, *rows)]
        return "\n".join([self._title(), *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        from .html import cells

        heads, *rows = self._cells()
        return cells(self._title(), heads, rows, self.notes)

    def _cells(self) -> list[list[str]]:
        """The table of layouts for people."""
        heads = ["#", "step", "low", "high", "tokens/s", "MFU", "memory", "layout", "micro", "recompute"]
        shown = self.layouts or [layout for layout in (self.nearest,) if layout is not None]
        return [heads] + [
            [
                str(rank) if self.is_kept else "-",
                *(f"{time:.4g~P}" for time in (layout.time, layout.low, layout.high)),
                f"{layout.tokens_per_second.magnitude:,.0f}",
                f"{100 * layout.utilization:.1f} %",
                f"{layout.memory['total'].to('GiB'):.1f~P}",
                layout.layout,
                str(layout.micro_batch),
                layout.recompute,
            ]
            for rank, layout in enumerate(shown, 1)
        ]


def plan(
    model: Model | Workload | Configuration,
    *,
    on: str | Fleet | Node | None = None,
    devices: CountLike | Iterable[CountLike] | None = None,
    fabric: str | NetworkFabric | None = None,
    state: Mapping[str, Any] | None = None,
    batch: CountLike | None = None,
    sequence: CountLike | None = None,
    tokens: NumberLike | None = None,
    goal: str | Mapping[str, float] | None = None,
    fix: str | Iterable[str] | None = None,
    forbid: str | Iterable[str] | None = None,
    top: CountLike | None = None,
    pareto: str | Iterable[str] | None = None,
    require: str | Iterable[str] | None = None,
    precision: str | Iterable[str] | None = None,
    gradients: str | None = None,
    price: QuantityLike | None = None,
    region: str | None = None,
    memory: Mapping[str, Any] | None = None,
    exhaustive: bool = False,
    calibration: str | PathLike[str] | Fit | None = None,
) -> Plan:
    """The best way to train ``model`` on a machine: every legal layout, priced and ranked.

    ``model`` is given as to ``account``, or it is the path of a plan file (``"plan.toml"``, ``"plan.yaml"``),
    which says all else. ``on`` is a cluster of the registry (``"Training_512_H100"``) or a server
    (``"DGX_H100"``), of which ``devices`` are used, or as many of several numbers as is best, and ``state``
    has figures of it as for ``account``; ``batch`` are
    the sequences of a step, of ``sequence`` tokens. ``goal`` is what is best: ``"time"``, ``"cost"``,
    ``"energy"``, or weights (``{"time": 2, "cost": 1}``). ``fix`` says what has to hold
    (``"tp=8,pp<=4,sp"``) and ``forbid`` what must not be, ``top`` how many layouts are told, ``pareto`` in
    which figures none may be beaten (``"time,memory"``), and ``require`` what is to be kept (``"step_time <
    12 s"``): only layouts that keep it are ranked. ``precision`` are those of matrix products to choose from. With the ``tokens`` of a whole run
    its time, cost, energy and carbon are told too, at the ``price`` of a device and in a ``region``.
    ``memory`` is how the framework uses the devices, as for ``account``. ``exhaustive`` prices every layout,
    also those that cannot be among the best. ``calibration`` is that of steps, as for ``predict``; a plan
    file says nothing of it.

    Other threads run meanwhile, and Ctrl-C ends the search.

    >>> large = plan("Llama3_70B", on="DGX_H100", batch=8, sequence=4096)
    >>> large.fits, large.lacking is not None
    (False, True)

    Raises
    ------
    ScenarioError
        An input is wrong, or no layout is legal.
    """
    options = {name: value for name, value in locals().items() if name not in ("model", "exhaustive", "calibration")}
    given = {name: value for name, value in options.items() if value is not None}
    path = _plan_file(model)
    if path is not None:
        for name in given:
            raise ScenarioError(f"`{path}` says all of a plan; change it there, and leave this out", name)
        file = _read(path)
        return _planned(file, model_of(_beside(path, file.model)), exhaustive, calibration)
    for name, example in _NEEDED.items():
        if name not in given:
            raise ScenarioError(f"it is needed, as in `{name}={example!r}`", name)
    if state is not None and not hasattr(state, "keys"):
        raise ScenarioError("a dict is needed, such as `{'peak.bf16': '989 TFLOP/s'}`", "state")
    found = model_of(model)
    file = _mlsysim.PlanFile.of({"model": found.name or "model", **{name: _input(name, given[name]) for name in given}})
    return _planned(file, found, exhaustive, calibration)


def _planned(
    file: _mlsysim.PlanFile, model: Model, exhaustive: bool, calibration: str | PathLike[str] | Fit | None
) -> Plan:
    from json import loads

    from .measurements import calibration_files

    return Plan(loads(_mlsysim.plan(file, model._core, exhaustive, calibration_files(calibration))))


def _input(name: str, value: Any) -> Any:
    """An input in the extension's terms."""
    if name == "goal" and hasattr(value, "items"):
        value = ",".join(f"{figure}={weight}" for figure, weight in value.items())
    elif name == "pareto" and not isinstance(value, str):
        value = ",".join(value)
    elif name in _LISTS and not isinstance(value, str) and hasattr(value, "__iter__"):
        value = list(value)
    told = to_core(value, name)
    if isinstance(told, _mlsysim.Instance):
        return told.path
    return told


def _plan_file(model: Any) -> str | None:
    """The path of a plan file, if ``model`` is one."""
    path = model if isinstance(model, str) else model.__fspath__() if hasattr(model, "__fspath__") else ""
    return path if isinstance(path, str) and path.endswith(_ENDINGS) and "\n" not in path else None


def _beside(path: str, model: str) -> str:
    """The model of a plan file: a path starts in the folder of that file."""
    from os import sep
    from pathlib import Path

    beside = Path(path).parent / model
    if model.endswith(".json") or sep in model:
        return str(beside)
    try:
        _mlsysim.Transformer.named(model)
    except ScenarioError:
        return str(beside) if beside.exists() else model
    return model


def _read(path: str) -> _mlsysim.PlanFile:
    from pathlib import Path

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "the file is no UTF-8 text"
        raise ScenarioError(f"{path}: {reason}", None, "malformed") from None
    return _mlsysim.PlanFile.read(text, path, not path.endswith(".toml"))
