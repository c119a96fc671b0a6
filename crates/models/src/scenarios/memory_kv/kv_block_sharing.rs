//! `KvBlockSharingScenario`: requests with a common prefix, in the blocks of a replica's memory.

use std::sync::Arc;

use mlsysim_quantity::Time;
use mlsysim_scenario::{Result, Scenario, equations};

use super::KvAdmissionScenario;
use crate::solvers::{KvBlockSharingModel, KvBlockSharingResult};

/// Requests with a common prefix in the KV pool of a replica: how many fit in whole blocks, and how
/// many turns they take.
///
/// # Assumptions
/// Those of `KvBlockSharingModel`, with the budget and the token of the replica's cache.
///
/// # Excludes
/// Everything beyond `KvBlockSharingModel`: whether the devices compute so many turns, and blocks
/// that fill while a request generates.
///
/// # Derivation
/// The replica's budget and what a token leaves in its cache are the inputs of
/// `KvBlockSharingModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct KvBlockSharingScenario {
    /// The replica in whose memory the cache lies.
    pub pool: Arc<KvAdmissionScenario>,
    /// The share of the pool that is kept free.
    #[range(>= 0, < 1)]
    pub headroom: f64,
    /// How many tokens of input a request has.
    #[range(>= 1)]
    pub context: u64,
    /// How many tokens a request may put out.
    #[range(>= 0)]
    pub output: u64,
    /// How many tokens of the input are common to all requests.
    #[range(>= 0)]
    pub common: u64,
    /// How many tokens a block holds.
    #[range(>= 1)]
    pub block_tokens: u64,
    /// How long a turn generates.
    #[range(> 0)]
    #[unit(s)]
    pub generation: Time,
    /// How long a turn waits for its tool.
    #[range(>= 0)]
    #[unit(s)]
    pub wait: Time,
}

#[equations]
impl KvBlockSharingScenario {
    /// The requests that fit and the turns that they take, by `KvBlockSharingModel`.
    ///
    /// # Errors
    ///
    /// The replica has no result, or more requests fit than can be counted.
    pub fn result(&self) -> Result<KvBlockSharingResult> {
        KvBlockSharingModel {
            bytes_per_token: self.pool.result()?.kv_per_token,
            pool: self.pool.result()?.kv_budget,
            headroom: self.headroom,
            context: self.context,
            output: self.output,
            common: self.common,
            block_tokens: self.block_tokens,
            generation: self.generation,
            wait: self.wait,
        }
        .solve()
    }
}
