//! `ServingTaxScenario`: what of a latency target is left for everything but the model.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Error, Result, Scenario, equations};

/// A request's latency target, split between the execution of the model and everything around it,
/// of which network exchanges are a part.
///
/// # Assumptions
/// The model runs on an idle replica, without a queue. The exchanges on the request's way follow one
/// another, and each lies between the two stated times.
///
/// # Excludes
/// Queueing, batching, serialisation and the tails of the distributions.
///
/// # Derivation
/// Latencies in series add. What the target leaves after the model is the budget for all else, and
/// the exchanges take the number of them times the time of one.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ServingTaxScenario {
    /// By when the request must be answered.
    #[range(>= 0)]
    #[unit(ms)]
    pub latency_target: Time,
    /// How long the model runs on an idle replica.
    #[range(>= 0)]
    #[unit(ms)]
    pub model_time: Time,
    /// How many network exchanges follow one another on the request's way.
    #[range(>= 0)]
    pub exchanges: u64,
    /// The time of a fast exchange.
    #[range(>= 0)]
    #[unit("µs")]
    pub exchange_low: Time,
    /// The time of a slow exchange.
    #[range(>= 0)]
    #[unit("µs")]
    pub exchange_high: Time,
}

#[equations]
impl ServingTaxScenario {
    /// What of the target is left for everything but the model; below 0 where the model alone
    /// misses it.
    #[unit(ms)]
    pub fn outside_model(&self) -> Time {
        self.latency_target - self.model_time
    }

    /// The time of all exchanges if each is fast.
    #[unit(ms)]
    pub fn exchanges_low(&self) -> Time {
        self.exchanges * self.exchange_low
    }

    /// The time of all exchanges if each is slow.
    #[unit(ms)]
    pub fn exchanges_high(&self) -> Time {
        self.exchanges * self.exchange_high
    }

    /// The fast exchange is the faster one.
    #[check]
    fn exchanges_are_ordered(&self) -> Result<()> {
        if self.exchange_low <= self.exchange_high {
            return Ok(());
        }
        let (low, high) = (self.exchange_low.base() * 1e6, self.exchange_high.base() * 1e6);
        let message = format!("the fast exchange takes {low} µs, longer than the slow one with {high} µs");
        Err(Error::input("exchange_low", message))
    }

    /// Nothing around the model can save a target that the model alone misses.
    #[note(outside_model)]
    fn missed(&self) -> Option<String> {
        (self.model_time > self.latency_target)
            .then(|| "the model alone takes longer than the target: it cannot be met".to_string())
    }

    /// Slow exchanges alone may use up what is left.
    #[note(exchanges_high)]
    fn used_up(&self) -> Option<String> {
        let left = self.outside_model();
        (left >= Time::ZERO && self.exchanges_high() > left)
            .then(|| "slow exchanges alone take more than the model leaves".to_string())
    }
}
