//! `ServingCostScenario`: what a model cost to train against what it costs to serve.

use mlsysim_scenario::{Scenario, equations};

/// The one-time cost of training a model version against a year of serving it.
///
/// # Assumptions
/// Users, requests and the cost of a request stay the same all year. Costs are plain numbers in one
/// currency, dollars in the named case.
///
/// # Excludes
/// Growth, idle capacity, discounting, staff, and retraining within the year.
///
/// # Derivation
/// Serving is paid for each request, training once. From the day on which their sums are equal,
/// serving dominates, and a cheaper request is worth more than a cheaper run. A month is a twelfth
/// of the year, a week seven of its days.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ServingCostScenario {
    /// What the training run cost, in dollars.
    #[range(>= 0)]
    pub training_cost: f64,
    /// How many people use the service on a day.
    #[range(>= 0)]
    pub daily_users: u64,
    /// How many requests each of them sends on a day.
    #[range(>= 0)]
    pub requests_per_user_per_day: u64,
    /// What one request costs, in dollars.
    #[range(>= 0)]
    pub cost_per_request: f64,
    /// The share of a request's cost that an optimisation saves.
    #[range(>= 0, <= 1)]
    pub efficiency_gain: f64,
    /// How many days of the year the service runs.
    #[range(>= 1)]
    pub days_per_year: u64,
}

#[equations]
impl ServingCostScenario {
    /// The requests of a day.
    pub fn daily_requests(&self) -> f64 {
        self.daily_users as f64 * self.requests_per_user_per_day as f64
    }

    /// The requests of a year.
    pub fn annual_requests(&self) -> f64 {
        self.daily_requests() * self.days_per_year as f64
    }

    /// What a year of serving costs, in dollars.
    pub fn annual_serving_cost(&self) -> f64 {
        self.annual_requests() * self.cost_per_request
    }

    /// How many times the training a year of serving costs.
    pub fn serving_to_training(&self) -> f64 {
        self.annual_serving_cost() / self.training_cost
    }

    /// What the optimisation saves in a year, in dollars.
    pub fn efficiency_savings(&self) -> f64 {
        self.annual_serving_cost() * self.efficiency_gain
    }

    /// What a month of serving costs, in dollars.
    pub fn monthly_serving_cost(&self) -> f64 {
        self.annual_serving_cost() / 12.0
    }

    /// After how many months serving has cost as much as training.
    pub fn crossover_months(&self) -> f64 {
        self.training_cost / self.monthly_serving_cost()
    }

    /// After how many weeks serving has cost as much as training.
    pub fn crossover_weeks(&self) -> f64 {
        self.crossover_months() * self.days_per_year as f64 / 12.0 / 7.0
    }
}
