//! `AllReduceScheduleScenario`: one buffer reduced by ring, tree and parameter server.

use mlsysim_quantity::units::HOUR;
use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{MapExt, Result, Scenario, equations};

use crate::solvers::{AllReduceAlgorithmModel, AllReduceAlgorithmResult};

/// One buffer that groups of several sizes reduce, by ring, by tree and by a parameter server, and
/// what a faster ring would save over a run.
///
/// # Assumptions
/// Those of `AllReduceAlgorithmModel`; every step of the run reduces the buffer once, and nothing
/// hides it.
///
/// # Excludes
/// Contention, protocols, the arithmetic of the reduction and overlap with compute.
///
/// # Derivation
/// The schedules are those of `AllReduceAlgorithmModel`. The saving is a what-if: a stated share of
/// the ring's time, taken off every step and every device of the run.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct AllReduceScheduleScenario {
    /// The buffer that every device holds and the sum of which every device gets.
    #[range(>= 0)]
    #[unit(MB)]
    pub message: Bytes,
    /// The sizes of the group, each counted in devices.
    #[range(>= 1)]
    pub group_sizes: Vec<u64>,
    /// The startup of one round.
    #[range(>= 0)]
    #[unit("µs")]
    pub alpha: Time,
    /// The bandwidth of the link of each device in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// How many steps the run has.
    #[range(>= 0)]
    #[default(1)]
    pub run_steps: u64,
    /// The share of the ring's time that the what-if saves.
    #[range(>= 0, <= 1)]
    #[default(0.0)]
    pub time_saved_fraction: f64,
}

#[equations]
impl AllReduceScheduleScenario {
    /// The three schedules for each size of the group, by `AllReduceAlgorithmModel`.
    pub fn result(&self) -> AllReduceAlgorithmResult {
        AllReduceAlgorithmModel {
            message: self.message,
            group_sizes: self.group_sizes.clone(),
            alpha: self.alpha,
            bandwidth: self.bandwidth,
        }
        .solve()
    }

    /// The time that the what-if saves in each step of a group of `n`.
    ///
    /// # Errors
    ///
    /// `n` is not among the sizes of the group.
    #[unit(s)]
    pub fn saved_time(&self, #[range(>= 1)] n: u64) -> Result<Time> {
        Ok(*self.result().ring_time.at("n", &n.to_string())? * self.time_saved_fraction)
    }

    /// The hours that the what-if saves over the run, counted on each device of a group of `n`.
    ///
    /// # Errors
    ///
    /// `n` is not among the sizes of the group.
    pub fn saved_device_hours(&self, #[range(>= 1)] n: u64) -> Result<f64> {
        Ok(self.saved_time(n)? * self.run_steps * n / HOUR)
    }
}
