//! `ServingScenario`: a model that is served on one device.

use std::sync::Arc;

use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Result, Scenario, equations};

use crate::solvers::{ServingModel, ServingResult};

/// A model that is served on a device at one context and batch: its prefill, its decode steps and
/// whether it fits.
///
/// # Assumptions
/// Those of `ServingModel` with its defaults: 16-bit weights and cache, half of the peak rate, nothing
/// cached, no chunks, no draft, and decode on the same device.
///
/// # Excludes
/// Everything beyond `ServingModel`: waiting for a slot, requests of different length, and several
/// devices.
///
/// # Derivation
/// The inputs are those of `ServingModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ServingScenario {
    /// The model that is served.
    pub workload: Arc<Workload>,
    /// The device that serves it.
    pub hardware: Arc<HardwareNode>,
    /// How many tokens a request has.
    #[range(>= 1)]
    pub seq_len: u64,
    /// How many requests are served at once.
    #[range(>= 1)]
    #[default(1)]
    pub batch_size: u64,
}

#[equations]
impl ServingScenario {
    /// Both phases and the memory that they need, by `ServingModel`.
    ///
    /// # Errors
    ///
    /// The model lacks a figure that the solver needs.
    pub fn result(&self) -> Result<ServingResult> {
        ServingModel {
            model: self.workload.clone(),
            hardware: self.hardware.clone(),
            seq_len: self.seq_len,
            batch_size: self.batch_size,
            ..ServingModel::new(self.workload.clone(), self.hardware.clone(), self.seq_len)
        }
        .solve()
    }
}
