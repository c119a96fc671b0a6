//! `SyncStrategyScenario`: data-parallel training to a target under one way to synchronise.

use mlsysim_quantity::{Money, Price, Time};
use mlsysim_scenario::{CountProduct, Result, Scenario, equations};

/// Workers that train to a fixed target, synchronised after every iteration or with bounded
/// staleness, against one worker that trains to the same target.
///
/// # Assumptions
/// How many iterations the target takes and what share communication adds are measured elsewhere
/// and stated here; every iteration is alike.
///
/// # Excludes
/// Stragglers beyond what the overhead states, and how staleness lengthens the training: that
/// stands in `iterations`.
///
/// # Derivation
/// An iteration takes the compute of one worker and its share of communication. Time to the target
/// is the number of iterations times that; the speed-up is against the single worker's. Bounded
/// staleness damps the learning rate: the step size for which Ho et al. (2013, Theorem 1) prove
/// convergence falls with the root of `staleness + 1`.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct SyncStrategyScenario {
    /// How many workers train together.
    #[range(>= 1)]
    pub workers: u64,
    /// How many samples a worker takes in an iteration.
    #[range(>= 1)]
    pub per_worker_batch: u64,
    /// How many iterations the workers need to the target.
    #[range(>= 1)]
    pub iterations: u64,
    /// The time of communication in an iteration, as a multiple of its compute.
    #[range(>= 0)]
    pub communication_overhead: f64,
    /// How many iterations one worker needs to the same target.
    #[range(>= 1)]
    pub base_iterations: u64,
    /// The compute of one iteration of one worker.
    #[range(>= 0)]
    #[unit(s)]
    pub base_iteration_time: Time,
    /// What one device costs.
    #[range(>= 0)]
    #[unit("USD/h")]
    pub device_hour_rate: Price,
    /// How many iterations a worker may be ahead of the slowest; 0 where all wait for one another.
    #[range(>= 0)]
    #[default(0)]
    pub staleness: u64,
}

#[equations]
impl SyncStrategyScenario {
    /// How many samples all workers take in an iteration.
    pub fn global_batch(&self) -> Result<u64> {
        self.workers.times(self.per_worker_batch)
    }

    /// How many iterations would do if a sample helped as much in a large batch as in a small one.
    pub fn ideal_iterations(&self) -> f64 {
        self.base_iterations as f64 / self.workers as f64
    }

    /// How long an iteration takes with its communication.
    #[unit(s)]
    pub fn iteration_time(&self) -> Time {
        self.base_iteration_time * (1.0 + self.communication_overhead)
    }

    /// How many times sooner the workers reach the target than one worker.
    pub fn speedup(&self) -> f64 {
        self.base_iterations as f64 / (self.iterations as f64 * (1.0 + self.communication_overhead))
    }

    /// How much a sample helps, as a share of what it helps a single worker.
    pub fn sample_efficiency(&self) -> f64 {
        self.ideal_iterations() / self.iterations as f64
    }

    /// What all devices cost until the target is reached.
    #[unit(USD)]
    pub fn cost(&self) -> Money {
        self.iterations * self.iteration_time() * self.workers * self.device_hour_rate
    }

    /// By what the learning rate is multiplied to bear the staleness.
    #[source(
        "Ho et al. (2013), More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server, Theorem 1"
    )]
    pub fn stale_lr_factor(&self) -> f64 {
        1.0 / (1.0 + self.staleness as f64).sqrt()
    }

    /// Fewer iterations than ideal are no effect of parallelism.
    #[note(sample_efficiency, speedup)]
    fn above_ideal(&self) -> Option<String> {
        (self.sample_efficiency() > 1.0).then(|| {
            "fewer iterations than an equal share of the single worker's: the runs differ in something beside the workers".to_string()
        })
    }
}
