//! `PausedKvStateScenario`: what to do with the KV cache of a request that waits for a tool.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Time};
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use super::{KvAdmissionScenario, PrefixRebuildScenario};
use crate::solvers::{PausedKvStateModel, PausedKvStateResult};

/// A request that waits for a tool: its KV cache kept, moved to the host, or dropped and computed
/// anew.
///
/// # Assumptions
/// Those of `PausedKvStateModel`. The links of all accelerators of the server to the host work at
/// once, each in one direction at its full rate.
///
/// # Excludes
/// Everything beyond `PausedKvStateModel`: attention in the recomputation, memory and bandwidth of
/// the host, and copies that overlap with other work.
///
/// # Derivation
/// The cache of the replica, the server's links and its sustained rate are the inputs of
/// `PausedKvStateModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct PausedKvStateScenario {
    /// The replica in whose memory the cache lies.
    pub pool: Arc<KvAdmissionScenario>,
    /// The rebuild of a prefix whose model, server and sustained rate count here.
    pub prefill: Arc<PrefixRebuildScenario>,
    /// How many tokens the request has.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// How many tokens a block holds.
    #[range(>= 1)]
    pub block_tokens: u64,
    /// How long the request waits.
    #[range(>= 0)]
    #[unit(s)]
    pub wait: Time,
    /// The share of the link that is left under contention.
    #[range(> 0, <= 1)]
    pub link_fraction: f64,
    /// How many requests return at the same time.
    #[range(>= 1)]
    pub returns: u64,
}

#[equations]
impl PausedKvStateScenario {
    /// How fast the server's accelerators move data to their host together.
    ///
    /// # Errors
    ///
    /// The accelerator states no link to its host.
    #[unit(GB/s)]
    pub fn link(&self) -> Result<Bandwidth> {
        Ok(self.prefill.node.accelerators_per_node
            * self.prefill.node.accelerator.interconnect.needed("interconnect")?.bandwidth_per_direction())
    }

    /// What keeping, moving and dropping cost, by `PausedKvStateModel`.
    ///
    /// # Errors
    ///
    /// The replica or the server has no result, or the accelerator states no link to its host.
    pub fn result(&self) -> Result<PausedKvStateResult> {
        PausedKvStateModel {
            bytes_per_token: self.pool.result()?.kv_per_token,
            n_params: self.prefill.result()?.n_params,
            sustained_rate: self.prefill.result()?.sustained_rate,
            link: self.link()?,
            context_tokens: self.context_tokens,
            block_tokens: self.block_tokens,
            wait: self.wait,
            link_fraction: self.link_fraction,
            returns: self.returns,
        }
        .solve()
    }
}
