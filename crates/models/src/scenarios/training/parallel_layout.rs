//! `ParallelLayoutScenario`: a model trained on a grid of parallelism.

use std::sync::Arc;

use mlsysim_quantity::units::TOKEN;
use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{CountProduct, Name, Result, Scenario, equations};

use crate::solvers::{ParallelLayoutModel, ParallelLayoutResult};

/// A model trained on a grid of devices: tensor, pipeline and data parallelism, the time of a step
/// and the state on each device.
///
/// # Assumptions
/// Those of `ParallelLayoutModel`: work divides equally, gradients travel a ring at the full rate
/// of the link, optimizer state is that of Adam in mixed precision.
///
/// # Excludes
/// The exchange of tensor parallelism and between stages, latency, activations, attention scores,
/// experts that are spread over devices.
///
/// # Derivation
/// The equations of `ParallelLayoutModel` stand with its result (Narayanan et al. 2021,
/// arXiv:2104.04473).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct ParallelLayoutScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// How many devices share each layer.
    #[range(>= 1)]
    #[default(1)]
    pub tp_size: u64,
    /// How many stages of layers there are.
    #[range(>= 1)]
    #[default(1)]
    pub pp_size: u64,
    /// How many replicas of the model there are.
    #[range(>= 1)]
    pub dp_size: u64,
    /// How many microbatches pass each pipeline in a step.
    #[range(>= 1)]
    #[default(1)]
    pub microbatches: u64,
    /// How many tokens all replicas train on in a step.
    #[range(> 0)]
    pub batch_tokens: f64,
    /// The arithmetic for each parameter and token: 6, or 8 where activations are recomputed.
    #[range(> 0)]
    pub flops_per_param_token: f64,
    /// The device that trains.
    pub accelerator: Arc<HardwareNode>,
    /// The precision of the arithmetic: a key of the accelerator's peak rates.
    #[default("fp8")]
    pub precision: Name,
    /// The share of its peak that a device sustains while it computes.
    #[range(> 0, <= 1)]
    pub local_efficiency: f64,
    /// The bandwidth with which a device reaches other replicas, in one direction.
    #[range(> 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Bandwidth,
    /// The share of the exchange of gradients that may hide behind compute.
    #[range(>= 0, <= 1)]
    pub overlap_fraction: f64,
    /// The precision in which gradients are sent.
    #[default("fp16")]
    pub gradient_precision: Name,
    /// To what the time of compute is rounded, for figures that are worked by hand.
    #[range(> 0)]
    #[unit(s)]
    pub window_resolution: Option<Time>,
    /// The memory of one device.
    #[range(> 0)]
    #[unit(GB)]
    pub device_memory: Option<Bytes>,
}

#[equations]
impl ParallelLayoutScenario {
    /// How many devices the layout has.
    pub fn n_devices(&self) -> Result<u64> {
        self.tp_size.times(self.pp_size)?.times(self.dp_size)
    }

    /// The step and the state, by `ParallelLayoutModel`.
    ///
    /// # Errors
    ///
    /// The inputs lack a figure that the solver needs.
    pub fn result(&self) -> Result<ParallelLayoutResult> {
        ParallelLayoutModel {
            model: self.workload.clone(),
            tp_size: self.tp_size,
            pp_size: self.pp_size,
            dp_size: self.dp_size,
            microbatches: self.microbatches,
            batch_tokens: self.batch_tokens * TOKEN,
            flops_per_param_token: self.flops_per_param_token,
            peak_flops: self.accelerator.peak(&self.precision)?,
            local_efficiency: self.local_efficiency,
            link_bandwidth: self.link_bandwidth,
            overlap_fraction: self.overlap_fraction,
            gradient_precision: self.gradient_precision.clone(),
            window_resolution: self.window_resolution,
            device_memory: self.device_memory,
        }
        .solve()
    }
}
