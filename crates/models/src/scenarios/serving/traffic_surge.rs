//! `TrafficSurgeScenario`: a service that receives more than it was sized for.

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{Scenario, equations};

/// A service that was sized for one rate of requests and receives another, with the latency that was
/// seen at each.
///
/// # Assumptions
/// Both latencies are stated, as they were observed; neither follows from the rates.
///
/// # Excludes
/// Why the latency grows: `MM1CapacityPlanScenario` and `MM1ServiceSpeedupScenario` compute waiting
/// times.
///
/// # Derivation
/// The surge is the ratio of the two rates. Where capacity was sized for the normal one, a factor
/// above 1 means that the queue grows for as long as the surge lasts.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct TrafficSurgeScenario {
    /// The rate of requests that the service was sized for.
    #[range(> 0)]
    pub normal_rate: Frequency,
    /// The rate of requests in the surge.
    #[range(>= 0)]
    pub surge_rate: Frequency,
    /// The latency at the normal rate.
    #[range(>= 0)]
    #[unit(ms)]
    pub normal_latency: Time,
    /// The latency in the surge, once the queue has grown.
    #[range(>= 0)]
    #[unit(ms)]
    pub surge_latency: Time,
}

#[equations]
impl TrafficSurgeScenario {
    /// How many times the normal rate the surge is.
    pub fn surge_factor(&self) -> f64 {
        self.surge_rate / self.normal_rate
    }

    /// What the surge does to the latency, beside what it does to the rate.
    #[note(surge_factor)]
    fn slower(&self) -> Option<String> {
        let slower = self.surge_latency / self.normal_latency;
        (slower.is_finite() && self.surge_factor() > 1.0)
            .then(|| format!("the stated latency grows by a factor of {slower} in the surge"))
    }
}
