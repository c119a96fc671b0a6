//! `KvForkCopyScenario`: candidates that each copy the cache of one prefix.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Result, Scenario, equations};

use super::KvAdmissionScenario;

/// Candidates that continue one prefix, each with a copy of the prefix's KV cache.
///
/// # Assumptions
/// No block of the cache is shared, so that every branch copies the whole prefix.
///
/// # Excludes
/// The tokens that the branches add, and the time of copying.
///
/// # Derivation
/// Each branch holds what the tokens of the prefix leave in the cache.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct KvForkCopyScenario {
    /// The replica in whose memory the cache lies.
    pub pool: Arc<KvAdmissionScenario>,
    /// How many tokens the candidates have in common.
    #[range(>= 0)]
    pub prefix_tokens: u64,
    /// How many candidates continue the prefix.
    #[range(>= 0)]
    pub branches: u64,
}

#[equations]
impl KvForkCopyScenario {
    /// What the copies of the prefix occupy.
    #[unit(B)]
    pub fn copied(&self) -> Result<Bytes> {
        Ok(self.pool.result()?.kv_per_token * self.prefix_tokens * self.branches)
    }
}
