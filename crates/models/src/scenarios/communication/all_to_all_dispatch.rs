//! `AllToAllDispatchScenario`: tokens on their way to experts on other devices.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Scenario, equations};

use crate::solvers::{AllToAllDispatchModel, AllToAllDispatchResult};

/// One dispatch of tokens to the experts of a mixture, spread over devices (all-to-all): what each
/// device sends and receives, and the least time that its port allows.
///
/// # Assumptions
/// Those of `AllToAllDispatchModel`: routing is uniform but for one busiest device, and each device
/// has one port.
///
/// # Excludes
/// The way back of what the experts computed, the experts' arithmetic, dropped tokens and
/// congestion inside the network.
///
/// # Derivation
/// The inputs are those of `AllToAllDispatchModel`, whose equations stand with its result. A token
/// that is routed to several experts counts once for each of them.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct AllToAllDispatchScenario {
    /// How many copies of tokens are dispatched in all, each to one expert.
    #[range(>= 1)]
    pub total_tokens: u64,
    /// How many devices share tokens and experts.
    #[range(>= 1)]
    pub n_devices: u64,
    /// How many experts there are in all.
    #[range(>= 1)]
    pub n_experts: u64,
    /// How many values a token has.
    #[range(>= 1)]
    pub hidden_dim: u64,
    /// The size of one value.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_element: Bytes,
    /// The startup of the exchange.
    #[range(>= 0)]
    #[unit("µs")]
    pub alpha: Time,
    /// The bandwidth of a device's port in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// What the busiest device receives, as a multiple of what each would receive of an even load.
    #[range(>= 1)]
    #[default(1.0)]
    pub receive_skew: f64,
}

#[equations]
impl AllToAllDispatchScenario {
    /// The shares of the dispatch and the least times that its ports allow, by
    /// `AllToAllDispatchModel`.
    pub fn result(&self) -> AllToAllDispatchResult {
        AllToAllDispatchModel {
            total_tokens: self.total_tokens,
            n_devices: self.n_devices,
            n_experts: self.n_experts,
            hidden_dim: self.hidden_dim,
            bytes_per_element: self.bytes_per_element,
            alpha: self.alpha,
            bandwidth: self.bandwidth,
            receive_skew: self.receive_skew,
        }
        .solve()
    }
}
