# Made by `cargo xtask docs` from the definitions in Rust; not to be edited.

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from .._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from ..definition import Described
from ..explanation import Explanation
from ..records import *
from ..solvers import *

class Note(NamedTuple):
    """What is remarkable about some outputs, beside their values."""

    outputs: tuple[str, ...]
    text: str

class BaseScenario(Described):
    """What all scenarios share."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def notes(self) -> list[Note]: ...
    def variant(self, *args: Any, **changes: Any) -> Self: ...
    def explain(self, output: str, /, *arguments: Any) -> Explanation: ...
    def answer(self) -> dict[str, Any]: ...

class TensorParallelSpeedupScenario(BaseScenario):
    """A layer whose compute times are stated, split over a tensor-parallel group and slowed by the
    AllReduces that the split adds."""

    def __init__(
        self,
        *,
        serial_layer_times: Mapping[str, QuantityLike],
        tp_size: CountLike,
        allreduce_time: QuantityLike,
        collectives_per_layer: CountLike = ...,
        layers: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def serial_layer_times(self) -> dict[str, Quantity]:
        """Compute time of one layer on one device, by phase."""
    @property
    def tp_size(self) -> int:
        """How many devices share each layer."""
    @property
    def allreduce_time(self) -> Quantity:
        """Time of one AllReduce."""
    @property
    def collectives_per_layer(self) -> int:
        """How many AllReduces a layer adds."""
    @property
    def layers(self) -> int:
        """How many layers the model has."""
    def sharded(self, phase: str) -> Quantity:
        """Compute time of one phase after an even split, without its communication."""
    @property
    def serial_layer_time(self) -> Quantity:
        """Compute time of one layer on one device: the sum of its phases."""
    @property
    def sharded_compute_time(self) -> Quantity:
        """Compute time of one layer after an even split."""
    @property
    def parallel_layer_time(self) -> Quantity:
        """Time of one split layer: its compute and every AllReduce, one after the other."""
    @property
    def speedup(self) -> float:
        """How many times faster the split layer is; below 1 where communication costs more than the
        split gains."""
    @property
    def serial_total(self) -> Quantity:
        """Compute time of all layers on one device."""
    @property
    def parallel_total(self) -> Quantity:
        """Time of all layers after the split."""
    def variant(
        self,
        *,
        serial_layer_times: Mapping[str, QuantityLike] = ...,
        tp_size: CountLike = ...,
        allreduce_time: QuantityLike = ...,
        collectives_per_layer: CountLike = ...,
        layers: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TensorParallelLayerScenario(BaseScenario):
    """One layer of a model, split over a tensor-parallel group: its compute on an accelerator against
    its exchange on each link."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        tokens: CountLike,
        accelerator: HardwareNode | str | Mapping[str, Any],
        precision: str = ...,
        local_efficiency: NumberLike,
        links: Mapping[str, QuantityLike],
        collectives_per_layer: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model whose layer is split."""
    @property
    def tp_size(self) -> int:
        """How many devices share the layer."""
    @property
    def tokens(self) -> int:
        """How many tokens pass the layer at once."""
    @property
    def accelerator(self) -> HardwareNode:
        """The device that computes."""
    @property
    def precision(self) -> str:
        """The precision of the arithmetic: a key of the accelerator's peak rates."""
    @property
    def local_efficiency(self) -> float:
        """The share of its peak that a device sustains."""
    @property
    def links(self) -> dict[str, Quantity]:
        """The bandwidth of each candidate link in one direction."""
    @property
    def collectives_per_layer(self) -> int:
        """How many AllReduces the layer needs."""
    @property
    def result(self) -> TensorParallelLayerResult:
        """The layer's compute and its exchange on each link, by `TensorParallelLayerModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        tp_size: CountLike = ...,
        tokens: CountLike = ...,
        accelerator: HardwareNode | str | Mapping[str, Any] = ...,
        precision: str = ...,
        local_efficiency: NumberLike = ...,
        links: Mapping[str, QuantityLike] = ...,
        collectives_per_layer: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

__all__ = [
    "BaseScenario",
    "Note",
    "TensorParallelSpeedupScenario",
    "TensorParallelLayerScenario",
]
