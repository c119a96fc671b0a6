//! `TailEventRateScenario`: how often something rare happens to many requests.

use mlsysim_quantity::Frequency;
use mlsysim_scenario::{Scenario, equations};

/// How often an event that is rare for one request happens to a whole service.
///
/// # Assumptions
/// Every request meets the event with the same probability.
///
/// # Excludes
/// Bursts: events that come together have the same mean rate.
///
/// # Derivation
/// The mean of a sum is the sum of the means: each request adds its probability, whether or not
/// requests depend on each other.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct TailEventRateScenario {
    /// How many requests arrive in a unit of time.
    #[range(>= 0)]
    #[unit(1/s)]
    pub request_rate: Frequency,
    /// The probability that one request meets the event.
    #[range(>= 0, <= 1)]
    pub event_probability: f64,
}

/// One event in a second.
const PER_SECOND: Frequency = Frequency::from_base(1.0);

#[equations]
impl TailEventRateScenario {
    /// How many events there are in a second on average.
    pub fn events_per_second(&self) -> f64 {
        self.request_rate * self.event_probability / PER_SECOND
    }
}
