//! `ErrorFeedbackModel`: a compressor that rounds, with and without the error that it carries on.

use mlsysim_scenario::{Entries, Solver, Total, equations};

use crate::physics::compression::{carried_errors, corrected_values, nearest_unit};

/// A compressor that sends each value of a gradient to the nearest whole unit, with and without
/// error feedback.
///
/// Without it every value of less than half a unit is lost. With it a worker adds to each gradient
/// what it did not send before, so that what is sent and the last error are the true sum.
///
/// Source: Karimireddy et al. (2019), Error Feedback Fixes SignSGD and other Gradient Compression
/// Schemes, arXiv:1901.09847.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = ErrorFeedbackResult)]
pub struct ErrorFeedbackModel {
    /// The gradient of each step, in the units in which it is sent.
    #[range(>= -1000000000, <= 1000000000)]
    pub gradients: Vec<f64>,
}

#[equations(result = ErrorFeedbackResult)]
impl ErrorFeedbackModel {
    /// The error that is carried into each step, and the one that is left after the last.
    #[source("Karimireddy et al. (2019), arXiv:1901.09847")]
    pub fn errors(&self) -> Vec<f64> {
        carried_errors(&self.gradients)
    }

    /// What each step rounds: its gradient and the carried error.
    #[source("Karimireddy et al. (2019), arXiv:1901.09847")]
    pub fn corrected(&self) -> Vec<f64> {
        corrected_values(&self.gradients)
    }

    /// What each step sends.
    pub fn sent(&self) -> Vec<i64> {
        self.corrected().entries(|value| nearest_unit(*value))
    }

    /// The true sum up to each step.
    pub fn cumulative_true(&self) -> Vec<f64> {
        self.gradients.running_total()
    }

    /// What was sent up to each step.
    pub fn cumulative_sent(&self) -> Vec<i64> {
        self.sent().running_total()
    }

    /// What was sent in all.
    pub fn total_sent(&self) -> i64 {
        self.sent().total()
    }

    /// The error that is left after the last step.
    pub fn final_error(&self) -> f64 {
        self.errors().latest()
    }

    /// The true sum of the gradients.
    pub fn true_total(&self) -> f64 {
        self.gradients.total()
    }

    /// What would have been sent in all without error feedback.
    pub fn naive_total_sent(&self) -> i64 {
        self.naive_sent().total()
    }

    /// What each step would have sent without error feedback.
    fn naive_sent(&self) -> Vec<i64> {
        self.gradients.entries(|gradient| nearest_unit(*gradient))
    }
}
