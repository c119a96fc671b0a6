//! `ErrorFeedbackScenario`: rounding gradients with the error carried on.

use mlsysim_scenario::{Scenario, equations};

use crate::solvers::{ErrorFeedbackModel, ErrorFeedbackResult};

/// Gradients that a compressor rounds to whole units, with and without the error carried into the
/// next step.
///
/// # Assumptions
/// Those of `ErrorFeedbackModel`: one worker, one value a step, and rounding as the compressor.
///
/// # Excludes
/// What the delay of an error does to the convergence.
///
/// # Derivation
/// The gradients are the input of `ErrorFeedbackModel`, the scheme of Karimireddy et al. (2019),
/// arXiv:1901.09847.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct ErrorFeedbackScenario {
    /// The gradient of each step, in the units in which it is sent.
    #[range(>= -1000000000, <= 1000000000)]
    pub gradients: Vec<f64>,
}

#[equations]
impl ErrorFeedbackScenario {
    /// What each step sends and carries on, by `ErrorFeedbackModel`.
    pub fn result(&self) -> ErrorFeedbackResult {
        ErrorFeedbackModel { gradients: self.gradients.clone() }.solve()
    }
}
