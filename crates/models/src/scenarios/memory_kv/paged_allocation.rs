//! `PagedAllocationScenario`: memory reserved up to a cap, against blocks on demand.

use std::sync::Arc;

use mlsysim_scenario::{Result, Scenario, equations};

use super::KvAdmissionScenario;
use crate::solvers::{PagedAllocationModel, PagedAllocationResult};

/// Requests under a cap in the KV pool of a replica: a reservation up to the cap for each, against
/// blocks that are handed out as a request grows.
///
/// # Assumptions
/// Those of `PagedAllocationModel`, with the budget and the token of the replica's cache.
///
/// # Excludes
/// Everything beyond `PagedAllocationModel`: prefixes that requests share, and the order in which
/// requests come and go.
///
/// # Derivation
/// The replica's budget and what a token leaves in its cache are the inputs of
/// `PagedAllocationModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct PagedAllocationScenario {
    /// The replica in whose memory the cache lies.
    pub pool: Arc<KvAdmissionScenario>,
    /// How many tokens a request may reach.
    #[range(>= 1)]
    pub cap: u64,
    /// How many tokens a request has in the end, on average.
    #[range(>= 1)]
    pub mean_final: u64,
    /// How many tokens a small block holds.
    #[range(>= 1)]
    pub small_block: u64,
    /// How many tokens a large block holds.
    #[range(>= 1)]
    pub large_block: u64,
}

#[equations]
impl PagedAllocationScenario {
    /// The reservation and both sizes of blocks, by `PagedAllocationModel`.
    ///
    /// # Errors
    ///
    /// The replica has no result, or more requests fit than can be counted.
    pub fn result(&self) -> Result<PagedAllocationResult> {
        PagedAllocationModel {
            bytes_per_token: self.pool.result()?.kv_per_token,
            pool: self.pool.result()?.kv_budget,
            cap: self.cap,
            mean_final: self.mean_final,
            small_block: self.small_block,
            large_block: self.large_block,
        }
        .solve()
    }
}
