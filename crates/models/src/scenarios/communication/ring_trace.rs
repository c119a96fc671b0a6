//! `RingTraceScenario`: a ring AllReduce, step by step.

use mlsysim_scenario::{Scenario, equations};

use crate::solvers::{RingTraceModel, RingTraceResult};

/// A ring AllReduce traced step by step, on one short vector for each GPU.
///
/// # Assumptions
/// Those of `RingTraceModel`: each vector has one number for every GPU, so that a chunk is one
/// number.
///
/// # Excludes
/// Time: every step of the ring takes as long as the others.
///
/// # Derivation
/// The vectors are the input of `RingTraceModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct RingTraceScenario {
    /// The vector of each GPU, with one number for every GPU.
    #[range(nonempty, >= -1000000000000, <= 1000000000000)]
    pub vectors: Vec<Vec<i64>>,
}

#[equations]
impl RingTraceScenario {
    /// How many GPUs there are.
    pub fn n_devices(&self) -> u64 {
        self.vectors.len() as u64
    }

    /// What every GPU receives and holds in every step, by `RingTraceModel`.
    pub fn result(&self) -> RingTraceResult {
        RingTraceModel { vectors: self.vectors.clone() }.solve()
    }
}
