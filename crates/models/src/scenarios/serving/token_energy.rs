//! `TokenEnergyScenario`: joules for each token, at a good and at a poor use of a node.

use mlsysim_quantity::units::TOKEN;
use mlsysim_quantity::{Energy, EnergyPerToken, Power, TokenRate};
use mlsysim_scenario::{Scenario, equations};

/// The energy of a generated token on a node that serves many requests, and on the same node when it
/// serves few.
///
/// # Assumptions
/// The accelerator draws a steady power at each of the two uses, and its share of the host draws the
/// same at both. Every request receives tokens at the same rate.
///
/// # Excludes
/// Cooling and power conversion (PUE), the network, and the energy of the prompt's prefill.
///
/// # Derivation
/// Power is energy in a unit of time and the rate is tokens in a unit of time, so that their
/// quotient is the energy of a token. Power falls less than the rate does when few requests run,
/// which makes each token dearer.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct TokenEnergyScenario {
    /// What the accelerator draws when it is well used.
    #[range(>= 0)]
    pub accelerator_power: Power,
    /// The accelerator's share of what the host draws.
    #[range(>= 0)]
    pub host_power: Power,
    /// What the accelerator draws when it is little used.
    #[range(>= 0)]
    pub low_use_accelerator_power: Power,
    /// How many requests run at once when it is well used.
    #[range(>= 0)]
    pub concurrent_requests: u64,
    /// How many tokens each request receives in a unit of time.
    #[range(>= 0)]
    pub per_request_rate: TokenRate,
    /// How many tokens a response has.
    #[range(>= 0)]
    pub response_tokens: u64,
    /// The rate of tokens at low use, as a share of the rate at good use.
    #[range(>= 0, <= 1)]
    pub low_use_fraction: f64,
}

#[equations]
impl TokenEnergyScenario {
    /// What the node draws when it is well used.
    #[unit(W)]
    pub fn node_power(&self) -> Power {
        self.accelerator_power + self.host_power
    }

    /// What the node draws when it is little used.
    #[unit(W)]
    pub fn low_use_power(&self) -> Power {
        self.low_use_accelerator_power + self.host_power
    }

    /// The rate of tokens over all requests when the node is well used.
    #[unit(token/s)]
    pub fn token_rate(&self) -> TokenRate {
        self.concurrent_requests * self.per_request_rate
    }

    /// The energy of a token at any rate of tokens, with the power at good use, or at low use if
    /// `low_use` is true.
    #[unit(J/token)]
    pub fn energy_per_token(
        &self,
        #[range(>= 0)] token_rate: TokenRate,
        low_use: Option<bool>,
    ) -> EnergyPerToken {
        self.power(low_use) / token_rate
    }

    /// What the node draws at the one use or the other.
    #[unit(W)]
    fn power(&self, low_use: Option<bool>) -> Power {
        if low_use == Some(true) { self.low_use_power() } else { self.node_power() }
    }

    /// The energy of a token when the node is well used.
    #[unit(J/token)]
    pub fn joules_per_token(&self) -> EnergyPerToken {
        self.node_power() / self.token_rate()
    }

    /// The energy of a whole response when the node is well used.
    #[unit(J)]
    pub fn response_energy(&self) -> Energy {
        self.joules_per_token() * (self.response_tokens * TOKEN)
    }

    /// The rate of tokens when the node is little used.
    #[unit(token/s)]
    pub fn low_use_token_rate(&self) -> TokenRate {
        self.token_rate() * self.low_use_fraction
    }

    /// The energy of a token when the node is little used.
    #[unit(J/token)]
    pub fn low_use_joules_per_token(&self) -> EnergyPerToken {
        self.low_use_power() / self.low_use_token_rate()
    }

    /// How many times the energy of a well-used node a token takes on a little-used one.
    pub fn low_use_ratio(&self) -> f64 {
        self.low_use_joules_per_token() / self.joules_per_token()
    }
}
