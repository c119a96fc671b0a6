//! How long requests wait and how many are in a system.

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{Provided, Result, formula};

/// What is said of a queue whose server has no time to spare.
pub const UNSTABLE: &str =
    "without bound for these inputs: at a utilization of 1 or more the queue only grows";

/// How many requests are in a stable system on average, whatever the distributions.
#[formula]
#[source("Little (1961), A Proof for the Queuing Formula L = λW, doi:10.1287/opre.9.3.383")]
pub fn littles_law(arrival_rate: Frequency, time_in_system: Time) -> f64 {
    arrival_rate * time_in_system
}

/// The turns that `slots` sustain in a unit of time, each of which holds its slot for a while.
#[formula]
#[unit(1/s)]
#[source("Little (1961), A Proof for the Queuing Formula L = λW, doi:10.1287/opre.9.3.383")]
pub fn littles_law_rate(slots: u64, residence_time: Time) -> Frequency {
    slots as f64 / residence_time
}

/// The mean time that a request spends in an M/M/1 queue, its service included.
///
/// ```
/// use mlsysim_models::physics::queueing::mm1_time_in_system;
/// use mlsysim_quantity::Time;
///
/// let service = Time::from_base(0.010);
/// assert_eq!(mm1_time_in_system(service, 0.5)?.base(), 0.020);
/// assert!(mm1_time_in_system(service, 1.0).is_err());
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// At a utilization of 1 or more the queue only grows.
#[formula]
#[unit(ms)]
#[source("Kleinrock (1975), Queueing Systems, volume 1")]
pub fn mm1_time_in_system(service_time: Time, utilization: f64) -> Result<Time> {
    (service_time / (1.0 - utilization)).provided(utilization < 1.0, UNSTABLE)
}

/// The highest utilization at which the tail of an M/M/1 queue stays within a budget; 0 where an
/// idle server misses it too.
///
/// The tail is `tail_factor` times the mean time in the system.
#[formula]
#[source("Kleinrock (1975), Queueing Systems, volume 1")]
pub fn mm1_max_utilization(service_time: Time, tail_budget: Time, tail_factor: f64) -> f64 {
    (1.0 - tail_factor * service_time / tail_budget).max(0.0)
}

/// How many means long an exponential time is at a quantile.
///
/// The time in an M/M/1 system is exponential at every load: its 99th percentile is 4.6 means.
#[formula]
#[source("Kleinrock (1975), Queueing Systems, volume 1")]
pub fn exponential_quantile_factor(quantile: f64) -> f64 {
    (1.0 / (1.0 - quantile)).ln()
}
