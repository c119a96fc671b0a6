//! `CompressionRunScenario`: a training run with and without compressed gradients.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Map, Result, Scenario, equations};

use crate::solvers::{CompressionRunModel, CompressionRunResult};

/// A training run to a stated quality, with and without compression of the gradients, on several
/// networks.
///
/// # Assumptions
/// Those of `CompressionRunModel`: nothing hides the communication, and coding takes no time.
///
/// # Excludes
/// The time of the codec, overlap, and latency, which compression does not shorten.
///
/// # Derivation
/// The inputs are those of `CompressionRunModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct CompressionRunScenario {
    /// How many steps the run needs without compression.
    #[range(>= 1)]
    pub steps: u64,
    /// The compute of one step.
    #[range(>= 0)]
    #[unit(ms)]
    pub compute_time: Time,
    /// The communication of one step that compute does not hide, on each network.
    #[range(>= 0)]
    #[unit(ms)]
    pub communication_times: Map<Time>,
    /// How many times less is sent.
    #[range(>= 1)]
    pub compression_ratio: f64,
    /// The share of steps that compression costs more to reach the same quality.
    #[range(>= 0)]
    pub step_penalty: f64,
}

#[equations]
impl CompressionRunScenario {
    /// The time of a step and of the run, with and without compression, by `CompressionRunModel`.
    ///
    /// # Errors
    ///
    /// The compressed run has more steps than can be counted.
    pub fn result(&self) -> Result<CompressionRunResult> {
        CompressionRunModel {
            steps: self.steps,
            compute_time: self.compute_time,
            communication_times: self.communication_times.clone(),
            ratio: self.compression_ratio,
            step_penalty: self.step_penalty,
        }
        .solve()
    }
}
