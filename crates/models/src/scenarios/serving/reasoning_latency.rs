//! `ReasoningLatencyScenario`: the wait for an answer that is thought over first.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Scenario, equations};

/// Tokens of reasoning that are decoded one after the other before the answer begins.
///
/// # Assumptions
/// Every token takes the same time, however long the context has become.
///
/// # Excludes
/// Prefill, the answer itself, and tokens that are verified together.
///
/// # Derivation
/// Decoding is serial, so that the times of the tokens add up.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ReasoningLatencyScenario {
    /// The time that a token takes.
    #[range(>= 0)]
    #[unit(ms)]
    pub per_token_time: Time,
    /// How many tokens of reasoning there are.
    #[range(>= 0)]
    pub reasoning_tokens: u64,
}

#[equations]
impl ReasoningLatencyScenario {
    /// The time until the answer begins.
    #[unit(s)]
    pub fn reasoning_time(&self) -> Time {
        self.per_token_time * self.reasoning_tokens
    }

    /// How many times longer that is than the time of one token.
    pub fn expansion(&self) -> u64 {
        self.reasoning_tokens
    }
}
