//! `NicSharingScenario`: a network adapter in equal slices.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Scenario, equations};

/// A network adapter that virtual functions share in equal slices, and a burst at its full rate.
///
/// # Assumptions
/// Each virtual function is capped at an equal slice; the burst has the adapter to itself.
///
/// # Excludes
/// Latency, and slices that may lend what they do not use.
///
/// # Derivation
/// The rate over the number of slices, and bytes over the full rate.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct NicSharingScenario {
    /// The rate of the adapter.
    #[range(> 0)]
    #[unit(Gbps)]
    pub nic_bandwidth: Bandwidth,
    /// How many virtual functions share it.
    #[range(>= 1)]
    pub n_virtual_functions: u64,
    /// How much one of them sends at once.
    #[range(>= 0)]
    #[unit(GB)]
    pub burst_size: Bytes,
}

#[equations]
impl NicSharingScenario {
    /// The rate of one slice.
    #[unit(Gbps)]
    pub fn slice_rate(&self) -> Bandwidth {
        self.nic_bandwidth / self.n_virtual_functions
    }

    /// How long a burst at the full rate keeps the adapter from all others.
    #[unit(s)]
    #[kind(bound)]
    pub fn burst_time(&self) -> Time {
        self.burst_size / self.nic_bandwidth
    }
}
