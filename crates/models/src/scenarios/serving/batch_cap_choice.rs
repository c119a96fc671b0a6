//! `BatchCapChoiceScenario`: a larger cap on batches, for throughput or against waiting.

use std::sync::Arc;

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{Scenario, equations};

use super::BatchingKneeScenario;

/// Two caps on the size of a batch at one rate of arrivals, with batches that wait until they are
/// full: what the larger one gains in throughput and costs in waiting.
///
/// # Assumptions
/// Requests arrive evenly, every batch waits until it has reached its cap, and batches run back to
/// back.
///
/// # Excludes
/// Timeouts that send a batch before it is full, bursts, and the queue before a busy server.
///
/// # Derivation
/// The first request of a batch waits for all others and the last for none, so that the mean wait is
/// half the time in which the others arrive. The time to serve a batch is that of
/// `BatchingKneeScenario`.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct BatchCapChoiceScenario {
    /// The service that runs the batches.
    pub service: Arc<BatchingKneeScenario>,
    /// How many requests arrive in a unit of time.
    #[range(> 0)]
    pub arrival_rate: Frequency,
    /// The smaller cap.
    #[range(>= 1)]
    pub small_cap: u64,
    /// The larger cap.
    #[range(>= 1)]
    pub large_cap: u64,
}

#[equations]
impl BatchCapChoiceScenario {
    /// How long a request waits on average until its batch is full.
    #[unit(ms)]
    pub fn formation_wait(&self, #[range(>= 1)] cap: u64) -> Time {
        (cap as f64 - 1.0) / (2.0 * self.arrival_rate)
    }

    /// By which fraction the larger cap raises the throughput of a busy server.
    pub fn throughput_gain(&self) -> f64 {
        self.service.throughput(self.large_cap) / self.service.throughput(self.small_cap) - 1.0
    }

    /// How many times the arrivals the smaller cap can serve.
    pub fn capacity_over_load(&self) -> f64 {
        self.service.throughput(self.small_cap) / self.arrival_rate
    }

    /// A server that falls behind has no steady wait.
    #[note(capacity_over_load)]
    fn overloaded(&self) -> Option<String> {
        (self.capacity_over_load() < 1.0)
            .then(|| "the smaller cap serves less than arrives: the queue grows without end".to_string())
    }

    /// A cap beyond what the arrivals fill only adds waiting.
    #[note(throughput_gain)]
    fn needless(&self) -> Option<String> {
        (self.capacity_over_load() >= 1.0 && self.large_cap > self.small_cap).then(|| {
            "the smaller cap already serves all that arrives: the larger one gains headroom, and costs waiting"
                .to_string()
        })
    }
}
