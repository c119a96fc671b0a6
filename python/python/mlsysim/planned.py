"""``PlannedLayout``: a layout that a plan found."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._types import Quantity

#: The figures of a layout in a table, in its order.
_COLUMNS = (
    "step_s",
    "low_s",
    "high_s",
    "bound_s",
    "tokens_per_s",
    "mfu",
    "layout",
    "micro_batch",
    "recompute",
    "schedule",
    "precision",
    "devices",
)


class PlannedLayout:
    """A layout that a plan found, with where each millisecond and each byte of it goes."""

    __slots__ = ("_told",)

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    def _quantity(self, name: str, unit: str) -> Quantity:
        return quantity_of(self._told[name], unit)

    @property
    def layout(self) -> str:
        """The layout, as ``predict`` and ``account`` read it."""
        return str(self._told["layout"])

    @property
    def devices(self) -> int:
        """How many devices it takes."""
        return int(self._told["devices"])

    @property
    def micro_batch(self) -> int:
        """How many sequences pass at a time."""
        return int(self._told["micro_batch"])

    @property
    def recompute(self) -> str:
        """What the backward pass computes again."""
        return str(self._told["recompute"])

    @property
    def schedule(self) -> str:
        """The order of a pipeline's passes."""
        return str(self._told["schedule"])

    @property
    def precision(self) -> str:
        """The precision of matrix products."""
        return str(self._told["precision"])

    @property
    def time(self) -> Quantity:
        """How long a step takes."""
        return self._quantity("step_s", "s")

    @property
    def low(self) -> Quantity:
        """What one measurement in twenty is below."""
        return self._quantity("low_s", "s")

    @property
    def high(self) -> Quantity:
        """What one measurement in twenty is above."""
        return self._quantity("high_s", "s")

    @property
    def interval(self) -> tuple[Quantity, Quantity]:
        """What nine measurements in ten lie between."""
        return self.low, self.high

    @property
    def bound(self) -> Quantity:
        """The least time that is possible."""
        return self._quantity("bound_s", "s")

    @property
    def binds(self) -> str:
        """What takes most of the time."""
        return str(self._told["binds"])

    @property
    def tokens_per_second(self) -> Quantity:
        """How many tokens all replicas together work on in a second."""
        return self._quantity("tokens_per_s", "token/s")

    @property
    def utilization(self) -> float:
        """The model's arithmetic as a share of what the devices could do (MFU)."""
        return float(self._told["mfu"])

    @property
    def parts(self) -> list[dict[str, Any]]:
        """What the time is the sum of, as rows of a table: each ``part`` by its path, in ``seconds``."""
        return [row for part in self._told["parts"] for row in _part_rows("", part)]

    @property
    def memory(self) -> dict[str, Quantity]:
        """What a rank of the fullest stage holds, by part, with ``total``, ``capacity`` and ``free``."""
        told = self._told["memory"]
        sizes = dict(told["parts_bytes"]) | {name: told[f"{name}_bytes"] for name in ("total", "capacity", "free")}
        return {name: quantity_of(size, "B") for name, size in sizes.items()}

    @property
    def stage(self) -> int:
        """The fullest stage, from 0."""
        return int(self._told["memory"]["stage"])

    def row(self) -> dict[str, Any]:
        """The layout as a row of a table, times in seconds and memory in bytes."""
        memory = self._told["memory"]
        sizes = {"memory_bytes": memory["total_bytes"], "free_bytes": memory["free_bytes"]}
        return {name: self._told[name] for name in _COLUMNS} | sizes

    def __repr__(self) -> str:
        return f"<PlannedLayout {self.layout}, micro-batch {self.micro_batch}: {self.time:.4g~P}>"


def _part_rows(above: str, part: dict[str, Any]) -> list[dict[str, Any]]:
    path = f"{above}.{part['name']}" if above else str(part["name"])
    row = {"part": path, "seconds": part["s"], "bound_seconds": part.get("bound_s"), "binds": part["binds"]}
    return [row, *(row for below in part.get("parts", ()) for row in _part_rows(path, below))]


def quantity_of(number: float, unit: str) -> Quantity:
    """The number in the unit."""
    from .quantities import quantity

    made: Quantity = quantity(number, unit)
    return made
