//! `CommunicationIntensityModel`: the bytes that a data-parallel worker sends for each operation.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, BytesPerFlop, FlopRate, Flops, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{CountProduct, Name, OptionExt, Result, Solver, equations};

use crate::physics::communication::RING_ALL_REDUCE_LIMIT;
use crate::physics::compute::TRAINING_FLOPS_PER_PARAM;
use crate::physics::memory::{element_size, weight_bytes};

/// The bytes that one data-parallel worker sends for each operation of its step, against what the
/// link and the accelerator balance at.
///
/// Below the balance compute decides how long the step takes, above it the network. The arithmetic
/// is that of the active parameters, the gradients are those of all. How many workers there are is
/// not asked: each sends what a ring AllReduce tends to for many, twice its gradients.
///
/// Source: Kaplan et al. (2020), section 2.1, arXiv:2001.08361, for the arithmetic; the balance is
/// that of the roofline of Williams, Waterman and Patterson (2009), doi:10.1145/1498765.1498785,
/// with the link in the place of memory.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = CommunicationIntensityResult)]
pub struct CommunicationIntensityModel {
    /// The model that is trained.
    pub model: Arc<Workload>,
    /// How many sequences, each as long as the context, a worker takes in one step.
    #[range(>= 1)]
    pub sequences_per_worker: u64,
    /// The bandwidth of the worker's link in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link_bandwidth: Bandwidth,
    /// The peak rate of the accelerator.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub peak_flops: FlopRate,
    /// The precision in which gradients are sent.
    #[default("fp16")]
    pub precision: Name,
}

#[equations(result = CommunicationIntensityResult)]
impl CommunicationIntensityModel {
    /// The tokens that the worker takes in one step.
    pub fn local_tokens(&self) -> Result<u64> {
        self.sequences_per_worker.times(self.model.context_length.needed("context_length")?)
    }

    /// What the worker sends in one step: its gradients, twice, as a ring of many workers does.
    #[unit(GB)]
    pub fn bytes_per_step(&self) -> Result<Bytes> {
        Ok(RING_ALL_REDUCE_LIMIT * self.gradient_bytes()?)
    }

    /// The arithmetic of the worker's step, forward and backward.
    #[unit(flop)]
    #[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
    pub fn flops_per_step(&self) -> Result<Flops> {
        Ok(TRAINING_FLOPS_PER_PARAM * self.model.priced_parameters()? * self.local_tokens()?)
    }

    /// The bytes that the worker sends for each operation.
    #[unit(B/flop)]
    pub fn intensity(&self) -> Result<BytesPerFlop> {
        Ok(self.bytes_per_step()? / self.flops_per_step()?)
    }

    /// The intensity at which the link takes as long as the accelerator at its peak.
    #[unit(B/flop)]
    pub fn balance(&self) -> BytesPerFlop {
        self.link_bandwidth / self.peak_flops
    }

    /// The time of the step's arithmetic at the peak rate.
    #[unit(s)]
    #[kind(bound)]
    pub fn compute_time_at_peak(&self) -> Result<Time> {
        Ok(self.flops_per_step()? / self.peak_flops)
    }

    /// The gradients of all parameters.
    #[unit(GB)]
    fn gradient_bytes(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.model.parameters.needed("parameters")?, self.element()?))
    }

    /// The size of one gradient.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// The model states what its step costs.
    #[check]
    fn model_is_trained(&self) -> Result<()> {
        element_size(&self.precision)?;
        self.model.states(&["parameters", "context_length"])
    }

    /// A mixture of experts computes with the active parameters and synchronises all.
    #[note(flops_per_step, intensity)]
    fn sparse(&self) -> Option<String> {
        let active = self.model.active_parameters?;
        Some(format!(
            "{} is a mixture of experts: its arithmetic is that of the {} billion active parameters, while the gradients of all are sent",
            self.model.name,
            active.base() / 1e9
        ))
    }

    /// Twice the gradients is a limit, not what a small group sends.
    #[note(bytes_per_step, intensity)]
    fn many(&self) -> Option<String> {
        Some("each worker sends twice its gradients, the limit for many workers; n of them send 2 (n - 1) / n times as much, and a single one nothing".to_string())
    }
}
