# Made by `cargo xtask docs` from the definitions in Rust; not to be edited.

from collections.abc import Mapping, Sequence
from typing import Any

from ._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from .definition import Described
from .explanation import Explanation
from .records import *

class Solver:
    """What all solvers share."""

class SolverResult(Described):
    """What all results share."""

    def explain(self, output: str, /) -> Explanation: ...

def solver_of(result: str) -> str | None: ...

class TensorParallelLayerModel(Solver):
    """The forward compute of one Transformer layer, split over a tensor-parallel group, against the
    AllReduces that the split costs on each link."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        tokens: CountLike,
        peak_flops: QuantityLike,
        local_efficiency: NumberLike,
        links: Mapping[str, QuantityLike],
        collectives_per_layer: CountLike = ...,
    ) -> TensorParallelLayerResult: ...

class TensorParallelLayerResult(SolverResult):
    """What ``TensorParallelLayerModel`` finds."""

    @property
    def layer_flops(self) -> Quantity:
        """The arithmetic of the whole layer in the forward pass."""
    @property
    def compute_time(self) -> Quantity:
        """The time of one device for its share of the layer's arithmetic."""
    @property
    def layer_bytes(self) -> Quantity:
        """What each device sends for the layer's AllReduces, by ring."""
    @property
    def transfer_times(self) -> dict[str, Quantity]:
        """The time of the layer's AllReduces on each link, at its full rate and without latency."""

__all__ = [
    "Solver",
    "SolverResult",
    "TensorParallelLayerModel",
    "TensorParallelLayerResult",
]
