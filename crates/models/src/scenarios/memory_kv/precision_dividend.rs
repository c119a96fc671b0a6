//! `PrecisionDividendScenario`: how many more requests fit when bytes are saved.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, BytesPerParam};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Result, Scenario, equations};

use crate::solvers::{PrecisionDividendModel, PrecisionDividendResult};

/// The largest batch of a model on a tensor-parallel group, before and after weights and KV cache are
/// stored in fewer bytes.
///
/// # Assumptions
/// Those of `PrecisionDividendModel`, to which the inputs are bound as they stand.
///
/// # Excludes
/// Everything beyond `PrecisionDividendModel`: activations, a reserve for the runtime, rounding to
/// blocks, and what fewer bytes cost in quality.
///
/// # Derivation
/// The inputs are those of `PrecisionDividendModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct PrecisionDividendScenario {
    /// The model that is served.
    pub workload: Arc<Workload>,
    /// How many devices share the model.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How much memory one device has.
    #[range(> 0)]
    #[unit(GB)]
    pub hbm_per_accelerator: Bytes,
    /// How many tokens each request holds.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// How many key and value heads a layer caches; the model's own, or others to compare with.
    #[range(>= 1)]
    pub kv_heads: u64,
    /// How large a stored parameter is before.
    #[range(> 0)]
    #[unit(B/param)]
    pub weight_bytes: BytesPerParam,
    /// How large a stored parameter is after.
    #[range(> 0)]
    #[unit(B/param)]
    pub weight_bytes_low: BytesPerParam,
    /// How large a cached element is before.
    #[range(> 0)]
    #[unit(B)]
    pub kv_bytes: Bytes,
    /// How large a cached element is after.
    #[range(> 0)]
    #[unit(B)]
    pub kv_bytes_low: Bytes,
}

#[equations]
impl PrecisionDividendScenario {
    /// Both batches and what lies between them, by `PrecisionDividendModel`.
    ///
    /// # Errors
    ///
    /// The model lacks a figure that the solver needs, or more requests fit than can be counted.
    pub fn result(&self) -> Result<PrecisionDividendResult> {
        PrecisionDividendModel {
            model: self.workload.clone(),
            tp_size: self.tp_size,
            hbm_per_accelerator: self.hbm_per_accelerator,
            context_tokens: self.context_tokens,
            kv_heads: self.kv_heads,
            weight_bytes: self.weight_bytes,
            weight_bytes_low: self.weight_bytes_low,
            kv_bytes: self.kv_bytes,
            kv_bytes_low: self.kv_bytes_low,
        }
        .solve()
    }
}
