//! `BatchServingCostScenario`: what a request costs on a rented accelerator, by the size of its batch.

use std::sync::Arc;

use mlsysim_quantity::{Frequency, Money, Price, Time};
use mlsysim_scenario::{Error, Result, Scenario, equations};

use super::BatchingKneeScenario;
use crate::physics::economics::cost_of_a_million;

/// One accelerator that is rented by the hour and serves batches back to back: what a request costs
/// at each size of batch.
///
/// # Assumptions
/// Batches are always full and follow one another, so that no paid time is idle.
///
/// # Excludes
/// The wait until a batch is full, idle hours, and discounts.
///
/// # Derivation
/// A busy accelerator costs its price over its throughput for each request. The throughput and the
/// time of a batch are those of `BatchingKneeScenario`.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct BatchServingCostScenario {
    /// The service that runs the batches.
    pub service: Arc<BatchingKneeScenario>,
    /// The price of the accelerator.
    #[range(>= 0)]
    #[unit(USD/h)]
    pub price: Price,
    /// The sizes of batches to compare; the first and the last stand for the two ends.
    #[range(>= 1, nonempty)]
    pub batch_sizes: Vec<u64>,
}

#[equations]
impl BatchServingCostScenario {
    /// What a million requests cost at one size of batch.
    #[unit(dollar)]
    pub fn cost_per_million(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Money {
        cost_of_a_million(self.price, self.throughput(batch_size))
    }

    /// How many times the cost at the last size a request costs at the first.
    pub fn cost_ratio(&self) -> Result<f64> {
        Ok(self.cost_per_million(self.first()?) / self.cost_per_million(self.last()?))
    }

    /// How much longer the last size takes than the first.
    #[unit(ms)]
    pub fn added_time(&self) -> Result<Time> {
        Ok(self.service.service_time(self.last()?) - self.service.service_time(self.first()?))
    }

    /// The requests that the service answers in a unit of time at one size of batch.
    #[unit(1/s)]
    fn throughput(&self, #[range(>= 1)] batch_size: u64) -> Frequency {
        self.service.throughput(batch_size)
    }

    /// The first size of batch.
    fn first(&self) -> Result<u64> {
        self.batch_sizes.first().copied().ok_or_else(|| Error::absent("there is no size of batch"))
    }

    /// The last size of batch.
    fn last(&self) -> Result<u64> {
        self.batch_sizes.last().copied().ok_or_else(|| Error::absent("there is no size of batch"))
    }
}
