//! `LinkBuildoutScenario`: what the links of a fleet cost and draw.

use std::sync::Arc;

use mlsysim_quantity::{Money, Power};
use mlsysim_registry::Fleet;
use mlsysim_scenario::{CountProduct, Result, Scenario, equations};

/// The links that a fleet needs for its accelerators, with their price and their power.
///
/// # Assumptions
/// Every accelerator needs as many links, and every link costs and draws the same.
///
/// # Excludes
/// Switches, adapters, spares and installation.
///
/// # Derivation
/// Links are counted for each accelerator; price and power are those of one link times their
/// number.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct LinkBuildoutScenario {
    /// The fleet that is linked.
    pub fleet: Arc<Fleet>,
    /// How many links each accelerator needs.
    #[range(>= 0)]
    pub links_per_device: u64,
    /// What one link costs, the modules at its ends included.
    #[range(>= 0)]
    #[unit(USD)]
    pub cost_per_link: Money,
    /// What one link draws, the modules at its ends included.
    #[range(>= 0)]
    #[unit(W)]
    pub power_per_link: Power,
}

#[equations]
impl LinkBuildoutScenario {
    /// How many links the fleet needs.
    ///
    /// # Errors
    ///
    /// There are more than can be counted.
    pub fn n_links(&self) -> Result<u64> {
        self.links_per_device.times(self.fleet.total_accelerators())
    }

    /// What all links cost.
    #[unit(USD)]
    pub fn total_cost(&self) -> Result<Money> {
        Ok(self.n_links()? * self.cost_per_link)
    }

    /// What all links draw.
    #[unit(kW)]
    pub fn total_power(&self) -> Result<Power> {
        Ok(self.n_links()? * self.power_per_link)
    }
}
