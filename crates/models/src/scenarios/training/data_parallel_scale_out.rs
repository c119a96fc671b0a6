//! `DataParallelScaleOutScenario`: a data-parallel job on one node and on several.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Price, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Name, Result, Scenario, equations};

use crate::solvers::{DataParallelScaleOutModel, DataParallelScaleOutResult};

/// A data-parallel job on one or more nodes, from what a single device takes for it.
///
/// # Assumptions
/// Those of `DataParallelScaleOutModel`: rings at the full rate of their links, one after the other
/// and after compute. The training needs the same number of samples, however large the batch.
///
/// # Excludes
/// Latency, overlap, loading of data, and what a larger batch does to the result.
///
/// # Derivation
/// The equations of `DataParallelScaleOutModel` stand with its result (Patarasuk and Yuan 2009,
/// doi:10.1016/j.jpdc.2008.09.002).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct DataParallelScaleOutScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The precision in which gradients are sent.
    #[default("fp16")]
    pub precision: Name,
    /// How long one device takes for a local step.
    #[range(> 0)]
    #[unit(s)]
    pub step_time: Time,
    /// How long one device takes for the whole training.
    #[range(>= 0)]
    #[unit(h)]
    pub training_time: Time,
    /// How many samples a device takes in a local step.
    #[range(>= 1)]
    pub per_device_batch: u64,
    /// How many devices a node has.
    #[range(>= 1)]
    pub devices_per_node: u64,
    /// How many nodes there are.
    #[range(>= 1)]
    #[default(1)]
    pub nodes: u64,
    /// The bandwidth between devices of a node in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub intra_bandwidth: Bandwidth,
    /// The bandwidth between nodes in one direction; needed where there are several.
    #[range(> 0)]
    #[unit(Gbps)]
    pub inter_bandwidth: Option<Bandwidth>,
    /// How many local steps an update takes together.
    #[range(>= 1)]
    #[default(1)]
    pub accumulation_steps: u64,
    /// What a node costs.
    #[range(>= 0)]
    #[unit("USD/h")]
    pub node_hour_rate: Option<Price>,
}

#[equations]
impl DataParallelScaleOutScenario {
    /// The job on all devices, by `DataParallelScaleOutModel`.
    ///
    /// # Errors
    ///
    /// The inputs lack a figure that the solver needs.
    pub fn result(&self) -> Result<DataParallelScaleOutResult> {
        DataParallelScaleOutModel {
            model: self.workload.clone(),
            precision: self.precision.clone(),
            step_time: self.step_time,
            training_time: self.training_time,
            per_device_batch: self.per_device_batch,
            devices_per_node: self.devices_per_node,
            nodes: self.nodes,
            intra_bandwidth: self.intra_bandwidth,
            inter_bandwidth: self.inter_bandwidth,
            accumulation_steps: self.accumulation_steps,
            node_hour_rate: self.node_hour_rate,
        }
        .solve()
    }
}
