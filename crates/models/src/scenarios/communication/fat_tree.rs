//! `FatTreeScenario`: how far a fat tree of equal switches reaches.

use mlsysim_scenario::{CountProduct, Result, Scenario, equations};

use crate::physics::topology::{fat_tree_hosts, fat_tree_switches};

/// A fat tree without oversubscription, made of equal switches: how many hosts it connects, and how
/// many switches that takes.
///
/// # Assumptions
/// Every switch below the top has half of its ports down and half up, the top all of them down;
/// the tree is built out in full.
///
/// # Excludes
/// Cables, oversubscription, spare ports and networks of several rails.
///
/// # Derivation
/// Each tier multiplies the reach by half of the ports: Al-Fares, Loukissas and Vahdat (2008),
/// doi:10.1145/1402958.1402967, with k³/4 hosts and 5k²/4 switches for three tiers.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct FatTreeScenario {
    /// How many ports a switch has.
    #[range(>= 2)]
    pub radix: u64,
}

#[equations]
impl FatTreeScenario {
    /// The hosts that `tiers` tiers of switches reach.
    ///
    /// # Errors
    ///
    /// There are more than can be counted.
    pub fn hosts(&self, #[range(>= 1)] tiers: u64) -> Result<u64> {
        fat_tree_hosts(self.radix, tiers)
    }

    /// The switches that `tiers` tiers need.
    ///
    /// # Errors
    ///
    /// There are more than can be counted.
    pub fn switches(&self, #[range(>= 1)] tiers: u64) -> Result<u64> {
        fat_tree_switches(self.radix, tiers)
    }

    /// The hosts that two tiers reach: k²/2.
    pub fn two_tier_hosts(&self) -> Result<u64> {
        fat_tree_hosts(self.radix, 2)
    }

    /// The hosts that three tiers reach: k³/4.
    pub fn three_tier_hosts(&self) -> Result<u64> {
        fat_tree_hosts(self.radix, 3)
    }

    /// The switches that three tiers need: 5k²/4.
    pub fn three_tier_switches(&self) -> Result<u64> {
        fat_tree_switches(self.radix, 3)
    }

    /// The hosts of one pod of the three tiers: half as many leaves as a switch has ports, each
    /// with half of its ports for hosts.
    pub fn pod_hosts(&self) -> Result<u64> {
        (self.radix / 2).to_the(2)
    }

    /// The half of an odd number of ports is rounded down.
    #[note(hosts, switches, two_tier_hosts, three_tier_hosts, three_tier_switches, pod_hosts)]
    fn odd_radix(&self) -> Option<String> {
        (!self.radix.is_multiple_of(2)).then(|| {
            format!("half of {} ports is {} and one of them stays unused", self.radix, self.radix / 2)
        })
    }
}
