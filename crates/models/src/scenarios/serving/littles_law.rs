//! `LittlesLawScenario`: how many requests are in flight, and how many replicas carry them.

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{CountProduct, Counting, OptionExt, Result, Scenario, equations};

use crate::physics::queueing::littles_law;

/// The requests in flight at a rate of arrivals, and the replicas that batches of one service time
/// need.
///
/// # Assumptions
/// The system is stable: in the long run as many requests leave as arrive. Batches are full and run
/// back to back.
///
/// # Excludes
/// The spread around the mean, which Little's law says nothing of, and the wait for a batch to
/// fill.
///
/// # Derivation
/// By Little's law the mean number in a system is the rate of arrivals times the mean time in it.
/// A replica serves `batch_size` requests in each `batch_service_time`; the replicas are those that
/// carry the arrivals with no more than `utilization_target` of their throughput.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct LittlesLawScenario {
    /// How many requests arrive in a unit of time.
    #[range(>= 0)]
    #[unit(1/s)]
    pub arrival_rate: Frequency,
    /// How long a request is in the system on average, waiting included.
    #[range(>= 0)]
    #[unit(ms)]
    pub time_in_system: Time,
    /// How many requests a replica serves at once.
    #[range(>= 1)]
    pub batch_size: Option<u64>,
    /// How long a replica takes for one batch.
    #[range(> 0)]
    #[unit(ms)]
    pub batch_service_time: Option<Time>,
    /// The share of a replica's throughput that is to be used.
    #[range(> 0, <= 1)]
    pub utilization_target: Option<f64>,
}

/// What is said of replicas that have no time to spare.
const ALWAYS_BUSY: &str =
    "so many replicas are busy all the time: with any spread in arrivals their queue only grows";

#[equations]
impl LittlesLawScenario {
    /// How many requests are in the system on average.
    pub fn in_flight(&self) -> f64 {
        littles_law(self.arrival_rate, self.time_in_system)
    }

    /// The requests that one replica serves in a unit of time.
    #[unit(1/s)]
    pub fn replica_throughput(&self) -> Result<Frequency> {
        Ok(self.batch_size.needed("batch_size")? as f64
            / self.batch_service_time.needed("batch_service_time")?)
    }

    /// The fewest replicas whose throughput is not below the arrivals; fewer cannot keep up.
    #[kind(bound)]
    pub fn throughput_floor(&self) -> Result<u64> {
        (self.arrival_rate / self.replica_throughput()?).rounded_up()
    }

    /// The fewest replicas that stay within the target of utilization.
    pub fn replicas_needed(&self) -> Result<u64> {
        (self.arrival_rate
            / (self.utilization_target.needed("utilization_target")? * self.replica_throughput()?))
        .rounded_up()
    }

    /// How many requests those replicas can serve at once.
    pub fn executing_positions(&self) -> Result<u64> {
        self.replicas_needed()?.times(self.batch_size.needed("batch_size")?)
    }

    /// How many requests are being served on average.
    pub fn mean_executing(&self) -> Result<f64> {
        Ok(littles_law(self.arrival_rate, self.batch_service_time.needed("batch_service_time")?))
    }

    /// The share of their throughput that those replicas use.
    pub fn service_utilization(&self) -> Result<f64> {
        Ok(self.arrival_rate / (self.replicas_needed()? as f64 * self.replica_throughput()?))
    }

    /// A server that is always busy never works off its queue.
    #[infeasible(throughput_floor)]
    fn saturated(&self) -> Option<String> {
        let carried = self.throughput_floor().ok()? as f64 * self.replica_throughput().ok()?;
        (self.arrival_rate > Frequency::ZERO && self.arrival_rate >= carried).then(|| ALWAYS_BUSY.to_string())
    }

    /// The same of a target that leaves nothing idle.
    #[note(replicas_needed, service_utilization)]
    fn nothing_idle(&self) -> Option<String> {
        (self.service_utilization().ok()? >= 1.0).then(|| ALWAYS_BUSY.to_string())
    }

    /// What is being served is in the system.
    #[note(in_flight, mean_executing)]
    fn too_short(&self) -> Option<String> {
        (self.mean_executing().ok()? > self.in_flight()).then(|| {
            "a batch takes longer than the stated time in the system, of which it is a part".to_string()
        })
    }
}
