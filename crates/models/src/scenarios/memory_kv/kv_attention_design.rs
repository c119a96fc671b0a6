//! `KvAttentionDesignScenario`: what a token keeps in models of different attention.

use std::sync::Arc;

use mlsysim_registry::Workload;
use mlsysim_scenario::{Name, Result, Scenario, equations};

use crate::solvers::{KvAttentionDesignModel, KvAttentionDesignResult};

/// What a token leaves in the KV cache of several models, with one of each design of attention set
/// against the others.
///
/// # Assumptions
/// Those of `KvAttentionDesignModel`, to which the inputs are bound as they stand.
///
/// # Excludes
/// Everything beyond `KvAttentionDesignModel`: sliding windows, layers that share a cache, and what a
/// design costs in quality.
///
/// # Derivation
/// The inputs are those of `KvAttentionDesignModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct KvAttentionDesignScenario {
    /// The models to compare.
    #[range(nonempty)]
    pub models: Vec<Arc<Workload>>,
    /// The model with multi-head attention.
    pub mha: Arc<Workload>,
    /// The model with grouped-query attention.
    pub gqa: Arc<Workload>,
    /// The model with multi-head latent attention.
    pub mla: Arc<Workload>,
    /// The precision in which the cache is stored.
    #[default("fp16")]
    pub precision: Name,
    /// How many tokens a long session has.
    #[range(>= 0)]
    pub session_tokens: u64,
}

#[equations]
impl KvAttentionDesignScenario {
    /// Every model and the ratios between the designs, by `KvAttentionDesignModel`.
    ///
    /// # Errors
    ///
    /// A model lacks a figure that its cache depends on.
    pub fn result(&self) -> Result<KvAttentionDesignResult> {
        KvAttentionDesignModel {
            models: self.models.clone(),
            mha: self.mha.clone(),
            gqa: self.gqa.clone(),
            mla: self.mla.clone(),
            precision: self.precision.clone(),
            session_tokens: self.session_tokens,
        }
        .solve()
    }
}
