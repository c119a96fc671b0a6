//! `PrefixRebuildScenario`: what a miss in the cache of prefixes costs on a server.

use std::sync::Arc;

use mlsysim_registry::{Node, Workload};
use mlsysim_scenario::{Name, Result, Scenario, equations};

use crate::solvers::{PrefixRebuildModel, PrefixRebuildResult};

/// A prefix on a server: the prefill of a miss against one short pass over the suffix on a hit.
///
/// # Assumptions
/// Those of `PrefixRebuildModel`, to which the inputs are bound as they stand.
///
/// # Excludes
/// Everything beyond `PrefixRebuildModel`: communication between accelerators, reading the cached
/// prefix, and the attention of the suffix to it.
///
/// # Derivation
/// The inputs are those of `PrefixRebuildModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct PrefixRebuildScenario {
    /// The model that is served.
    pub workload: Arc<Workload>,
    /// The server that holds it.
    pub node: Arc<Node>,
    /// The precision in which weights and cache are stored.
    #[default("fp16")]
    pub precision: Name,
    /// How many tokens the prefix has.
    #[range(>= 1)]
    pub prefix_tokens: u64,
    /// How many tokens follow it.
    #[range(>= 1)]
    pub suffix_tokens: u64,
    /// The share of the server's peak rate that a prefill sustains.
    #[range(> 0, <= 1)]
    pub utilization: f64,
}

#[equations]
impl PrefixRebuildScenario {
    /// Both passes and their ratio, by `PrefixRebuildModel`.
    ///
    /// # Errors
    ///
    /// The model lacks a figure that the solver needs.
    pub fn result(&self) -> Result<PrefixRebuildResult> {
        PrefixRebuildModel {
            workload: self.workload.clone(),
            node: self.node.clone(),
            precision: self.precision.clone(),
            prefix_tokens: self.prefix_tokens,
            suffix_tokens: self.suffix_tokens,
            utilization: self.utilization,
        }
        .solve()
    }
}
