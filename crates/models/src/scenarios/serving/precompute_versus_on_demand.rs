//! `PrecomputeVersusOnDemandScenario`: answering items one at a time, or in large batches beforehand.

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{Scenario, equations};

/// A known set of items, answered one at a time when somebody asks, or all of them beforehand in
/// large batches.
///
/// # Assumptions
/// Every item is asked for once. The on-demand service runs one request after another, the offline
/// one at a steady rate; both have one device.
///
/// # Excludes
/// Items that are never asked for, results that are out of date when they are, and the storage and
/// lookup of precomputed ones.
///
/// # Derivation
/// Both totals are times on a busy device: items times the time of one, and items over the rate of
/// the large batch. Their ratio is the factor by which batching beats batch one.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct PrecomputeVersusOnDemandScenario {
    /// How many items there are.
    #[range(>= 0)]
    pub items: u64,
    /// The time of one request that is served alone.
    #[range(>= 0)]
    #[unit(ms)]
    pub on_demand_time: Time,
    /// How many items the device answers in a unit of time at a large batch.
    #[range(> 0)]
    pub offline_rate: Frequency,
    /// By when the on-demand service must have answered.
    #[range(>= 0)]
    #[unit(ms)]
    pub latency_budget: Time,
}

#[equations]
impl PrecomputeVersusOnDemandScenario {
    /// The device time for all items, one at a time.
    #[unit(s)]
    pub fn on_demand_total(&self) -> Time {
        self.items * self.on_demand_time
    }

    /// The device time for all items in large batches.
    #[unit(s)]
    pub fn offline_total(&self) -> Time {
        self.items as f64 / self.offline_rate
    }

    /// How many times the device time of the batches the single requests take.
    pub fn ratio(&self) -> f64 {
        self.on_demand_total() / self.offline_total()
    }

    /// A request that is too slow alone cannot be served on demand.
    #[note(on_demand_total)]
    fn too_slow(&self) -> Option<String> {
        (self.on_demand_time > self.latency_budget).then(|| {
            format!(
                "one request takes {} ms, more than its budget of {} ms: it cannot be served on demand",
                self.on_demand_time.base() * 1e3,
                self.latency_budget.base() * 1e3
            )
        })
    }
}
