//! `TrainingRunScenario`: the time of a training, from peak to what a fleet delivers.

use std::sync::Arc;

use mlsysim_registry::{Fleet, Workload};
use mlsysim_scenario::{Map, Name, Result, Scenario, equations};

use crate::solvers::{TrainingRunModel, TrainingRunResult};

/// Training a model on a fleet: the time at peak, and what each loss adds to it.
///
/// # Assumptions
/// Those of `TrainingRunModel`: the efficiencies and overheads are stated and hold for the whole
/// training, which has as many tokens as the model's own had.
///
/// # Excludes
/// Why the efficiencies are what they are, attention scores, recomputed activations, and whether
/// the model fits.
///
/// # Derivation
/// The equations of `TrainingRunModel` stand with its result (Kaplan et al. 2020, section 2.1,
/// arXiv:2001.08361).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct TrainingRunScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The fleet that trains it.
    pub fleet: Arc<Fleet>,
    /// The precision of the arithmetic: a key of the accelerator's peak rates.
    #[default("fp8")]
    pub precision: Name,
    /// The share of its peak that a device sustains while it computes.
    #[range(> 0, <= 1)]
    pub local_efficiency: f64,
    /// What is left of that when all devices work together.
    #[range(> 0, <= 1)]
    pub scaling_efficiency: f64,
    /// What operations add, as shares of the time before each, in order.
    #[range(>= 0)]
    pub overheads: Map<f64>,
}

#[equations]
impl TrainingRunScenario {
    /// The time of the training, by `TrainingRunModel`.
    ///
    /// # Errors
    ///
    /// The inputs lack a figure that the solver needs.
    pub fn result(&self) -> Result<TrainingRunResult> {
        TrainingRunModel {
            model: self.workload.clone(),
            fleet: self.fleet.clone(),
            local_efficiency: self.local_efficiency,
            scaling_efficiency: self.scaling_efficiency,
            overheads: self.overheads.clone(),
            precision: self.precision.clone(),
            tokens: None,
        }
        .solve()
    }
}
