# Made by `cargo xtask docs` from the definitions in Rust; not to be edited.

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self, overload

from .._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from ..definition import Described
from ..explanation import Explanation, Explanations
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
    @overload
    def explain(self) -> Explanations: ...
    @overload
    def explain(self, output: str, /, *arguments: Any) -> Explanation: ...
    def answer(self) -> dict[str, Any]: ...

class ActivationMemoryScenario(BaseScenario):
    """The activations of a microbatch that training keeps for the backward pass, under each strategy
    of recomputation."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        micro_batch: CountLike,
        seq_len: CountLike | None = ...,
        precision_bytes: NumberLike = ...,
        normalization_per_layer: QuantityLike | None = ...,
        ffn_multiple: CountLike = ...,
        checkpoint_segments: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def micro_batch(self) -> int:
        """How many sequences pass the model at once."""
    @property
    def seq_len(self) -> int | None:
        """How many tokens a sequence has; as many as the model's context holds where none are given."""
    @property
    def precision_bytes(self) -> float:
        """The size of one stored element in bytes."""
    @property
    def normalization_per_layer(self) -> Quantity | None:
        """What normalisation keeps in one layer, as a line item of its own."""
    @property
    def ffn_multiple(self) -> int:
        """The width of the feed-forward block's line item over that of the model."""
    @property
    def checkpoint_segments(self) -> int | None:
        """Into how many equal segments of layers checkpointing divides the model."""
    @property
    def sequence(self) -> int:
        """How many tokens a sequence has: as given, or as the model's context holds."""
    @property
    def per_token_bytes_coefficient(self) -> Quantity:
        """What a layer keeps of one token for each unit of width, the attention scores aside."""
    @property
    def score_bytes_coefficient(self) -> Quantity:
        """What a layer keeps of the attention scores, for one token and unit of width."""
    @property
    def score_share(self) -> float:
        """The attention scores' share of what a layer keeps without recomputation."""
    def activations(self, strategy: str) -> Quantity:
        """What all layers keep under a strategy of recomputation: `none`, `selective` or `full`."""
    @property
    def per_token_activations(self) -> Quantity:
        """What all layers keep that grows in proportion to the length of a sequence: everything but
        the attention scores."""
    @property
    def score_activations(self) -> Quantity:
        """The attention scores that all layers keep, which grow with the square of a sequence's
        length."""
    @property
    def per_sequence_activations(self) -> Quantity:
        """What one more sequence in the microbatch adds, without attention scores."""
    @property
    def segment_layers(self) -> int:
        """How many layers a segment has."""
    @property
    def segment_input(self) -> Quantity:
        """The input of one layer or segment."""
    @property
    def segment_inputs(self) -> Quantity:
        """The inputs of all segments, which are kept for the backward pass."""
    @property
    def live_segment(self) -> Quantity:
        """What one segment keeps while the backward pass rebuilds it, without attention scores."""
    @property
    def checkpointed_activations(self) -> Quantity:
        """What checkpointing keeps at its peak: the inputs of all segments, and one segment that is
        rebuilt. Its input counts twice, on the safe side."""
    def checkpoint_memory_units(self, checkpoints: CountLike) -> float:
        """What evenly spaced checkpoints keep, in units of what one layer keeps."""
    @property
    def projection_activations_per_layer(self) -> Quantity:
        """Line item: queries, keys, values and the projection's output, each as wide as the model."""
    @property
    def ffn_activations_per_layer(self) -> Quantity:
        """Line item: the hidden activation of the feed-forward block."""
    @property
    def score_activations_per_layer(self) -> Quantity:
        """Line item: the attention scores of one layer."""
    @property
    def line_items_per_layer(self) -> Quantity:
        """The line items of one layer, added up."""
    @property
    def line_items_total(self) -> Quantity:
        """The line items of all layers, added up."""
    @property
    def forward_equivalents(self) -> float:
        """The arithmetic of a training step in units of a forward pass."""
    @property
    def recompute_forward_equivalents(self) -> float:
        """The arithmetic of a training step with full recomputation, which adds a forward pass, in the
        same units."""
    @property
    def recompute_overhead(self) -> float:
        """What full recomputation adds to the arithmetic of a training step, as a share of it."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        micro_batch: CountLike = ...,
        seq_len: CountLike | None = ...,
        precision_bytes: NumberLike = ...,
        normalization_per_layer: QuantityLike | None = ...,
        ffn_multiple: CountLike = ...,
        checkpoint_segments: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class AlignmentMemoryScenario(BaseScenario):
    """The models that aligning a policy by PPO keeps, with reward and value models of a critic's size,
    against those of DPO, and their split over devices."""

    def __init__(
        self,
        *,
        policy: Workload | str | Mapping[str, Any],
        critic: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        pp_size: CountLike,
        dp_size: CountLike = ...,
        rollout_sequences: CountLike,
        rollout_tokens: CountLike,
        device_memory: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def policy(self) -> Workload:
        """The model that is aligned."""
    @property
    def critic(self) -> Workload:
        """The size of the value and reward models."""
    @property
    def tp_size(self) -> int:
        """How many devices share each layer."""
    @property
    def pp_size(self) -> int:
        """How many pipeline stages share the layers."""
    @property
    def dp_size(self) -> int:
        """How many replicas there are; no output depends on them."""
    @property
    def rollout_sequences(self) -> int:
        """How many sequences a replica generates at once."""
    @property
    def rollout_tokens(self) -> int:
        """How many tokens each of them has."""
    @property
    def device_memory(self) -> Quantity | None:
        """The memory of one device."""
    @property
    def result(self) -> AlignmentMemoryResult:
        """What PPO and DPO keep, whole and on each device, by `AlignmentMemoryModel`."""
    def variant(
        self,
        *,
        policy: Workload | str | Mapping[str, Any] = ...,
        critic: Workload | str | Mapping[str, Any] = ...,
        tp_size: CountLike = ...,
        pp_size: CountLike = ...,
        dp_size: CountLike = ...,
        rollout_sequences: CountLike = ...,
        rollout_tokens: CountLike = ...,
        device_memory: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class AllocationGrowthScenario(BaseScenario):
    """How much the compute-optimal number of parameters, or of tokens, grows when the compute grows by
    a factor."""

    def __init__(
        self,
        *,
        compute_multiple: NumberLike,
        exponent: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def compute_multiple(self) -> float:
        """By which factor the compute grows."""
    @property
    def exponent(self) -> float:
        """The exponent of the allocation in the compute."""
    @property
    def growth(self) -> float:
        """By which fraction the allocation grows: 0.41 is 41 % more."""
    def variant(
        self,
        *,
        compute_multiple: NumberLike = ...,
        exponent: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ClusterTrainingTimeScenario(BaseScenario):
    """A training of known arithmetic on a number of like devices that sustain one share of their peak:
    its time, steps, energy and rent."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        n_devices: CountLike,
        efficiency: NumberLike,
        tokens_per_step: CountLike | None = ...,
        hourly_price: QuantityLike | None = ...,
        peak_precision: str | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def hardware(self) -> HardwareNode:
        """The device that trains it."""
    @property
    def n_devices(self) -> int:
        """How many devices there are."""
    @property
    def efficiency(self) -> float:
        """The share of peak that the devices sustain over the whole run."""
    @property
    def tokens_per_step(self) -> int | None:
        """How many tokens a step trains on."""
    @property
    def hourly_price(self) -> Quantity | None:
        """What one device costs."""
    @property
    def peak_precision(self) -> str | None:
        """A precision whose peak counts, a key of the device's peak rates; without one, the peak that
        the device is known for."""
    @property
    def peak_rate(self) -> Quantity:
        """The peak rate of one device."""
    @property
    def training_time(self) -> Quantity:
        """How long the whole training takes."""
    @property
    def delivered_rate(self) -> Quantity:
        """What all devices deliver together."""
    @property
    def training_tokens(self) -> Quantity:
        """How many tokens the whole training has, by its arithmetic."""
    @property
    def step_operations(self) -> Quantity:
        """The arithmetic of one step."""
    @property
    def step_time(self) -> Quantity:
        """How long a step takes."""
    @property
    def steps(self) -> float:
        """How many steps the whole training has."""
    @property
    def energy(self) -> Quantity:
        """What all devices use in the whole training."""
    @property
    def step_energy(self) -> Quantity:
        """What all devices use in a step."""
    @property
    def device_hours(self) -> Quantity:
        """How long all devices are held, added up."""
    @property
    def rental_cost(self) -> Quantity:
        """What renting the devices for the whole training costs."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        n_devices: CountLike = ...,
        efficiency: NumberLike = ...,
        tokens_per_step: CountLike | None = ...,
        hourly_price: QuantityLike | None = ...,
        peak_precision: str | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class DataParallelScaleOutScenario(BaseScenario):
    """A data-parallel job on one or more nodes, from what a single device takes for it."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        precision: str = ...,
        step_time: QuantityLike,
        training_time: QuantityLike,
        per_device_batch: CountLike,
        devices_per_node: CountLike,
        nodes: CountLike = ...,
        intra_bandwidth: QuantityLike,
        inter_bandwidth: QuantityLike | None = ...,
        accumulation_steps: CountLike = ...,
        node_hour_rate: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def precision(self) -> str:
        """The precision in which gradients are sent."""
    @property
    def step_time(self) -> Quantity:
        """How long one device takes for a local step."""
    @property
    def training_time(self) -> Quantity:
        """How long one device takes for the whole training."""
    @property
    def per_device_batch(self) -> int:
        """How many samples a device takes in a local step."""
    @property
    def devices_per_node(self) -> int:
        """How many devices a node has."""
    @property
    def nodes(self) -> int:
        """How many nodes there are."""
    @property
    def intra_bandwidth(self) -> Quantity:
        """The bandwidth between devices of a node in one direction."""
    @property
    def inter_bandwidth(self) -> Quantity | None:
        """The bandwidth between nodes in one direction; needed where there are several."""
    @property
    def accumulation_steps(self) -> int:
        """How many local steps an update takes together."""
    @property
    def node_hour_rate(self) -> Quantity | None:
        """What a node costs."""
    @property
    def result(self) -> DataParallelScaleOutResult:
        """The job on all devices, by `DataParallelScaleOutModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        precision: str = ...,
        step_time: QuantityLike = ...,
        training_time: QuantityLike = ...,
        per_device_batch: CountLike = ...,
        devices_per_node: CountLike = ...,
        nodes: CountLike = ...,
        intra_bandwidth: QuantityLike = ...,
        inter_bandwidth: QuantityLike | None = ...,
        accumulation_steps: CountLike = ...,
        node_hour_rate: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class FleetMfuScenario(BaseScenario):
    """A measured training step on one node and one on a fleet: how much of the devices' peak each
    turns into the model's own arithmetic (model FLOPs utilization, MFU)."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        node_devices: CountLike,
        fleet_devices: CountLike,
        node_tokens: CountLike,
        fleet_tokens: CountLike,
        node_step_time: QuantityLike,
        fleet_step_time: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def hardware(self) -> HardwareNode:
        """The device that node and fleet are made of."""
    @property
    def node_devices(self) -> int:
        """How many devices the node has."""
    @property
    def fleet_devices(self) -> int:
        """How many devices the fleet has."""
    @property
    def node_tokens(self) -> int:
        """How many tokens a step of the node trains on."""
    @property
    def fleet_tokens(self) -> int:
        """How many tokens a step of the fleet trains on."""
    @property
    def node_step_time(self) -> Quantity:
        """The measured time of a step on the node."""
    @property
    def fleet_step_time(self) -> Quantity:
        """The measured time of a step on the fleet."""
    @property
    def node_useful_work(self) -> Quantity:
        """The model's arithmetic in a step of the node."""
    @property
    def fleet_useful_work(self) -> Quantity:
        """The model's arithmetic in a step of the fleet."""
    @property
    def fleet_peak_work(self) -> Quantity:
        """What the fleet's devices could do at their peak in the time of a step."""
    @property
    def node_mfu(self) -> float:
        """The share of its peak that the node turns into useful work."""
    @property
    def fleet_mfu(self) -> float:
        """The share of its peak that the fleet turns into useful work."""
    @property
    def scaling_efficiency(self) -> float:
        """What a device does in the fleet, as a share of what it does in the node."""
    @property
    def extra_step_time(self) -> Quantity:
        """How much longer a step takes on the fleet."""
    @property
    def extra_share(self) -> float:
        """The extra time as a share of the fleet's step."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        node_devices: CountLike = ...,
        fleet_devices: CountLike = ...,
        node_tokens: CountLike = ...,
        fleet_tokens: CountLike = ...,
        node_step_time: QuantityLike = ...,
        fleet_step_time: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class GradientSyncScenario(BaseScenario):
    """A data-parallel step of a model: compute, and then an AllReduce of its gradients over each of
    several links."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        precision: str = ...,
        links: Mapping[str, QuantityLike],
        compute_time: QuantityLike,
        energy_per_bit: QuantityLike | None = ...,
        steps: CountLike = ...,
        compute_speedup: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def precision(self) -> str:
        """The precision in which gradients are sent."""
    @property
    def links(self) -> dict[str, Quantity]:
        """The bandwidth of each candidate link in one direction."""
    @property
    def compute_time(self) -> Quantity:
        """The compute of a step on the accelerator as it is."""
    @property
    def energy_per_bit(self) -> Quantity | None:
        """The energy of one bit on its way."""
    @property
    def steps(self) -> int:
        """How many steps there are."""
    @property
    def compute_speedup(self) -> float:
        """How many times faster the accelerator becomes; links stay as they are."""
    @property
    def result(self) -> GradientSyncResult:
        """The step on each link, by `GradientSyncModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        precision: str = ...,
        links: Mapping[str, QuantityLike] = ...,
        compute_time: QuantityLike = ...,
        energy_per_bit: QuantityLike | None = ...,
        steps: CountLike = ...,
        compute_speedup: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class LowRankUpdateScenario(BaseScenario):
    """A weight matrix against a low-rank update of it, or against the two thin factors in its place."""

    def __init__(
        self,
        *,
        in_dim: CountLike,
        out_dim: CountLike,
        rank: CountLike,
        bytes_per_param: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def in_dim(self) -> int:
        """How many values enter the matrix."""
    @property
    def out_dim(self) -> int:
        """How many values leave the matrix."""
    @property
    def rank(self) -> int:
        """The rank of the update."""
    @property
    def bytes_per_param(self) -> Quantity | None:
        """The size of one stored value."""
    @property
    def full_params(self) -> int:
        """How many parameters the matrix has."""
    @property
    def update_params(self) -> int:
        """How many parameters the two factors have."""
    @property
    def reduction(self) -> float:
        """The share of the matrix's parameters that the factors save."""
    @property
    def compression(self) -> float:
        """How many times as many parameters the matrix has as the factors."""
    @property
    def full_bytes(self) -> Quantity:
        """What the matrix takes."""
    @property
    def update_bytes(self) -> Quantity:
        """What the two factors take."""
    def variant(
        self,
        *,
        in_dim: CountLike = ...,
        out_dim: CountLike = ...,
        rank: CountLike = ...,
        bytes_per_param: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class MlpTrainingStepScenario(BaseScenario):
    """One training step of a network with one hidden layer, operation by operation, without fusion."""

    def __init__(
        self,
        *,
        batch_size: CountLike,
        input_width: CountLike,
        hidden_width: CountLike,
        output_width: CountLike,
        bytes_per_value: QuantityLike,
        label_bytes: QuantityLike,
        loss_flops_per_logit: CountLike,
        optimizer_values_moved: CountLike,
        hardware: HardwareNode | str | Mapping[str, Any],
        precision: str = ...,
        forward_ops: CountLike,
        backward_ops: CountLike,
        dispatch: QuantityLike,
        launch: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def batch_size(self) -> int:
        """How many examples the step passes."""
    @property
    def input_width(self) -> int:
        """How many values an example has."""
    @property
    def hidden_width(self) -> int:
        """How many values the hidden layer has."""
    @property
    def output_width(self) -> int:
        """How many classes there are."""
    @property
    def bytes_per_value(self) -> Quantity:
        """The size of one stored value."""
    @property
    def label_bytes(self) -> Quantity:
        """The size of the label of one example."""
    @property
    def loss_flops_per_logit(self) -> int:
        """How many operations the loss takes for each class of an example."""
    @property
    def optimizer_values_moved(self) -> int:
        """How many values the optimizer reads and writes for each parameter."""
    @property
    def hardware(self) -> HardwareNode:
        """The device that computes."""
    @property
    def precision(self) -> str:
        """The precision of the arithmetic: a key of the device's peak rates."""
    @property
    def forward_ops(self) -> int:
        """How many kernels the forward pass launches."""
    @property
    def backward_ops(self) -> int:
        """How many kernels the backward pass launches."""
    @property
    def dispatch(self) -> Quantity:
        """The host's time to enter one operation from Python."""
    @property
    def launch(self) -> Quantity:
        """The host's time to launch one kernel."""
    @property
    def op_flops(self) -> dict[str, Quantity]:
        """The arithmetic of each operation."""
    @property
    def op_bytes(self) -> dict[str, Quantity]:
        """What each operation moves."""
    @property
    def forward_flops(self) -> Quantity:
        """The arithmetic of the forward pass."""
    @property
    def backward_flops(self) -> Quantity:
        """The arithmetic of the backward pass."""
    @property
    def forward_bytes(self) -> Quantity:
        """What the forward pass moves."""
    @property
    def backward_bytes(self) -> Quantity:
        """What the backward pass moves."""
    @property
    def total_flops(self) -> Quantity:
        """The arithmetic of both passes."""
    @property
    def total_bytes(self) -> Quantity:
        """What both passes move."""
    @property
    def dense_training_ratio(self) -> float:
        """The matrix multiplications of the whole step over those of the forward pass; the raw input
        needs no gradient, so that it is below 3."""
    @property
    def parameters(self) -> int:
        """How many parameters the network has, biases included."""
    @property
    def optimizer_step_bytes(self) -> Quantity:
        """What the optimizer moves in a step."""
    @property
    def peak_rate(self) -> Quantity:
        """The device's peak rate in this precision."""
    @property
    def compute_time(self) -> Quantity:
        """The time of the arithmetic at the device's peak rate."""
    @property
    def memory_time(self) -> Quantity:
        """The time of the traffic at the device's full bandwidth."""
    @property
    def host(self) -> HostDispatchScenario:
        """The host's work to issue the step against the device's: one Python entry for each forward
        operation and one for the whole backward pass, and a launch for every kernel."""
    def variant(
        self,
        *,
        batch_size: CountLike = ...,
        input_width: CountLike = ...,
        hidden_width: CountLike = ...,
        output_width: CountLike = ...,
        bytes_per_value: QuantityLike = ...,
        label_bytes: QuantityLike = ...,
        loss_flops_per_logit: CountLike = ...,
        optimizer_values_moved: CountLike = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        precision: str = ...,
        forward_ops: CountLike = ...,
        backward_ops: CountLike = ...,
        dispatch: QuantityLike = ...,
        launch: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ParallelLayoutScenario(BaseScenario):
    """A model trained on a grid of devices: tensor, pipeline and data parallelism, the time of a step
    and the state on each device."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        tp_size: CountLike = ...,
        pp_size: CountLike = ...,
        dp_size: CountLike,
        microbatches: CountLike = ...,
        batch_tokens: NumberLike,
        flops_per_param_token: NumberLike,
        accelerator: HardwareNode | str | Mapping[str, Any],
        precision: str = ...,
        local_efficiency: NumberLike,
        link_bandwidth: QuantityLike,
        overlap_fraction: NumberLike,
        gradient_precision: str = ...,
        window_resolution: QuantityLike | None = ...,
        device_memory: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def tp_size(self) -> int:
        """How many devices share each layer."""
    @property
    def pp_size(self) -> int:
        """How many stages of layers there are."""
    @property
    def dp_size(self) -> int:
        """How many replicas of the model there are."""
    @property
    def microbatches(self) -> int:
        """How many microbatches pass each pipeline in a step."""
    @property
    def batch_tokens(self) -> float:
        """How many tokens all replicas train on in a step."""
    @property
    def flops_per_param_token(self) -> float:
        """The arithmetic for each parameter and token: 6, or 8 where activations are recomputed."""
    @property
    def accelerator(self) -> HardwareNode:
        """The device that trains."""
    @property
    def precision(self) -> str:
        """The precision of the arithmetic: a key of the accelerator's peak rates."""
    @property
    def local_efficiency(self) -> float:
        """The share of its peak that a device sustains while it computes."""
    @property
    def link_bandwidth(self) -> Quantity:
        """The bandwidth with which a device reaches other replicas, in one direction."""
    @property
    def overlap_fraction(self) -> float:
        """The share of the exchange of gradients that may hide behind compute."""
    @property
    def gradient_precision(self) -> str:
        """The precision in which gradients are sent."""
    @property
    def window_resolution(self) -> Quantity | None:
        """To what the time of compute is rounded, for figures that are worked by hand."""
    @property
    def device_memory(self) -> Quantity | None:
        """The memory of one device."""
    @property
    def n_devices(self) -> int:
        """How many devices the layout has."""
    @property
    def result(self) -> ParallelLayoutResult:
        """The step and the state, by `ParallelLayoutModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        tp_size: CountLike = ...,
        pp_size: CountLike = ...,
        dp_size: CountLike = ...,
        microbatches: CountLike = ...,
        batch_tokens: NumberLike = ...,
        flops_per_param_token: NumberLike = ...,
        accelerator: HardwareNode | str | Mapping[str, Any] = ...,
        precision: str = ...,
        local_efficiency: NumberLike = ...,
        link_bandwidth: QuantityLike = ...,
        overlap_fraction: NumberLike = ...,
        gradient_precision: str = ...,
        window_resolution: QuantityLike | None = ...,
        device_memory: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PipelineScheduleScenario(BaseScenario):
    """A synchronous pipeline of equal stages that is fed a number of microbatches each step: how long
    each stage idles while it fills and drains (the bubble)."""

    def __init__(
        self,
        *,
        stages: CountLike,
        microbatches: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def stages(self) -> int:
        """How many stages the model is cut into."""
    @property
    def microbatches(self) -> int:
        """How many microbatches pass the pipeline in a step."""
    @property
    def bubble(self) -> float:
        """The share of the step in which each stage idles."""
    @property
    def slots(self) -> int:
        """How many slots a step has: a forward and a backward pass."""
    @property
    def idle_slots(self) -> int:
        """How many slots of a step each stage idles."""
    @property
    def fill_slots(self) -> int:
        """How many slots pass until the last stage begins; the numerator of the bubble."""
    @property
    def phase_slots(self) -> int:
        """How many slots one pass takes; the denominator of the bubble."""
    def microbatches_for_bubble(self, target: NumberLike) -> float:
        """How many microbatches make the bubble as small as `target`: more make it smaller."""
    def variant(
        self,
        *,
        stages: CountLike = ...,
        microbatches: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PowerLawScenario(BaseScenario):
    """A term of the loss that falls as a power of a resource, such as compute, data or parameters."""

    def __init__(
        self,
        *,
        exponent: NumberLike,
        loss_reduction: NumberLike | None = ...,
        resource_multiple: NumberLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def exponent(self) -> float:
        """The exponent of the law, as a positive number."""
    @property
    def loss_reduction(self) -> float | None:
        """The fraction by which the term is to fall."""
    @property
    def resource_multiple(self) -> float | None:
        """By which factor the resource grows."""
    @property
    def multiple_factor(self) -> float:
        """What `resource_multiple` times the resource leave of the term."""
    @property
    def multiple_reduction(self) -> float:
        """The fraction by which the term falls with `resource_multiple` times the resource."""
    @property
    def halving_multiple(self) -> float:
        """How many times the resource half the term takes."""
    @property
    def reduction_multiple(self) -> float:
        """How many times the resource it takes to lower the term by `loss_reduction`."""
    def variant(
        self,
        *,
        exponent: NumberLike = ...,
        loss_reduction: NumberLike | None = ...,
        resource_multiple: NumberLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PublishedRunScenario(BaseScenario):
    """A published training: its arithmetic, spread over the accelerators and the time that it held."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        accelerator: HardwareNode | str | Mapping[str, Any],
        accelerator_hours: QuantityLike | None = ...,
        device_power: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model with what was published of its training."""
    @property
    def accelerator(self) -> HardwareNode:
        """The accelerator of the run."""
    @property
    def accelerator_hours(self) -> Quantity | None:
        """The time of all accelerators added up; without it, that of the workload's accelerators and
        days."""
    @property
    def device_power(self) -> Quantity | None:
        """What one accelerator draws."""
    @property
    def training_operations(self) -> Quantity:
        """The arithmetic of the whole training, as published or from its tokens."""
    @property
    def achieved_rate(self) -> Quantity:
        """What an accelerator delivered on average."""
    @property
    def energy(self) -> Quantity:
        """What all accelerators used in the whole training."""
    @property
    def peak_fraction(self) -> float:
        """What an accelerator delivered, as a share of the peak that it is known for."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        accelerator: HardwareNode | str | Mapping[str, Any] = ...,
        accelerator_hours: QuantityLike | None = ...,
        device_power: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ResidualAdapterScenario(BaseScenario):
    """Bottleneck adapters with a residual connection, one at each of several places of a model whose
    own weights stay as they are."""

    def __init__(
        self,
        *,
        width: CountLike,
        bottleneck: CountLike,
        sites: CountLike,
        bytes_per_param: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def width(self) -> int:
        """How wide the activations are that an adapter takes and returns."""
    @property
    def bottleneck(self) -> int:
        """How wide the adapter is in its middle."""
    @property
    def sites(self) -> int:
        """How many adapters the model has."""
    @property
    def bytes_per_param(self) -> Quantity:
        """How large a stored parameter is."""
    @property
    def params_per_adapter(self) -> Quantity:
        """The parameters of one adapter."""
    @property
    def params_total(self) -> Quantity:
        """The parameters of all adapters."""
    @property
    def adapter_bytes(self) -> Quantity:
        """The size of one adapter."""
    @property
    def total_bytes(self) -> Quantity:
        """The size of all adapters."""
    def variant(
        self,
        *,
        width: CountLike = ...,
        bottleneck: CountLike = ...,
        sites: CountLike = ...,
        bytes_per_param: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ResidualShareScenario(BaseScenario):
    """A step of which a part does not shrink with more devices: what share of the distributed step that
    part becomes."""

    def __init__(
        self,
        *,
        residual: NumberLike,
        devices: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def residual(self) -> float:
        """The part that does not scale, as a share of the step on one device."""
    @property
    def devices(self) -> int:
        """How many devices share the rest."""
    @property
    def step_fraction(self) -> float:
        """The distributed step in units of the step on one device."""
    @property
    def residual_share(self) -> float:
        """The part that does not scale, as a share of the distributed step."""
    @property
    def speedup(self) -> float:
        """How many times faster the distributed step is."""
    def variant(
        self,
        *,
        residual: NumberLike = ...,
        devices: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class RingAttentionScenario(BaseScenario):
    """Attention over a long context whose keys and values travel a ring of devices: how long the
    chunk of each device must be for its arithmetic to hide the transfer."""

    def __init__(
        self,
        *,
        accelerator: HardwareNode | str | Mapping[str, Any],
        precision: str = ...,
        local_efficiency: NumberLike,
        element_bytes: QuantityLike,
        links: Mapping[str, QuantityLike],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
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
    def element_bytes(self) -> Quantity:
        """The size of one element of a key or a value."""
    @property
    def links(self) -> dict[str, Quantity]:
        """The bandwidth of each candidate link in one direction."""
    @property
    def min_chunk_tokens(self) -> dict[str, float]:
        """How many tokens a device must hold at least, on each link."""
    def variant(
        self,
        *,
        accelerator: HardwareNode | str | Mapping[str, Any] = ...,
        precision: str = ...,
        local_efficiency: NumberLike = ...,
        element_bytes: QuantityLike = ...,
        links: Mapping[str, QuantityLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ScalingOverheadScenario(BaseScenario):
    """A speed-up that was planned from more devices, and what communication and coordination leave of
    it."""

    def __init__(
        self,
        *,
        planned_speedup: NumberLike,
        overhead_fraction: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def planned_speedup(self) -> float:
        """The speed-up that was planned, without overhead."""
    @property
    def overhead_fraction(self) -> float:
        """The share of the scaled step that communication and coordination take."""
    @property
    def realized_speedup(self) -> float:
        """The speed-up that remains."""
    def variant(
        self,
        *,
        planned_speedup: NumberLike = ...,
        overhead_fraction: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class SelfContainedReplicaScenario(BaseScenario):
    """The smallest replica of a model, in servers of a fleet, that holds all of its training state in
    its own memory, so that a job can grow and shrink by whole replicas."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        fleet: Fleet | str | Mapping[str, Any],
        bytes_per_param: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def fleet(self) -> Fleet:
        """The servers that train it."""
    @property
    def bytes_per_param(self) -> Quantity:
        """What training keeps of each parameter."""
    @property
    def tensor_parallel(self) -> int:
        """How many accelerators share each layer: those of a server."""
    @property
    def pipeline_depth(self) -> int:
        """How many servers one after the other share the layers."""
    @property
    def replica_gpus(self) -> int:
        """How many accelerators a replica has."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        fleet: Fleet | str | Mapping[str, Any] = ...,
        bytes_per_param: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class SequencePackingScenario(BaseScenario):
    """A batch of examples of different length, padded to the longest or packed into buffers: how many
    positions each way computes, and how many of them hold a token."""

    def __init__(
        self,
        *,
        lengths: Sequence[CountLike],
        capacity: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def lengths(self) -> list[int]:
        """The length of each example in tokens."""
    @property
    def capacity(self) -> int:
        """How many tokens a buffer holds."""
    @property
    def result(self) -> SequencePackingResult:
        """What padding and packing allocate, by `SequencePackingModel`."""
    def variant(
        self,
        *,
        lengths: Sequence[CountLike] = ...,
        capacity: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class StrongScalingPairScenario(BaseScenario):
    """One job of a fixed size, timed on two numbers of devices: the speed-up, and how much of the
    ideal one it is (strong scaling)."""

    def __init__(
        self,
        *,
        base_devices: CountLike,
        base_time: QuantityLike,
        scaled_devices: CountLike,
        scaled_time: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def base_devices(self) -> int:
        """How many devices the smaller run has."""
    @property
    def base_time(self) -> Quantity:
        """How long the smaller run takes."""
    @property
    def scaled_devices(self) -> int:
        """How many devices the larger run has."""
    @property
    def scaled_time(self) -> Quantity:
        """How long the larger run takes."""
    @property
    def device_ratio(self) -> float:
        """How many times as many devices the larger run has."""
    @property
    def speedup(self) -> float:
        """How many times faster the larger run is."""
    @property
    def ideal_time(self) -> Quantity:
        """How long the larger run would take if every device added its full share."""
    @property
    def efficiency(self) -> float:
        """The speed-up as a share of the ideal one."""
    def variant(
        self,
        *,
        base_devices: CountLike = ...,
        base_time: QuantityLike = ...,
        scaled_devices: CountLike = ...,
        scaled_time: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class SyncStrategyScenario(BaseScenario):
    """Workers that train to a fixed target, synchronised after every iteration or with bounded
    staleness, against one worker that trains to the same target."""

    def __init__(
        self,
        *,
        workers: CountLike,
        per_worker_batch: CountLike,
        iterations: CountLike,
        communication_overhead: NumberLike,
        base_iterations: CountLike,
        base_iteration_time: QuantityLike,
        device_hour_rate: QuantityLike,
        staleness: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workers(self) -> int:
        """How many workers train together."""
    @property
    def per_worker_batch(self) -> int:
        """How many samples a worker takes in an iteration."""
    @property
    def iterations(self) -> int:
        """How many iterations the workers need to the target."""
    @property
    def communication_overhead(self) -> float:
        """The time of communication in an iteration, as a multiple of its compute."""
    @property
    def base_iterations(self) -> int:
        """How many iterations one worker needs to the same target."""
    @property
    def base_iteration_time(self) -> Quantity:
        """The compute of one iteration of one worker."""
    @property
    def device_hour_rate(self) -> Quantity:
        """What one device costs."""
    @property
    def staleness(self) -> int:
        """How many iterations a worker may be ahead of the slowest; 0 where all wait for one another."""
    @property
    def global_batch(self) -> int:
        """How many samples all workers take in an iteration."""
    @property
    def ideal_iterations(self) -> float:
        """How many iterations would do if a sample helped as much in a large batch as in a small one."""
    @property
    def iteration_time(self) -> Quantity:
        """How long an iteration takes with its communication."""
    @property
    def speedup(self) -> float:
        """How many times sooner the workers reach the target than one worker."""
    @property
    def sample_efficiency(self) -> float:
        """How much a sample helps, as a share of what it helps a single worker."""
    @property
    def cost(self) -> Quantity:
        """What all devices cost until the target is reached."""
    @property
    def stale_lr_factor(self) -> float:
        """By what the learning rate is multiplied to bear the staleness."""
    def variant(
        self,
        *,
        workers: CountLike = ...,
        per_worker_batch: CountLike = ...,
        iterations: CountLike = ...,
        communication_overhead: NumberLike = ...,
        base_iterations: CountLike = ...,
        base_iteration_time: QuantityLike = ...,
        device_hour_rate: QuantityLike = ...,
        staleness: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TensorParallelScenario(BaseScenario):
    """One step of a tensor-parallel group: its stated compute, and the AllReduces that the split adds."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        microbatch: CountLike,
        link_bandwidth: QuantityLike,
        compute_time: QuantityLike,
        seq_len: CountLike | None = ...,
        collectives_per_layer: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model whose layers are split."""
    @property
    def tp_size(self) -> int:
        """How many devices share each layer."""
    @property
    def microbatch(self) -> int:
        """How many sequences pass at once."""
    @property
    def link_bandwidth(self) -> Quantity:
        """The bandwidth of one device's link in one direction."""
    @property
    def compute_time(self) -> Quantity:
        """The compute of the step, communication left out."""
    @property
    def seq_len(self) -> int | None:
        """How many tokens a sequence has; without it, as many as the model's context holds."""
    @property
    def collectives_per_layer(self) -> int:
        """How many AllReduces a layer needs in the step."""
    @property
    def result(self) -> TensorParallelCommResult:
        """The step and its exchange, by `TensorParallelCommModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        tp_size: CountLike = ...,
        microbatch: CountLike = ...,
        link_bandwidth: QuantityLike = ...,
        compute_time: QuantityLike = ...,
        seq_len: CountLike | None = ...,
        collectives_per_layer: CountLike = ...,
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

class TrainingRunScenario(BaseScenario):
    """Training a model on a fleet: the time at peak, and what each loss adds to it."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        fleet: Fleet | str | Mapping[str, Any],
        precision: str = ...,
        local_efficiency: NumberLike,
        scaling_efficiency: NumberLike,
        overheads: Mapping[str, NumberLike],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def fleet(self) -> Fleet:
        """The fleet that trains it."""
    @property
    def precision(self) -> str:
        """The precision of the arithmetic: a key of the accelerator's peak rates."""
    @property
    def local_efficiency(self) -> float:
        """The share of its peak that a device sustains while it computes."""
    @property
    def scaling_efficiency(self) -> float:
        """What is left of that when all devices work together."""
    @property
    def overheads(self) -> dict[str, float]:
        """What operations add, as shares of the time before each, in order."""
    @property
    def result(self) -> TrainingRunResult:
        """The time of the training, by `TrainingRunModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        fleet: Fleet | str | Mapping[str, Any] = ...,
        precision: str = ...,
        local_efficiency: NumberLike = ...,
        scaling_efficiency: NumberLike = ...,
        overheads: Mapping[str, NumberLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TrainingStateScenario(BaseScenario):
    """What training a model in mixed precision with Adam keeps, and what each device of a
    tensor-parallel group holds of it."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        dp_size: CountLike,
        activations: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def tp_size(self) -> int:
        """How many devices share each layer."""
    @property
    def dp_size(self) -> int:
        """How many replicas of the model there are."""
    @property
    def activations(self) -> Quantity:
        """The activations of the whole model, as stated."""
    @property
    def result(self) -> TrainingStateResult:
        """The state by its parts and its shards, by `TrainingStateModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        tp_size: CountLike = ...,
        dp_size: CountLike = ...,
        activations: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TrainingStateFitScenario(BaseScenario):
    """The weights, gradients, optimizer state and activations of training, against the memory of one
    device; with every parameter trained, or with adapters beside frozen weights."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any] | None = ...,
        bytes_per_value: QuantityLike,
        optimizer_bytes_per_parameter: QuantityLike,
        batch_size: CountLike | None = ...,
        activations: QuantityLike | None = ...,
        master_bytes_per_parameter: QuantityLike | None = ...,
        adapter_parameters: CountLike | None = ...,
        adapter_rank: CountLike | None = ...,
        adapted_matrices: CountLike | None = ...,
        adapter_in_dim: CountLike | None = ...,
        adapter_out_dim: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def hardware(self) -> HardwareNode | None:
        """The device whose memory it has to fit."""
    @property
    def bytes_per_value(self) -> Quantity:
        """The size of a weight, and that of a gradient."""
    @property
    def optimizer_bytes_per_parameter(self) -> Quantity:
        """What the optimizer keeps of each parameter, the master weight aside: 8 bytes for Adam's two
        moments, 4 for one momentum."""
    @property
    def batch_size(self) -> int | None:
        """For how many sequences or images `activations` is stated."""
    @property
    def activations(self) -> Quantity | None:
        """What the forward pass keeps for the backward pass at `batch_size`."""
    @property
    def master_bytes_per_parameter(self) -> Quantity | None:
        """The size of the master weight that mixed precision keeps; none in a single precision."""
    @property
    def adapter_parameters(self) -> int | None:
        """How many parameters the adapters have, if the model itself is frozen."""
    @property
    def adapter_rank(self) -> int | None:
        """The rank of the adapters, which gives their number of parameters where none is stated."""
    @property
    def adapted_matrices(self) -> int | None:
        """How many matrices of each layer have an adapter."""
    @property
    def adapter_in_dim(self) -> int | None:
        """How many values enter an adapted matrix."""
    @property
    def adapter_out_dim(self) -> int | None:
        """How many values leave an adapted matrix."""
    @property
    def adapter_count(self) -> int | None:
        """How many parameters the adapters have, as stated or by their shape; nothing without adapters."""
    @property
    def weights(self) -> Quantity:
        """The weights of the model."""
    @property
    def gradients(self) -> Quantity:
        """The gradients where every parameter is trained."""
    @property
    def master_weights(self) -> Quantity:
        """The master weights where every parameter is trained."""
    @property
    def optimizer_state(self) -> Quantity:
        """The optimizer state where every parameter is trained, the master weights aside."""
    @property
    def optimizer_values_per_parameter(self) -> float:
        """How many values of the weights' precision the optimizer keeps of each parameter."""
    @property
    def bytes_per_trained_parameter(self) -> Quantity:
        """What a trained parameter keeps: its weight, gradient, master weight and optimizer state."""
    @property
    def full_state(self) -> Quantity:
        """The state where every parameter is trained, before activations."""
    @property
    def total(self) -> Quantity:
        """The state before activations: that of every parameter, or with adapters the frozen weights
        and what the adapters keep."""
    @property
    def copies(self) -> float:
        """The state in units of the weights."""
    @property
    def adapter_state(self) -> Quantity:
        """What the adapters keep, all of it."""
    @property
    def adapter_weights(self) -> Quantity:
        """The weights of the adapters."""
    @property
    def adapter_gradients(self) -> Quantity:
        """The gradients of the adapters."""
    @property
    def adapter_master(self) -> Quantity:
        """The master weights of the adapters."""
    @property
    def adapter_optimizer_state(self) -> Quantity:
        """The optimizer state of the adapters, their master weights aside."""
    @property
    def adapter_fraction(self) -> float:
        """The adapters' parameters over those of the model."""
    @property
    def adapter_saved(self) -> Quantity:
        """What adapters save of the state."""
    @property
    def adapter_reduction(self) -> float:
        """How many times smaller adapters make the state."""
    @property
    def adapter_kept_share(self) -> float:
        """The share of the state that remains with adapters."""
    @property
    def frozen_share(self) -> float:
        """The share of the state that the model's weights are."""
    @property
    def adapter_reduction_ceiling(self) -> float:
        """How many times smaller adapters of no size would make the state."""
    def activations_at(self, batch_size: CountLike) -> Quantity:
        """What the forward pass keeps at another size of the batch."""
    @property
    def training_total(self) -> Quantity:
        """State and activations together."""
    @property
    def training_copies(self) -> float:
        """State and activations in units of the weights."""
    @property
    def fits(self) -> bool:
        """Whether the state fits the device's memory, before activations; false where no device is
        given."""
    @property
    def capacity_share(self) -> float:
        """The state over the device's memory."""
    @property
    def training_capacity_multiple(self) -> float:
        """State and activations over the device's memory."""
    @property
    def resident_batch_limit(self) -> float:
        """The size of the batch whose activations fill the memory beside the state; negative where the
        state alone does not fit."""
    @property
    def max_resident_batch(self) -> int:
        """The largest whole batch whose activations fit beside the state; negative where the state
        alone does not fit."""
    @property
    def checkpoint(self) -> Quantity:
        """What a checkpoint to resume from holds: weights, master weights and optimizer state."""
    def checkpoint_write_time(self, bandwidth: QuantityLike) -> Quantity:
        """The time in which a checkpoint is written."""
    @property
    def update_bytes_per_parameter(self) -> Quantity:
        """What an optimizer update moves for each parameter: the gradient once, the weight that it
        updates and the optimizer state twice, in and out."""
    @property
    def update_traffic(self) -> Quantity:
        """What an optimizer update of every parameter moves."""
    @property
    def update_time(self) -> Quantity:
        """The time of an optimizer update of every parameter, at the device's full bandwidth."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] | None = ...,
        bytes_per_value: QuantityLike = ...,
        optimizer_bytes_per_parameter: QuantityLike = ...,
        batch_size: CountLike | None = ...,
        activations: QuantityLike | None = ...,
        master_bytes_per_parameter: QuantityLike | None = ...,
        adapter_parameters: CountLike | None = ...,
        adapter_rank: CountLike | None = ...,
        adapted_matrices: CountLike | None = ...,
        adapter_in_dim: CountLike | None = ...,
        adapter_out_dim: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ZeroShardingScenario(BaseScenario):
    """The state of training a model on each of many devices at each stage of ZeRO, and what full
    sharding sends."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        n_devices: CountLike,
        activations: ActivationMemoryScenario | str | Mapping[str, Any] | None = ...,
        activation_strategy: str = ...,
        link_bandwidth: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def n_devices(self) -> int:
        """Over how many devices the state is sharded."""
    @property
    def activations(self) -> ActivationMemoryScenario | None:
        """What each device passes at once."""
    @property
    def activation_strategy(self) -> str:
        """How activations are recomputed: `none`, `selective` or `full`."""
    @property
    def link_bandwidth(self) -> Quantity | None:
        """How fast each device sends."""
    @property
    def result(self) -> ZeroShardingResult:
        """The state at each stage and the traffic of full sharding, by `ZeroShardingModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        n_devices: CountLike = ...,
        activations: ActivationMemoryScenario | str | Mapping[str, Any] | None = ...,
        activation_strategy: str = ...,
        link_bandwidth: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class BatchCapChoiceScenario(BaseScenario):
    """Two caps on the size of a batch at one rate of arrivals, with batches that wait until they are
    full: what the larger one gains in throughput and costs in waiting."""

    def __init__(
        self,
        *,
        service: BatchingKneeScenario | str | Mapping[str, Any],
        arrival_rate: QuantityLike,
        small_cap: CountLike,
        large_cap: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def service(self) -> BatchingKneeScenario:
        """The service that runs the batches."""
    @property
    def arrival_rate(self) -> Quantity:
        """How many requests arrive in a unit of time."""
    @property
    def small_cap(self) -> int:
        """The smaller cap."""
    @property
    def large_cap(self) -> int:
        """The larger cap."""
    def formation_wait(self, cap: CountLike) -> Quantity:
        """How long a request waits on average until its batch is full."""
    @property
    def throughput_gain(self) -> float:
        """By which fraction the larger cap raises the throughput of a busy server."""
    @property
    def capacity_over_load(self) -> float:
        """How many times the arrivals the smaller cap can serve."""
    def variant(
        self,
        *,
        service: BatchingKneeScenario | str | Mapping[str, Any] = ...,
        arrival_rate: QuantityLike = ...,
        small_cap: CountLike = ...,
        large_cap: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class BatchDispatchScenario(BaseScenario):
    """A batch that may leave when its oldest request has waited long enough, and leaves when a worker
    is free: the latency of that request against its deadline."""

    def __init__(
        self,
        *,
        arrivals: Sequence[QuantityLike],
        timeout: QuantityLike,
        worker_free: QuantityLike,
        response_path: QuantityLike,
        deadline: QuantityLike,
        service: BatchingKneeScenario | str | Mapping[str, Any],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def arrivals(self) -> list[Quantity]:
        """When each request of the batch arrives, counted from the oldest."""
    @property
    def timeout(self) -> Quantity:
        """How long after its oldest arrival the batch may leave."""
    @property
    def worker_free(self) -> Quantity:
        """When the worker is done with the batch before, on the clock of the arrivals."""
    @property
    def response_path(self) -> Quantity:
        """What a response takes once its batch is served."""
    @property
    def deadline(self) -> Quantity:
        """What the oldest request may take in all."""
    @property
    def service(self) -> BatchingKneeScenario:
        """The service that batches go to."""
    @property
    def formation_end(self) -> Quantity:
        """When the timer of the batch ends."""
    @property
    def dispatch(self) -> Quantity:
        """When the batch leaves."""
    @property
    def backlog_wait(self) -> Quantity:
        """How long the batch waits for the worker after its timer has ended."""
    @property
    def batch_time(self) -> Quantity:
        """The time to serve the batch."""
    @property
    def oldest_latency(self) -> Quantity:
        """What the oldest request takes, from its arrival to its response."""
    @property
    def slack(self) -> Quantity:
        """What is left until the deadline; negative where it is missed."""
    @property
    def timer_only_latency(self) -> Quantity:
        """What the oldest request would seem to take without the busy worker and the way back."""
    def variant(
        self,
        *,
        arrivals: Sequence[QuantityLike] = ...,
        timeout: QuantityLike = ...,
        worker_free: QuantityLike = ...,
        response_path: QuantityLike = ...,
        deadline: QuantityLike = ...,
        service: BatchingKneeScenario | str | Mapping[str, Any] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class BatchEnergyPerImageScenario(BaseScenario):
    """The bytes and the energy of one image, in a batch that reads the weights once for all its images."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        weight_bytes_per_param: QuantityLike,
        activation_bytes: QuantityLike,
        activation_passes: CountLike,
        byte_energy: QuantityLike,
        flop_energy: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that sees the images."""
    @property
    def weight_bytes_per_param(self) -> Quantity:
        """How large a parameter is."""
    @property
    def activation_bytes(self) -> Quantity:
        """How large the activations of one image are, all layers together."""
    @property
    def activation_passes(self) -> int:
        """How often the activations move between device and memory."""
    @property
    def byte_energy(self) -> Quantity:
        """The energy of moving one byte."""
    @property
    def flop_energy(self) -> Quantity:
        """The energy of one operation."""
    @property
    def weights(self) -> Quantity:
        """The size of the weights."""
    def weight_per_image(self, batch_size: CountLike) -> Quantity:
        """An image's part of the weights that its batch reads."""
    def bytes_per_image(self, batch_size: CountLike) -> Quantity:
        """The bytes that move for one image: its part of the weights, and its activations."""
    def intensity(self, batch_size: CountLike) -> Quantity:
        """The operations for each byte that moves."""
    def movement_energy(self, batch_size: CountLike) -> Quantity:
        """The energy of moving one image's bytes."""
    @property
    def compute_energy(self) -> Quantity:
        """The energy of one image's operations."""
    def energy(self, batch_size: CountLike) -> Quantity:
        """The energy of one image: its bytes and its operations."""
    def movement_share(self, batch_size: CountLike) -> float:
        """The share of an image's energy that moves bytes."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        weight_bytes_per_param: QuantityLike = ...,
        activation_bytes: QuantityLike = ...,
        activation_passes: CountLike = ...,
        byte_energy: QuantityLike = ...,
        flop_energy: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class BatchServingCostScenario(BaseScenario):
    """One accelerator that is rented by the hour and serves batches back to back: what a request costs
    at each size of batch."""

    def __init__(
        self,
        *,
        service: BatchingKneeScenario | str | Mapping[str, Any],
        price: QuantityLike,
        batch_sizes: Sequence[CountLike],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def service(self) -> BatchingKneeScenario:
        """The service that runs the batches."""
    @property
    def price(self) -> Quantity:
        """The price of the accelerator."""
    @property
    def batch_sizes(self) -> list[int]:
        """The sizes of batches to compare; the first and the last stand for the two ends."""
    def cost_per_million(self, batch_size: CountLike) -> Quantity:
        """What a million requests cost at one size of batch."""
    @property
    def cost_ratio(self) -> float:
        """How many times the cost at the last size a request costs at the first."""
    @property
    def added_time(self) -> Quantity:
        """How much longer the last size takes than the first."""
    def variant(
        self,
        *,
        service: BatchingKneeScenario | str | Mapping[str, Any] = ...,
        price: QuantityLike = ...,
        batch_sizes: Sequence[CountLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class BatchWindowScenario(BaseScenario):
    """A batching window of a fixed length in which requests of a Poisson stream gather: how many there
    are, and how long they wait for its end."""

    def __init__(
        self,
        *,
        window: QuantityLike,
        arrival_rates: Sequence[QuantityLike] = ...,
        latency_budget: QuantityLike | None = ...,
        tail_quantile: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def window(self) -> Quantity:
        """How long requests are gathered."""
    @property
    def arrival_rates(self) -> list[Quantity]:
        """The rates of arrival that are of interest."""
    @property
    def latency_budget(self) -> Quantity | None:
        """What a request may take in all."""
    @property
    def tail_quantile(self) -> float:
        """The quantile of the batch size that counts as its tail."""
    def mean_arrivals(self, arrival_rate: QuantityLike) -> float:
        """How many requests arrive in a window on average."""
    def arrival_spread(self, arrival_rate: QuantityLike) -> float:
        """The standard deviation of the number of arrivals."""
    def empty_share(self, arrival_rate: QuantityLike) -> float:
        """The share of windows in which nothing arrives."""
    def count_at_least(self, arrival_rate: QuantityLike, at_least: CountLike) -> float:
        """The probability that at least so many requests arrive in a window."""
    @property
    def mean_wait(self) -> Quantity:
        """How long a request waits for its window to end on average."""
    @property
    def budget_share(self) -> float:
        """The share of the latency budget that the mean wait takes."""
    def seen_batch_mean(self, arrival_rate: QuantityLike) -> float:
        """The size of the batch that a request is in, on average: larger than the mean batch, since
        more requests are in the larger ones."""
    def seen_batch_tail(self, arrival_rate: QuantityLike) -> int:
        """The size of the batch that a request is in, at `tail_quantile`: one more than that quantile
        of the arrivals."""
    def variant(
        self,
        *,
        window: QuantityLike = ...,
        arrival_rates: Sequence[QuantityLike] = ...,
        latency_budget: QuantityLike | None = ...,
        tail_quantile: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class BatchingKneeScenario(BaseScenario):
    """A service whose batches cost a fixed time and a time for each request: what larger batches gain."""

    def __init__(
        self,
        *,
        fixed_time: QuantityLike,
        per_request_time: QuantityLike,
        batch_sizes: Sequence[CountLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def fixed_time(self) -> Quantity:
        """What a batch costs whatever its size: launching kernels, reading the weights."""
    @property
    def per_request_time(self) -> Quantity:
        """What each request adds to its batch."""
    @property
    def batch_sizes(self) -> list[int]:
        """The sizes of batches that are of interest."""
    @property
    def knee(self) -> float:
        """The batch whose fixed time equals the time of its requests; a larger one gains at most a
        factor of two in throughput."""
    def throughput_share(self, batch_size: CountLike) -> float:
        """The throughput as a share of what infinitely large batches would reach."""
    def service_time(self, batch_size: CountLike) -> Quantity:
        """The time to serve one batch."""
    def throughput(self, batch_size: CountLike) -> Quantity:
        """The requests served in a unit of time when batches run back to back."""
    def time_per_request(self, batch_size: CountLike) -> Quantity:
        """The time of a batch shared among its requests."""
    def fixed_share(self, batch_size: CountLike) -> float:
        """The share of a batch's time that does not depend on its size."""
    def variant(
        self,
        *,
        fixed_time: QuantityLike = ...,
        per_request_time: QuantityLike = ...,
        batch_sizes: Sequence[CountLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ChunkedPrefillScenario(BaseScenario):
    """A long prompt that is taken in chunks; with a server, what that spares those who decode."""

    def __init__(
        self,
        *,
        prompt_tokens: CountLike,
        chunk_tokens: CountLike,
        prefill: PrefixRebuildScenario | str | Mapping[str, Any] | None = ...,
        decodes: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def prompt_tokens(self) -> int:
        """How many tokens the prompt has."""
    @property
    def chunk_tokens(self) -> int:
        """How many of them a pass takes."""
    @property
    def prefill(self) -> PrefixRebuildScenario | None:
        """The model and the server, and the share of its rate that a prefill sustains."""
    @property
    def decodes(self) -> int | None:
        """How many requests decode meanwhile."""
    @property
    def iterations(self) -> int:
        """How many passes the prompt takes."""
    @property
    def result(self) -> ChunkedPrefillResult:
        """The gaps whole and in chunks, by `ChunkedPrefillModel`."""
    def variant(
        self,
        *,
        prompt_tokens: CountLike = ...,
        chunk_tokens: CountLike = ...,
        prefill: PrefixRebuildScenario | str | Mapping[str, Any] | None = ...,
        decodes: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ColdStartScenario(BaseScenario):
    """A replica that starts on a machine which has nothing of the model yet, and what starting replicas
    ahead of the load saves."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        weight_bytes_per_param: QuantityLike,
        fetch_bandwidth: QuantityLike,
        provisioning_time: QuantityLike,
        load_warmup_time: QuantityLike,
        reactive_peak_replicas: CountLike,
        predictive_peak_replicas: CountLike,
        prewarm_lead: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that the replica serves."""
    @property
    def weight_bytes_per_param(self) -> Quantity:
        """How large a stored parameter is."""
    @property
    def fetch_bandwidth(self) -> Quantity:
        """How fast the weights arrive from where they are stored."""
    @property
    def provisioning_time(self) -> Quantity:
        """How long it takes until the machine is there and the container runs."""
    @property
    def load_warmup_time(self) -> Quantity:
        """How long loading the fetched weights into the device and warming up takes."""
    @property
    def reactive_peak_replicas(self) -> int:
        """How many replicas the peak takes when scaling only reacts to load."""
    @property
    def predictive_peak_replicas(self) -> int:
        """How many replicas the peak takes when they start ahead of the load."""
    @property
    def prewarm_lead(self) -> Quantity:
        """How long before the load replicas are started."""
    @property
    def artifact(self) -> Quantity:
        """The size of the weights that the replica fetches."""
    @property
    def fetch_time(self) -> Quantity:
        """The time for fetching the weights."""
    @property
    def cold_start_time(self) -> Quantity:
        """The time from the decision to start a replica until it serves."""
    @property
    def peak_saving(self) -> float:
        """The share of the peak fleet that starting ahead saves."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        weight_bytes_per_param: QuantityLike = ...,
        fetch_bandwidth: QuantityLike = ...,
        provisioning_time: QuantityLike = ...,
        load_warmup_time: QuantityLike = ...,
        reactive_peak_replicas: CountLike = ...,
        predictive_peak_replicas: CountLike = ...,
        prewarm_lead: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class DecodeScenario(BaseScenario):
    """One decode step of a model on a device, or on a group that shares its weights: is it bound by
    reading them or by arithmetic?"""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        precision: str = ...,
        batch_size: CountLike = ...,
        peak_precision: str | None = ...,
        tp_size: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that decodes."""
    @property
    def hardware(self) -> HardwareNode:
        """The device that computes."""
    @property
    def precision(self) -> str:
        """The precision in which the weights are stored."""
    @property
    def batch_size(self) -> int:
        """How many requests decode a token at once."""
    @property
    def peak_precision(self) -> str | None:
        """The precision of the arithmetic, a key of the device's peak rates, where it is another than
        that of the peak for which the device is known."""
    @property
    def tp_size(self) -> int:
        """How many devices share the weights."""
    @property
    def result(self) -> DecodeBoundResult:
        """Both times of the step and which one binds, by `DecodeBoundModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        precision: str = ...,
        batch_size: CountLike = ...,
        peak_precision: str | None = ...,
        tp_size: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class DecodeBudgetScenario(BaseScenario):
    """A decode step of five intervals, cut first by smaller precision and then by fused and replayed
    kernels, against the time that a token may take."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        accelerator: HardwareNode | str | Mapping[str, Any],
        weight_bytes_per_param: QuantityLike,
        tpot_target: QuantityLike,
        baseline_step: QuantityLike,
        intervals: Sequence[str],
        baseline_shares: Sequence[NumberLike],
        gemm_cut: NumberLike,
        attention_cut: NumberLike,
        fused_elementwise: QuantityLike,
        replay_overhead: QuantityLike,
        collective_launch: QuantityLike,
        allreduces_per_layer: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that decodes."""
    @property
    def tp_size(self) -> int:
        """How many devices share the model."""
    @property
    def accelerator(self) -> HardwareNode:
        """The device that computes."""
    @property
    def weight_bytes_per_param(self) -> Quantity:
        """How large a stored parameter is."""
    @property
    def tpot_target(self) -> Quantity:
        """How long a token may take."""
    @property
    def baseline_step(self) -> Quantity:
        """How long a step takes before anything is cut."""
    @property
    def intervals(self) -> list[str]:
        """What the five intervals are called."""
    @property
    def baseline_shares(self) -> list[float]:
        """The share of each interval in the step."""
    @property
    def gemm_cut(self) -> float:
        """The share of the matrix products' time that smaller precision removes."""
    @property
    def attention_cut(self) -> float:
        """The share of attention's time that fusion removes."""
    @property
    def fused_elementwise(self) -> Quantity:
        """The time of element-wise work once it is fused."""
    @property
    def replay_overhead(self) -> Quantity:
        """The time of launches once they are replayed from a graph."""
    @property
    def collective_launch(self) -> Quantity:
        """The time to launch a collective."""
    @property
    def allreduces_per_layer(self) -> int:
        """How many AllReduces a layer has."""
    @property
    def baseline(self) -> list[float]:
        """The intervals before anything is cut, in milliseconds."""
    @property
    def after_precision(self) -> list[float]:
        """The intervals after smaller precision, in milliseconds."""
    @property
    def after_fusion(self) -> list[float]:
        """The intervals after smaller precision and fusion, in milliseconds."""
    @property
    def totals(self) -> list[float]:
        """The step before anything is cut, after smaller precision, and after fusion, in milliseconds."""
    @property
    def weight_shard(self) -> Quantity:
        """A device's share of the weights."""
    @property
    def floor(self) -> Quantity:
        """The time to read that share, below which no step is."""
    @property
    def allreduces_per_step(self) -> int:
        """How many AllReduces a step has."""
    @property
    def allreduce_per_collective(self) -> Quantity:
        """What the interval of AllReduces leaves for each of them."""
    @property
    def collective_estimate(self) -> Quantity:
        """An estimate of one AllReduce: its launch, and twice the activation of a token over NVLink."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        tp_size: CountLike = ...,
        accelerator: HardwareNode | str | Mapping[str, Any] = ...,
        weight_bytes_per_param: QuantityLike = ...,
        tpot_target: QuantityLike = ...,
        baseline_step: QuantityLike = ...,
        intervals: Sequence[str] = ...,
        baseline_shares: Sequence[NumberLike] = ...,
        gemm_cut: NumberLike = ...,
        attention_cut: NumberLike = ...,
        fused_elementwise: QuantityLike = ...,
        replay_overhead: QuantityLike = ...,
        collective_launch: QuantityLike = ...,
        allreduces_per_layer: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ExpertWeightTrafficScenario(BaseScenario):
    """The weights of a mixture of experts: those that must be held, those that a token reads, and those
    of a dense model to compare with."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        dense_parameters: CountedLike,
        bytes_per_param: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The mixture of experts."""
    @property
    def dense_parameters(self) -> Quantity:
        """How many parameters the dense model has."""
    @property
    def bytes_per_param(self) -> Quantity:
        """How large a stored parameter is."""
    @property
    def resident_bytes(self) -> Quantity:
        """What all experts occupy."""
    @property
    def active_bytes(self) -> Quantity:
        """What a token reads."""
    @property
    def dense_bytes(self) -> Quantity:
        """What a token reads in the dense model."""
    @property
    def resident_to_active(self) -> float:
        """How many times more is held than a token reads."""
    @property
    def dense_to_active(self) -> float:
        """How many times more a token reads in the dense model."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        dense_parameters: CountedLike = ...,
        bytes_per_param: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class FixedBatchScheduleScenario(BaseScenario):
    """A batch in which every request holds its slot until the longest one ends, against one that
    refills a slot as soon as it is free."""

    def __init__(
        self,
        *,
        output_lengths: Sequence[CountLike],
        prompt_lengths: Sequence[CountLike] | None = ...,
        iteration_time: QuantityLike | None = ...,
        waiting_lengths: Sequence[CountLike] | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def output_lengths(self) -> list[int]:
        """How many tokens each request of the batch makes."""
    @property
    def prompt_lengths(self) -> list[int] | None:
        """How many tokens the prompt of each of these requests has."""
    @property
    def iteration_time(self) -> Quantity | None:
        """What one iteration takes; no output depends on it."""
    @property
    def waiting_lengths(self) -> list[int] | None:
        """How many tokens each waiting request makes, in the order of admission."""
    @property
    def total_tokens(self) -> list[int]:
        """The tokens of each request in the end, prompt and output."""
    @property
    def max_output(self) -> int:
        """The tokens of the longest output."""
    @property
    def mean_output(self) -> float:
        """The tokens of an output on average."""
    @property
    def slot_iterations(self) -> int:
        """The iterations of all slots until the last request ends."""
    @property
    def useful_iterations(self) -> int:
        """The iterations in which a slot makes a token."""
    @property
    def idle_share(self) -> float:
        """The share of the slots' iterations that make nothing."""
    @property
    def requests_advanced(self) -> int:
        """How many requests are served or begun in the same iterations if every slot that is free
        early is refilled once."""
    @property
    def all_lengths(self) -> list[int]:
        """The outputs of the batch, and then those of the waiting requests."""
    @property
    def all_useful_iterations(self) -> int:
        """The iterations in which a slot makes a token, with the waiting requests."""
    def request_level_spans(self) -> list[list[int]]:
        """When each request begins and ends, in iterations, if the waiting ones begin when the whole
        batch has ended."""
    def continuous_spans(self) -> list[list[int]]:
        """When each request begins and ends, in iterations, if each waiting one takes the slot that is
        free first."""
    @property
    def request_level_iterations(self) -> int:
        """The iterations until all requests end if the waiting ones begin when the batch has ended."""
    @property
    def continuous_iterations(self) -> int:
        """The iterations until all requests end if each slot is refilled at once."""
    @property
    def request_level_utilization(self) -> float:
        """The share of useful iterations if the waiting requests begin when the batch has ended."""
    @property
    def continuous_utilization(self) -> float:
        """The share of useful iterations if each slot is refilled at once."""
    def variant(
        self,
        *,
        output_lengths: Sequence[CountLike] = ...,
        prompt_lengths: Sequence[CountLike] | None = ...,
        iteration_time: QuantityLike | None = ...,
        waiting_lengths: Sequence[CountLike] | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class KvDecodeBatchScenario(BaseScenario):
    """Decode in batches on one accelerator: each step reads the weights once and the KV cache of each
    sequence."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        weight_bytes_per_param: QuantityLike,
        kv_bytes_per_value: QuantityLike,
        context_tokens: CountLike,
        batch_sizes: Sequence[CountLike],
        prompt_tokens: CountLike,
        prefill_efficiency: NumberLike,
        peak_precision: str = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is served."""
    @property
    def hardware(self) -> HardwareNode:
        """The accelerator that serves it."""
    @property
    def weight_bytes_per_param(self) -> Quantity:
        """How large a stored parameter is."""
    @property
    def kv_bytes_per_value(self) -> Quantity:
        """How large a cached element is."""
    @property
    def context_tokens(self) -> int:
        """How many tokens the cache of each sequence holds."""
    @property
    def batch_sizes(self) -> list[int]:
        """The sizes of batches that are of interest."""
    @property
    def prompt_tokens(self) -> int:
        """How many tokens a prompt has."""
    @property
    def prefill_efficiency(self) -> float:
        """The share of its peak that the accelerator sustains in prefill."""
    @property
    def peak_precision(self) -> str:
        """The precision of the arithmetic: a key of the accelerator's peak rates."""
    @property
    def weights(self) -> Quantity:
        """What the weights occupy, all experts of a mixture of experts included."""
    @property
    def kv_per_token(self) -> Quantity:
        """What one token leaves in the cache of all layers."""
    @property
    def kv_per_sequence(self) -> Quantity:
        """What the cache of one sequence holds."""
    @property
    def bandwidth(self) -> Quantity:
        """How fast the accelerator reads its memory."""
    def step_bytes(self, batch_size: CountLike) -> Quantity:
        """What one step of a batch reads: the weights once, and every cache."""
    def step_time(self, batch_size: CountLike) -> Quantity:
        """The time of one step of a batch."""
    def token_rate(self, batch_size: CountLike) -> Quantity:
        """The tokens of the whole batch in a unit of time."""
    def cache_share(self, batch_size: CountLike) -> float:
        """The share of the caches in what a step reads."""
    @property
    def rate_ceiling(self) -> Quantity:
        """The tokens in a unit of time that no batch exceeds, when caches are all that a step reads."""
    def max_batch_within(self, tpot: QuantityLike) -> int:
        """The largest batch whose step takes no longer than a time per output token; 0 where reading
        the weights does."""
    @property
    def max_batch_in_memory(self) -> int:
        """The largest batch whose caches fit in memory beside the weights; 0 where the weights do not
        fit."""
    @property
    def peak_rate(self) -> Quantity:
        """The accelerator's peak at the precision."""
    @property
    def ridge(self) -> Quantity:
        """The arithmetic for each byte above which the accelerator is bound by arithmetic."""
    @property
    def prefill_ops(self) -> Quantity:
        """The arithmetic of a prompt, at what the model states for one token."""
    @property
    def prefill_time(self) -> Quantity:
        """The time of a prompt's arithmetic."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        weight_bytes_per_param: QuantityLike = ...,
        kv_bytes_per_value: QuantityLike = ...,
        context_tokens: CountLike = ...,
        batch_sizes: Sequence[CountLike] = ...,
        prompt_tokens: CountLike = ...,
        prefill_efficiency: NumberLike = ...,
        peak_precision: str = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class LittlesLawScenario(BaseScenario):
    """The requests in flight at a rate of arrivals, and the replicas that batches of one service time
    need."""

    def __init__(
        self,
        *,
        arrival_rate: QuantityLike,
        time_in_system: QuantityLike,
        batch_size: CountLike | None = ...,
        batch_service_time: QuantityLike | None = ...,
        utilization_target: NumberLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def arrival_rate(self) -> Quantity:
        """How many requests arrive in a unit of time."""
    @property
    def time_in_system(self) -> Quantity:
        """How long a request is in the system on average, waiting included."""
    @property
    def batch_size(self) -> int | None:
        """How many requests a replica serves at once."""
    @property
    def batch_service_time(self) -> Quantity | None:
        """How long a replica takes for one batch."""
    @property
    def utilization_target(self) -> float | None:
        """The share of a replica's throughput that is to be used."""
    @property
    def in_flight(self) -> float:
        """How many requests are in the system on average."""
    @property
    def replica_throughput(self) -> Quantity:
        """The requests that one replica serves in a unit of time."""
    @property
    def throughput_floor(self) -> int:
        """The fewest replicas whose throughput is not below the arrivals; fewer cannot keep up."""
    @property
    def replicas_needed(self) -> int:
        """The fewest replicas that stay within the target of utilization."""
    @property
    def executing_positions(self) -> int:
        """How many requests those replicas can serve at once."""
    @property
    def mean_executing(self) -> float:
        """How many requests are being served on average."""
    @property
    def service_utilization(self) -> float:
        """The share of their throughput that those replicas use."""
    def variant(
        self,
        *,
        arrival_rate: QuantityLike = ...,
        time_in_system: QuantityLike = ...,
        batch_size: CountLike | None = ...,
        batch_service_time: QuantityLike | None = ...,
        utilization_target: NumberLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class MM1CapacityPlanScenario(BaseScenario):
    """Accelerators for a peak of requests, each an M/M/1 server whose tail of latency meets a budget."""

    def __init__(
        self,
        *,
        service_time: QuantityLike,
        tail_factor: NumberLike,
        tail_quantile: NumberLike = ...,
        tail_budget: QuantityLike,
        peak_rate: QuantityLike,
        headroom: NumberLike,
        utilization_points: Sequence[NumberLike] = ...,
        example_utilization: NumberLike | None = ...,
        batched_rate: QuantityLike | None = ...,
        accelerator_price: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def service_time(self) -> Quantity:
        """The mean time to serve one request."""
    @property
    def tail_factor(self) -> float:
        """The tail as a multiple of the mean time in the system."""
    @property
    def tail_quantile(self) -> float:
        """The quantile that the factor stands for."""
    @property
    def tail_budget(self) -> Quantity:
        """What the tail may take, waiting and service."""
    @property
    def peak_rate(self) -> Quantity:
        """How many requests arrive in a unit of time at the peak."""
    @property
    def headroom(self) -> float:
        """By how much the rounded number of accelerators is multiplied."""
    @property
    def utilization_points(self) -> list[float]:
        """The utilizations whose times are of interest."""
    @property
    def example_utilization(self) -> float | None:
        """One utilization to look at; no output depends on it."""
    @property
    def batched_rate(self) -> Quantity | None:
        """What one accelerator serves in a unit of time with batching."""
    @property
    def accelerator_price(self) -> Quantity | None:
        """What one accelerator costs in a unit of time."""
    @property
    def service_rate(self) -> Quantity:
        """What one accelerator can serve in a unit of time when it is always busy."""
    def time_in_system(self, utilization: NumberLike) -> Quantity:
        """The mean time in the system at a utilization, waiting and service."""
    def tail_time(self, utilization: NumberLike) -> Quantity:
        """The tail of the time in the system at a utilization."""
    @property
    def exact_tail_factor(self) -> float:
        """The multiple of the mean that is the quantile `tail_quantile`; `tail_factor` is a rounding
        of it."""
    @property
    def max_utilization(self) -> float:
        """The highest utilization whose tail is within the budget; 0 where there is none."""
    @property
    def required_rate(self) -> Quantity:
        """What the fleet must be able to serve in a unit of time."""
    @property
    def accelerators_exact(self) -> float:
        """The accelerators for that, before rounding."""
    @property
    def accelerators(self) -> int:
        """The fewest accelerators whose tail is within the budget."""
    @property
    def accelerators_planned(self) -> int:
        """The accelerators with headroom."""
    @property
    def utilization_after_failure(self) -> float:
        """The utilization at the peak when one of the planned accelerators is lost."""
    @property
    def saturated_accelerators_exact(self) -> float:
        """The accelerators if each were busy all the time; fewer cannot keep up."""
    @property
    def batched_accelerators(self) -> int:
        """The accelerators with batching, at the same utilization."""
    @property
    def batched_accelerators_planned(self) -> int:
        """The accelerators with batching and headroom."""
    def cost_per_million(self, accelerators: CountLike) -> Quantity:
        """What a million requests cost on so many accelerators at the peak."""
    def variant(
        self,
        *,
        service_time: QuantityLike = ...,
        tail_factor: NumberLike = ...,
        tail_quantile: NumberLike = ...,
        tail_budget: QuantityLike = ...,
        peak_rate: QuantityLike = ...,
        headroom: NumberLike = ...,
        utilization_points: Sequence[NumberLike] = ...,
        example_utilization: NumberLike | None = ...,
        batched_rate: QuantityLike | None = ...,
        accelerator_price: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class MM1ServiceSpeedupScenario(BaseScenario):
    """The same arrivals at one server before and after its service time changes: a shorter service
    also lowers the load, so that the wait shrinks by more than the service."""

    def __init__(
        self,
        *,
        slow_service: QuantityLike,
        fast_service: QuantityLike,
        utilization: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def slow_service(self) -> Quantity:
        """The mean service time before."""
    @property
    def fast_service(self) -> Quantity:
        """The mean service time after."""
    @property
    def utilization(self) -> float:
        """The share of time in which the server is busy before."""
    @property
    def arrival_rate(self) -> Quantity:
        """How many requests arrive in a unit of time."""
    @property
    def fast_utilization(self) -> float:
        """The share of time in which the server is busy after."""
    @property
    def slow_time(self) -> Quantity:
        """The mean time in the system before, waiting and service."""
    @property
    def fast_time(self) -> Quantity:
        """The mean time in the system after, waiting and service."""
    @property
    def slow_wait(self) -> Quantity:
        """The mean time in the queue before."""
    @property
    def fast_wait(self) -> Quantity:
        """The mean time in the queue after."""
    @property
    def service_gain(self) -> float:
        """How many times shorter the service is."""
    @property
    def time_gain(self) -> float:
        """How many times shorter the time in the system is."""
    @property
    def wait_gain(self) -> float:
        """How many times shorter the wait is."""
    def variant(
        self,
        *,
        slow_service: QuantityLike = ...,
        fast_service: QuantityLike = ...,
        utilization: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class NoisyNeighborScenario(BaseScenario):
    """Tenants that share the KV cache of a replica, of which one takes more than its share."""

    def __init__(
        self,
        *,
        kv_pool: QuantityLike,
        pool_tenants: CountLike,
        swollen_share: QuantityLike,
        base_sequences: CountLike,
        base_rate: NumberLike,
        burst_rate: NumberLike,
        slo: QuantityLike,
        unprotected_p99_low: QuantityLike,
        unprotected_p99_high: QuantityLike,
        quota_rate: NumberLike,
        protected_p99: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def kv_pool(self) -> Quantity:
        """The memory for the KV cache of all tenants."""
    @property
    def pool_tenants(self) -> int:
        """How many tenants share the pool, the swollen one included."""
    @property
    def swollen_share(self) -> Quantity:
        """What the tenant with long contexts takes where nothing limits it."""
    @property
    def base_sequences(self) -> int:
        """How many sequences fill an equal share."""
    @property
    def base_rate(self) -> float:
        """How many requests a tenant sends in a second ordinarily."""
    @property
    def burst_rate(self) -> float:
        """How many requests the bursting tenant sends in a second."""
    @property
    def slo(self) -> Quantity:
        """The target of the 99th percentile of latency."""
    @property
    def unprotected_p99_low(self) -> Quantity:
        """The lower end of the others' 99th percentile without quotas, as measured or stated."""
    @property
    def unprotected_p99_high(self) -> Quantity:
        """The upper end of the others' 99th percentile without quotas, as measured or stated."""
    @property
    def quota_rate(self) -> float:
        """How many requests in a second a quota allows each tenant."""
    @property
    def protected_p99(self) -> Quantity:
        """The others' 99th percentile with quotas, as measured or stated."""
    @property
    def base_share(self) -> Quantity:
        """What each tenant has of the pool in equal shares."""
    @property
    def other_share(self) -> Quantity:
        """What each other tenant has of what the swollen one leaves."""
    @property
    def other_sequences(self) -> int:
        """How many sequences each other tenant can still hold."""
    @property
    def batch_reduction(self) -> float:
        """By what share the batch of each other tenant shrinks; negative where it grows."""
    @property
    def burst_multiple(self) -> float:
        """How many times its ordinary rate the bursting tenant sends."""
    def variant(
        self,
        *,
        kv_pool: QuantityLike = ...,
        pool_tenants: CountLike = ...,
        swollen_share: QuantityLike = ...,
        base_sequences: CountLike = ...,
        base_rate: NumberLike = ...,
        burst_rate: NumberLike = ...,
        slo: QuantityLike = ...,
        unprotected_p99_low: QuantityLike = ...,
        unprotected_p99_high: QuantityLike = ...,
        quota_rate: NumberLike = ...,
        protected_p99: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PrecomputeVersusOnDemandScenario(BaseScenario):
    """A known set of items, answered one at a time when somebody asks, or all of them beforehand in
    large batches."""

    def __init__(
        self,
        *,
        items: CountLike,
        on_demand_time: QuantityLike,
        offline_rate: QuantityLike,
        latency_budget: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def items(self) -> int:
        """How many items there are."""
    @property
    def on_demand_time(self) -> Quantity:
        """The time of one request that is served alone."""
    @property
    def offline_rate(self) -> Quantity:
        """How many items the device answers in a unit of time at a large batch."""
    @property
    def latency_budget(self) -> Quantity:
        """By when the on-demand service must have answered."""
    @property
    def on_demand_total(self) -> Quantity:
        """The device time for all items, one at a time."""
    @property
    def offline_total(self) -> Quantity:
        """The device time for all items in large batches."""
    @property
    def ratio(self) -> float:
        """How many times the device time of the batches the single requests take."""
    def variant(
        self,
        *,
        items: CountLike = ...,
        on_demand_time: QuantityLike = ...,
        offline_rate: QuantityLike = ...,
        latency_budget: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ReasoningLatencyScenario(BaseScenario):
    """Tokens of reasoning that are decoded one after the other before the answer begins."""

    def __init__(
        self,
        *,
        per_token_time: QuantityLike,
        reasoning_tokens: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def per_token_time(self) -> Quantity:
        """The time that a token takes."""
    @property
    def reasoning_tokens(self) -> int:
        """How many tokens of reasoning there are."""
    @property
    def reasoning_time(self) -> Quantity:
        """The time until the answer begins."""
    @property
    def expansion(self) -> int:
        """How many times longer that is than the time of one token."""
    def variant(
        self,
        *,
        per_token_time: QuantityLike = ...,
        reasoning_tokens: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ReplicaStartupScenario(BaseScenario):
    """The start of a serving replica as a sum of named phases, once warm and once cold."""

    def __init__(
        self,
        *,
        phases: Mapping[str, QuantityLike],
        ranges: Mapping[str, Sequence[QuantityLike]] = ...,
        warm_path: Sequence[str],
        cold_path: Sequence[str],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def phases(self) -> dict[str, Quantity]:
        """The time of each phase."""
    @property
    def ranges(self) -> dict[str, list[Quantity]]:
        """The least and the greatest time of those phases that are stated as a range."""
    @property
    def warm_path(self) -> list[str]:
        """The phases of a start on a machine that has the weights and the engine."""
    @property
    def cold_path(self) -> list[str]:
        """The phases of a start on a machine that has neither."""
    @property
    def warm_total(self) -> Quantity:
        """The time of a warm start: the phases of its path."""
    @property
    def cold_total(self) -> Quantity:
        """The time of a cold start: the phases of its path."""
    def variant(
        self,
        *,
        phases: Mapping[str, QuantityLike] = ...,
        ranges: Mapping[str, Sequence[QuantityLike]] = ...,
        warm_path: Sequence[str] = ...,
        cold_path: Sequence[str] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ServingScenario(BaseScenario):
    """A model that is served on a device at one context and batch: its prefill, its decode steps and
    whether it fits."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        seq_len: CountLike,
        batch_size: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is served."""
    @property
    def hardware(self) -> HardwareNode:
        """The device that serves it."""
    @property
    def seq_len(self) -> int:
        """How many tokens a request has."""
    @property
    def batch_size(self) -> int:
        """How many requests are served at once."""
    @property
    def result(self) -> ServingResult:
        """Both phases and the memory that they need, by `ServingModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        seq_len: CountLike = ...,
        batch_size: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ServingCostScenario(BaseScenario):
    """The one-time cost of training a model version against a year of serving it."""

    def __init__(
        self,
        *,
        training_cost: NumberLike,
        daily_users: CountLike,
        requests_per_user_per_day: CountLike,
        cost_per_request: NumberLike,
        efficiency_gain: NumberLike,
        days_per_year: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def training_cost(self) -> float:
        """What the training run cost, in dollars."""
    @property
    def daily_users(self) -> int:
        """How many people use the service on a day."""
    @property
    def requests_per_user_per_day(self) -> int:
        """How many requests each of them sends on a day."""
    @property
    def cost_per_request(self) -> float:
        """What one request costs, in dollars."""
    @property
    def efficiency_gain(self) -> float:
        """The share of a request's cost that an optimisation saves."""
    @property
    def days_per_year(self) -> int:
        """How many days of the year the service runs."""
    @property
    def daily_requests(self) -> float:
        """The requests of a day."""
    @property
    def annual_requests(self) -> float:
        """The requests of a year."""
    @property
    def annual_serving_cost(self) -> float:
        """What a year of serving costs, in dollars."""
    @property
    def serving_to_training(self) -> float:
        """How many times the training a year of serving costs."""
    @property
    def efficiency_savings(self) -> float:
        """What the optimisation saves in a year, in dollars."""
    @property
    def monthly_serving_cost(self) -> float:
        """What a month of serving costs, in dollars."""
    @property
    def crossover_months(self) -> float:
        """After how many months serving has cost as much as training."""
    @property
    def crossover_weeks(self) -> float:
        """After how many weeks serving has cost as much as training."""
    def variant(
        self,
        *,
        training_cost: NumberLike = ...,
        daily_users: CountLike = ...,
        requests_per_user_per_day: CountLike = ...,
        cost_per_request: NumberLike = ...,
        efficiency_gain: NumberLike = ...,
        days_per_year: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ServingInstanceCostScenario(BaseScenario):
    """Kinds of instance, each with its price and the rate of requests that keeps it busy: what a request
    costs on each, and up to what load several small ones are cheaper than one large one."""

    def __init__(
        self,
        *,
        prices: Mapping[str, QuantityLike],
        rates: Mapping[str, QuantityLike],
        small: str,
        large: str,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def prices(self) -> dict[str, Quantity]:
        """The price of each kind of instance."""
    @property
    def rates(self) -> dict[str, Quantity]:
        """The requests that each kind of instance serves in a unit of time when it is fully busy."""
    @property
    def small(self) -> str:
        """The kind of which several are set against one large instance: a key of `prices` and `rates`."""
    @property
    def large(self) -> str:
        """The kind of the large instance: a key of `prices`."""
    def cost_per_million(self, name: str) -> Quantity:
        """What a million requests cost on a busy instance of one kind."""
    def requests_per_hour(self, name: str) -> float:
        """The requests that a busy instance of one kind serves in an hour."""
    @property
    def price_ratio(self) -> float:
        """How many small instances the large one costs."""
    @property
    def breakeven_rate(self) -> Quantity:
        """The load that small instances serve for the price of the large one, could they be rented in
        parts."""
    @property
    def small_within_large_price(self) -> int:
        """How many small instances together cost less than the large one."""
    @property
    def small_fleet_rate(self) -> Quantity:
        """The load that so many small instances serve."""
    def variant(
        self,
        *,
        prices: Mapping[str, QuantityLike] = ...,
        rates: Mapping[str, QuantityLike] = ...,
        small: str = ...,
        large: str = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ServingTaxScenario(BaseScenario):
    """A request's latency target, split between the execution of the model and everything around it,
    of which network exchanges are a part."""

    def __init__(
        self,
        *,
        latency_target: QuantityLike,
        model_time: QuantityLike,
        exchanges: CountLike,
        exchange_low: QuantityLike,
        exchange_high: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def latency_target(self) -> Quantity:
        """By when the request must be answered."""
    @property
    def model_time(self) -> Quantity:
        """How long the model runs on an idle replica."""
    @property
    def exchanges(self) -> int:
        """How many network exchanges follow one another on the request's way."""
    @property
    def exchange_low(self) -> Quantity:
        """The time of a fast exchange."""
    @property
    def exchange_high(self) -> Quantity:
        """The time of a slow exchange."""
    @property
    def outside_model(self) -> Quantity:
        """What of the target is left for everything but the model; below 0 where the model alone
        misses it."""
    @property
    def exchanges_low(self) -> Quantity:
        """The time of all exchanges if each is fast."""
    @property
    def exchanges_high(self) -> Quantity:
        """The time of all exchanges if each is slow."""
    def variant(
        self,
        *,
        latency_target: QuantityLike = ...,
        model_time: QuantityLike = ...,
        exchanges: CountLike = ...,
        exchange_low: QuantityLike = ...,
        exchange_high: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class SingleAcceleratorLlmServiceScenario(BaseScenario):
    """A chat service on one accelerator: its latencies, the requests that its KV reserve holds, the rate at
    which it serves them and what a token costs."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        precision: str,
        kv_bytes_per_value: QuantityLike,
        prompt_tokens: CountLike,
        decode_tokens: CountLike,
        prefill_efficiency: NumberLike,
        kv_reserve: QuantityLike,
        prefill_rate: QuantityLike,
        price: QuantityLike,
        ttft_target: QuantityLike | None = ...,
        tpot_target: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is served."""
    @property
    def hardware(self) -> HardwareNode:
        """The device that serves it."""
    @property
    def precision(self) -> str:
        """The precision in which the weights are stored."""
    @property
    def kv_bytes_per_value(self) -> Quantity:
        """How large a cached element is."""
    @property
    def prompt_tokens(self) -> int:
        """How many tokens a prompt has."""
    @property
    def decode_tokens(self) -> int:
        """How many tokens an answer has."""
    @property
    def prefill_efficiency(self) -> float:
        """The share of its peak that the device sustains in a prefill."""
    @property
    def kv_reserve(self) -> Quantity:
        """The memory that is set aside for the cache."""
    @property
    def prefill_rate(self) -> Quantity:
        """How many tokens of prompts the service prefills in a unit of time."""
    @property
    def price(self) -> Quantity:
        """What the accelerator costs."""
    @property
    def ttft_target(self) -> Quantity | None:
        """How long the first token may take."""
    @property
    def tpot_target(self) -> Quantity | None:
        """How long a later token may take."""
    @property
    def total_tokens(self) -> int:
        """The tokens of a prompt and its answer."""
    @property
    def ttft(self) -> Quantity:
        """The time to the first token of a prompt."""
    @property
    def weights(self) -> Quantity:
        """What the weights occupy."""
    @property
    def bandwidth(self) -> Quantity:
        """How fast the device reads its memory."""
    @property
    def kv_per_token(self) -> Quantity:
        """What one token leaves in the cache of all layers."""
    @property
    def kv_per_request(self) -> Quantity:
        """What a request leaves in the cache in the end."""
    @property
    def weight_floor(self) -> Quantity:
        """The time to read the weights, below which no token takes."""
    @property
    def dispatch_cost(self) -> Quantity:
        """What a decode step takes beyond reading weights and cache."""
    @property
    def tpot(self) -> Quantity:
        """The time of a later token: reading the weights and the request's cache, and what a step takes
        beyond that."""
    @property
    def decode_time(self) -> Quantity:
        """The time of an answer after its first token."""
    @property
    def kv_capacity_tokens(self) -> int:
        """How many tokens the reserve holds."""
    @property
    def resident_requests(self) -> int:
        """How many requests the reserve holds at once."""
    @property
    def request_time(self) -> Quantity:
        """How long a request stays: a prefill that counts the tokens of its answer too, which is on
        the safe side, and the time of the answer."""
    @property
    def prefill_request_rate(self) -> Quantity:
        """The requests that the prefill takes in a unit of time."""
    @property
    def residency_request_rate(self) -> Quantity:
        """The requests that leave the reserve in a unit of time."""
    @property
    def request_rate(self) -> Quantity:
        """The requests that are served in a unit of time: the smaller of both."""
    @property
    def tokens_per_hour(self) -> float:
        """The tokens of prompts and answers in an hour."""
    @property
    def cost_per_million_tokens(self) -> Quantity:
        """What a million of these tokens costs."""
    @property
    def remaining_memory(self) -> Quantity:
        """What the weights leave of the device's memory; negative where they do not fit."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        precision: str = ...,
        kv_bytes_per_value: QuantityLike = ...,
        prompt_tokens: CountLike = ...,
        decode_tokens: CountLike = ...,
        prefill_efficiency: NumberLike = ...,
        kv_reserve: QuantityLike = ...,
        prefill_rate: QuantityLike = ...,
        price: QuantityLike = ...,
        ttft_target: QuantityLike | None = ...,
        tpot_target: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class SpeculativeRoundScenario(BaseScenario):
    """One round of speculative decoding: a draft proposes tokens, and the model verifies them in one
    step."""

    def __init__(
        self,
        *,
        acceptance: NumberLike,
        draft_length: CountLike,
        draft_time: QuantityLike | None = ...,
        verify_time: QuantityLike,
        draft_step: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def acceptance(self) -> float:
        """The probability that a proposed token is accepted."""
    @property
    def draft_length(self) -> int:
        """How many tokens the draft proposes."""
    @property
    def draft_time(self) -> Quantity | None:
        """The time of all the draft's steps together."""
    @property
    def verify_time(self) -> Quantity:
        """The time in which the model verifies them, as long as a decode step of its own."""
    @property
    def draft_step(self) -> Quantity | None:
        """The time of one step of the draft, where `draft_time` is not given."""
    @property
    def draft_cost(self) -> Quantity:
        """What drafting costs in a round."""
    @property
    def expected_tokens(self) -> float:
        """How many tokens a round yields on average."""
    @property
    def round_time(self) -> Quantity:
        """The time of a round."""
    @property
    def per_token_time(self) -> Quantity:
        """The time of a round for each token that it yields."""
    @property
    def tpot_gain(self) -> float:
        """How many times faster that is than decoding without a draft; below 1 where drafting costs more
        than it saves."""
    def variant(
        self,
        *,
        acceptance: NumberLike = ...,
        draft_length: CountLike = ...,
        draft_time: QuantityLike | None = ...,
        verify_time: QuantityLike = ...,
        draft_step: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TailEventRateScenario(BaseScenario):
    """How often an event that is rare for one request happens to a whole service."""

    def __init__(
        self,
        *,
        request_rate: QuantityLike,
        event_probability: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def request_rate(self) -> Quantity:
        """How many requests arrive in a unit of time."""
    @property
    def event_probability(self) -> float:
        """The probability that one request meets the event."""
    @property
    def events_per_second(self) -> float:
        """How many events there are in a second on average."""
    def variant(
        self,
        *,
        request_rate: QuantityLike = ...,
        event_probability: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

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

class TokenEnergyScenario(BaseScenario):
    """The energy of a generated token on a node that serves many requests, and on the same node when it
    serves few."""

    def __init__(
        self,
        *,
        accelerator_power: QuantityLike,
        host_power: QuantityLike,
        low_use_accelerator_power: QuantityLike,
        concurrent_requests: CountLike,
        per_request_rate: QuantityLike,
        response_tokens: CountLike,
        low_use_fraction: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def accelerator_power(self) -> Quantity:
        """What the accelerator draws when it is well used."""
    @property
    def host_power(self) -> Quantity:
        """The accelerator's share of what the host draws."""
    @property
    def low_use_accelerator_power(self) -> Quantity:
        """What the accelerator draws when it is little used."""
    @property
    def concurrent_requests(self) -> int:
        """How many requests run at once when it is well used."""
    @property
    def per_request_rate(self) -> Quantity:
        """How many tokens each request receives in a unit of time."""
    @property
    def response_tokens(self) -> int:
        """How many tokens a response has."""
    @property
    def low_use_fraction(self) -> float:
        """The rate of tokens at low use, as a share of the rate at good use."""
    @property
    def node_power(self) -> Quantity:
        """What the node draws when it is well used."""
    @property
    def low_use_power(self) -> Quantity:
        """What the node draws when it is little used."""
    @property
    def token_rate(self) -> Quantity:
        """The rate of tokens over all requests when the node is well used."""
    def energy_per_token(self, token_rate: QuantityLike, low_use: bool | None = ...) -> Quantity:
        """The energy of a token at any rate of tokens, with the power at good use, or at low use if
        `low_use` is true."""
    @property
    def joules_per_token(self) -> Quantity:
        """The energy of a token when the node is well used."""
    @property
    def response_energy(self) -> Quantity:
        """The energy of a whole response when the node is well used."""
    @property
    def low_use_token_rate(self) -> Quantity:
        """The rate of tokens when the node is little used."""
    @property
    def low_use_joules_per_token(self) -> Quantity:
        """The energy of a token when the node is little used."""
    @property
    def low_use_ratio(self) -> float:
        """How many times the energy of a well-used node a token takes on a little-used one."""
    def variant(
        self,
        *,
        accelerator_power: QuantityLike = ...,
        host_power: QuantityLike = ...,
        low_use_accelerator_power: QuantityLike = ...,
        concurrent_requests: CountLike = ...,
        per_request_rate: QuantityLike = ...,
        response_tokens: CountLike = ...,
        low_use_fraction: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TrafficSurgeScenario(BaseScenario):
    """A service that was sized for one rate of requests and receives another, with the latency that was
    seen at each."""

    def __init__(
        self,
        *,
        normal_rate: QuantityLike,
        surge_rate: QuantityLike,
        normal_latency: QuantityLike,
        surge_latency: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def normal_rate(self) -> Quantity:
        """The rate of requests that the service was sized for."""
    @property
    def surge_rate(self) -> Quantity:
        """The rate of requests in the surge."""
    @property
    def normal_latency(self) -> Quantity:
        """The latency at the normal rate."""
    @property
    def surge_latency(self) -> Quantity:
        """The latency in the surge, once the queue has grown."""
    @property
    def surge_factor(self) -> float:
        """How many times the normal rate the surge is."""
    def variant(
        self,
        *,
        normal_rate: QuantityLike = ...,
        surge_rate: QuantityLike = ...,
        normal_latency: QuantityLike = ...,
        surge_latency: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class WeightedRoutingScenario(BaseScenario):
    """Traffic that is spread over pools of unlike servers in proportion to what each server can
    serve, against a split into equal shares."""

    def __init__(
        self,
        *,
        servers: Mapping[str, CountLike],
        capacity: Mapping[str, NumberLike],
        offered: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def servers(self) -> dict[str, int]:
        """How many servers each pool has."""
    @property
    def capacity(self) -> dict[str, float]:
        """How many requests one server of each pool can serve in a second."""
    @property
    def offered(self) -> float:
        """How many requests in a second the fleet is offered."""
    @property
    def total_capacity(self) -> float:
        """How many requests in a second the whole fleet can serve."""
    def weight(self, pool: str) -> float:
        """The share of the traffic that one server of a pool gets."""
    def utilization(self, pool: str) -> float:
        """The share of its capacity that a server of a pool uses, the same for all pools."""
    @property
    def equal_split_load(self) -> float:
        """How many requests in a second each server gets in an equal split."""
    def equal_split_utilization(self, pool: str) -> float:
        """The share of its capacity that a server of a pool uses in an equal split."""
    def variant(
        self,
        *,
        servers: Mapping[str, CountLike] = ...,
        capacity: Mapping[str, NumberLike] = ...,
        offered: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class AllReduceScheduleScenario(BaseScenario):
    """One buffer that groups of several sizes reduce, by ring, by tree and by a parameter server, and
    what a faster ring would save over a run."""

    def __init__(
        self,
        *,
        message: QuantityLike,
        group_sizes: Sequence[CountLike],
        alpha: QuantityLike,
        bandwidth: QuantityLike,
        run_steps: CountLike = ...,
        time_saved_fraction: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def message(self) -> Quantity:
        """The buffer that every device holds and the sum of which every device gets."""
    @property
    def group_sizes(self) -> list[int]:
        """The sizes of the group, each counted in devices."""
    @property
    def alpha(self) -> Quantity:
        """The startup of one round."""
    @property
    def bandwidth(self) -> Quantity:
        """The bandwidth of the link of each device in one direction."""
    @property
    def run_steps(self) -> int:
        """How many steps the run has."""
    @property
    def time_saved_fraction(self) -> float:
        """The share of the ring's time that the what-if saves."""
    @property
    def result(self) -> AllReduceAlgorithmResult:
        """The three schedules for each size of the group, by `AllReduceAlgorithmModel`."""
    def saved_time(self, n: CountLike) -> Quantity:
        """The time that the what-if saves in each step of a group of `n`."""
    def saved_device_hours(self, n: CountLike) -> float:
        """The hours that the what-if saves over the run, counted on each device of a group of `n`."""
    def variant(
        self,
        *,
        message: QuantityLike = ...,
        group_sizes: Sequence[CountLike] = ...,
        alpha: QuantityLike = ...,
        bandwidth: QuantityLike = ...,
        run_steps: CountLike = ...,
        time_saved_fraction: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class AllToAllDispatchScenario(BaseScenario):
    """One dispatch of tokens to the experts of a mixture, spread over devices (all-to-all): what each
    device sends and receives, and the least time that its port allows."""

    def __init__(
        self,
        *,
        total_tokens: CountLike,
        n_devices: CountLike,
        n_experts: CountLike,
        hidden_dim: CountLike,
        bytes_per_element: QuantityLike,
        alpha: QuantityLike,
        bandwidth: QuantityLike,
        receive_skew: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def total_tokens(self) -> int:
        """How many copies of tokens are dispatched in all, each to one expert."""
    @property
    def n_devices(self) -> int:
        """How many devices share tokens and experts."""
    @property
    def n_experts(self) -> int:
        """How many experts there are in all."""
    @property
    def hidden_dim(self) -> int:
        """How many values a token has."""
    @property
    def bytes_per_element(self) -> Quantity:
        """The size of one value."""
    @property
    def alpha(self) -> Quantity:
        """The startup of the exchange."""
    @property
    def bandwidth(self) -> Quantity:
        """The bandwidth of a device's port in one direction."""
    @property
    def receive_skew(self) -> float:
        """What the busiest device receives, as a multiple of what each would receive of an even load."""
    @property
    def result(self) -> AllToAllDispatchResult:
        """The shares of the dispatch and the least times that its ports allow, by
        `AllToAllDispatchModel`."""
    def variant(
        self,
        *,
        total_tokens: CountLike = ...,
        n_devices: CountLike = ...,
        n_experts: CountLike = ...,
        hidden_dim: CountLike = ...,
        bytes_per_element: QuantityLike = ...,
        alpha: QuantityLike = ...,
        bandwidth: QuantityLike = ...,
        receive_skew: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class AlphaBetaScenario(BaseScenario):
    """Messages of several sizes on several paths, each with its startup and bandwidth: how long each
    message takes, and at which size startup and bytes weigh the same."""

    def __init__(
        self,
        *,
        alphas: Mapping[str, QuantityLike],
        bandwidths: Mapping[str, QuantityLike],
        messages: Mapping[str, QuantityLike],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def alphas(self) -> dict[str, Quantity]:
        """The startup of a message on each path."""
    @property
    def bandwidths(self) -> dict[str, Quantity]:
        """The bandwidth of each path in one direction, under the same names."""
    @property
    def messages(self) -> dict[str, Quantity]:
        """The messages, by what they are called."""
    @property
    def result(self) -> AlphaBetaResult:
        """The time of each message on each path, and where startup and bytes weigh the same, by
        `AlphaBetaModel`."""
    def variant(
        self,
        *,
        alphas: Mapping[str, QuantityLike] = ...,
        bandwidths: Mapping[str, QuantityLike] = ...,
        messages: Mapping[str, QuantityLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class BandwidthDelayScenario(BaseScenario):
    """The data that a link carries during a delay: what is on its way when the first of it is missed."""

    def __init__(
        self,
        *,
        link_bandwidth: QuantityLike,
        delay: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def link_bandwidth(self) -> Quantity:
        """The rate of the link."""
    @property
    def delay(self) -> Quantity:
        """How long it sends."""
    @property
    def product(self) -> Quantity:
        """The bandwidth-delay product: the data that the link carries during the delay."""
    def variant(
        self,
        *,
        link_bandwidth: QuantityLike = ...,
        delay: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class CompressionPaybackScenario(BaseScenario):
    """One synchronisation of gradients, compressed at the price of coding and decoding them."""

    def __init__(
        self,
        *,
        communication_time: QuantityLike,
        compression_ratio: NumberLike,
        codec_time: QuantityLike,
        fast_communication_time: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def communication_time(self) -> Quantity:
        """The time of the synchronisation without compression."""
    @property
    def compression_ratio(self) -> float:
        """How many times less is sent."""
    @property
    def codec_time(self) -> Quantity:
        """The time of coding and decoding."""
    @property
    def fast_communication_time(self) -> Quantity:
        """The time of the same synchronisation on a fast link, to be asked about with `pays`."""
    @property
    def compressed_time(self) -> Quantity:
        """The time of the compressed transfer, without the codec."""
    @property
    def total_time(self) -> Quantity:
        """The time of the compressed transfer and of the codec."""
    @property
    def speedup(self) -> float:
        """How many times faster the synchronisation is; below 1 where the codec costs more than it
        saves."""
    @property
    def saved_time(self) -> Quantity:
        """What the transfer alone takes less, before the codec."""
    def pays(self, communication_time: QuantityLike) -> bool:
        """Whether compression pays where the synchronisation takes `communication_time` without it."""
    def variant(
        self,
        *,
        communication_time: QuantityLike = ...,
        compression_ratio: NumberLike = ...,
        codec_time: QuantityLike = ...,
        fast_communication_time: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class CompressionRunScenario(BaseScenario):
    """A training run to a stated quality, with and without compression of the gradients, on several
    networks."""

    def __init__(
        self,
        *,
        steps: CountLike,
        compute_time: QuantityLike,
        communication_times: Mapping[str, QuantityLike],
        compression_ratio: NumberLike,
        step_penalty: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def steps(self) -> int:
        """How many steps the run needs without compression."""
    @property
    def compute_time(self) -> Quantity:
        """The compute of one step."""
    @property
    def communication_times(self) -> dict[str, Quantity]:
        """The communication of one step that compute does not hide, on each network."""
    @property
    def compression_ratio(self) -> float:
        """How many times less is sent."""
    @property
    def step_penalty(self) -> float:
        """The share of steps that compression costs more to reach the same quality."""
    @property
    def result(self) -> CompressionRunResult:
        """The time of a step and of the run, with and without compression, by `CompressionRunModel`."""
    def variant(
        self,
        *,
        steps: CountLike = ...,
        compute_time: QuantityLike = ...,
        communication_times: Mapping[str, QuantityLike] = ...,
        compression_ratio: NumberLike = ...,
        step_penalty: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class DataParallelIntensityScenario(BaseScenario):
    """The bytes that one data-parallel worker sends for each operation of its step, against what its
    link and its accelerator balance at."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        sequences_per_worker: CountLike,
        link_bandwidth: QuantityLike,
        accelerator: HardwareNode | str | Mapping[str, Any],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def sequences_per_worker(self) -> int:
        """How many sequences, each as long as the context, a worker takes in one step."""
    @property
    def link_bandwidth(self) -> Quantity:
        """The bandwidth of the worker's link in one direction."""
    @property
    def accelerator(self) -> HardwareNode:
        """The device that computes."""
    @property
    def result(self) -> CommunicationIntensityResult:
        """The worker's bytes, its arithmetic and what they balance at, by
        `CommunicationIntensityModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        sequences_per_worker: CountLike = ...,
        link_bandwidth: QuantityLike = ...,
        accelerator: HardwareNode | str | Mapping[str, Any] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ErrorFeedbackScenario(BaseScenario):
    """Gradients that a compressor rounds to whole units, with and without the error carried into the
    next step."""

    def __init__(
        self,
        *,
        gradients: Sequence[NumberLike],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def gradients(self) -> list[float]:
        """The gradient of each step, in the units in which it is sent."""
    @property
    def result(self) -> ErrorFeedbackResult:
        """What each step sends and carries on, by `ErrorFeedbackModel`."""
    def variant(
        self,
        *,
        gradients: Sequence[NumberLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class FatTreeScenario(BaseScenario):
    """A fat tree without oversubscription, made of equal switches: how many hosts it connects, and how
    many switches that takes."""

    def __init__(
        self,
        *,
        radix: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def radix(self) -> int:
        """How many ports a switch has."""
    def hosts(self, tiers: CountLike) -> int:
        """The hosts that `tiers` tiers of switches reach."""
    def switches(self, tiers: CountLike) -> int:
        """The switches that `tiers` tiers need."""
    @property
    def two_tier_hosts(self) -> int:
        """The hosts that two tiers reach: k²/2."""
    @property
    def three_tier_hosts(self) -> int:
        """The hosts that three tiers reach: k³/4."""
    @property
    def three_tier_switches(self) -> int:
        """The switches that three tiers need: 5k²/4."""
    @property
    def pod_hosts(self) -> int:
        """The hosts of one pod of the three tiers: half as many leaves as a switch has ports, each
        with half of its ports for hosts."""
    def variant(
        self,
        *,
        radix: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class HierarchicalAllReduceScenario(BaseScenario):
    """A buffer that the GPUs of several nodes reduce in three phases, within and across nodes, or in
    one flat ring."""

    def __init__(
        self,
        *,
        message: QuantityLike,
        n_nodes: CountLike,
        gpus_per_node: CountLike,
        intra_bandwidth: QuantityLike,
        inter_bandwidth: QuantityLike,
        inter_alpha: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def message(self) -> Quantity:
        """What every GPU holds and the sum of which every GPU gets."""
    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
    @property
    def gpus_per_node(self) -> int:
        """How many GPUs a node has."""
    @property
    def intra_bandwidth(self) -> Quantity:
        """The bandwidth of a GPU within its node in one direction."""
    @property
    def inter_bandwidth(self) -> Quantity:
        """The bandwidth of a GPU's own port to other nodes in one direction."""
    @property
    def inter_alpha(self) -> Quantity:
        """The startup of one round between nodes."""
    @property
    def n_devices(self) -> int:
        """How many GPUs there are."""
    @property
    def result(self) -> HierarchicalAllReduceResult:
        """The three phases and the flat ring, by `HierarchicalAllReduceModel`."""
    def variant(
        self,
        *,
        message: QuantityLike = ...,
        n_nodes: CountLike = ...,
        gpus_per_node: CountLike = ...,
        intra_bandwidth: QuantityLike = ...,
        inter_bandwidth: QuantityLike = ...,
        inter_alpha: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class HopPathScenario(BaseScenario):
    """Paths through different numbers of equal switches: the latency that the switches add to each."""

    def __init__(
        self,
        *,
        hop_latency: QuantityLike,
        hops: Mapping[str, CountLike],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def hop_latency(self) -> Quantity:
        """How long one switch takes."""
    @property
    def hops(self) -> dict[str, int]:
        """How many switches each path passes."""
    @property
    def latencies(self) -> dict[str, Quantity]:
        """The latency of each path."""
    def variant(
        self,
        *,
        hop_latency: QuantityLike = ...,
        hops: Mapping[str, CountLike] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class IncastScenario(BaseScenario):
    """Many senders at once to one port of a switch with a finite buffer: how soon it overflows, and
    whether anybody can hear of it in time."""

    def __init__(
        self,
        *,
        n_senders: CountLike,
        sender_bandwidth: QuantityLike,
        egress_bandwidth: QuantityLike,
        buffer: QuantityLike,
        feedback_rtt: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def n_senders(self) -> int:
        """How many send at once."""
    @property
    def sender_bandwidth(self) -> Quantity:
        """The rate of each sender."""
    @property
    def egress_bandwidth(self) -> Quantity:
        """The rate of the port to which they send."""
    @property
    def buffer(self) -> Quantity:
        """What the switch can hold for that port."""
    @property
    def feedback_rtt(self) -> Quantity:
        """The round trip in which senders hear of the congestion."""
    @property
    def result(self) -> IncastResult:
        """The load, and how soon the buffer overflows and drains, by `IncastModel`."""
    def variant(
        self,
        *,
        n_senders: CountLike = ...,
        sender_bandwidth: QuantityLike = ...,
        egress_bandwidth: QuantityLike = ...,
        buffer: QuantityLike = ...,
        feedback_rtt: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class LinkBuildoutScenario(BaseScenario):
    """The links that a fleet needs for its accelerators, with their price and their power."""

    def __init__(
        self,
        *,
        fleet: Fleet | str | Mapping[str, Any],
        links_per_device: CountLike,
        cost_per_link: QuantityLike,
        power_per_link: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def fleet(self) -> Fleet:
        """The fleet that is linked."""
    @property
    def links_per_device(self) -> int:
        """How many links each accelerator needs."""
    @property
    def cost_per_link(self) -> Quantity:
        """What one link costs, the modules at its ends included."""
    @property
    def power_per_link(self) -> Quantity:
        """What one link draws, the modules at its ends included."""
    @property
    def n_links(self) -> int:
        """How many links the fleet needs."""
    @property
    def total_cost(self) -> Quantity:
        """What all links cost."""
    @property
    def total_power(self) -> Quantity:
        """What all links draw."""
    def variant(
        self,
        *,
        fleet: Fleet | str | Mapping[str, Any] = ...,
        links_per_device: CountLike = ...,
        cost_per_link: QuantityLike = ...,
        power_per_link: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class MessageFusionScenario(BaseScenario):
    """Small messages on one path, sent one by one or fused into one."""

    def __init__(
        self,
        *,
        alpha: QuantityLike,
        bandwidth: QuantityLike,
        message: QuantityLike,
        count: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def alpha(self) -> Quantity:
        """The startup of a message."""
    @property
    def bandwidth(self) -> Quantity:
        """The bandwidth of the path in one direction."""
    @property
    def message(self) -> Quantity:
        """The size of one message."""
    @property
    def count(self) -> int:
        """How many messages there are."""
    @property
    def crossover(self) -> Quantity:
        """The critical size: the message whose bytes take as long as its startup."""
    @property
    def fused_message(self) -> Quantity:
        """All messages as one."""
    @property
    def separate_time(self) -> Quantity:
        """The time of the messages one by one, their startups alone."""
    @property
    def fused_time(self) -> Quantity:
        """The time of the fused message."""
    @property
    def speedup(self) -> float:
        """How many times faster the fused message is."""
    @property
    def transfer_time(self) -> Quantity:
        """The time of the bytes of one message, without its startup."""
    @property
    def startup_to_transfer(self) -> float:
        """How many times longer the startup of one message takes than its bytes."""
    def variant(
        self,
        *,
        alpha: QuantityLike = ...,
        bandwidth: QuantityLike = ...,
        message: QuantityLike = ...,
        count: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class NicSharingScenario(BaseScenario):
    """A network adapter that virtual functions share in equal slices, and a burst at its full rate."""

    def __init__(
        self,
        *,
        nic_bandwidth: QuantityLike,
        n_virtual_functions: CountLike,
        burst_size: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def nic_bandwidth(self) -> Quantity:
        """The rate of the adapter."""
    @property
    def n_virtual_functions(self) -> int:
        """How many virtual functions share it."""
    @property
    def burst_size(self) -> Quantity:
        """How much one of them sends at once."""
    @property
    def slice_rate(self) -> Quantity:
        """The rate of one slice."""
    @property
    def burst_time(self) -> Quantity:
        """How long a burst at the full rate keeps the adapter from all others."""
    def variant(
        self,
        *,
        nic_bandwidth: QuantityLike = ...,
        n_virtual_functions: CountLike = ...,
        burst_size: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class OverlapBudgetScenario(BaseScenario):
    """The gradients of a model, reduced layer by layer after the backward pass or while it goes on."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        bytes_per_value: QuantityLike,
        backward_per_layer: QuantityLike,
        bucket_size: QuantityLike,
        time_per_bucket: QuantityLike,
        n_devices: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is trained."""
    @property
    def bytes_per_value(self) -> Quantity:
        """The size of one gradient."""
    @property
    def backward_per_layer(self) -> Quantity:
        """The backward pass of one layer."""
    @property
    def bucket_size(self) -> Quantity:
        """How much of the gradients one AllReduce takes."""
    @property
    def time_per_bucket(self) -> Quantity:
        """The time of the AllReduce of one bucket, in a group of `n_devices`."""
    @property
    def n_devices(self) -> int:
        """How many devices reduce; `time_per_bucket` is stated for them."""
    @property
    def result(self) -> OverlapBudgetResult:
        """The backward pass with its reductions after it and during it, by `OverlapBudgetModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        bytes_per_value: QuantityLike = ...,
        backward_per_layer: QuantityLike = ...,
        bucket_size: QuantityLike = ...,
        time_per_bucket: QuantityLike = ...,
        n_devices: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class OversubscriptionScenario(BaseScenario):
    """A ring AllReduce over a fleet whose every link crosses the middle of the network, through a full
    and through an oversubscribed one."""

    def __init__(
        self,
        *,
        fleet: Fleet | str | Mapping[str, Any],
        link_bandwidth: QuantityLike,
        oversubscription_ratio: NumberLike,
        payload_per_device: QuantityLike,
        communication_fraction: NumberLike,
        cluster_cost: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def fleet(self) -> Fleet:
        """The fleet whose accelerators reduce."""
    @property
    def link_bandwidth(self) -> Quantity:
        """The bandwidth of each accelerator's link in one direction."""
    @property
    def oversubscription_ratio(self) -> float:
        """How many times less the middle carries than the links of one half."""
    @property
    def payload_per_device(self) -> Quantity:
        """What each accelerator reduces."""
    @property
    def communication_fraction(self) -> float:
        """The share of a step that communicates through a full network."""
    @property
    def cluster_cost(self) -> Quantity:
        """What the cluster costs."""
    @property
    def result(self) -> BisectionResult:
        """The AllReduce through both networks, and the throughput that is lost, by `BisectionModel`."""
    def variant(
        self,
        *,
        fleet: Fleet | str | Mapping[str, Any] = ...,
        link_bandwidth: QuantityLike = ...,
        oversubscription_ratio: NumberLike = ...,
        payload_per_device: QuantityLike = ...,
        communication_fraction: NumberLike = ...,
        cluster_cost: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class RingTraceScenario(BaseScenario):
    """A ring AllReduce traced step by step, on one short vector for each GPU."""

    def __init__(
        self,
        *,
        vectors: Sequence[Sequence[CountLike]],
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def vectors(self) -> list[list[int]]:
        """The vector of each GPU, with one number for every GPU."""
    @property
    def n_devices(self) -> int:
        """How many GPUs there are."""
    @property
    def result(self) -> RingTraceResult:
        """What every GPU receives and holds in every step, by `RingTraceModel`."""
    def variant(
        self,
        *,
        vectors: Sequence[Sequence[CountLike]] = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TorusScenario(BaseScenario):
    """Endpoints in a torus of equal sides against a fat tree without oversubscription, with links of
    the same bandwidth."""

    def __init__(
        self,
        *,
        n_endpoints: CountLike,
        link_bandwidth: QuantityLike,
        dims: CountLike = ...,
        fat_tree_tiers: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def n_endpoints(self) -> int:
        """How many endpoints there are."""
    @property
    def link_bandwidth(self) -> Quantity:
        """The bandwidth of one link in one direction."""
    @property
    def dims(self) -> int:
        """How many dimensions the torus has."""
    @property
    def fat_tree_tiers(self) -> int:
        """How many tiers of switches the fat tree has."""
    @property
    def side(self) -> int:
        """How many endpoints a side of the torus has, to the nearest whole number."""
    @property
    def torus_cut_links(self) -> int:
        """The links of the torus that its middle cuts."""
    @property
    def fat_tree_cut_links(self) -> int:
        """The links of the fat tree that its middle cuts: one for each endpoint of one half."""
    @property
    def torus_bisection(self) -> Quantity:
        """What crosses the middle of the torus in one direction."""
    @property
    def fat_tree_bisection(self) -> Quantity:
        """What crosses the middle of the fat tree in one direction."""
    @property
    def torus_diameter(self) -> int:
        """The hops between the two endpoints of the torus that are farthest apart."""
    @property
    def fat_tree_path_switches(self) -> int:
        """The switches between the two endpoints of the fat tree that are farthest apart."""
    def variant(
        self,
        *,
        n_endpoints: CountLike = ...,
        link_bandwidth: QuantityLike = ...,
        dims: CountLike = ...,
        fat_tree_tiers: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class TransferScenario(BaseScenario):
    """Copies of one payload that are moved over each of several links, and what leaving the
    provider's network costs."""

    def __init__(
        self,
        *,
        payload: QuantityLike,
        links: Mapping[str, QuantityLike],
        copies: CountLike = ...,
        egress_rate: QuantityLike | None = ...,
        compute_price: QuantityLike | None = ...,
        job_time: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def payload(self) -> Quantity:
        """What is moved."""
    @property
    def links(self) -> dict[str, Quantity]:
        """The bandwidth of each link in one direction."""
    @property
    def copies(self) -> int:
        """How many copies of it are moved."""
    @property
    def egress_rate(self) -> Quantity | None:
        """The fee for what leaves the provider's network."""
    @property
    def compute_price(self) -> Quantity | None:
        """The price of an accelerator."""
    @property
    def job_time(self) -> Quantity | None:
        """How long the job computes for which the payload is moved, to hold the transfer against."""
    @property
    def total_bytes(self) -> Quantity:
        """What is moved in all."""
    def transfer_time(self, link: str) -> Quantity:
        """The time of all copies over one link, at its full rate."""
    @property
    def egress_cost(self) -> Quantity:
        """The fee for all copies."""
    @property
    def egress_compute_hours(self) -> Quantity:
        """The time for which the fee would pay an accelerator."""
    @property
    def result(self) -> TransferLadderResult:
        """The time of all copies over each link, by `TransferLadderModel`."""
    def variant(
        self,
        *,
        payload: QuantityLike = ...,
        links: Mapping[str, QuantityLike] = ...,
        copies: CountLike = ...,
        egress_rate: QuantityLike | None = ...,
        compute_price: QuantityLike | None = ...,
        job_time: QuantityLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ContextGrowthScenario(BaseScenario):
    """A context window that grows from `base_tokens` to `tokens`: how much larger the KV cache and the
    scores of attention become."""

    def __init__(
        self,
        *,
        base_tokens: CountLike,
        tokens: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def base_tokens(self) -> int:
        """How many tokens the window holds before."""
    @property
    def tokens(self) -> int:
        """How many tokens the window holds after."""
    @property
    def ratio(self) -> float:
        """By how much the window and the KV cache grow."""
    @property
    def score_ratio(self) -> float:
        """By how much the work of attention scores grows, and what storing them takes."""
    def variant(
        self,
        *,
        base_tokens: CountLike = ...,
        tokens: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class ContextMemoryCrossingScenario(BaseScenario):
    """Three memories of a model as its context grows: weights that stay, a KV cache that grows with
    the tokens, and the scores of one layer, which grow with their square where they are stored."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        bytes_per_value: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model."""
    @property
    def hardware(self) -> HardwareNode:
        """The device whose memory the scores fill."""
    @property
    def bytes_per_value(self) -> Quantity:
        """How large an element is: of the weights, of the cache and of a score."""
    @property
    def weights(self) -> Quantity:
        """What the weights occupy."""
    @property
    def kv_per_token(self) -> Quantity:
        """What one token leaves in the cache of all layers."""
    @property
    def score_bytes_per_pair(self) -> Quantity:
        """What the scores of one pair of tokens occupy in one layer, a score for each head."""
    @property
    def kv_crossing(self) -> float:
        """The tokens at which the KV cache is as large as the weights."""
    @property
    def score_crossing(self) -> float:
        """The tokens at which the stored scores of one layer fill the device."""
    @property
    def kv_score_crossing(self) -> float:
        """The tokens at which the KV cache is as large as the stored scores of one layer."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        hardware: HardwareNode | str | Mapping[str, Any] = ...,
        bytes_per_value: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class KvAdmissionScenario(BaseScenario):
    """A replica of a model whose memory, after its weights, is divided among requests of one context
    length."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        accelerators: CountLike,
        hbm_per_accelerator: QuantityLike,
        weight_bytes_per_param: QuantityLike,
        reserve: QuantityLike,
        context_tokens: CountLike,
        kv_bytes_per_elem: QuantityLike,
        requests: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is served."""
    @property
    def accelerators(self) -> int:
        """How many devices hold one replica."""
    @property
    def hbm_per_accelerator(self) -> Quantity:
        """How much memory one device has."""
    @property
    def weight_bytes_per_param(self) -> Quantity:
        """How large a stored parameter is."""
    @property
    def reserve(self) -> Quantity:
        """What the runtime keeps for itself on all devices together."""
    @property
    def context_tokens(self) -> int:
        """How many tokens each request holds."""
    @property
    def kv_bytes_per_elem(self) -> Quantity:
        """How large a cached element is."""
    @property
    def requests(self) -> int | None:
        """How many requests share the budget where `context_fit` is asked without a number."""
    @property
    def result(self) -> KvAdmissionResult:
        """The memory left for the cache and the requests that fit, by `KvAdmissionModel`."""
    def context_fit(self, requests: CountLike | None = ...) -> float:
        """How many tokens each of `requests` requests can hold where they share the budget evenly."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        accelerators: CountLike = ...,
        hbm_per_accelerator: QuantityLike = ...,
        weight_bytes_per_param: QuantityLike = ...,
        reserve: QuantityLike = ...,
        context_tokens: CountLike = ...,
        kv_bytes_per_elem: QuantityLike = ...,
        requests: CountLike | None = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class KvAttentionDesignScenario(BaseScenario):
    """What a token leaves in the KV cache of several models, with one of each design of attention set
    against the others."""

    def __init__(
        self,
        *,
        models: Sequence[Workload | str | Mapping[str, Any]],
        mha: Workload | str | Mapping[str, Any],
        gqa: Workload | str | Mapping[str, Any],
        mla: Workload | str | Mapping[str, Any],
        precision: str = ...,
        session_tokens: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def models(self) -> list[Workload]:
        """The models to compare."""
    @property
    def mha(self) -> Workload:
        """The model with multi-head attention."""
    @property
    def gqa(self) -> Workload:
        """The model with grouped-query attention."""
    @property
    def mla(self) -> Workload:
        """The model with multi-head latent attention."""
    @property
    def precision(self) -> str:
        """The precision in which the cache is stored."""
    @property
    def session_tokens(self) -> int:
        """How many tokens a long session has."""
    @property
    def result(self) -> KvAttentionDesignResult:
        """Every model and the ratios between the designs, by `KvAttentionDesignModel`."""
    def variant(
        self,
        *,
        models: Sequence[Workload | str | Mapping[str, Any]] = ...,
        mha: Workload | str | Mapping[str, Any] = ...,
        gqa: Workload | str | Mapping[str, Any] = ...,
        mla: Workload | str | Mapping[str, Any] = ...,
        precision: str = ...,
        session_tokens: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class KvBlockSharingScenario(BaseScenario):
    """Requests with a common prefix in the KV pool of a replica: how many fit in whole blocks, and how
    many turns they take."""

    def __init__(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any],
        headroom: NumberLike,
        context: CountLike,
        output: CountLike,
        common: CountLike,
        block_tokens: CountLike,
        generation: QuantityLike,
        wait: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def pool(self) -> KvAdmissionScenario:
        """The replica in whose memory the cache lies."""
    @property
    def headroom(self) -> float:
        """The share of the pool that is kept free."""
    @property
    def context(self) -> int:
        """How many tokens of input a request has."""
    @property
    def output(self) -> int:
        """How many tokens a request may put out."""
    @property
    def common(self) -> int:
        """How many tokens of the input are common to all requests."""
    @property
    def block_tokens(self) -> int:
        """How many tokens a block holds."""
    @property
    def generation(self) -> Quantity:
        """How long a turn generates."""
    @property
    def wait(self) -> Quantity:
        """How long a turn waits for its tool."""
    @property
    def result(self) -> KvBlockSharingResult:
        """The requests that fit and the turns that they take, by `KvBlockSharingModel`."""
    def variant(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any] = ...,
        headroom: NumberLike = ...,
        context: CountLike = ...,
        output: CountLike = ...,
        common: CountLike = ...,
        block_tokens: CountLike = ...,
        generation: QuantityLike = ...,
        wait: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class KvFootprintScenario(BaseScenario):
    """The KV cache of one request beside the weights of its model; with a device, how many such
    requests a share of its memory holds."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        tokens: CountLike,
        bytes_per_value: QuantityLike,
        hardware: HardwareNode | str | Mapping[str, Any] | None = ...,
        kv_share: NumberLike | None = ...,
        kv_width_factor: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model whose cache is held."""
    @property
    def tokens(self) -> int:
        """How many tokens a request keeps."""
    @property
    def bytes_per_value(self) -> Quantity:
        """How large an element is, of the weights and of the cache."""
    @property
    def hardware(self) -> HardwareNode | None:
        """The device whose memory is shared out."""
    @property
    def kv_share(self) -> float | None:
        """The share of the device's memory that the cache may have."""
    @property
    def kv_width_factor(self) -> float:
        """By how much the cached width differs from the model's: a half for half as many KV heads."""
    @property
    def per_token(self) -> Quantity:
        """What one token leaves in the cache of all layers."""
    @property
    def total(self) -> Quantity:
        """The cache of one request."""
    @property
    def weights(self) -> Quantity:
        """What the weights occupy."""
    @property
    def kv_budget(self) -> Quantity:
        """The cache's share of the memory that the device's label states."""
    @property
    def tokens_in_budget(self) -> float:
        """How many tokens that share holds."""
    @property
    def requests(self) -> float:
        """How many requests that share holds, fractions included."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        tokens: CountLike = ...,
        bytes_per_value: QuantityLike = ...,
        hardware: HardwareNode | str | Mapping[str, Any] | None = ...,
        kv_share: NumberLike | None = ...,
        kv_width_factor: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class KvForkCopyScenario(BaseScenario):
    """Candidates that continue one prefix, each with a copy of the prefix's KV cache."""

    def __init__(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any],
        prefix_tokens: CountLike,
        branches: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def pool(self) -> KvAdmissionScenario:
        """The replica in whose memory the cache lies."""
    @property
    def prefix_tokens(self) -> int:
        """How many tokens the candidates have in common."""
    @property
    def branches(self) -> int:
        """How many candidates continue the prefix."""
    @property
    def copied(self) -> Quantity:
        """What the copies of the prefix occupy."""
    def variant(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any] = ...,
        prefix_tokens: CountLike = ...,
        branches: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class KvResidencyArchetypeScenario(BaseScenario):
    """One sort of agent: what its common prefix gains, what its waits cost, and how its cache comes
    back."""

    def __init__(
        self,
        *,
        paused: PausedKvStateScenario | str | Mapping[str, Any],
        context_tokens: CountLike,
        shared_prefix: CountLike,
        generation: QuantityLike,
        wait: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def paused(self) -> PausedKvStateScenario:
        """The paused request whose replica, links to the host and rate of a prefill count here."""
    @property
    def context_tokens(self) -> int:
        """How many tokens a request has."""
    @property
    def shared_prefix(self) -> int:
        """How many of them are common to all requests."""
    @property
    def generation(self) -> Quantity:
        """How long a turn generates."""
    @property
    def wait(self) -> Quantity:
        """How long a turn waits."""
    @property
    def result(self) -> KvResidencyArchetypeResult:
        """The requests that fit and what their waits cost, by `KvResidencyArchetypeModel`."""
    def variant(
        self,
        *,
        paused: PausedKvStateScenario | str | Mapping[str, Any] = ...,
        context_tokens: CountLike = ...,
        shared_prefix: CountLike = ...,
        generation: QuantityLike = ...,
        wait: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PagedAllocationScenario(BaseScenario):
    """Requests under a cap in the KV pool of a replica: a reservation up to the cap for each, against
    blocks that are handed out as a request grows."""

    def __init__(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any],
        cap: CountLike,
        mean_final: CountLike,
        small_block: CountLike,
        large_block: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def pool(self) -> KvAdmissionScenario:
        """The replica in whose memory the cache lies."""
    @property
    def cap(self) -> int:
        """How many tokens a request may reach."""
    @property
    def mean_final(self) -> int:
        """How many tokens a request has in the end, on average."""
    @property
    def small_block(self) -> int:
        """How many tokens a small block holds."""
    @property
    def large_block(self) -> int:
        """How many tokens a large block holds."""
    @property
    def result(self) -> PagedAllocationResult:
        """The reservation and both sizes of blocks, by `PagedAllocationModel`."""
    def variant(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any] = ...,
        cap: CountLike = ...,
        mean_final: CountLike = ...,
        small_block: CountLike = ...,
        large_block: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PausedKvStateScenario(BaseScenario):
    """A request that waits for a tool: its KV cache kept, moved to the host, or dropped and computed
    anew."""

    def __init__(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any],
        prefill: PrefixRebuildScenario | str | Mapping[str, Any],
        context_tokens: CountLike,
        block_tokens: CountLike,
        wait: QuantityLike,
        link_fraction: NumberLike,
        returns: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def pool(self) -> KvAdmissionScenario:
        """The replica in whose memory the cache lies."""
    @property
    def prefill(self) -> PrefixRebuildScenario:
        """The rebuild of a prefix whose model, server and sustained rate count here."""
    @property
    def context_tokens(self) -> int:
        """How many tokens the request has."""
    @property
    def block_tokens(self) -> int:
        """How many tokens a block holds."""
    @property
    def wait(self) -> Quantity:
        """How long the request waits."""
    @property
    def link_fraction(self) -> float:
        """The share of the link that is left under contention."""
    @property
    def returns(self) -> int:
        """How many requests return at the same time."""
    @property
    def link(self) -> Quantity:
        """How fast the server's accelerators move data to their host together."""
    @property
    def result(self) -> PausedKvStateResult:
        """What keeping, moving and dropping cost, by `PausedKvStateModel`."""
    def variant(
        self,
        *,
        pool: KvAdmissionScenario | str | Mapping[str, Any] = ...,
        prefill: PrefixRebuildScenario | str | Mapping[str, Any] = ...,
        context_tokens: CountLike = ...,
        block_tokens: CountLike = ...,
        wait: QuantityLike = ...,
        link_fraction: NumberLike = ...,
        returns: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PrecisionDividendScenario(BaseScenario):
    """The largest batch of a model on a tensor-parallel group, before and after weights and KV cache are
    stored in fewer bytes."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        hbm_per_accelerator: QuantityLike,
        context_tokens: CountLike,
        kv_heads: CountLike,
        weight_bytes: QuantityLike,
        weight_bytes_low: QuantityLike,
        kv_bytes: QuantityLike,
        kv_bytes_low: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is served."""
    @property
    def tp_size(self) -> int:
        """How many devices share the model."""
    @property
    def hbm_per_accelerator(self) -> Quantity:
        """How much memory one device has."""
    @property
    def context_tokens(self) -> int:
        """How many tokens each request holds."""
    @property
    def kv_heads(self) -> int:
        """How many key and value heads a layer caches; the model's own, or others to compare with."""
    @property
    def weight_bytes(self) -> Quantity:
        """How large a stored parameter is before."""
    @property
    def weight_bytes_low(self) -> Quantity:
        """How large a stored parameter is after."""
    @property
    def kv_bytes(self) -> Quantity:
        """How large a cached element is before."""
    @property
    def kv_bytes_low(self) -> Quantity:
        """How large a cached element is after."""
    @property
    def result(self) -> PrecisionDividendResult:
        """Both batches and what lies between them, by `PrecisionDividendModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        tp_size: CountLike = ...,
        hbm_per_accelerator: QuantityLike = ...,
        context_tokens: CountLike = ...,
        kv_heads: CountLike = ...,
        weight_bytes: QuantityLike = ...,
        weight_bytes_low: QuantityLike = ...,
        kv_bytes: QuantityLike = ...,
        kv_bytes_low: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PrefixRebuildScenario(BaseScenario):
    """A prefix on a server: the prefill of a miss against one short pass over the suffix on a hit."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        node: Node | str | Mapping[str, Any],
        precision: str = ...,
        prefix_tokens: CountLike,
        suffix_tokens: CountLike,
        utilization: NumberLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is served."""
    @property
    def node(self) -> Node:
        """The server that holds it."""
    @property
    def precision(self) -> str:
        """The precision in which weights and cache are stored."""
    @property
    def prefix_tokens(self) -> int:
        """How many tokens the prefix has."""
    @property
    def suffix_tokens(self) -> int:
        """How many tokens follow it."""
    @property
    def utilization(self) -> float:
        """The share of the server's peak rate that a prefill sustains."""
    @property
    def result(self) -> PrefixRebuildResult:
        """Both passes and their ratio, by `PrefixRebuildModel`."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        node: Node | str | Mapping[str, Any] = ...,
        precision: str = ...,
        prefix_tokens: CountLike = ...,
        suffix_tokens: CountLike = ...,
        utilization: NumberLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class PrefixSharingScenario(BaseScenario):
    """The KV cache of users whose prompts begin alike, with the common prefix stored for each of them
    or once."""

    def __init__(
        self,
        *,
        workload: Workload | str | Mapping[str, Any],
        prefix_tokens: CountLike,
        users: CountLike,
        unique_tokens_per_user: CountLike,
        kv_width: CountLike,
        bytes_per_elem: QuantityLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def workload(self) -> Workload:
        """The model that is served; its layers count here."""
    @property
    def prefix_tokens(self) -> int:
        """How many tokens the users' prompts have in common."""
    @property
    def users(self) -> int:
        """How many users are served at once."""
    @property
    def unique_tokens_per_user(self) -> int:
        """How many tokens each user has besides."""
    @property
    def kv_width(self) -> int:
        """How wide the key of a token is in one layer, and its value: KV heads times the width of a
        head."""
    @property
    def bytes_per_elem(self) -> Quantity:
        """How large a cached element is."""
    @property
    def tokens_per_user(self) -> int:
        """The tokens of one user, the prefix included."""
    @property
    def tokens_unshared(self) -> int:
        """The tokens that are held where every user has a prefix of their own."""
    @property
    def tokens_shared(self) -> int:
        """The tokens that are held where the prefix is stored once."""
    @property
    def kv_unshared(self) -> Quantity:
        """The cache where every user has a prefix of their own."""
    @property
    def kv_shared(self) -> Quantity:
        """The cache where the prefix is stored once."""
    @property
    def reduction(self) -> float:
        """The share of the cache that sharing saves."""
    @property
    def capacity_ratio(self) -> float:
        """How many times more users fit in the same memory."""
    @property
    def prefill_tokens_skipped(self) -> int:
        """The prefix tokens that every user after the first need not prefill."""
    def variant(
        self,
        *,
        workload: Workload | str | Mapping[str, Any] = ...,
        prefix_tokens: CountLike = ...,
        users: CountLike = ...,
        unique_tokens_per_user: CountLike = ...,
        kv_width: CountLike = ...,
        bytes_per_elem: QuantityLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

class RequestZonesScenario(BaseScenario):
    """A request laid out in zones of which the first ones never change between turns."""

    def __init__(
        self,
        *,
        zones: Mapping[str, CountLike],
        shared_zones: CountLike,
        name: str = ...,
        description: str = ...,
    ) -> None: ...
    @property
    def zones(self) -> dict[str, int]:
        """The tokens of each zone, in the order in which they are sent."""
    @property
    def shared_zones(self) -> int:
        """How many zones from the first on are the same in every turn."""
    @property
    def total_tokens(self) -> int:
        """The tokens of the whole request."""
    @property
    def shared_tokens(self) -> int:
        """The tokens of the zones that are shared."""
    @property
    def shared_share(self) -> float:
        """The share of the request that a cache of prefixes can serve."""
    def variant(
        self,
        *,
        zones: Mapping[str, CountLike] = ...,
        shared_zones: CountLike = ...,
        name: str = ...,
        description: str = ...,
    ) -> Self: ...

__all__ = [
    "BaseScenario",
    "Note",
    "ActivationMemoryScenario",
    "AlignmentMemoryScenario",
    "AllocationGrowthScenario",
    "ClusterTrainingTimeScenario",
    "DataParallelScaleOutScenario",
    "FleetMfuScenario",
    "GradientSyncScenario",
    "LowRankUpdateScenario",
    "MlpTrainingStepScenario",
    "ParallelLayoutScenario",
    "PipelineScheduleScenario",
    "PowerLawScenario",
    "PublishedRunScenario",
    "ResidualAdapterScenario",
    "ResidualShareScenario",
    "RingAttentionScenario",
    "ScalingOverheadScenario",
    "SelfContainedReplicaScenario",
    "SequencePackingScenario",
    "StrongScalingPairScenario",
    "SyncStrategyScenario",
    "TensorParallelScenario",
    "TensorParallelLayerScenario",
    "TrainingRunScenario",
    "TrainingStateScenario",
    "TrainingStateFitScenario",
    "ZeroShardingScenario",
    "BatchCapChoiceScenario",
    "BatchDispatchScenario",
    "BatchEnergyPerImageScenario",
    "BatchServingCostScenario",
    "BatchWindowScenario",
    "BatchingKneeScenario",
    "ChunkedPrefillScenario",
    "ColdStartScenario",
    "DecodeScenario",
    "DecodeBudgetScenario",
    "ExpertWeightTrafficScenario",
    "FixedBatchScheduleScenario",
    "KvDecodeBatchScenario",
    "LittlesLawScenario",
    "MM1CapacityPlanScenario",
    "MM1ServiceSpeedupScenario",
    "NoisyNeighborScenario",
    "PrecomputeVersusOnDemandScenario",
    "ReasoningLatencyScenario",
    "ReplicaStartupScenario",
    "ServingScenario",
    "ServingCostScenario",
    "ServingInstanceCostScenario",
    "ServingTaxScenario",
    "SingleAcceleratorLlmServiceScenario",
    "SpeculativeRoundScenario",
    "TailEventRateScenario",
    "TensorParallelSpeedupScenario",
    "TokenEnergyScenario",
    "TrafficSurgeScenario",
    "WeightedRoutingScenario",
    "AllReduceScheduleScenario",
    "AllToAllDispatchScenario",
    "AlphaBetaScenario",
    "BandwidthDelayScenario",
    "CompressionPaybackScenario",
    "CompressionRunScenario",
    "DataParallelIntensityScenario",
    "ErrorFeedbackScenario",
    "FatTreeScenario",
    "HierarchicalAllReduceScenario",
    "HopPathScenario",
    "IncastScenario",
    "LinkBuildoutScenario",
    "MessageFusionScenario",
    "NicSharingScenario",
    "OverlapBudgetScenario",
    "OversubscriptionScenario",
    "RingTraceScenario",
    "TorusScenario",
    "TransferScenario",
    "ContextGrowthScenario",
    "ContextMemoryCrossingScenario",
    "KvAdmissionScenario",
    "KvAttentionDesignScenario",
    "KvBlockSharingScenario",
    "KvFootprintScenario",
    "KvForkCopyScenario",
    "KvResidencyArchetypeScenario",
    "PagedAllocationScenario",
    "PausedKvStateScenario",
    "PrecisionDividendScenario",
    "PrefixRebuildScenario",
    "PrefixSharingScenario",
    "RequestZonesScenario",
]
