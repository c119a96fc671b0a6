//! `KvFootprintScenario`: the KV cache of some tokens, and how often it fits a share of a device.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use crate::physics::kv_cache::kv_token_bytes;
use crate::physics::memory::{labelled_capacity, weight_bytes};

/// The KV cache of one request beside the weights of its model; with a device, how many such
/// requests a share of its memory holds.
///
/// # Assumptions
/// Weights and cache have elements of one size. The cache holds every token of the request.
///
/// # Excludes
/// Rounding to blocks, activations, and whether the weights fit beside the share of the cache.
///
/// # Derivation
/// A token leaves a key and a value for each KV head of every layer, or one latent where the model
/// compresses them. A share of the number on the device's label, divided by that, is the tokens and
/// requests that fit.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct KvFootprintScenario {
    /// The model whose cache is held.
    pub workload: Arc<Workload>,
    /// How many tokens a request keeps.
    #[range(>= 1)]
    pub tokens: u64,
    /// How large an element is, of the weights and of the cache.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_value: Bytes,
    /// The device whose memory is shared out.
    pub hardware: Option<Arc<HardwareNode>>,
    /// The share of the device's memory that the cache may have.
    #[range(> 0, <= 1)]
    pub kv_share: Option<f64>,
    /// By how much the cached width differs from the model's: a half for half as many KV heads.
    #[range(> 0)]
    #[default(1.0)]
    pub kv_width_factor: f64,
}

#[equations]
impl KvFootprintScenario {
    /// What one token leaves in the cache of all layers.
    #[unit(B)]
    pub fn per_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(
            self.workload.layers.needed("layers")?,
            self.workload.kv_values()?,
            self.bytes_per_value,
        ) * self.kv_width_factor)
    }

    /// The cache of one request.
    #[unit(GB)]
    pub fn total(&self) -> Result<Bytes> {
        Ok(self.per_token()? * self.tokens)
    }

    /// What the weights occupy.
    #[unit(GB)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.workload.parameters.needed("parameters")?, self.bytes_per_value))
    }

    /// The cache's share of the memory that the device's label states.
    #[unit(GB)]
    pub fn kv_budget(&self) -> Result<Bytes> {
        Ok(labelled_capacity(self.hardware.needed("hardware")?.memory.capacity)
            * self.kv_share.needed("kv_share")?)
    }

    /// How many tokens that share holds.
    pub fn tokens_in_budget(&self) -> Result<f64> {
        Ok(self.kv_budget()? / self.per_token()?)
    }

    /// How many requests that share holds, fractions included.
    pub fn requests(&self) -> Result<f64> {
        Ok(self.kv_budget()? / self.total()?)
    }

    /// A label counts less than the memory has.
    #[note(kv_budget, tokens_in_budget, requests)]
    fn labelled(&self) -> Option<String> {
        let hardware = self.hardware.as_ref()?;
        Some(format!(
            "the share is one of the decimal gigabytes on the label of {}; its memory has 7.4 % more bytes",
            hardware.name
        ))
    }
}
