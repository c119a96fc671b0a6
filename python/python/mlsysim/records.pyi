# Made by `cargo xtask docs` from the definitions in Rust; not to be edited.

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ._types import CountLike, CountedLike, NumberLike, Quantity, QuantityLike
from .definition import Described

class Source(NamedTuple):
    """Where a figure comes from."""

    source: str
    url: str | None
    note: str | None
    unverified: bool

class Record(Described):
    """What all records share."""

    def sources(self) -> dict[str, Source]: ...

class HardwareNode(Record):
    """An accelerator or another device that computes."""

    def __init__(
        self,
        *,
        name: str,
        release_year: CountLike | None = ...,
        compute: ComputeCore | str | Mapping[str, Any],
        memory: MemoryHierarchy | str | Mapping[str, Any],
        storage: StorageHierarchy | str | Mapping[str, Any] | None = ...,
        interconnect: IOInterconnect | str | Mapping[str, Any] | None = ...,
        nvlink: IOInterconnect | str | Mapping[str, Any] | None = ...,
        tdp: QuantityLike | None = ...,
        tdp_min: QuantityLike | None = ...,
        tdp_max: QuantityLike | None = ...,
        die_area: QuantityLike | None = ...,
        transistor_count: NumberLike | None = ...,
        die_to_die_bandwidth: QuantityLike | None = ...,
        battery_capacity: QuantityLike | None = ...,
        unit_cost: QuantityLike | None = ...,
        unit_cost_max: QuantityLike | None = ...,
        accelerator_count: CountLike | None = ...,
        embodied_carbon_kg: NumberLike | None = ...,
        dispatch_tax: QuantityLike | None = ...,
        mig_profiles: Sequence[MigProfile | str | Mapping[str, Any]] | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the device is called."""
    @property
    def release_year(self) -> int | None:
        """The year in which it came out."""
    @property
    def compute(self) -> ComputeCore:
        """Its arithmetic units."""
    @property
    def memory(self) -> MemoryHierarchy:
        """Its memory."""
    @property
    def storage(self) -> StorageHierarchy | None:
        """Its local storage."""
    @property
    def interconnect(self) -> IOInterconnect | None:
        """Its link to the host."""
    @property
    def nvlink(self) -> IOInterconnect | None:
        """Its link to other devices."""
    @property
    def tdp(self) -> Quantity | None:
        """The power that its cooling is designed for."""
    @property
    def tdp_min(self) -> Quantity | None:
        """The lower end of a configurable power limit."""
    @property
    def tdp_max(self) -> Quantity | None:
        """The upper end of a configurable power limit."""
    @property
    def die_area(self) -> Quantity | None:
        """The area of the die."""
    @property
    def transistor_count(self) -> float | None:
        """How many transistors it has."""
    @property
    def die_to_die_bandwidth(self) -> Quantity | None:
        """The bandwidth between the dies of one package."""
    @property
    def battery_capacity(self) -> Quantity | None:
        """The energy in its battery."""
    @property
    def unit_cost(self) -> Quantity | None:
        """What one costs, or the lower end of that."""
    @property
    def unit_cost_max(self) -> Quantity | None:
        """The upper end of what one costs."""
    @property
    def accelerator_count(self) -> int | None:
        """How many accelerators the record stands for, if more than one."""
    @property
    def embodied_carbon_kg(self) -> float | None:
        """The carbon dioxide emitted to make it, in kilograms."""
    @property
    def dispatch_tax(self) -> Quantity | None:
        """The time to launch one kernel."""
    @property
    def mig_profiles(self) -> list[MigProfile] | None:
        """The parts into which it can be divided."""
    def peak(self, precision: str) -> Quantity:
        """The peak rate at `precision`, which is a key of `compute.precision_flops`."""
    def rate(self, precision: str) -> Quantity:
        """The peak rate at `precision`, or the one that the device is known for where it states none."""
    def ridge_point(self, precision: str | None = ...) -> Quantity:
        """The arithmetic intensity above which the device is bound by arithmetic."""
    @property
    def embodied_carbon(self) -> Quantity:
        """The carbon dioxide emitted to make the device."""

class ComputeCore(Record):
    """The arithmetic units of a device."""

    def __init__(
        self,
        *,
        peak_flops: QuantityLike,
        precision_flops: Mapping[str, QuantityLike] = ...,
        sm_count: CountLike | None = ...,
        clock_rate: QuantityLike | None = ...,
        core_count: CountLike | None = ...,
        fp32_cores_per_sm: CountLike | None = ...,
        tensor_cores_per_sm: CountLike | None = ...,
        systolic_array_dim: CountLike | None = ...,
        max_threads_per_sm: CountLike | None = ...,
        max_registers_per_thread: CountLike | None = ...,
        warp_size: CountLike | None = ...,
    ) -> None: ...
    @property
    def peak_flops(self) -> Quantity:
        """The peak rate that the device is known for."""
    @property
    def precision_flops(self) -> dict[str, Quantity]:
        """The peak rate by precision; dense and sparse rates are different keys."""
    @property
    def sm_count(self) -> int | None:
        """How many streaming multiprocessors it has."""
    @property
    def clock_rate(self) -> Quantity | None:
        """The rate of its clock."""
    @property
    def core_count(self) -> int | None:
        """How many cores it has."""
    @property
    def fp32_cores_per_sm(self) -> int | None:
        """How many 32-bit cores a streaming multiprocessor has."""
    @property
    def tensor_cores_per_sm(self) -> int | None:
        """How many tensor cores a streaming multiprocessor has."""
    @property
    def systolic_array_dim(self) -> int | None:
        """How many rows and columns its systolic array has."""
    @property
    def max_threads_per_sm(self) -> int | None:
        """How many threads a streaming multiprocessor holds."""
    @property
    def max_registers_per_thread(self) -> int | None:
        """How many registers a thread can have."""
    @property
    def warp_size(self) -> int | None:
        """How many threads run in lockstep."""
    @property
    def fp32_core_count(self) -> int:
        """How many 32-bit cores the device has."""
    @property
    def tensor_core_count(self) -> int:
        """How many tensor cores the device has."""
    @property
    def systolic_macs_per_cycle(self) -> int:
        """How many multiply-accumulates its systolic array does in a cycle."""

class MemoryHierarchy(Record):
    """The memory of a device."""

    def __init__(
        self,
        *,
        capacity: QuantityLike,
        bandwidth: QuantityLike,
        hbm_stacks: CountLike | None = ...,
        l2_cache: QuantityLike | None = ...,
        register_file_per_sm: QuantityLike | None = ...,
        shared_memory_per_sm: QuantityLike | None = ...,
        sram_capacity: QuantityLike | None = ...,
        sram_bandwidth: QuantityLike | None = ...,
        flash_capacity: QuantityLike | None = ...,
        flash_bandwidth: QuantityLike | None = ...,
        bus_width: QuantityLike | None = ...,
        pin_data_rate: QuantityLike | None = ...,
    ) -> None: ...
    @property
    def capacity(self) -> Quantity:
        """How much the device's memory holds."""
    @property
    def bandwidth(self) -> Quantity:
        """How fast the device's memory is read."""
    @property
    def hbm_stacks(self) -> int | None:
        """How many stacks of high-bandwidth memory there are."""
    @property
    def l2_cache(self) -> Quantity | None:
        """How much the level-2 cache holds."""
    @property
    def register_file_per_sm(self) -> Quantity | None:
        """How much the registers of a streaming multiprocessor hold."""
    @property
    def shared_memory_per_sm(self) -> Quantity | None:
        """How much the shared memory of a streaming multiprocessor holds."""
    @property
    def sram_capacity(self) -> Quantity | None:
        """How much memory on the chip there is."""
    @property
    def sram_bandwidth(self) -> Quantity | None:
        """How fast memory on the chip is read."""
    @property
    def flash_capacity(self) -> Quantity | None:
        """How much flash memory there is."""
    @property
    def flash_bandwidth(self) -> Quantity | None:
        """How fast flash memory is read."""
    @property
    def bus_width(self) -> Quantity | None:
        """How wide the memory's bus is."""
    @property
    def pin_data_rate(self) -> Quantity | None:
        """How fast each pin of the bus is."""

class StorageHierarchy(Record):
    """The local storage of a device."""

    def __init__(
        self,
        *,
        capacity: QuantityLike,
        bandwidth: QuantityLike,
        latency: QuantityLike | None = ...,
    ) -> None: ...
    @property
    def capacity(self) -> Quantity:
        """How much it holds."""
    @property
    def bandwidth(self) -> Quantity:
        """How fast it is read."""
    @property
    def latency(self) -> Quantity | None:
        """The time that the first byte takes."""

class MigProfile(Record):
    """A part into which a device can be divided."""

    def __init__(
        self,
        *,
        name: str,
        sm_count: CountLike,
        gpu_memory: QuantityLike,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the part is called."""
    @property
    def sm_count(self) -> int:
        """How many streaming multiprocessors it has."""
    @property
    def gpu_memory(self) -> Quantity:
        """How much memory it has."""

class IOInterconnect(Record):
    """A link of a device: NVLink, PCIe and the like."""

    def __init__(
        self,
        *,
        name: str,
        bandwidth: QuantityLike,
        direction: str,
        latency: QuantityLike | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the link is called."""
    @property
    def bandwidth(self) -> Quantity:
        """The bandwidth of all lanes together, counted as `direction` says."""
    @property
    def direction(self) -> str:
        """Whether `bandwidth` is that of one direction (`per_direction`) or the sum of both
        (`bidirectional_total`)."""
    @property
    def latency(self) -> Quantity | None:
        """The time that an empty message takes."""
    @property
    def bandwidth_per_direction(self) -> Quantity:
        """The bandwidth of one direction, which is what a transfer sees."""

class Workload(Record):
    """A model, as far as its publication states it."""

    def __init__(
        self,
        *,
        name: str = ...,
        architecture: str = ...,
        release_year: CountLike | None = ...,
        parameters: CountedLike | None = ...,
        exact_parameters: CountedLike | None = ...,
        configuration: str | None = ...,
        parameter_range_min: CountedLike | None = ...,
        parameter_range_max: CountedLike | None = ...,
        active_parameters: CountedLike | None = ...,
        layers: CountLike | None = ...,
        hidden_dim: CountLike | None = ...,
        ffn_dim: CountLike | None = ...,
        heads: CountLike | None = ...,
        kv_heads: CountLike | None = ...,
        head_dim: CountLike | None = ...,
        kv_lora_rank: CountLike | None = ...,
        qk_rope_head_dim: CountLike | None = ...,
        experts: CountLike | None = ...,
        active_experts_per_token: CountLike | None = ...,
        vocab_size: CountLike | None = ...,
        context_length: CountLike | None = ...,
        width_multiplier: NumberLike | None = ...,
        model_size: QuantityLike | None = ...,
        embedding_entries: CountLike | None = ...,
        data_rate: QuantityLike | None = ...,
        inference_flops: QuantityLike | None = ...,
        inference_energy: QuantityLike | None = ...,
        training_ops: QuantityLike | None = ...,
        training_tokens: CountedLike | None = ...,
        training_dataset_size: QuantityLike | None = ...,
        training_accelerators_ref: CountLike | None = ...,
        training_days_ref: QuantityLike | None = ...,
        training_gpu_days: NumberLike | None = ...,
        training_energy_mwh: QuantityLike | None = ...,
        training_co2e: QuantityLike | None = ...,
        training_hardware_label: str | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the model is called."""
    @property
    def architecture(self) -> str:
        """The family that it belongs to."""
    @property
    def release_year(self) -> int | None:
        """The year in which it came out."""
    @property
    def parameters(self) -> Quantity | None:
        """How many parameters it has, as published and rounded."""
    @property
    def exact_parameters(self) -> Quantity | None:
        """How many parameters its configuration makes, to the last one."""
    @property
    def configuration(self) -> str | None:
        """The name of its configuration, from which everything about it is counted."""
    @property
    def parameter_range_min(self) -> Quantity | None:
        """The lower end of a family of sizes."""
    @property
    def parameter_range_max(self) -> Quantity | None:
        """The upper end of a family of sizes."""
    @property
    def active_parameters(self) -> Quantity | None:
        """How many of its parameters each token passes, where that is not all of them."""
    @property
    def layers(self) -> int | None:
        """How many layers it has."""
    @property
    def hidden_dim(self) -> int | None:
        """How wide the activations between layers are."""
    @property
    def ffn_dim(self) -> int | None:
        """How wide the hidden activations of one feed-forward block or expert are."""
    @property
    def heads(self) -> int | None:
        """How many attention heads a layer has."""
    @property
    def kv_heads(self) -> int | None:
        """How many key and value heads a layer has, where that is not the number of heads."""
    @property
    def head_dim(self) -> int | None:
        """How wide a head is, where that is not the hidden width over the heads."""
    @property
    def kv_lora_rank(self) -> int | None:
        """How wide the latent of multi-head latent attention is."""
    @property
    def qk_rope_head_dim(self) -> int | None:
        """How wide the rotary part of a key of multi-head latent attention is."""
    @property
    def experts(self) -> int | None:
        """How many routed experts a layer has."""
    @property
    def active_experts_per_token(self) -> int | None:
        """How many routed experts a token passes."""
    @property
    def vocab_size(self) -> int | None:
        """How many entries the vocabulary has."""
    @property
    def context_length(self) -> int | None:
        """How many tokens the context holds."""
    @property
    def width_multiplier(self) -> float | None:
        """By how much a family of convolutional models scales its channels."""
    @property
    def model_size(self) -> Quantity | None:
        """How large the model is when stored."""
    @property
    def embedding_entries(self) -> int | None:
        """How many entries the embedding tables have."""
    @property
    def data_rate(self) -> Quantity | None:
        """How fast its data arrive."""
    @property
    def inference_flops(self) -> Quantity | None:
        """The arithmetic of one inference."""
    @property
    def inference_energy(self) -> Quantity | None:
        """The energy of one inference."""
    @property
    def training_ops(self) -> Quantity | None:
        """The arithmetic of the whole training."""
    @property
    def training_tokens(self) -> Quantity | None:
        """How many tokens it was trained on."""
    @property
    def training_dataset_size(self) -> Quantity | None:
        """How large its training data were."""
    @property
    def training_accelerators_ref(self) -> int | None:
        """How many accelerators trained it."""
    @property
    def training_days_ref(self) -> Quantity | None:
        """How long the training took."""
    @property
    def training_gpu_days(self) -> float | None:
        """The product of accelerators and days."""
    @property
    def training_energy_mwh(self) -> Quantity | None:
        """The energy of the training."""
    @property
    def training_co2e(self) -> Quantity | None:
        """The carbon dioxide of the training."""
    @property
    def training_hardware_label(self) -> str | None:
        """What it was trained on."""
    @property
    def priced_parameters(self) -> Quantity:
        """The parameters that price a token's arithmetic: the active ones of a mixture of experts,
        else all."""
    @property
    def head_width(self) -> int:
        """How wide a head is: as stated, or the hidden width over the heads."""
    @property
    def kv_values(self) -> float:
        """How many numbers a token leaves in the KV cache of one layer: a key and a value for each
        KV head, or one latent with its rotary key for multi-head latent attention."""
    @property
    def attention_design(self) -> str:
        """How attention caches a token: `MLA` a compressed latent, `GQA` fewer key and value heads than
        attention heads, `MHA` as many."""
    @property
    def attention_width(self) -> float:
        """How wide the attention of a layer is: the width of all its heads together, that of a query
        and of a value on average."""
    @property
    def cached_heads(self) -> int | None:
        """The key and value heads of a layer: as many as heads where none are stated apart."""

TransformerWorkload = Workload

SparseTransformerWorkload = Workload

CNNWorkload = Workload

class Node(Record):
    """A server with accelerators."""

    def __init__(
        self,
        *,
        name: str,
        accelerator: HardwareNode | str | Mapping[str, Any],
        accelerators_per_node: CountLike,
        intra_node_bw: QuantityLike,
        nics_per_node: CountLike | None = ...,
        nvlink_links_per_accelerator: CountLike | None = ...,
        nvswitch_count: CountLike | None = ...,
        in_switch_reduction: bool | None = ...,
        host_cpu: str | None = ...,
        host_cpu_cores: CountLike | None = ...,
        host_memory: QuantityLike | None = ...,
        host_memory_bw: QuantityLike | None = ...,
        host_storage: QuantityLike | None = ...,
        psus_per_node: CountLike | None = ...,
        psu_redundancy: CountLike | None = ...,
        psu_rating: QuantityLike | None = ...,
        max_power: QuantityLike | None = ...,
        mass: QuantityLike | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the server is called."""
    @property
    def accelerator(self) -> HardwareNode:
        """Its accelerators."""
    @property
    def accelerators_per_node(self) -> int:
        """How many accelerators it has."""
    @property
    def intra_node_bw(self) -> Quantity:
        """The bandwidth of one direction between two of its accelerators."""
    @property
    def nics_per_node(self) -> int | None:
        """How many network ports it has for the traffic between accelerators."""
    @property
    def nvlink_links_per_accelerator(self) -> int | None:
        """How many NVLink lanes an accelerator has."""
    @property
    def nvswitch_count(self) -> int | None:
        """How many NVSwitch chips it has."""
    @property
    def in_switch_reduction(self) -> bool | None:
        """Whether its switches add up what its accelerators send (NVLS)."""
    @property
    def host_cpu(self) -> str | None:
        """Its host processors."""
    @property
    def host_cpu_cores(self) -> int | None:
        """How many cores its host processors have together."""
    @property
    def host_memory(self) -> Quantity | None:
        """How much memory its host has."""
    @property
    def host_memory_bw(self) -> Quantity | None:
        """How fast its host's memory is read."""
    @property
    def host_storage(self) -> Quantity | None:
        """How much storage its host has."""
    @property
    def psus_per_node(self) -> int | None:
        """How many power supplies it has."""
    @property
    def psu_redundancy(self) -> int | None:
        """How many of them may fail."""
    @property
    def psu_rating(self) -> Quantity | None:
        """What one power supply delivers."""
    @property
    def max_power(self) -> Quantity | None:
        """What the server draws at most."""
    @property
    def mass(self) -> Quantity | None:
        """What the server weighs."""

class NetworkFabric(Record):
    """A network between servers."""

    def __init__(
        self,
        *,
        name: str,
        topology: str | None = ...,
        bandwidth: QuantityLike,
        latency: QuantityLike | None = ...,
        oversubscription_ratio: NumberLike = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the network is called."""
    @property
    def topology(self) -> str | None:
        """How its switches are connected."""
    @property
    def bandwidth(self) -> Quantity:
        """The bandwidth of one port in one direction."""
    @property
    def latency(self) -> Quantity | None:
        """The time that an empty message takes."""
    @property
    def oversubscription_ratio(self) -> float:
        """How much more bandwidth enters the network than leaves it upwards; 1 for a full fat tree."""

class Fleet(Record):
    """Many like servers on one network."""

    def __init__(
        self,
        *,
        name: str,
        node: Node | str | Mapping[str, Any],
        count: CountLike,
        fabric: NetworkFabric | str | Mapping[str, Any],
        mtbf_hours: NumberLike | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the fleet is called."""
    @property
    def node(self) -> Node:
        """Its servers."""
    @property
    def count(self) -> int:
        """How many servers it has."""
    @property
    def fabric(self) -> NetworkFabric:
        """The network between its servers."""
    @property
    def mtbf_hours(self) -> float | None:
        """How many hours pass between failures, where that was measured."""
    @property
    def total_accelerators(self) -> int:
        """How many accelerators the fleet has."""

class PodEnvelope(Record):
    """A pod of accelerators as its vendor states it."""

    def __init__(
        self,
        *,
        name: str,
        chips: CountLike,
        memory: QuantityLike,
        power: QuantityLike,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the pod is called."""
    @property
    def chips(self) -> int:
        """How many chips it has."""
    @property
    def memory(self) -> Quantity:
        """How much memory its chips have together."""
    @property
    def power(self) -> Quantity:
        """What it draws."""

class RackProfile(Record):
    """A rack of servers and what it draws beside the accelerators."""

    def __init__(
        self,
        *,
        name: str = ...,
        node: Node | str | Mapping[str, Any],
        nodes_per_rack: CountLike,
        non_accelerator_power: QuantityLike | None = ...,
        host_power: QuantityLike | None = ...,
        switch_power: QuantityLike | None = ...,
        network_power: QuantityLike | None = ...,
        conversion_loss_power: QuantityLike | None = ...,
        cooling_allocation_power: QuantityLike | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the rack is called."""
    @property
    def node(self) -> Node:
        """Its servers."""
    @property
    def nodes_per_rack(self) -> int:
        """How many servers it has."""
    @property
    def non_accelerator_power(self) -> Quantity | None:
        """What it draws beside the accelerators."""
    @property
    def host_power(self) -> Quantity | None:
        """What its hosts draw."""
    @property
    def switch_power(self) -> Quantity | None:
        """What the switches between its accelerators draw."""
    @property
    def network_power(self) -> Quantity | None:
        """What its network draws."""
    @property
    def conversion_loss_power(self) -> Quantity | None:
        """What converting its power loses."""
    @property
    def cooling_allocation_power(self) -> Quantity | None:
        """What its share of the cooling draws."""
    @property
    def accelerator_count(self) -> int:
        """How many accelerators the rack has."""

class Orchestration(Record):
    """How a shared cluster is scheduled."""

    def __init__(
        self,
        *,
        target_cluster_utilization: NumberLike,
        queue_discipline: str,
        average_researcher_job_days: NumberLike,
    ) -> None: ...
    @property
    def target_cluster_utilization(self) -> float:
        """The share of the cluster that is meant to be in use."""
    @property
    def queue_discipline(self) -> str:
        """In which order jobs leave the queue."""
    @property
    def average_researcher_job_days(self) -> float:
        """How many days a job takes on average."""

class ReliabilityComponent(Record):
    """A part of a server and how long one lasts."""

    def __init__(
        self,
        *,
        name: str = ...,
        mttf_hours: NumberLike,
        soft_error_fit_per_mbit: NumberLike | None = ...,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the part is."""
    @property
    def mttf_hours(self) -> float:
        """The mean time to failure, in hours."""
    @property
    def soft_error_fit_per_mbit(self) -> float | None:
        """Soft errors in a billion hours for each megabit."""

class RecoveryProfile(Record):
    """What passes between a failure and the first step after it."""

    def __init__(
        self,
        *,
        heartbeat_timeout_s: NumberLike,
        detection_time_s: NumberLike,
        reschedule_time_s: NumberLike,
        restart_time_s: NumberLike,
        warmup_time_s: NumberLike,
        checkpoint_write_bw_gbs: NumberLike,
    ) -> None: ...
    @property
    def heartbeat_timeout_s(self) -> float:
        """Seconds until a silent server counts as lost."""
    @property
    def detection_time_s(self) -> float:
        """Seconds until a failure is understood."""
    @property
    def reschedule_time_s(self) -> float:
        """Seconds until a spare server is assigned."""
    @property
    def restart_time_s(self) -> float:
        """Seconds until the job runs again."""
    @property
    def warmup_time_s(self) -> float:
        """Seconds until it runs at full speed."""
    @property
    def checkpoint_write_bw_gbs(self) -> float:
        """Gigabytes a second at which checkpoints are written."""

class StorageSubsystem(Record):
    """A drive, a file system or an object store, as one reader sees it."""

    def __init__(
        self,
        *,
        name: str = ...,
        bandwidth: QuantityLike,
        capacity: QuantityLike | None = ...,
        latency: QuantityLike | None = ...,
        iops: NumberLike | None = ...,
        media: str | None = ...,
        interface: str | None = ...,
        storage_tech: StorageTier | str | Mapping[str, Any] | None = ...,
        durability: str,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the storage is called."""
    @property
    def bandwidth(self) -> Quantity:
        """How fast it is read."""
    @property
    def capacity(self) -> Quantity | None:
        """How much it holds."""
    @property
    def latency(self) -> Quantity | None:
        """The time that the first byte takes."""
    @property
    def iops(self) -> float | None:
        """How many requests a second it serves."""
    @property
    def media(self) -> str | None:
        """What it is made of."""
    @property
    def interface(self) -> str | None:
        """How it is connected."""
    @property
    def storage_tech(self) -> StorageTier | None:
        """The technology that it is made with."""
    @property
    def durability(self) -> str:
        """Whether its content outlives the server: `local` or `durable`."""

class StorageTier(Record):
    """A technology of memory or storage, as fast as a typical product."""

    def __init__(
        self,
        *,
        bandwidth: QuantityLike,
        latency: QuantityLike | None = ...,
    ) -> None: ...
    @property
    def bandwidth(self) -> Quantity:
        """How fast it is read."""
    @property
    def latency(self) -> Quantity | None:
        """The time that the first byte takes."""

class NodeStorageConfig(Record):
    """Like drives in one server."""

    def __init__(
        self,
        *,
        name: str = ...,
        device: StorageSubsystem | str | Mapping[str, Any],
        devices_per_node: CountLike,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the set is called."""
    @property
    def device(self) -> StorageSubsystem:
        """Its drives."""
    @property
    def devices_per_node(self) -> int:
        """How many drives a server has."""
    @property
    def aggregate_bandwidth(self) -> Quantity:
        """How fast the drives of a server are read together."""

class CheckpointStoragePath(Record):
    """The way of a checkpoint: to local drives first, then to what outlives the server."""

    def __init__(
        self,
        *,
        name: str = ...,
        local_stage: NodeStorageConfig | str | Mapping[str, Any],
        durable_store: StorageSubsystem | str | Mapping[str, Any],
        write_bandwidth: QuantityLike,
    ) -> None: ...
    @property
    def name(self) -> str:
        """What the path is called."""
    @property
    def local_stage(self) -> NodeStorageConfig:
        """Where a checkpoint is written first."""
    @property
    def durable_store(self) -> StorageSubsystem:
        """Where it is kept."""
    @property
    def write_bandwidth(self) -> Quantity:
        """How fast it gets there."""

class HostDispatchScenario(Record):
    """The host's work to issue a step, against the device's work in it; what a scenario answers, and
    no entry of the registry."""

    def __init__(
        self,
        *,
        ops_per_block: CountLike,
        blocks: CountLike = ...,
        launches_per_block: CountLike | None = ...,
        dispatch: QuantityLike,
        launch: QuantityLike,
        device_time: QuantityLike,
    ) -> None: ...
    @property
    def ops_per_block(self) -> int:
        """How many operations the host enters in a block."""
    @property
    def blocks(self) -> int:
        """How many blocks the step has."""
    @property
    def launches_per_block(self) -> int | None:
        """How many kernels a block launches; one for each operation where it is not stated."""
    @property
    def dispatch(self) -> Quantity:
        """The time to enter one operation."""
    @property
    def launch(self) -> Quantity:
        """The time to launch one kernel."""
    @property
    def device_time(self) -> Quantity:
        """The device's time for the step."""
    @property
    def operations(self) -> float:
        """How many operations the host enters."""
    @property
    def launches(self) -> float:
        """How many kernels the host launches."""
    @property
    def dispatch_time(self) -> Quantity:
        """The time to enter all operations."""
    @property
    def launch_time(self) -> Quantity:
        """The time to launch all kernels."""
    @property
    def host_time(self) -> Quantity:
        """The host's time for the step."""
    @property
    def overhead_ratio(self) -> float:
        """The host's time over the device's: above 1 the device waits for more than half of the step."""
    @property
    def host_share(self) -> float:
        """The host's share of the step."""

__all__ = [
    "Record",
    "Source",
    "HardwareNode",
    "ComputeCore",
    "MemoryHierarchy",
    "StorageHierarchy",
    "MigProfile",
    "IOInterconnect",
    "Workload",
    "TransformerWorkload",
    "SparseTransformerWorkload",
    "CNNWorkload",
    "Node",
    "NetworkFabric",
    "Fleet",
    "PodEnvelope",
    "RackProfile",
    "Orchestration",
    "ReliabilityComponent",
    "RecoveryProfile",
    "StorageSubsystem",
    "StorageTier",
    "NodeStorageConfig",
    "CheckpointStoragePath",
    "HostDispatchScenario",
]
