//! `TrainingStateScenario`: the state of mixed-precision Adam and its shards.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_registry::Workload;
use mlsysim_scenario::{Result, Scenario, equations};

use crate::solvers::{TrainingStateModel, TrainingStateResult};

/// What training a model in mixed precision with Adam keeps, and what each device of a
/// tensor-parallel group holds of it.
///
/// # Assumptions
/// Those of `TrainingStateModel`, to which the inputs are bound as they stand.
///
/// # Excludes
/// Everything beyond `TrainingStateModel`: pipeline parallelism, communication and whether the state
/// fits.
///
/// # Derivation
/// The inputs are those of `TrainingStateModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct TrainingStateScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// How many devices share each layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many replicas of the model there are.
    #[range(>= 1)]
    pub dp_size: u64,
    /// The activations of the whole model, as stated.
    #[range(>= 0)]
    #[unit(GB)]
    pub activations: Bytes,
}

#[equations]
impl TrainingStateScenario {
    /// The state by its parts and its shards, by `TrainingStateModel`.
    ///
    /// # Errors
    ///
    /// The model lacks a figure that the solver needs.
    pub fn result(&self) -> Result<TrainingStateResult> {
        TrainingStateModel {
            model: self.workload.clone(),
            tp_size: self.tp_size,
            dp_size: self.dp_size,
            activations: self.activations,
        }
        .solve()
    }
}
