//! `CollectiveCoefficients`: what collectives reach of their links, and by what libraries.

use mlsysim_scenario::choices;

use super::coefficient::coefficients;

coefficients! {
    /// What collectives reach of their links, and what they take beside.
    pub struct CollectiveCoefficients in "collectives" {
        /// The latency of an exchange by NCCL on NVLink 3.
        nvlink3_start: "µs" = 3.0,
        /// The latency of an exchange by NCCL on NVLink 4.
        nvlink4_start: "µs" = 3.0,
        /// The latency of an exchange by NCCL on NVLink 5.
        nvlink5_start: "µs" = 3.0,
        /// The latency of an exchange by NCCL on PCIe.
        pcie_start: "µs" = 3.0,
        /// What each doubling of the group adds to it on NVLink 3.
        nvlink3_doubling: "µs" = 6.0,
        /// What each doubling of the group adds to it on NVLink 4.
        nvlink4_doubling: "µs" = 6.0,
        /// What each doubling of the group adds to it on NVLink 5.
        nvlink5_doubling: "µs" = 6.0,
        /// What each doubling of the group adds to it on PCIe.
        pcie_doubling: "µs" = 6.0,
        /// The weight of the root in the protocol of low latency.
        low_roughness: "" = 1.6,
        /// The share of the link in the protocol of low latency.
        low_share: "" = 0.38,
        /// How many times the latency is in the protocols of high bandwidth.
        bandwidth_latency: "" = 1.75,
        /// The weight of the root in a ring.
        ring_roughness: "" = 2.6,
        /// The share of the link in a ring.
        ring_share: "" = 0.7,
        /// The weight of the root where the switch adds up.
        switch_roughness: "" = 3.5,
        /// The share of the link where the switch adds up.
        switch_share: "" = 0.58,
        /// The start of all-gather and reduce-scatter, in those of an all-reduce.
        half_start: "" = 1.57,
        /// What a doubling adds to all-gather and reduce-scatter, in those of an all-reduce.
        half_doubling: "" = 0.5,
        /// The start of an all-to-all or a send, in those of an all-reduce.
        direct_start: "" = 3.2,
        /// The weight of the root in what is no all-reduce.
        single_roughness: "" = 4.6,
        /// The latency of a kernel of an engine's own on NVLink 3.
        nvlink3_own: "µs" = 5.0,
        /// The latency of a kernel of an engine's own on NVLink 4.
        nvlink4_own: "µs" = 5.0,
        /// The latency of a kernel of an engine's own on NVLink 5.
        nvlink5_own: "µs" = 5.0,
        /// The latency of a kernel of an engine's own on PCIe.
        pcie_own: "µs" = 5.0,
        /// The latency of the kernel of TensorRT-LLM, in those of other engines.
        tensorrt_latency: "" = 0.67,
        /// The share of the link when each rank sends all that it has at once.
        one_shot_share: "" = 0.5,
        /// How many times the latency of an engine's own kernel is in two phases.
        two_shot_latency: "" = 1.5,
        /// What the host takes to launch an engine's own kernel without a graph.
        host: "µs" = 30.0,
        /// How the links of PCIe are shared: their rate falls with this power of pairs in the group.
        pcie_sharing: "" = 1.6,
    }
}

choices! {
    /// What runs a collective.
    pub enum CollectiveLibrary {
        /// NCCL, as its own tests run it.
        Nccl = "nccl",
        /// A kernel of an engine's own, such as vLLM's or SGLang's, launched in a graph.
        Own = "own",
        /// The kernel of TensorRT-LLM, launched in a graph.
        TensorRtLlm = "tensorrt-llm",
        /// A kernel of an engine's own that the host launches one by one.
        OwnEager = "own, eager",
    }
}
