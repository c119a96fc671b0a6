//! `PublishedRunScenario`: what a published training delivered for each accelerator.

use std::sync::Arc;

use mlsysim_quantity::units::TOKEN;
use mlsysim_quantity::{Energy, FlopRate, Flops, Power, Time};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use crate::notes::counts_every_expert;
use crate::physics::compute::TRAINING_FLOPS_PER_PARAM;

/// A published training: its arithmetic, spread over the accelerators and the time that it held.
///
/// # Assumptions
/// The published figures belong to the same run. Where no arithmetic was published it is six
/// operations for each parameter and token.
///
/// # Excludes
/// What part of the time was idle or lost: the rate is the average over all of it.
///
/// # Derivation
/// Total arithmetic over the time of all accelerators added up, as a share of the accelerator's
/// peak (Kaplan et al. 2020, section 2.1, arXiv:2001.08361, for the arithmetic).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct PublishedRunScenario {
    /// The model with what was published of its training.
    pub workload: Arc<Workload>,
    /// The accelerator of the run.
    pub accelerator: Arc<HardwareNode>,
    /// The time of all accelerators added up; without it, that of the workload's accelerators and
    /// days.
    #[range(> 0)]
    #[unit(h)]
    pub accelerator_hours: Option<Time>,
    /// What one accelerator draws.
    #[range(>= 0)]
    #[unit(W)]
    pub device_power: Option<Power>,
}

#[equations]
impl PublishedRunScenario {
    /// The arithmetic of the whole training, as published or from its tokens.
    #[unit(flop)]
    pub fn training_operations(&self) -> Result<Flops> {
        self.workload.training_ops.or(self.operations_of_tokens()).needed("workload.training_ops")
    }

    /// What an accelerator delivered on average.
    #[unit(TFLOP/s)]
    pub fn achieved_rate(&self) -> Result<FlopRate> {
        Ok(self.training_operations()? / self.accelerator_time()?)
    }

    /// What all accelerators used in the whole training.
    #[unit(GWh)]
    pub fn energy(&self) -> Result<Energy> {
        Ok(self.accelerator_hours.needed("accelerator_hours")? * self.device_power.needed("device_power")?)
    }

    /// What an accelerator delivered, as a share of the peak that it is known for.
    pub fn peak_fraction(&self) -> Result<f64> {
        Ok(self.achieved_rate()? / self.accelerator.compute.peak_flops)
    }

    /// Six operations for each parameter and token.
    #[unit(flop)]
    #[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
    fn operations_of_tokens(&self) -> Option<Flops> {
        Some(TRAINING_FLOPS_PER_PARAM * self.workload.parameters? * (self.workload.training_tokens? / TOKEN))
    }

    /// The time of all accelerators added up.
    #[unit(h)]
    fn accelerator_time(&self) -> Result<Time> {
        self.accelerator_hours.or(self.published_time()).needed("accelerator_hours")
    }

    /// The time of the published number of accelerators for the published days.
    #[unit(h)]
    fn published_time(&self) -> Option<Time> {
        Some(self.workload.training_accelerators_ref? * self.workload.training_days_ref?)
    }

    /// Nothing does more than its peak.
    #[note(achieved_rate, peak_fraction)]
    fn impossible(&self) -> Option<String> {
        self.peak_fraction().is_ok_and(|fraction| fraction > 1.0).then(|| {
            "above 1: no accelerator does more than its peak, so that the figures belong to different runs or parts"
                .to_string()
        })
    }

    /// Every parameter is counted, though a token passes only some experts.
    #[note(training_operations, achieved_rate, peak_fraction)]
    fn sparse(&self) -> Option<String> {
        if self.workload.training_ops.is_some() { None } else { counts_every_expert(&self.workload) }
    }
}
