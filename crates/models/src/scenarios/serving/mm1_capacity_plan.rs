//! `MM1CapacityPlanScenario`: how many accelerators keep the tail of latency within a budget.

use mlsysim_quantity::{Frequency, Money, Price, Time};
use mlsysim_scenario::{Counting, OptionExt, Result, Scenario, equations};

use crate::physics::queueing::{exponential_quantile_factor, mm1_max_utilization, mm1_time_in_system};

/// Accelerators for a peak of requests, each an M/M/1 server whose tail of latency meets a budget.
///
/// # Assumptions
/// Each accelerator has a queue of its own with an equal share of a Poisson stream; service times
/// are exponential and those of one request at a time; load is spread evenly.
///
/// # Excludes
/// A queue that accelerators share, which needs fewer; balancing by load; the wait for a batch to
/// fill and its longer service; failures beyond one accelerator.
///
/// # Derivation
/// The time in an M/M/1 system is exponential with the mean `S / (1 − utilization)` (Kleinrock,
/// 1975), so that a tail of `tail_factor` means stays within the budget up to the utilization
/// `1 − tail_factor × S / tail_budget`. The peak over that utilization is what the fleet must be
/// able to serve; `headroom` multiplies the accelerators once they are rounded up.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct MM1CapacityPlanScenario {
    /// The mean time to serve one request.
    #[range(> 0)]
    #[unit(ms)]
    pub service_time: Time,
    /// The tail as a multiple of the mean time in the system.
    #[range(> 0)]
    pub tail_factor: f64,
    /// The quantile that the factor stands for.
    #[range(>= 0, < 1)]
    #[default(0.99)]
    pub tail_quantile: f64,
    /// What the tail may take, waiting and service.
    #[range(> 0)]
    #[unit(ms)]
    pub tail_budget: Time,
    /// How many requests arrive in a unit of time at the peak.
    #[range(> 0)]
    #[unit(1/s)]
    pub peak_rate: Frequency,
    /// By how much the rounded number of accelerators is multiplied.
    #[range(> 0)]
    pub headroom: f64,
    /// The utilizations whose times are of interest.
    #[range(>= 0)]
    #[default(Vec::new())]
    pub utilization_points: Vec<f64>,
    /// One utilization to look at; no output depends on it.
    #[range(>= 0)]
    pub example_utilization: Option<f64>,
    /// What one accelerator serves in a unit of time with batching.
    #[range(> 0)]
    #[unit(1/s)]
    pub batched_rate: Option<Frequency>,
    /// What one accelerator costs in a unit of time.
    #[range(>= 0)]
    #[unit(USD/h)]
    pub accelerator_price: Option<Price>,
}

/// The requests of which a price is stated.
const MILLION: f64 = 1e6;

#[equations]
impl MM1CapacityPlanScenario {
    /// What one accelerator can serve in a unit of time when it is always busy.
    #[unit(1/s)]
    #[kind(bound)]
    pub fn service_rate(&self) -> Frequency {
        1.0 / self.service_time
    }

    /// The mean time in the system at a utilization, waiting and service.
    ///
    /// # Errors
    ///
    /// At a utilization of 1 or more the queue only grows.
    #[unit(ms)]
    pub fn time_in_system(
        &self,
        #[keys(utilization_points)]
        #[range(>= 0)]
        utilization: f64,
    ) -> Result<Time> {
        mm1_time_in_system(self.service_time, utilization)
    }

    /// The tail of the time in the system at a utilization.
    ///
    /// # Errors
    ///
    /// At a utilization of 1 or more the queue only grows.
    #[unit(ms)]
    pub fn tail_time(
        &self,
        #[keys(utilization_points)]
        #[range(>= 0)]
        utilization: f64,
    ) -> Result<Time> {
        Ok(self.tail_factor * self.time_in_system(utilization)?)
    }

    /// The multiple of the mean that is the quantile `tail_quantile`; `tail_factor` is a rounding
    /// of it.
    pub fn exact_tail_factor(&self) -> f64 {
        exponential_quantile_factor(self.tail_quantile)
    }

    /// The highest utilization whose tail is within the budget; 0 where there is none.
    pub fn max_utilization(&self) -> f64 {
        mm1_max_utilization(self.service_time, self.tail_budget, self.tail_factor)
    }

    /// What the fleet must be able to serve in a unit of time.
    #[unit(1/s)]
    pub fn required_rate(&self) -> Frequency {
        self.peak_rate / self.max_utilization()
    }

    /// The accelerators for that, before rounding.
    pub fn accelerators_exact(&self) -> f64 {
        self.required_rate() / self.service_rate()
    }

    /// The fewest accelerators whose tail is within the budget.
    pub fn accelerators(&self) -> Result<u64> {
        self.accelerators_exact().rounded_up()
    }

    /// The accelerators with headroom.
    pub fn accelerators_planned(&self) -> Result<u64> {
        (self.accelerators()? as f64 * self.headroom).rounded_up()
    }

    /// The utilization at the peak when one of the planned accelerators is lost.
    ///
    /// # Errors
    ///
    /// A single accelerator leaves nothing when it is lost.
    pub fn utilization_after_failure(&self) -> Result<f64> {
        Ok(self.peak_rate / (self.service_rate() * (self.accelerators_planned()? as f64 - 1.0)))
    }

    /// The accelerators if each were busy all the time; fewer cannot keep up.
    #[kind(bound)]
    pub fn saturated_accelerators_exact(&self) -> f64 {
        self.peak_rate / self.service_rate()
    }

    /// The accelerators with batching, at the same utilization.
    pub fn batched_accelerators(&self) -> Result<u64> {
        (self.peak_rate / (self.max_utilization() * self.batched_rate.needed("batched_rate")?)).rounded_up()
    }

    /// The accelerators with batching and headroom.
    pub fn batched_accelerators_planned(&self) -> Result<u64> {
        (self.batched_accelerators()? as f64 * self.headroom).rounded_up()
    }

    /// What a million requests cost on so many accelerators at the peak.
    #[unit(USD)]
    pub fn cost_per_million(&self, #[range(>= 0)] accelerators: u64) -> Result<Money> {
        Ok(accelerators * self.accelerator_price.needed("accelerator_price")? / self.peak_rate * MILLION)
    }

    /// No fleet is large enough where an idle accelerator is too slow.
    #[infeasible(max_utilization, required_rate, accelerators, accelerators_planned)]
    fn hopeless(&self) -> Option<String> {
        (self.max_utilization() <= 0.0).then(|| {
            "the tail of an idle accelerator exceeds the budget already, so that no number of them meets it"
                .to_string()
        })
    }

    /// Stated points may lie where the queue has no mean.
    #[note(time_in_system, tail_time)]
    fn unstable_points(&self) -> Option<String> {
        let unstable = self.utilization_points.iter().find(|point| **point >= 1.0)?;
        Some(format!("at a utilization of {unstable} the queue grows without bound"))
    }

    /// What is left after a failure may be too little.
    #[note(utilization_after_failure)]
    fn overloaded(&self) -> Option<String> {
        let utilization = self.utilization_after_failure().ok().filter(|left| left.is_finite())?;
        if utilization >= 1.0 {
            let text = "the accelerators that are left cannot keep up: their queue grows without bound";
            return Some(text.to_string());
        }
        (utilization > self.max_utilization()).then(|| {
            format!(
                "above the {:.1} % up to which the tail is within its budget",
                100.0 * self.max_utilization()
            )
        })
    }

    /// Less than 1 takes away what the budget needs.
    #[note(accelerators_planned, batched_accelerators_planned)]
    fn no_headroom(&self) -> Option<String> {
        (self.headroom < 1.0)
            .then(|| "a headroom below 1 plans fewer accelerators than the budget needs".to_string())
    }

    /// The factor and the quantile state one thing twice.
    #[note(tail_time, max_utilization, exact_tail_factor)]
    fn another_quantile(&self) -> Option<String> {
        let exact = self.exact_tail_factor();
        let meant = 1.0 - (-self.tail_factor).exp();
        ((self.tail_factor - exact).abs() > 0.01 * exact).then(|| {
            format!(
                "a factor of {} is the quantile {meant:.4}; that of {} is {exact:.4}",
                self.tail_factor, self.tail_quantile
            )
        })
    }
}
