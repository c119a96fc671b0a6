//! `BatchWindowScenario`: what a batching window collects, and what it costs in latency.

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use crate::physics::poisson::{poisson_reserve, poisson_tail};

/// A batching window of a fixed length in which requests of a Poisson stream gather: how many there
/// are, and how long they wait for its end.
///
/// # Assumptions
/// Requests arrive independently of each other at a constant rate; every window lasts its whole
/// length, however many requests it holds.
///
/// # Excludes
/// A limit on the size of a batch, the service of the batch, and a wait for a worker.
///
/// # Derivation
/// The number of arrivals in a window is Poisson with the mean `arrival_rate × window`. A request
/// arrives anywhere in its window with the same probability and so waits for half of it on average.
/// The batch that a request is in holds it and as many others as an independent window would: an
/// arrival of a Poisson stream tells nothing of the other ones.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct BatchWindowScenario {
    /// How long requests are gathered.
    #[range(>= 0)]
    #[unit(ms)]
    pub window: Time,
    /// The rates of arrival that are of interest.
    #[range(>= 0)]
    #[unit(1/s)]
    #[default(Vec::new())]
    pub arrival_rates: Vec<Frequency>,
    /// What a request may take in all.
    #[range(> 0)]
    #[unit(ms)]
    pub latency_budget: Option<Time>,
    /// The quantile of the batch size that counts as its tail.
    #[range(>= 0, < 1)]
    #[default(0.99)]
    pub tail_quantile: f64,
}

#[equations]
impl BatchWindowScenario {
    /// How many requests arrive in a window on average.
    pub fn mean_arrivals(
        &self,
        #[keys(arrival_rates)]
        #[range(>= 0)]
        arrival_rate: Frequency,
    ) -> f64 {
        arrival_rate * self.window
    }

    /// The standard deviation of the number of arrivals.
    pub fn arrival_spread(
        &self,
        #[keys(arrival_rates)]
        #[range(>= 0)]
        arrival_rate: Frequency,
    ) -> f64 {
        self.mean_arrivals(arrival_rate).sqrt()
    }

    /// The share of windows in which nothing arrives.
    pub fn empty_share(
        &self,
        #[keys(arrival_rates)]
        #[range(>= 0)]
        arrival_rate: Frequency,
    ) -> f64 {
        (-self.mean_arrivals(arrival_rate)).exp()
    }

    /// The probability that at least so many requests arrive in a window.
    pub fn count_at_least(&self, #[range(>= 0)] arrival_rate: Frequency, at_least: u64) -> Result<f64> {
        poisson_tail(self.mean_arrivals(arrival_rate), at_least)
    }

    /// How long a request waits for its window to end on average.
    #[unit(ms)]
    pub fn mean_wait(&self) -> Time {
        self.window / 2.0
    }

    /// The share of the latency budget that the mean wait takes.
    pub fn budget_share(&self) -> Result<f64> {
        Ok(self.mean_wait() / self.latency_budget.needed("latency_budget")?)
    }

    /// The size of the batch that a request is in, on average: larger than the mean batch, since
    /// more requests are in the larger ones.
    #[source("Wolff (1982), Poisson Arrivals See Time Averages, doi:10.1287/opre.30.2.223")]
    pub fn seen_batch_mean(
        &self,
        #[keys(arrival_rates)]
        #[range(>= 0)]
        arrival_rate: Frequency,
    ) -> f64 {
        1.0 + self.mean_arrivals(arrival_rate)
    }

    /// The size of the batch that a request is in, at `tail_quantile`: one more than that quantile
    /// of the arrivals.
    pub fn seen_batch_tail(
        &self,
        #[keys(arrival_rates)]
        #[range(>= 0)]
        arrival_rate: Frequency,
    ) -> Result<u64> {
        poisson_reserve(self.mean_arrivals(arrival_rate), 1.0 - self.tail_quantile)
    }
}
