//! `TensorParallelScenario`: the AllReduces of one step of tensor-parallel training.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Result, Scenario, equations};

use crate::solvers::{TensorParallelCommModel, TensorParallelCommResult};

/// One step of a tensor-parallel group: its stated compute, and the AllReduces that the split adds.
///
/// # Assumptions
/// Those of `TensorParallelCommModel`, to which the inputs are bound as they stand: a ring at the
/// full rate of the link, 16-bit activations, no overlap.
///
/// # Excludes
/// Latency, overlap, where the compute time comes from, and the exchange between stages and
/// replicas.
///
/// # Derivation
/// The equations of `TensorParallelCommModel` stand with its result (Shoeybi et al. 2019,
/// Megatron-LM, section 3, arXiv:1909.08053).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct TensorParallelScenario {
    /// The model whose layers are split.
    pub workload: Arc<Workload>,
    /// How many devices share each layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many sequences pass at once.
    #[range(>= 1)]
    pub microbatch: u64,
    /// The bandwidth of one device's link in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link_bandwidth: Bandwidth,
    /// The compute of the step, communication left out.
    #[range(>= 0)]
    #[unit(ms)]
    pub compute_time: Time,
    /// How many tokens a sequence has; without it, as many as the model's context holds.
    #[range(>= 1)]
    pub seq_len: Option<u64>,
    /// How many AllReduces a layer needs in the step.
    #[range(>= 0)]
    #[default(2)]
    pub collectives_per_layer: u64,
}

#[equations]
impl TensorParallelScenario {
    /// The step and its exchange, by `TensorParallelCommModel`.
    ///
    /// # Errors
    ///
    /// The inputs lack a figure that the solver needs.
    pub fn result(&self) -> Result<TensorParallelCommResult> {
        TensorParallelCommModel {
            model: self.workload.clone(),
            tp_size: self.tp_size,
            microbatch: self.microbatch,
            link_bandwidth: self.link_bandwidth,
            compute_time: self.compute_time,
            seq_len: self.seq_len,
            collectives_per_layer: self.collectives_per_layer,
        }
        .solve()
    }
}
