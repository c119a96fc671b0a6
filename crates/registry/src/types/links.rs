//! Links between devices and hosts.

use mlsysim_quantity::{Bandwidth, Time};
use mlsysim_scenario::{Error, Name, Record, Result, equations};

/// A link of a device: NVLink, PCIe and the like.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct IOInterconnect {
    /// What the link is called.
    pub name: Name,
    /// The bandwidth of all lanes together, counted as `direction` says.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// Whether `bandwidth` is that of one direction (`per_direction`) or the sum of both
    /// (`bidirectional_total`).
    pub direction: Name,
    /// The time that an empty message takes.
    #[unit(ns)]
    pub latency: Option<Time>,
}

#[equations]
impl IOInterconnect {
    /// The bandwidth of one direction, which is what a transfer sees.
    #[unit(GB/s)]
    pub fn bandwidth_per_direction(&self) -> Bandwidth {
        self.bandwidth / self.counted_directions()
    }

    /// How many directions `bandwidth` counts.
    fn counted_directions(&self) -> u64 {
        if &*self.direction == "bidirectional_total" { 2 } else { 1 }
    }

    /// A link says in which way its bandwidth is counted.
    #[check]
    fn direction_is_known(&self) -> Result<()> {
        match &*self.direction {
            "per_direction" | "bidirectional_total" => Ok(()),
            other => Err(Error::input(
                "direction",
                format!("`per_direction` or `bidirectional_total` is needed, but \"{other}\" was given"),
            )),
        }
    }
}
