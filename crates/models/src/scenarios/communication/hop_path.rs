//! `HopPathScenario`: the latency of paths through equal switches.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Map, MapExt, Scenario, equations};

/// Paths through different numbers of equal switches: the latency that the switches add to each.
///
/// # Assumptions
/// Every switch takes the same time, whatever the load and the size of the packet.
///
/// # Excludes
/// Cables, adapters, queues and the time of the bytes.
///
/// # Derivation
/// A packet waits in each switch in turn, so that their latencies add up.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct HopPathScenario {
    /// How long one switch takes.
    #[range(>= 0)]
    #[unit("µs")]
    pub hop_latency: Time,
    /// How many switches each path passes.
    #[range(>= 0)]
    pub hops: Map<u64>,
}

#[equations]
impl HopPathScenario {
    /// The latency of each path.
    #[unit("µs")]
    pub fn latencies(&self) -> Map<Time> {
        self.hops.each(|count| *count * self.hop_latency)
    }
}
