//! `BatchingKneeScenario`: where the throughput of larger batches turns over.

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{Scenario, equations};

use crate::physics::batching::batch_service_time;

/// A service whose batches cost a fixed time and a time for each request: what larger batches gain.
///
/// # Assumptions
/// The time of a batch is affine in its size; batches run back to back on one server; every batch
/// is full.
///
/// # Excludes
/// The wait until a batch is full, a limit of memory, and requests of different length.
///
/// # Derivation
/// A batch of `B` requests takes `fixed_time + B × per_request_time`. Its throughput approaches one
/// request in each `per_request_time` and reaches half of that at the knee, where both parts are
/// equal.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct BatchingKneeScenario {
    /// What a batch costs whatever its size: launching kernels, reading the weights.
    #[range(>= 0)]
    #[unit(ms)]
    pub fixed_time: Time,
    /// What each request adds to its batch.
    #[range(>= 0)]
    #[unit(ms)]
    pub per_request_time: Time,
    /// The sizes of batches that are of interest.
    #[range(>= 1)]
    #[default(Vec::new())]
    pub batch_sizes: Vec<u64>,
}

#[equations]
impl BatchingKneeScenario {
    /// The batch whose fixed time equals the time of its requests; a larger one gains at most a
    /// factor of two in throughput.
    pub fn knee(&self) -> f64 {
        self.fixed_time / self.per_request_time
    }

    /// The throughput as a share of what infinitely large batches would reach.
    pub fn throughput_share(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> f64 {
        batch_size * self.per_request_time / self.service_time(batch_size)
    }

    /// The time to serve one batch.
    #[unit(ms)]
    pub fn service_time(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Time {
        batch_service_time(self.fixed_time, self.per_request_time, batch_size)
    }

    /// The requests served in a unit of time when batches run back to back.
    #[unit(1/s)]
    pub fn throughput(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Frequency {
        batch_size as f64 / self.service_time(batch_size)
    }

    /// The time of a batch shared among its requests.
    #[unit(ms)]
    pub fn time_per_request(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Time {
        self.service_time(batch_size) / batch_size
    }

    /// The share of a batch's time that does not depend on its size.
    pub fn fixed_share(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> f64 {
        self.fixed_time / self.service_time(batch_size)
    }
}
