//! `KvResidencyArchetypeScenario`: one sort of agent in a replica's KV pool.

use std::sync::Arc;

use mlsysim_quantity::Time;
use mlsysim_scenario::{Result, Scenario, equations};

use super::PausedKvStateScenario;
use crate::solvers::{KvResidencyArchetypeModel, KvResidencyArchetypeResult};

/// One sort of agent: what its common prefix gains, what its waits cost, and how its cache comes
/// back.
///
/// # Assumptions
/// Those of `KvResidencyArchetypeModel`, with the pool, the link and the rate of the paused request.
///
/// # Excludes
/// Everything beyond `KvResidencyArchetypeModel`: rounding to blocks, attention in the
/// recomputation, and requests of different length.
///
/// # Derivation
/// The replica's budget, the server's links and its sustained rate are the inputs of
/// `KvResidencyArchetypeModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct KvResidencyArchetypeScenario {
    /// The paused request whose replica, links to the host and rate of a prefill count here.
    pub paused: Arc<PausedKvStateScenario>,
    /// How many tokens a request has.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// How many of them are common to all requests.
    #[range(>= 0)]
    pub shared_prefix: u64,
    /// How long a turn generates.
    #[range(> 0)]
    #[unit(s)]
    pub generation: Time,
    /// How long a turn waits.
    #[range(>= 0)]
    #[unit(s)]
    pub wait: Time,
}

#[equations]
impl KvResidencyArchetypeScenario {
    /// The requests that fit and what their waits cost, by `KvResidencyArchetypeModel`.
    ///
    /// # Errors
    ///
    /// The replica or the server has no result, or the accelerator states no link to its host.
    pub fn result(&self) -> Result<KvResidencyArchetypeResult> {
        KvResidencyArchetypeModel {
            bytes_per_token: self.paused.pool.result()?.kv_per_token,
            pool: self.paused.pool.result()?.kv_budget,
            n_params: self.paused.prefill.result()?.n_params,
            sustained_rate: self.paused.prefill.result()?.sustained_rate,
            link: self.paused.link()?,
            context_tokens: self.context_tokens,
            shared_prefix: self.shared_prefix,
            generation: self.generation,
            wait: self.wait,
        }
        .solve()
    }
}
