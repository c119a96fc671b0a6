//! `BandwidthDelayScenario`: what a link carries during a delay.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Scenario, equations};

/// The data that a link carries during a delay: what is on its way when the first of it is missed.
///
/// # Assumptions
/// The link sends at its full rate during all of the delay.
///
/// # Excludes
/// Windows that are smaller, pauses and congestion.
///
/// # Derivation
/// A rate times a time. A sender that goes back to a lost packet sends again everything that it
/// sent until it heard of the loss; that is this product for the delay of the feedback.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct BandwidthDelayScenario {
    /// The rate of the link.
    #[range(>= 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Bandwidth,
    /// How long it sends.
    #[range(>= 0)]
    #[unit("µs")]
    pub delay: Time,
}

#[equations]
impl BandwidthDelayScenario {
    /// The bandwidth-delay product: the data that the link carries during the delay.
    #[unit(KB)]
    pub fn product(&self) -> Bytes {
        self.link_bandwidth * self.delay
    }
}
