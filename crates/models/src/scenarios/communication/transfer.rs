//! `TransferScenario`: copies of a payload over links, with the fee for what leaves a provider.

use mlsysim_quantity::{Bandwidth, Bytes, Money, MoneyPerByte, Price, Time};
use mlsysim_scenario::{Map, MapExt, OptionExt, Result, Scenario, equations};

use crate::solvers::{TransferLadderModel, TransferLadderResult};

/// Copies of one payload that are moved over each of several links, and what leaving the
/// provider's network costs.
///
/// # Assumptions
/// The copies pass one link one after the other, at its full rate.
///
/// # Excludes
/// Latency, protocols, and links that copies could share out.
///
/// # Derivation
/// Bytes over bandwidth, by `TransferLadderModel`. The fee is that of every byte; over the price of
/// compute it is the time for which it would pay.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct TransferScenario {
    /// What is moved.
    #[range(>= 0)]
    #[unit(GB)]
    pub payload: Bytes,
    /// The bandwidth of each link in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub links: Map<Bandwidth>,
    /// How many copies of it are moved.
    #[range(>= 0)]
    #[default(1)]
    pub copies: u64,
    /// The fee for what leaves the provider's network.
    #[range(>= 0)]
    #[unit(USD/GB)]
    pub egress_rate: Option<MoneyPerByte>,
    /// The price of an accelerator.
    #[range(> 0)]
    #[unit(USD/h)]
    pub compute_price: Option<Price>,
    /// How long the job computes for which the payload is moved, to hold the transfer against.
    #[range(>= 0)]
    #[unit(h)]
    pub job_time: Option<Time>,
}

#[equations]
impl TransferScenario {
    /// What is moved in all.
    #[unit(GB)]
    pub fn total_bytes(&self) -> Bytes {
        self.copies * self.payload
    }

    /// The time of all copies over one link, at its full rate.
    ///
    /// # Errors
    ///
    /// There is no such link.
    #[unit(s)]
    #[kind(bound)]
    pub fn transfer_time(&self, #[keys(links)] link: &str) -> Result<Time> {
        Ok(self.total_bytes() / *self.links.at("link", link)?)
    }

    /// The fee for all copies.
    #[unit(USD)]
    pub fn egress_cost(&self) -> Result<Money> {
        Ok(self.total_bytes() * self.egress_rate.needed("egress_rate")?)
    }

    /// The time for which the fee would pay an accelerator.
    #[unit(h)]
    pub fn egress_compute_hours(&self) -> Result<Time> {
        Ok(self.egress_cost()? / self.compute_price.needed("compute_price")?)
    }

    /// The time of all copies over each link, by `TransferLadderModel`.
    pub fn result(&self) -> TransferLadderResult {
        TransferLadderModel { payload: self.total_bytes(), links: self.links.clone() }.solve()
    }
}
