//! `DataParallelIntensityScenario`: the bytes that a data-parallel worker sends for each operation.

use std::sync::Arc;

use mlsysim_quantity::Bandwidth;
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Name, Result, Scenario, equations};

use crate::solvers::{CommunicationIntensityModel, CommunicationIntensityResult};

/// The bytes that one data-parallel worker sends for each operation of its step, against what its
/// link and its accelerator balance at.
///
/// # Assumptions
/// Those of `CommunicationIntensityModel`; gradients are sent in 16 bits, sequences are as long as
/// the context, and the accelerator's own peak rate is the one that counts.
///
/// # Excludes
/// Overlap, latency, attention scores, and how many workers there are.
///
/// # Derivation
/// The accelerator's peak rate and the other inputs are the inputs of
/// `CommunicationIntensityModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct DataParallelIntensityScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// How many sequences, each as long as the context, a worker takes in one step.
    #[range(>= 1)]
    pub sequences_per_worker: u64,
    /// The bandwidth of the worker's link in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link_bandwidth: Bandwidth,
    /// The device that computes.
    pub accelerator: Arc<HardwareNode>,
}

#[equations]
impl DataParallelIntensityScenario {
    /// The worker's bytes, its arithmetic and what they balance at, by
    /// `CommunicationIntensityModel`.
    ///
    /// # Errors
    ///
    /// The worker takes more tokens than can be counted.
    pub fn result(&self) -> Result<CommunicationIntensityResult> {
        CommunicationIntensityModel {
            model: self.workload.clone(),
            sequences_per_worker: self.sequences_per_worker,
            link_bandwidth: self.link_bandwidth,
            peak_flops: self.accelerator.compute.peak_flops,
            precision: Name::from("fp16"),
        }
        .solve()
    }
}
