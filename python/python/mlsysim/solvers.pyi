# Made by `cargo xtask docs` from the definitions in Rust; not to be edited.

from collections.abc import Mapping, Sequence
from typing import Any, overload

from ._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from .definition import Described
from .explanation import Explanation, Explanations
from .records import *

class Solver:
    """What all solvers share."""

class SolverResult(Described):
    """What all results share."""

    @overload
    def explain(self) -> Explanations: ...
    @overload
    def explain(self, output: str, /) -> Explanation: ...

def solver_of(result: str) -> str | None: ...

class AlignmentMemoryModel(Solver):
    """What memory alignment takes: by PPO with its four models, by DPO with its two, and on each device
    of a group that shares them."""

    def solve(
        self,
        policy: Workload | str | Mapping[str, Any],
        critic: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        pp_size: CountLike,
        rollout_sequences: CountLike,
        rollout_tokens: CountLike,
        device_memory: QuantityLike | None = ...,
    ) -> AlignmentMemoryResult: ...

class AlignmentMemoryResult(SolverResult):
    """What ``AlignmentMemoryModel`` finds."""

    @property
    def policy_state(self) -> Quantity:
        """The trained policy's state."""
    @property
    def reference_weights(self) -> Quantity:
        """The frozen reference's weights."""
    @property
    def reward_weights(self) -> Quantity:
        """The frozen reward model's weights."""
    @property
    def value_state(self) -> Quantity:
        """The trained value model's state."""
    @property
    def ppo_total(self) -> Quantity:
        """All that PPO keeps, without its KV cache."""
    @property
    def dpo_total(self) -> Quantity:
        """All that DPO keeps."""
    @property
    def dpo_reduction(self) -> float:
        """The share of PPO's state that DPO saves."""
    @property
    def model_parallel_devices(self) -> int:
        """How many devices share one copy of a model."""
    @property
    def policy_per_device(self) -> Quantity:
        """A device's part of the policy's state."""
    @property
    def reference_per_device(self) -> Quantity:
        """A device's part of the reference's weights."""
    @property
    def kv_cache(self) -> Quantity:
        """The KV cache of all sequences that the policy generates."""
    @property
    def kv_per_device(self) -> Quantity:
        """A device's part of the KV cache."""
    @property
    def min_devices_for_ppo(self) -> int | None:
        """How many devices hold PPO's state, without its KV cache and activations; nothing where their
        memory is not given."""

class AllReduceAlgorithmModel(Solver):
    """An AllReduce of one message by a ring, by a simple binary tree and by one parameter server, for
    groups of several sizes."""

    def solve(
        self,
        message: QuantityLike,
        group_sizes: Sequence[CountLike],
        alpha: QuantityLike,
        bandwidth: QuantityLike,
    ) -> AllReduceAlgorithmResult: ...

class AllReduceAlgorithmResult(SolverResult):
    """What ``AllReduceAlgorithmModel`` finds."""

    @property
    def message(self) -> Quantity:
        """What every rank holds and the sum of which every rank gets."""
    @property
    def alpha(self) -> Quantity:
        """The startup of one round."""
    @property
    def bandwidth(self) -> Quantity:
        """The bandwidth of the link of each rank in one direction."""
    @property
    def chunk(self) -> dict[str, Quantity]:
        """What one round of the ring moves over each link, by size of the group."""
    @property
    def ring_factor(self) -> dict[str, float]:
        """What each rank sends in the whole ring, as a multiple of the message."""
    @property
    def ring_rounds(self) -> dict[str, int]:
        """The rounds of the ring."""
    @property
    def tree_rounds(self) -> dict[str, int]:
        """The rounds of the tree."""
    @property
    def ring_byte_time(self) -> dict[str, Quantity]:
        """The time of the ring's bytes, without startup."""
    @property
    def ring_startup_time(self) -> dict[str, Quantity]:
        """The time of the ring's startups."""
    @property
    def ring_time(self) -> dict[str, Quantity]:
        """The time of the AllReduce by ring."""
    @property
    def tree_byte_time(self) -> dict[str, Quantity]:
        """The time of the tree's bytes, without startup."""
    @property
    def tree_startup_time(self) -> dict[str, Quantity]:
        """The time of the tree's startups."""
    @property
    def tree_time(self) -> dict[str, Quantity]:
        """The time of the AllReduce by tree."""
    @property
    def star_byte_time(self) -> dict[str, Quantity]:
        """The time of the bytes through the one port of a parameter server."""
    @property
    def star_ring_limit(self) -> dict[str, float]:
        """How many times longer the server's bytes take than the ring's, in the limit of many ranks."""
    @property
    def crossover_estimate(self) -> dict[str, Quantity | None]:
        """The message at which ring and tree take equally long, as estimated for many ranks; nothing
        where the ring is never slower."""
    @property
    def crossover_exact(self) -> dict[str, Quantity | None]:
        """The message at which ring and tree take equally long, by these equations."""

class AllToAllDispatchModel(Solver):
    """One dispatch of a mixture of experts whose experts are spread over devices: each device sends
    an equal share of its tokens to every other one."""

    def solve(
        self,
        total_tokens: CountLike,
        n_devices: CountLike,
        n_experts: CountLike,
        hidden_dim: CountLike,
        bytes_per_element: QuantityLike,
        alpha: QuantityLike,
        bandwidth: QuantityLike,
        receive_skew: NumberLike = ...,
    ) -> AllToAllDispatchResult: ...

class AllToAllDispatchResult(SolverResult):
    """What ``AllToAllDispatchModel`` finds."""

    @property
    def tokens_per_device(self) -> float:
        """The tokens that a device holds before the dispatch, on average."""
    @property
    def experts_per_device(self) -> float:
        """The experts that a device holds, on average."""
    @property
    def tokens_per_expert(self) -> float:
        """The tokens that an expert gets, on average."""
    @property
    def tokens_per_pair(self) -> float:
        """The tokens that one device sends to one other, on average."""
    @property
    def remote_peers(self) -> int:
        """How many devices a device sends to, itself not counted."""
    @property
    def bytes_per_token(self) -> Quantity:
        """The size of one token."""
    @property
    def pair_bytes(self) -> Quantity:
        """What one device sends to one other."""
    @property
    def sent_bytes(self) -> Quantity:
        """What one device sends to all others."""
    @property
    def injection_bound(self) -> Quantity:
        """The least time in which a device sends what it has for the others through its one port."""
    @property
    def uniform_remote_tokens(self) -> float:
        """The tokens that a device receives from all others under an even load."""
    @property
    def hot_remote_tokens(self) -> float:
        """The tokens that the busiest device receives from all others."""
    @property
    def uniform_receive_bytes(self) -> Quantity:
        """What a device receives under an even load."""
    @property
    def hot_receive_bytes(self) -> Quantity:
        """What the busiest device receives."""
    @property
    def uniform_receive_bound(self) -> Quantity:
        """The least time in which a device receives an even load through its one port."""
    @property
    def hot_receive_bound(self) -> Quantity:
        """The least time in which the busiest device receives what comes to it."""

class AlphaBetaModel(Solver):
    """The time of messages of several sizes on several paths, each with its startup and bandwidth."""

    def solve(
        self,
        alphas: Mapping[str, QuantityLike],
        bandwidths: Mapping[str, QuantityLike],
        messages: Mapping[str, QuantityLike],
    ) -> AlphaBetaResult: ...

class AlphaBetaResult(SolverResult):
    """What ``AlphaBetaModel`` finds."""

    @property
    def alphas(self) -> dict[str, Quantity]:
        """The startup of a message on each path."""
    @property
    def bandwidths(self) -> dict[str, Quantity]:
        """The bandwidth of each path in one direction."""
    @property
    def messages(self) -> dict[str, Quantity]:
        """The messages, by what they are called."""
    @property
    def times(self) -> dict[str, dict[str, Quantity]]:
        """The time of each message on each path."""
    @property
    def transmission_times(self) -> dict[str, dict[str, Quantity]]:
        """The time of each message's bytes on each path, without startup."""
    @property
    def crossovers(self) -> dict[str, Quantity]:
        """The message whose bytes take as long as its startup, on each path."""

class BisectionModel(Solver):
    """A ring AllReduce whose neighbours all stand in different halves of the cluster, through a full
    and through an oversubscribed network."""

    def solve(
        self,
        n_devices: CountLike,
        link_bandwidth: QuantityLike,
        oversubscription_ratio: NumberLike,
        payload_per_device: QuantityLike,
        communication_fraction: NumberLike,
        cluster_cost: QuantityLike,
    ) -> BisectionResult: ...

class BisectionResult(SolverResult):
    """What ``BisectionModel`` finds."""

    @property
    def devices_per_side(self) -> int:
        """The devices of one half; of an odd number one is left over, and no link of the ring with it."""
    @property
    def bisection_full(self) -> Quantity:
        """What a full cut carries in one direction."""
    @property
    def bisection_oversubscribed(self) -> Quantity:
        """What the oversubscribed cut carries in one direction."""
    @property
    def ring_factor(self) -> float:
        """What each device sends, as a multiple of its payload."""
    @property
    def crossing_bytes(self) -> Quantity:
        """What crosses the cut in one direction."""
    @property
    def time_full(self) -> Quantity:
        """The time of the AllReduce through the full cut, each link of which carries what one device
        sends."""
    @property
    def time_oversubscribed(self) -> Quantity:
        """The time of the AllReduce through the oversubscribed cut."""
    @property
    def slowdown(self) -> float | None:
        """How many times longer the AllReduce takes; nothing where it takes no time."""
    @property
    def relative_throughput(self) -> float:
        """The throughput of training, as a share of that through a full network."""
    @property
    def throughput_loss(self) -> float:
        """The share of the throughput that is lost."""
    @property
    def idle_cost(self) -> Quantity:
        """What that share of the cluster costs."""

class ChunkedPrefillModel(Solver):
    """The gap that a new prompt makes between two tokens of those who decode, whole or in chunks."""

    def solve(
        self,
        n_params: CountedLike,
        sustained_rate: QuantityLike,
        weight_read_time: QuantityLike,
        decodes: CountLike,
        prompt_tokens: CountLike,
        chunk_tokens: CountLike,
    ) -> ChunkedPrefillResult: ...

class ChunkedPrefillResult(SolverResult):
    """What ``ChunkedPrefillModel`` finds."""

    @property
    def decode_step(self) -> Quantity:
        """The time of a pass that only decodes."""
    @property
    def monolithic_prefill(self) -> Quantity:
        """The time of a pass with the whole prompt."""
    @property
    def monolithic_gap(self) -> Quantity:
        """The gap between two tokens where the prompt is a pass of its own."""
    @property
    def chunks(self) -> int:
        """How many chunks the prompt has, the last of them perhaps a short one."""
    @property
    def chunked_iteration(self) -> Quantity:
        """The time of a pass with one full chunk beside those who decode, which is their gap."""
    @property
    def chunked_done(self) -> Quantity:
        """The time until the last chunk is done."""
    @property
    def gap_ratio(self) -> float:
        """How many times longer the gap is where the prompt is a pass of its own."""

class CommunicationIntensityModel(Solver):
    """The bytes that one data-parallel worker sends for each operation of its step, against what the
    link and the accelerator balance at."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        sequences_per_worker: CountLike,
        link_bandwidth: QuantityLike,
        peak_flops: QuantityLike,
        precision: str = ...,
    ) -> CommunicationIntensityResult: ...

class CommunicationIntensityResult(SolverResult):
    """What ``CommunicationIntensityModel`` finds."""

    @property
    def local_tokens(self) -> int:
        """The tokens that the worker takes in one step."""
    @property
    def bytes_per_step(self) -> Quantity:
        """What the worker sends in one step: its gradients, twice, as a ring of many workers does."""
    @property
    def flops_per_step(self) -> Quantity:
        """The arithmetic of the worker's step, forward and backward."""
    @property
    def intensity(self) -> Quantity:
        """The bytes that the worker sends for each operation."""
    @property
    def balance(self) -> Quantity:
        """The intensity at which the link takes as long as the accelerator at its peak."""
    @property
    def compute_time_at_peak(self) -> Quantity:
        """The time of the step's arithmetic at the peak rate."""

class CompressionRunModel(Solver):
    """The time to the same quality with and without compression of the gradients, on several
    networks."""

    def solve(
        self,
        steps: CountLike,
        compute_time: QuantityLike,
        communication_times: Mapping[str, QuantityLike],
        ratio: NumberLike,
        step_penalty: NumberLike,
    ) -> CompressionRunResult: ...

class CompressionRunResult(SolverResult):
    """What ``CompressionRunModel`` finds."""

    @property
    def steps_compressed(self) -> int:
        """How many steps the run needs with compression, to the nearest step."""
    @property
    def step_times(self) -> dict[str, Quantity]:
        """The time of a step on each network."""
    @property
    def compressed_step_times(self) -> dict[str, Quantity]:
        """The time of a step with compression."""
    @property
    def totals(self) -> dict[str, Quantity]:
        """The time of the run on each network."""
    @property
    def compressed_totals(self) -> dict[str, Quantity]:
        """The time of the run with compression."""
    @property
    def changes(self) -> dict[str, float | None]:
        """By what share the run takes longer with compression; below 0 where it is faster, and
        nothing where a step takes no time."""

class DataParallelScaleOutModel(Solver):
    """A data-parallel job on the devices of one or more nodes, from what one device takes for it."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        precision: str,
        step_time: QuantityLike,
        training_time: QuantityLike,
        per_device_batch: CountLike,
        devices_per_node: CountLike,
        nodes: CountLike,
        intra_bandwidth: QuantityLike,
        inter_bandwidth: QuantityLike | None = ...,
        accumulation_steps: CountLike = ...,
        node_hour_rate: QuantityLike | None = ...,
    ) -> DataParallelScaleOutResult: ...

class DataParallelScaleOutResult(SolverResult):
    """What ``DataParallelScaleOutModel`` finds."""

    @property
    def n_devices(self) -> int:
        """How many devices there are."""
    @property
    def gradient_bytes(self) -> Quantity:
        """The gradients of all parameters."""
    @property
    def intra_bytes(self) -> Quantity:
        """What a device sends for each update within its node."""
    @property
    def inter_bytes(self) -> Quantity:
        """What crosses the link of a node for each update."""
    @property
    def intra_time(self) -> Quantity:
        """The time of the exchange within the nodes."""
    @property
    def inter_time(self) -> Quantity:
        """The time of the exchange between the nodes."""
    @property
    def communication_time(self) -> Quantity:
        """The time of both exchanges, one after the other."""
    @property
    def compute_time(self) -> Quantity:
        """The compute of an update: all of its local steps."""
    @property
    def update_time(self) -> Quantity:
        """The time of an update."""
    @property
    def communication_overhead(self) -> float:
        """The communication of an update as a multiple of its compute."""
    @property
    def compute_share(self) -> float:
        """The share of an update that is compute."""
    @property
    def communication_share(self) -> float:
        """The share of an update that is communication."""
    @property
    def speedup(self) -> float:
        """How many times faster than one device all of them train."""
    @property
    def efficiency(self) -> float:
        """The speed-up as a share of the number of devices."""
    @property
    def global_batch(self) -> int:
        """How many samples an update takes."""
    @property
    def training_time(self) -> Quantity:
        """How long all devices take for the whole training."""
    @property
    def cost(self) -> Quantity | None:
        """What the nodes cost for the whole training."""

class DecodeBoundModel(Solver):
    """One decode step on one device of a group: the time to read its share of the weights against the
    time of its arithmetic."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        precision: str = ...,
        batch_size: CountLike = ...,
        peak_flops: QuantityLike | None = ...,
        tp_size: CountLike = ...,
    ) -> DecodeBoundResult: ...

class DecodeBoundResult(SolverResult):
    """What ``DecodeBoundModel`` finds."""

    @property
    def weight_bytes(self) -> Quantity:
        """What a device reads of the weights."""
    @property
    def flops_per_step(self) -> Quantity:
        """What a device computes in a step."""
    @property
    def compute_time(self) -> Quantity:
        """The time of a step's arithmetic at the full peak rate."""
    @property
    def memory_time(self) -> Quantity:
        """The time to read the weights at the full bandwidth of the memory."""
    @property
    def memory_share(self) -> float:
        """The share of reading in a step that would do one after the other."""
    @property
    def bound_ratio(self) -> float:
        """How many times longer reading takes than arithmetic."""
    @property
    def intensity(self) -> Quantity:
        """The arithmetic for each byte of the weights."""
    @property
    def attainable_flops(self) -> Quantity:
        """The rate at which a device can compute while it waits for the weights."""
    @property
    def peak_fraction(self) -> float:
        """That rate as a share of the peak."""
    @property
    def bottleneck(self) -> str:
        """What takes longer, `Memory` or `Compute`."""

class ErrorFeedbackModel(Solver):
    """A compressor that sends each value of a gradient to the nearest whole unit, with and without
    error feedback."""

    def solve(
        self,
        gradients: Sequence[NumberLike],
    ) -> ErrorFeedbackResult: ...

class ErrorFeedbackResult(SolverResult):
    """What ``ErrorFeedbackModel`` finds."""

    @property
    def errors(self) -> list[float]:
        """The error that is carried into each step, and the one that is left after the last."""
    @property
    def corrected(self) -> list[float]:
        """What each step rounds: its gradient and the carried error."""
    @property
    def sent(self) -> list[int]:
        """What each step sends."""
    @property
    def cumulative_true(self) -> list[float]:
        """The true sum up to each step."""
    @property
    def cumulative_sent(self) -> list[int]:
        """What was sent up to each step."""
    @property
    def total_sent(self) -> int:
        """What was sent in all."""
    @property
    def final_error(self) -> float:
        """The error that is left after the last step."""
    @property
    def true_total(self) -> float:
        """The true sum of the gradients."""
    @property
    def naive_total_sent(self) -> int:
        """What would have been sent in all without error feedback."""

class GradientSyncModel(Solver):
    """A data-parallel step: local compute, and then a ring AllReduce of all gradients over one link."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        precision: str,
        links: Mapping[str, QuantityLike],
        compute_time: QuantityLike,
        energy_per_bit: QuantityLike | None = ...,
        steps: CountLike = ...,
        compute_speedup: NumberLike = ...,
    ) -> GradientSyncResult: ...

class GradientSyncResult(SolverResult):
    """What ``GradientSyncModel`` finds."""

    @property
    def sync_bytes(self) -> Quantity:
        """What each worker sends in a step."""
    @property
    def compute_time(self) -> Quantity:
        """The compute of a step on the faster accelerator."""
    @property
    def transfer_times(self) -> dict[str, Quantity]:
        """The time of the AllReduce on each link."""
    @property
    def step_times(self) -> dict[str, Quantity]:
        """The time of the step on each link: compute, and then the AllReduce."""
    @property
    def compute_fractions(self) -> dict[str, float]:
        """The share of the step in which the accelerator computes, on each link."""
    @property
    def energy_per_step(self) -> Quantity:
        """The energy with which one worker sends its gradients in a step; none where no energy of a
        bit is stated."""
    @property
    def energy_total(self) -> Quantity:
        """The energy with which one worker sends its gradients in all steps."""

class HierarchicalAllReduceModel(Solver):
    """An AllReduce over nodes of several GPUs, in three phases against one flat ring over all GPUs."""

    def solve(
        self,
        message: QuantityLike,
        n_nodes: CountLike,
        gpus_per_node: CountLike,
        intra_bandwidth: QuantityLike,
        inter_bandwidth: QuantityLike,
        inter_alpha: QuantityLike,
    ) -> HierarchicalAllReduceResult: ...

class HierarchicalAllReduceResult(SolverResult):
    """What ``HierarchicalAllReduceModel`` finds."""

    @property
    def intra_bytes(self) -> Quantity:
        """What each GPU sends within its node in the ReduceScatter, and again in the AllGather."""
    @property
    def reduce_scatter_time(self) -> Quantity:
        """The time of the ReduceScatter within a node."""
    @property
    def shard(self) -> Quantity:
        """The part of the message that each GPU reduces across the nodes."""
    @property
    def inter_byte_time(self) -> Quantity:
        """The time of the bytes across the nodes, without startup."""
    @property
    def inter_startup_time(self) -> Quantity:
        """The time of the startups across the nodes."""
    @property
    def inter_time(self) -> Quantity:
        """The time of the AllReduce across the nodes."""
    @property
    def all_gather_time(self) -> Quantity:
        """The time of the AllGather within a node."""
    @property
    def total_time(self) -> Quantity:
        """The time of the three phases, one after the other."""
    @property
    def flat_ring_time(self) -> Quantity:
        """The time of one flat ring over all GPUs at the rate between nodes."""
    @property
    def flat_bound_time(self) -> Quantity:
        """What the bytes of the flat ring tend to take for many GPUs."""
    @property
    def speedup_vs_flat_ring(self) -> float | None:
        """How many times faster the three phases are than the flat ring; nothing where neither takes
        any time."""
    @property
    def speedup_vs_flat_bound(self) -> float | None:
        """How many times faster the three phases are than the flat ring's limit; nothing where they
        take no time."""

class IncastModel(Solver):
    """Many senders to one port of a switch, whose buffer takes what the port cannot send on."""

    def solve(
        self,
        n_senders: CountLike,
        sender_bandwidth: QuantityLike,
        egress_bandwidth: QuantityLike,
        buffer: QuantityLike,
        feedback_rtt: QuantityLike,
    ) -> IncastResult: ...

class IncastResult(SolverResult):
    """What ``IncastModel`` finds."""

    @property
    def offered_load(self) -> Quantity:
        """The rate of all senders together."""
    @property
    def oversubscription(self) -> float:
        """How many times more is sent than the port carries."""
    @property
    def net_fill_rate(self) -> Quantity:
        """The rate at which the buffer fills; below 0 where the port keeps up."""
    @property
    def overflow_time(self) -> Quantity | None:
        """The time in which an empty buffer is full; nothing where the port keeps up."""
    @property
    def drain_time(self) -> Quantity:
        """The time in which the port empties a full buffer while nobody sends."""
    @property
    def bandwidth_delay_product(self) -> Quantity:
        """What the port carries within one round trip."""

class KvAdmissionModel(Solver):
    """How many requests of one context length fit in the memory that the weights of a replica leave."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        accelerators: CountLike,
        hbm_per_accelerator: QuantityLike,
        weight_bytes_per_param: QuantityLike,
        reserve: QuantityLike,
        context_tokens: CountLike,
        kv_bytes_per_elem: QuantityLike,
    ) -> KvAdmissionResult: ...

class KvAdmissionResult(SolverResult):
    """What ``KvAdmissionModel`` finds."""

    @property
    def head_dim(self) -> int:
        """How wide an attention head is."""
    @property
    def weights(self) -> Quantity:
        """What the weights occupy, all experts of a mixture of experts included."""
    @property
    def hbm_total(self) -> Quantity:
        """The memory of all devices."""
    @property
    def kv_budget(self) -> Quantity:
        """What the weights and the reserve leave for the KV cache; negative where they do not fit."""
    @property
    def kv_per_token(self) -> Quantity:
        """What one token leaves in the cache of all layers."""
    @property
    def kv_per_request(self) -> Quantity:
        """What one request holds for its whole context."""
    @property
    def max_requests(self) -> int:
        """How many requests fit at once; none where nothing is left for the cache."""

class KvAttentionDesignModel(Solver):
    """What a token keeps under multi-head, grouped-query and multi-head latent attention."""

    def solve(
        self,
        models: Sequence[Workload | str | Mapping[str, Any]],
        mha: Workload | str | Mapping[str, Any],
        gqa: Workload | str | Mapping[str, Any],
        mla: Workload | str | Mapping[str, Any],
        precision: str,
        session_tokens: CountLike,
    ) -> KvAttentionDesignResult: ...

class KvAttentionDesignResult(SolverResult):
    """What ``KvAttentionDesignModel`` finds."""

    @property
    def per_token(self) -> dict[str, Quantity]:
        """What one token leaves in the cache of all layers, by model."""
    @property
    def design(self) -> dict[str, str]:
        """The design of each model's attention: `MHA`, `GQA` or `MLA`."""
    @property
    def mha_over_mla(self) -> float:
        """How many times more a token keeps with multi-head attention than with a latent."""
    @property
    def gqa_over_mla(self) -> float:
        """How many times more a token keeps with grouped-query attention than with a latent."""
    @property
    def gqa_session(self) -> Quantity:
        """What a long session keeps with grouped-query attention."""
    @property
    def mla_session(self) -> Quantity:
        """What a long session keeps with a latent."""

class KvBlockSharingModel(Solver):
    """How many requests fit in a pool in whole blocks, with a prefix stored for each or once, and how
    many turns that sustains."""

    def solve(
        self,
        bytes_per_token: QuantityLike,
        pool: QuantityLike,
        headroom: NumberLike,
        context: CountLike,
        output: CountLike,
        common: CountLike,
        block_tokens: CountLike,
        generation: QuantityLike,
        wait: QuantityLike,
    ) -> KvBlockSharingResult: ...

class KvBlockSharingResult(SolverResult):
    """What ``KvBlockSharingModel`` finds."""

    @property
    def block_bytes(self) -> Quantity:
        """What one block occupies."""
    @property
    def usable_blocks(self) -> int:
        """How many blocks there are beside those that are kept free."""
    @property
    def usable(self) -> Quantity:
        """What these blocks occupy."""
    @property
    def unshared_blocks(self) -> int:
        """How many blocks a request holds that shares none."""
    @property
    def common_blocks(self) -> int:
        """How many blocks the common prefix takes."""
    @property
    def private_blocks(self) -> int:
        """How many blocks a request holds beside the common prefix."""
    @property
    def unshared_bytes(self) -> Quantity:
        """What a request holds that shares nothing."""
    @property
    def common_bytes(self) -> Quantity:
        """What the common prefix holds."""
    @property
    def private_bytes(self) -> Quantity:
        """What a request holds beside the common prefix."""
    @property
    def fit_unshared(self) -> int:
        """How many requests fit that share nothing."""
    @property
    def fit_shared(self) -> int:
        """How many requests fit where the prefix is stored once."""
    @property
    def retained_time(self) -> Quantity:
        """How long a turn holds its blocks where they are kept through the wait."""
    @property
    def retained_rate(self) -> Quantity:
        """The turns without sharing, where blocks are kept through the wait."""
    @property
    def released_rate(self) -> Quantity:
        """The turns without sharing, where blocks are given up for the wait."""
    @property
    def shared_retained_rate(self) -> Quantity:
        """The turns with sharing, where blocks are kept through the wait."""
    @property
    def shared_released_rate(self) -> Quantity:
        """The turns with sharing, where blocks are given up for the wait."""
    @property
    def residency_factor(self) -> float:
        """By how much keeping blocks through the wait divides the turns."""
    @property
    def shared_fraction(self) -> float:
        """The share of a request's blocks that is common to all."""
    @property
    def share_gain(self) -> float | None:
        """How many times more requests fit with sharing; nothing where none fits without."""
    @property
    def share_bound(self) -> float | None:
        """What that gain approaches in a large pool; nothing where requests share all they have."""

class KvResidencyArchetypeModel(Solver):
    """One agent's requests in a pool: what a common prefix gains, what keeping the cache through waits
    costs, and how a cache that was given up comes back."""

    def solve(
        self,
        bytes_per_token: QuantityLike,
        pool: QuantityLike,
        n_params: CountedLike,
        sustained_rate: QuantityLike,
        link: QuantityLike,
        context_tokens: CountLike,
        shared_prefix: CountLike,
        generation: QuantityLike,
        wait: QuantityLike,
    ) -> KvResidencyArchetypeResult: ...

class KvResidencyArchetypeResult(SolverResult):
    """What ``KvResidencyArchetypeModel`` finds."""

    @property
    def shared_fraction(self) -> float:
        """The share of a request that is common to all."""
    @property
    def fit_unshared(self) -> int:
        """How many requests fit that share nothing."""
    @property
    def fit_shared(self) -> int:
        """How many requests fit where the prefix is stored once."""
    @property
    def share_gain(self) -> float | None:
        """How many times more requests fit with sharing; nothing where none fits without."""
    @property
    def residency_factor(self) -> float:
        """By how much keeping the cache through the wait divides the turns."""
    @property
    def turn_cycle(self) -> Quantity:
        """How long a turn takes, its wait included."""
    @property
    def recompute(self) -> Quantity:
        """The time to compute the cache of a request anew."""
    @property
    def reload(self) -> Quantity:
        """The time to move the cache of a request back from the host."""
    @property
    def recompute_share(self) -> float:
        """The time to compute the cache anew as a share of a turn."""
    @property
    def shared_retained_rate(self) -> Quantity:
        """The turns with sharing, where the cache is kept through the wait."""
    @property
    def shared_released_rate(self) -> Quantity:
        """The turns with sharing, where the cache is given up for the wait."""

class OverlapBudgetModel(Solver):
    """A backward pass whose gradients are reduced layer by layer in buckets: after it, or while it
    goes on."""

    def solve(
        self,
        workload: Workload | str | Mapping[str, Any],
        bytes_per_value: QuantityLike,
        backward_per_layer: QuantityLike,
        bucket_size: QuantityLike,
        time_per_bucket: QuantityLike,
    ) -> OverlapBudgetResult: ...

class OverlapBudgetResult(SolverResult):
    """What ``OverlapBudgetModel`` finds."""

    @property
    def layers(self) -> int:
        """How many layers the model has."""
    @property
    def gradient_per_layer(self) -> Quantity:
        """The gradients of one layer, as its share of all."""
    @property
    def buckets_per_layer(self) -> int:
        """How many buckets a layer's gradients fill, the last one perhaps in part."""
    @property
    def communication_per_layer(self) -> Quantity:
        """The time of the reductions of one layer."""
    @property
    def total_backward(self) -> Quantity:
        """The time of the whole backward pass."""
    @property
    def sequential_time(self) -> Quantity:
        """The time of the backward pass and of all reductions after it."""
    @property
    def exposed_per_layer(self) -> Quantity:
        """How much longer a layer's reductions take than the backward pass of the next."""
    @property
    def overlapped_time(self) -> Quantity:
        """The time of the backward pass with reductions during it: what outlasts each layer but the
        last, and the last one's in full."""
    @property
    def savings_fraction(self) -> float | None:
        """The share of the time that overlapping saves; nothing where there is no time to save."""

class PagedAllocationModel(Solver):
    """A reservation up to the cap for every request, against blocks that are handed out on demand."""

    def solve(
        self,
        bytes_per_token: QuantityLike,
        pool: QuantityLike,
        cap: CountLike,
        mean_final: CountLike,
        small_block: CountLike,
        large_block: CountLike,
    ) -> PagedAllocationResult: ...

class PagedAllocationResult(SolverResult):
    """What ``PagedAllocationModel`` finds."""

    @property
    def reservation(self) -> Quantity:
        """What a reservation up to the cap holds."""
    @property
    def reservations(self) -> int:
        """How many reservations fit in the pool."""
    @property
    def final_length_efficiency(self) -> float:
        """The share of a reservation that an average request fills in the end."""
    @property
    def small_block(self) -> Quantity:
        """What a small block occupies."""
    @property
    def large_block(self) -> Quantity:
        """What a large block occupies."""
    @property
    def small_tail_tokens(self) -> int:
        """How many slots of the last small block are empty at worst."""
    @property
    def large_tail_tokens(self) -> int:
        """How many slots of the last large block are empty at worst."""
    @property
    def small_tail(self) -> Quantity:
        """What the empty slots of a small block occupy at worst."""
    @property
    def large_tail(self) -> Quantity:
        """What the empty slots of a large block occupy at worst."""
    @property
    def large_tail_share(self) -> float:
        """The worst tail of a large block as a share of the cap."""
    @property
    def small_allocated_tokens(self) -> float:
        """The tokens for which an average request holds small blocks."""
    @property
    def small_waste(self) -> float:
        """The share of its small blocks that an average request leaves empty."""
    @property
    def large_allocated_tokens(self) -> float:
        """The tokens for which an average request holds large blocks."""
    @property
    def large_waste(self) -> float:
        """The share of its large blocks that an average request leaves empty."""
    @property
    def paged_fit(self) -> int:
        """How many average requests fit in the pool in small blocks when they end."""
    @property
    def paged_gain(self) -> float | None:
        """How many times more requests fit in small blocks than in reservations; nothing where no
        reservation fits."""

class ParallelLayoutModel(Solver):
    """One training step of a model on `tp_size` × `pp_size` × `dp_size` devices, and the state that
    each of them holds."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        pp_size: CountLike,
        dp_size: CountLike,
        microbatches: CountLike,
        batch_tokens: CountedLike,
        flops_per_param_token: NumberLike,
        peak_flops: QuantityLike,
        local_efficiency: NumberLike,
        link_bandwidth: QuantityLike,
        overlap_fraction: NumberLike,
        gradient_precision: str = ...,
        window_resolution: QuantityLike | None = ...,
        device_memory: QuantityLike | None = ...,
    ) -> ParallelLayoutResult: ...

class ParallelLayoutResult(SolverResult):
    """What ``ParallelLayoutModel`` finds."""

    @property
    def n_devices(self) -> int:
        """How many devices there are."""
    @property
    def step_flops(self) -> Quantity:
        """The arithmetic of the step."""
    @property
    def compute_time(self) -> Quantity:
        """The compute of each device, without bubbles and communication."""
    @property
    def gradient_bytes(self) -> Quantity:
        """The gradients of all parameters."""
    @property
    def dp_shard(self) -> Quantity:
        """The gradients that one device holds."""
    @property
    def ring_bytes(self) -> Quantity:
        """What a device sends to sum its gradients over the replicas."""
    @property
    def allreduce_time(self) -> Quantity:
        """The time of that exchange."""
    @property
    def hidden_time(self) -> Quantity:
        """The part of the exchange that hides behind compute."""
    @property
    def exposed_time(self) -> Quantity:
        """The part of the exchange that every device waits for."""
    @property
    def bubble(self) -> float:
        """The share of the pipeline's time in which a stage idles."""
    @property
    def efficiency(self) -> float:
        """The share of the step that is compute."""
    @property
    def efficiency_no_overlap(self) -> float:
        """The share of the step that would be compute if nothing hid the exchange."""
    @property
    def overlap_share(self) -> float:
        """The share of the exchange that hides behind compute."""
    @property
    def step_time(self) -> Quantity:
        """The time of the step: compute with its bubble, and what is left of the exchange."""
    @property
    def state_total(self) -> Quantity:
        """Weights, gradients and optimizer state of one replica."""
    @property
    def state_per_device(self) -> Quantity:
        """What a device holds of it."""
    @property
    def zero1_state_per_device(self) -> Quantity:
        """What a device holds of it where the optimizer's part is split over the replicas too."""
    @property
    def fleet_mfu(self) -> float:
        """The share of its peak that a device turns into the model's arithmetic."""
    @property
    def double_counted_mfu(self) -> float:
        """What that share seems to be where the efficiency is counted twice: a common mistake."""
    @property
    def min_devices_for_state(self) -> int | None:
        """How many devices hold the state of one replica at least."""

class PausedKvStateModel(Solver):
    """Whether to keep, to move or to drop the KV cache of a request that waits for a tool."""

    def solve(
        self,
        bytes_per_token: QuantityLike,
        n_params: CountedLike,
        sustained_rate: QuantityLike,
        link: QuantityLike,
        context_tokens: CountLike,
        block_tokens: CountLike,
        wait: QuantityLike,
        link_fraction: NumberLike,
        returns: CountLike,
    ) -> PausedKvStateResult: ...

class PausedKvStateResult(SolverResult):
    """What ``PausedKvStateModel`` finds."""

    @property
    def blocks(self) -> int:
        """How many blocks the request holds."""
    @property
    def state(self) -> Quantity:
        """What these blocks occupy."""
    @property
    def link(self) -> Quantity:
        """How fast the cache moves to the host, and back."""
    @property
    def copy_out(self) -> Quantity:
        """The time to move the blocks to the host."""
    @property
    def copy_in(self) -> Quantity:
        """The time to move the blocks back."""
    @property
    def round_trip(self) -> Quantity:
        """The time to move the blocks there and back."""
    @property
    def recompute(self) -> Quantity:
        """The time to compute the cache anew."""
    @property
    def recompute_over_reload(self) -> float:
        """How many times longer computing anew takes than moving back."""
    @property
    def recompute_over_reload_derated(self) -> float:
        """The same where contention leaves a fraction of the link."""
    @property
    def held_occupancy(self) -> Quantity:
        """The memory that keeping the blocks takes, times how long it takes it."""
    @property
    def released_on_demand(self) -> Quantity:
        """For how long moving frees the blocks, where they return when the wait ends."""
    @property
    def released_prefetch(self) -> Quantity:
        """For how long moving frees the blocks, where they are back when the wait ends."""
    @property
    def burst(self) -> Quantity:
        """What all requests that return together move."""
    @property
    def burst_time(self) -> Quantity:
        """The time until the last of them is back."""
    @property
    def burst_slowdown(self) -> float:
        """How many times longer that is than for one request alone."""

class PrecisionDividendModel(Solver):
    """The largest batch before and after weights and KV cache are stored in fewer bytes."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        hbm_per_accelerator: QuantityLike,
        context_tokens: CountLike,
        kv_heads: CountLike,
        weight_bytes: QuantityLike,
        weight_bytes_low: QuantityLike,
        kv_bytes: QuantityLike,
        kv_bytes_low: QuantityLike,
    ) -> PrecisionDividendResult: ...

class PrecisionDividendResult(SolverResult):
    """What ``PrecisionDividendModel`` finds."""

    @property
    def weights_per_device(self) -> Quantity:
        """A device's share of the weights before."""
    @property
    def weights_per_device_low(self) -> Quantity:
        """A device's share of the weights after."""
    @property
    def kv_budget_per_device(self) -> Quantity:
        """What the weights leave of a device for the cache before; negative where they do not fit."""
    @property
    def kv_budget_per_device_low(self) -> Quantity:
        """What the weights leave of a device for the cache after."""
    @property
    def kv_per_request(self) -> Quantity:
        """The cache of a request before, each of its elements counted once."""
    @property
    def kv_per_request_low(self) -> Quantity:
        """The cache of a request after, each of its elements counted once."""
    @property
    def kv_per_request_per_device(self) -> Quantity:
        """What a device holds of the cache of a request before."""
    @property
    def kv_per_request_per_device_low(self) -> Quantity:
        """What a device holds of the cache of a request after."""
    @property
    def max_batch(self) -> int:
        """The requests that fit before."""
    @property
    def max_batch_low(self) -> int:
        """The requests that fit after."""
    @property
    def dividend(self) -> float | None:
        """How many times more requests fit after than before; nothing where none fits before."""
    @property
    def budget_gain(self) -> float | None:
        """How many times more memory there is for the cache; nothing where there is none before."""

class PrefixRebuildModel(Solver):
    """The prefill of a prefix that is not in the cache, against one short pass over the suffix where
    it is."""

    def solve(
        self,
        workload: Workload | str | Mapping[str, Any],
        node: Node | str | Mapping[str, Any],
        precision: str,
        prefix_tokens: CountLike,
        suffix_tokens: CountLike,
        utilization: NumberLike,
    ) -> PrefixRebuildResult: ...

class PrefixRebuildResult(SolverResult):
    """What ``PrefixRebuildModel`` finds."""

    @property
    def n_params(self) -> Quantity:
        """The parameters that price a token's arithmetic."""
    @property
    def state(self) -> Quantity:
        """What the prefix leaves in the KV cache."""
    @property
    def linear_ops(self) -> Quantity:
        """The arithmetic of the parameters for the prefix."""
    @property
    def attention_ops(self) -> Quantity:
        """The arithmetic of causal attention for the prefix."""
    @property
    def sustained_rate(self) -> Quantity:
        """The rate at which the server's accelerators compute together."""
    @property
    def rebuild_time(self) -> Quantity:
        """The time to prefill the prefix anew."""
    @property
    def weight_read_time(self) -> Quantity:
        """The time to read every weight once, spread over the accelerators."""
    @property
    def suffix_ops_time(self) -> Quantity:
        """The time of the suffix's arithmetic."""
    @property
    def rebuild_over_hit(self) -> float:
        """How many times longer a miss takes than a hit."""

class RingTraceModel(Solver):
    """Every step of a ring AllReduce, on one short vector for each GPU with one number a chunk."""

    def solve(
        self,
        vectors: Sequence[Sequence[CountLike]],
    ) -> RingTraceResult: ...

class RingTraceResult(SolverResult):
    """What ``RingTraceModel`` finds."""

    @property
    def scatter_reduce(self) -> list[list[list[int]]]:
        """What each GPU holds after each step of the ReduceScatter: the number of the chunk that it
        received, and that chunk's sum so far."""
    @property
    def owned(self) -> list[list[int]]:
        """The chunk that each GPU owns after the ReduceScatter, and its whole sum."""
    @property
    def totals(self) -> list[int]:
        """The sum of each chunk over all GPUs."""
    @property
    def all_gather(self) -> list[list[list[int]]]:
        """What each GPU receives in each step of the AllGather: a chunk's number, and its whole sum."""
    @property
    def held(self) -> list[list[int]]:
        """The chunks whose whole sum each GPU holds in the end: all of them."""
    @property
    def steps(self) -> int:
        """How many steps both phases take."""

class SequencePackingModel(Solver):
    """Examples of different length, once padded to the longest and once packed into buffers of one
    capacity: how many of the positions hold a token."""

    def solve(
        self,
        lengths: Sequence[CountLike],
        capacity: CountLike,
    ) -> SequencePackingResult: ...

class SequencePackingResult(SolverResult):
    """What ``SequencePackingModel`` finds."""

    @property
    def examples(self) -> int:
        """How many examples there are."""
    @property
    def stored(self) -> int:
        """The tokens of all examples."""
    @property
    def longest(self) -> int:
        """The length of the longest example."""
    @property
    def mean_length(self) -> float:
        """The mean length of an example."""
    @property
    def padded_positions(self) -> int:
        """The positions that padding allocates: a row of the longest length for each example."""
    @property
    def buffers(self) -> int:
        """How many buffers packing fills."""
    @property
    def buffer_loads(self) -> list[int]:
        """The tokens in each buffer."""
    @property
    def packed_positions(self) -> int:
        """The positions that packing allocates: the capacity of each buffer."""
    @property
    def padded_occupancy(self) -> float:
        """The share of the padded positions that hold a token."""
    @property
    def packed_occupancy(self) -> float:
        """The share of the packed positions that hold a token."""
    @property
    def position_ratio(self) -> float:
        """How many times the packed positions padding allocates."""

class ServingModel(Solver):
    """The two phases of serving a Transformer: the prompt at once, bound by arithmetic, and then token
    after token, bound by reading weights and KV cache."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        hardware: HardwareNode | str | Mapping[str, Any],
        seq_len: CountLike,
        batch_size: CountLike = ...,
        precision: str = ...,
        efficiency: NumberLike = ...,
        decode_hardware: HardwareNode | str | Mapping[str, Any] | None = ...,
        network_bandwidth: QuantityLike = ...,
        draft_model: Workload | str | Mapping[str, Any] | None = ...,
        draft_acceptance_rate: NumberLike = ...,
        cached_prefix_len: CountLike = ...,
        prefill_chunk_tokens: CountLike | None = ...,
    ) -> ServingResult: ...

class ServingResult(SolverResult):
    """What ``ServingModel`` finds."""

    @property
    def feasible(self) -> bool:
        """Whether the weights and the cache fit on the device that decodes."""
    @property
    def ttft(self) -> Quantity:
        """The time to the first token: the prefill, its launches, and the way to the device that decodes."""
    @property
    def itl(self) -> Quantity:
        """The time between two tokens."""
    @property
    def kv_cache_size(self) -> Quantity:
        """The KV cache of all requests."""
    @property
    def model_weights_size(self) -> Quantity:
        """What the weights occupy."""
    @property
    def total_memory_required(self) -> Quantity:
        """What the device that decodes must hold: weights and cache, those of the draft too."""
    @property
    def memory_utilization(self) -> float:
        """That as a share of its memory."""
    @property
    def prompt_cache_hit_ratio(self) -> float:
        """The share of the prompt that is cached."""
    @property
    def prefill_chunks(self) -> int:
        """How many chunks the prompt is taken in."""
    @property
    def prefill_chunk_time(self) -> Quantity | None:
        """The time of the longest chunk, where the prompt is taken in chunks."""
    @property
    def decode_stall_bound(self) -> Quantity | None:
        """For how long a chunk holds up those who decode."""

class TensorParallelCommModel(Solver):
    """The AllReduces of activations in a step of a tensor-parallel group, beside a stated compute
    time."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        microbatch: CountLike,
        link_bandwidth: QuantityLike,
        compute_time: QuantityLike,
        seq_len: CountLike | None = ...,
        collectives_per_layer: CountLike = ...,
    ) -> TensorParallelCommResult: ...

class TensorParallelCommResult(SolverResult):
    """What ``TensorParallelCommModel`` finds."""

    @property
    def payload(self) -> Quantity:
        """The activation that one AllReduce sums."""
    @property
    def ring_factor(self) -> float:
        """What a device sends, as a multiple of the payload."""
    @property
    def traffic_per_device(self) -> Quantity:
        """What a device sends in one AllReduce."""
    @property
    def collectives_per_step(self) -> int:
        """How many AllReduces the step has."""
    @property
    def per_collective_time(self) -> Quantity:
        """The time of one AllReduce."""
    @property
    def communication_time(self) -> Quantity:
        """The time of all AllReduces of the step."""
    @property
    def compute_time(self) -> Quantity:
        """The compute of the step, as stated."""
    @property
    def step_time(self) -> Quantity:
        """The time of the step: its compute and every AllReduce, one after the other."""
    @property
    def compute_fraction(self) -> float:
        """The share of the step that is compute."""
    @property
    def communication_fraction(self) -> float:
        """The share of the step that is communication."""

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

class TrainingRunModel(Solver):
    """The time of a training on a fleet: at peak, at the efficiency of each device, at that of all of
    them together, and with what is lost to operations."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        fleet: Fleet | str | Mapping[str, Any],
        local_efficiency: NumberLike,
        scaling_efficiency: NumberLike,
        overheads: Mapping[str, NumberLike],
        precision: str = ...,
        tokens: CountedLike | None = ...,
    ) -> TrainingRunResult: ...

class TrainingRunResult(SolverResult):
    """What ``TrainingRunModel`` finds."""

    @property
    def total_flops(self) -> Quantity:
        """The arithmetic of the whole training."""
    @property
    def peak_time(self) -> Quantity:
        """The time at the peak of every device."""
    @property
    def compute_time(self) -> Quantity:
        """The time at what each device sustains."""
    @property
    def scaled_time(self) -> Quantity:
        """The time at what all devices sustain together."""
    @property
    def stage_times(self) -> dict[str, Quantity]:
        """The time after each overhead, in order."""
    @property
    def total_time(self) -> Quantity:
        """The time with all overheads."""
    @property
    def delivered_fraction(self) -> float:
        """The share of the fleet's peak that the whole training gets."""

class TrainingStateModel(Solver):
    """The state that mixed-precision Adam keeps of a model, and what each device holds of it."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        tp_size: CountLike,
        dp_size: CountLike,
        activations: QuantityLike,
    ) -> TrainingStateResult: ...

class TrainingStateResult(SolverResult):
    """What ``TrainingStateModel`` finds."""

    @property
    def weights(self) -> Quantity:
        """The 16-bit weights."""
    @property
    def gradients(self) -> Quantity:
        """The 16-bit gradients."""
    @property
    def master_weights(self) -> Quantity:
        """The 32-bit master weights."""
    @property
    def adam_moment(self) -> Quantity:
        """One of Adam's two moments, in 32 bits."""
    @property
    def optimizer_moments(self) -> Quantity:
        """Both of Adam's moments."""
    @property
    def persistent_state(self) -> Quantity:
        """All that stays from step to step: weights, gradients, master weights and moments."""
    @property
    def activations(self) -> Quantity:
        """The activations of the whole model, as stated."""
    @property
    def tp_weights_per_device(self) -> Quantity:
        """A device's part of the weights."""
    @property
    def tp_gradients_per_device(self) -> Quantity:
        """A device's part of the gradients."""
    @property
    def tp_master_per_device(self) -> Quantity:
        """A device's part of the master weights."""
    @property
    def tp_moments_per_device(self) -> Quantity:
        """A device's part of the moments."""
    @property
    def tp_activations_per_device(self) -> Quantity:
        """A device's part of the activations."""
    @property
    def tp_total_per_device(self) -> Quantity:
        """All that a device holds without further sharding."""
    @property
    def tp_offloaded_per_device(self) -> Quantity:
        """What a device holds once master weights and moments have moved to its host."""
    @property
    def zero_moments_per_device(self) -> Quantity:
        """A device's part of the moments, sharded over the replicas as well."""
    @property
    def zero_moments_per_tp_group(self) -> Quantity:
        """One tensor-parallel group's part of the moments, sharded over the replicas."""
    @property
    def zero_weights_and_moments_per_device(self) -> Quantity:
        """A device's part of the weights, and of the moments sharded over the replicas."""

class TransferLadderModel(Solver):
    """One payload over each of several links, at their full rates."""

    def solve(
        self,
        payload: QuantityLike,
        links: Mapping[str, QuantityLike],
    ) -> TransferLadderResult: ...

class TransferLadderResult(SolverResult):
    """What ``TransferLadderModel`` finds."""

    @property
    def payload(self) -> Quantity:
        """What is moved."""
    @property
    def bandwidths(self) -> dict[str, Quantity]:
        """The bandwidth of each link in one direction."""
    @property
    def times(self) -> dict[str, Quantity]:
        """The time of the payload over each link."""

class ZeroShardingModel(Solver):
    """The state of mixed-precision Adam on each device at each stage of ZeRO, and what full sharding
    sends."""

    def solve(
        self,
        model: Workload | str | Mapping[str, Any],
        n_devices: CountLike,
        activations: QuantityLike | None = ...,
        link_bandwidth: QuantityLike | None = ...,
    ) -> ZeroShardingResult: ...

class ZeroShardingResult(SolverResult):
    """What ``ZeroShardingModel`` finds."""

    @property
    def weights(self) -> Quantity:
        """The 16-bit weights of the whole model."""
    @property
    def gradients(self) -> Quantity:
        """The 16-bit gradients of the whole model."""
    @property
    def optimizer_state(self) -> Quantity:
        """The optimizer state of the whole model: 32-bit master weights and two moments."""
    @property
    def stage_state(self) -> dict[str, Quantity]:
        """What a device keeps at each stage, before activations."""
    @property
    def traffic_multiple(self) -> dict[str, float]:
        """What a device sends in a step at each stage, in units of what it sends for an AllReduce of
        the gradients."""
    @property
    def activations(self) -> Quantity:
        """What the forward pass keeps on each device; nothing where it is not stated."""
    @property
    def zero3_total_per_device(self) -> Quantity:
        """What a device keeps with ZeRO-3, activations included."""
    @property
    def gather_traffic(self) -> Quantity:
        """What a device sends in a step with ZeRO-3."""
    @property
    def gather_time(self) -> Quantity | None:
        """The time of this traffic at the full rate of the link; nothing where no link is given."""

__all__ = [
    "Solver",
    "SolverResult",
    "AlignmentMemoryModel",
    "AlignmentMemoryResult",
    "AllReduceAlgorithmModel",
    "AllReduceAlgorithmResult",
    "AllToAllDispatchModel",
    "AllToAllDispatchResult",
    "AlphaBetaModel",
    "AlphaBetaResult",
    "BisectionModel",
    "BisectionResult",
    "ChunkedPrefillModel",
    "ChunkedPrefillResult",
    "CommunicationIntensityModel",
    "CommunicationIntensityResult",
    "CompressionRunModel",
    "CompressionRunResult",
    "DataParallelScaleOutModel",
    "DataParallelScaleOutResult",
    "DecodeBoundModel",
    "DecodeBoundResult",
    "ErrorFeedbackModel",
    "ErrorFeedbackResult",
    "GradientSyncModel",
    "GradientSyncResult",
    "HierarchicalAllReduceModel",
    "HierarchicalAllReduceResult",
    "IncastModel",
    "IncastResult",
    "KvAdmissionModel",
    "KvAdmissionResult",
    "KvAttentionDesignModel",
    "KvAttentionDesignResult",
    "KvBlockSharingModel",
    "KvBlockSharingResult",
    "KvResidencyArchetypeModel",
    "KvResidencyArchetypeResult",
    "OverlapBudgetModel",
    "OverlapBudgetResult",
    "PagedAllocationModel",
    "PagedAllocationResult",
    "ParallelLayoutModel",
    "ParallelLayoutResult",
    "PausedKvStateModel",
    "PausedKvStateResult",
    "PrecisionDividendModel",
    "PrecisionDividendResult",
    "PrefixRebuildModel",
    "PrefixRebuildResult",
    "RingTraceModel",
    "RingTraceResult",
    "SequencePackingModel",
    "SequencePackingResult",
    "ServingModel",
    "ServingResult",
    "TensorParallelCommModel",
    "TensorParallelCommResult",
    "TensorParallelLayerModel",
    "TensorParallelLayerResult",
    "TrainingRunModel",
    "TrainingRunResult",
    "TrainingStateModel",
    "TrainingStateResult",
    "TransferLadderModel",
    "TransferLadderResult",
    "ZeroShardingModel",
    "ZeroShardingResult",
]
