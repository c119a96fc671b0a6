//! `TensorParallelLayerScenario`: one layer of a model on an accelerator, split over a group.

use std::sync::Arc;

use mlsysim_quantity::Bandwidth;
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Map, Name, Result, Scenario, equations};

use crate::notes::peak_stands_in;
use crate::solvers::{TensorParallelLayerModel, TensorParallelLayerResult};

/// One layer of a model, split over a tensor-parallel group: its compute on an accelerator against
/// its exchange on each link.
///
/// # Assumptions
/// Those of `TensorParallelLayerModel`, to which the inputs are bound as they stand.
///
/// # Excludes
/// Everything beyond `TensorParallelLayerModel`: attention scores, latency, overlap, measurement
/// and calibration.
///
/// # Derivation
/// The accelerator's peak at `precision` and the other inputs are the inputs of
/// `TensorParallelLayerModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct TensorParallelLayerScenario {
    /// The model whose layer is split.
    pub workload: Arc<Workload>,
    /// How many devices share the layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many tokens pass the layer at once.
    #[range(>= 1)]
    pub tokens: u64,
    /// The device that computes.
    pub accelerator: Arc<HardwareNode>,
    /// The precision of the arithmetic: a key of the accelerator's peak rates.
    #[default("fp16_dense")]
    pub precision: Name,
    /// The share of its peak that a device sustains.
    #[range(> 0, <= 1)]
    pub local_efficiency: f64,
    /// The bandwidth of each candidate link in one direction.
    #[range(> 0, nonempty)]
    #[unit(GB/s)]
    pub links: Map<Bandwidth>,
    /// How many AllReduces the layer needs.
    #[range(>= 0)]
    #[default(2)]
    pub collectives_per_layer: u64,
}

#[equations]
impl TensorParallelLayerScenario {
    /// The layer's compute and its exchange on each link, by `TensorParallelLayerModel`.
    ///
    /// # Errors
    ///
    /// The model or the accelerator lacks a figure that the solver needs.
    pub fn result(&self) -> Result<TensorParallelLayerResult> {
        TensorParallelLayerModel {
            model: self.workload.clone(),
            tp_size: self.tp_size,
            tokens: self.tokens,
            peak_flops: self.accelerator.peak(&self.precision)?,
            local_efficiency: self.local_efficiency,
            links: self.links.clone(),
            collectives_per_layer: self.collectives_per_layer,
        }
        .solve()
    }

    /// Where the accelerator states no peak for `precision`, that of a like format may stand in.
    #[note(result)]
    fn stands_in(&self) -> Option<String> {
        peak_stands_in(&self.accelerator, &self.precision)
    }
}
