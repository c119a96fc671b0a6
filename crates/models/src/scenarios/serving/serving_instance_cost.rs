//! `ServingInstanceCostScenario`: what a request costs on each kind of instance.

use mlsysim_quantity::units::HOUR;
use mlsysim_quantity::{Frequency, Money, Price};
use mlsysim_scenario::{Counting, Map, MapExt, Name, Result, Scenario, equations};

use crate::physics::economics::cost_of_a_million;

/// Kinds of instance, each with its price and the rate of requests that keeps it busy: what a request
/// costs on each, and up to what load several small ones are cheaper than one large one.
///
/// # Assumptions
/// An instance is rented whole and serves at its full rate, or is left out. Small instances share the
/// load evenly.
///
/// # Excludes
/// Spare capacity for bursts and failures, discounts, and latency, which may rule out the cheaper
/// kind.
///
/// # Derivation
/// A busy instance costs its price over its rate for each request. The large instance costs as much
/// as `price_ratio` small ones; the load that those would serve is where the two cost the same,
/// could instances be rented in parts. `small_within_large_price` and `small_fleet_rate` count whole
/// instances that cost less than the large one.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ServingInstanceCostScenario {
    /// The price of each kind of instance.
    #[range(> 0, nonempty)]
    #[unit(USD/h)]
    pub prices: Map<Price>,
    /// The requests that each kind of instance serves in a unit of time when it is fully busy.
    #[range(> 0, nonempty)]
    pub rates: Map<Frequency>,
    /// The kind of which several are set against one large instance: a key of `prices` and `rates`.
    pub small: Name,
    /// The kind of the large instance: a key of `prices`.
    pub large: Name,
}

#[equations]
impl ServingInstanceCostScenario {
    /// What a million requests cost on a busy instance of one kind.
    ///
    /// # Errors
    ///
    /// There is no such kind, or it has no rate.
    #[unit(dollar)]
    pub fn cost_per_million(&self, #[keys(prices)] name: &str) -> Result<Money> {
        Ok(cost_of_a_million(*self.prices.at("name", name)?, *self.rates.at("name", name)?))
    }

    /// The requests that a busy instance of one kind serves in an hour.
    ///
    /// # Errors
    ///
    /// There is no such kind.
    pub fn requests_per_hour(&self, #[keys(rates)] name: &str) -> Result<f64> {
        Ok(*self.rates.at("name", name)? * HOUR)
    }

    /// How many small instances the large one costs.
    ///
    /// # Errors
    ///
    /// One of the two kinds has no price.
    pub fn price_ratio(&self) -> Result<f64> {
        Ok(*self.prices.at("large", &self.large)? / *self.prices.at("small", &self.small)?)
    }

    /// The load that small instances serve for the price of the large one, could they be rented in
    /// parts.
    ///
    /// # Errors
    ///
    /// One of the two kinds has no price, or the small one no rate.
    #[unit(1/s)]
    pub fn breakeven_rate(&self) -> Result<Frequency> {
        Ok(self.price_ratio()? * *self.rates.at("small", &self.small)?)
    }

    /// How many small instances together cost less than the large one.
    ///
    /// # Errors
    ///
    /// One of the two kinds has no price.
    pub fn small_within_large_price(&self) -> Result<u64> {
        (self.price_ratio()?.ceil() - 1.0).max(0.0).counted()
    }

    /// The load that so many small instances serve.
    ///
    /// # Errors
    ///
    /// One of the two kinds has no price, or the small one no rate.
    #[unit(1/s)]
    pub fn small_fleet_rate(&self) -> Result<Frequency> {
        Ok(self.small_within_large_price()? * *self.rates.at("small", &self.small)?)
    }

    /// Both kinds are priced, and the small one has a rate.
    #[check]
    fn kinds_are_known(&self) -> Result<()> {
        self.prices.at("small", &self.small)?;
        self.rates.at("small", &self.small)?;
        self.prices.at("large", &self.large)?;
        Ok(())
    }

    /// The large instance should cost more than the small one.
    #[note(price_ratio, breakeven_rate, small_within_large_price, small_fleet_rate)]
    fn small_is_dearer(&self) -> Option<String> {
        let ratio = self.price_ratio().ok()?;
        (ratio <= 1.0).then(|| {
            format!(
                "`{}` costs no more than `{}`: no small instance is cheaper than it",
                self.large, self.small
            )
        })
    }
}
