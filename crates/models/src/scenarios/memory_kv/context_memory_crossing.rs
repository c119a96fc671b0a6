//! `ContextMemoryCrossingScenario`: weights, KV cache and stored scores as the context grows.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use crate::physics::kv_cache::kv_token_bytes;
use crate::physics::memory::weight_bytes;

/// Three memories of a model as its context grows: weights that stay, a KV cache that grows with
/// the tokens, and the scores of one layer, which grow with their square where they are stored.
///
/// # Assumptions
/// All elements have one size. The scores of one layer and all its heads are stored at once.
///
/// # Excludes
/// Attention that never stores its scores, activations, and several requests.
///
/// # Derivation
/// Each crossing is the number of tokens at which two of the memories, or one of them and the
/// device, are equal.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct ContextMemoryCrossingScenario {
    /// The model.
    pub workload: Arc<Workload>,
    /// The device whose memory the scores fill.
    pub hardware: Arc<HardwareNode>,
    /// How large an element is: of the weights, of the cache and of a score.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_value: Bytes,
}

#[equations]
impl ContextMemoryCrossingScenario {
    /// What the weights occupy.
    #[unit(GB)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.workload.parameters.needed("parameters")?, self.bytes_per_value))
    }

    /// What one token leaves in the cache of all layers.
    #[unit(B)]
    pub fn kv_per_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(
            self.workload.layers.needed("layers")?,
            self.workload.kv_values()?,
            self.bytes_per_value,
        ))
    }

    /// What the scores of one pair of tokens occupy in one layer, a score for each head.
    #[unit(B)]
    pub fn score_bytes_per_pair(&self) -> Result<Bytes> {
        Ok(self.workload.heads.needed("heads")? * self.bytes_per_value)
    }

    /// The tokens at which the KV cache is as large as the weights.
    pub fn kv_crossing(&self) -> Result<f64> {
        Ok(self.weights()? / self.kv_per_token()?)
    }

    /// The tokens at which the stored scores of one layer fill the device.
    pub fn score_crossing(&self) -> Result<f64> {
        Ok((self.hardware.memory.capacity / self.score_bytes_per_pair()?).sqrt())
    }

    /// The tokens at which the KV cache is as large as the stored scores of one layer.
    pub fn kv_score_crossing(&self) -> Result<f64> {
        Ok(self.kv_per_token()? / self.score_bytes_per_pair()?)
    }
}
