//! `PrefixSharingScenario`: one prompt prefix stored for each user, or once for all.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_registry::Workload;
use mlsysim_scenario::{CountProduct, OptionExt, Result, Scenario, equations};

use crate::physics::kv_cache::kv_token_bytes;

/// The KV cache of users whose prompts begin alike, with the common prefix stored for each of them
/// or once.
///
/// # Assumptions
/// All users are served at once, all with the same prefix and as many tokens of their own.
///
/// # Excludes
/// Rounding to whole blocks, and what finding a shared prefix costs.
///
/// # Derivation
/// The tokens that are held are counted both ways. Each leaves a key and a value of `kv_width`
/// elements in every layer (Kwon et al., 2023, arXiv:2309.06180, section 4.4).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct PrefixSharingScenario {
    /// The model that is served; its layers count here.
    pub workload: Arc<Workload>,
    /// How many tokens the users' prompts have in common.
    #[range(>= 0)]
    pub prefix_tokens: u64,
    /// How many users are served at once.
    #[range(>= 1)]
    pub users: u64,
    /// How many tokens each user has besides.
    #[range(>= 0)]
    pub unique_tokens_per_user: u64,
    /// How wide the key of a token is in one layer, and its value: KV heads times the width of a
    /// head.
    #[range(>= 1)]
    pub kv_width: u64,
    /// How large a cached element is.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_elem: Bytes,
}

#[equations]
impl PrefixSharingScenario {
    /// The tokens of one user, the prefix included.
    pub fn tokens_per_user(&self) -> u64 {
        self.prefix_tokens + self.unique_tokens_per_user
    }

    /// The tokens that are held where every user has a prefix of their own.
    pub fn tokens_unshared(&self) -> Result<u64> {
        self.tokens_per_user().times(self.users)
    }

    /// The tokens that are held where the prefix is stored once.
    pub fn tokens_shared(&self) -> Result<u64> {
        Ok(self.prefix_tokens + self.unique_tokens_per_user.times(self.users)?)
    }

    /// The cache where every user has a prefix of their own.
    #[unit(B)]
    pub fn kv_unshared(&self) -> Result<Bytes> {
        Ok(self.tokens_unshared()? * self.kv_per_token()?)
    }

    /// The cache where the prefix is stored once.
    #[unit(B)]
    pub fn kv_shared(&self) -> Result<Bytes> {
        Ok(self.tokens_shared()? * self.kv_per_token()?)
    }

    /// The share of the cache that sharing saves.
    pub fn reduction(&self) -> Result<f64> {
        Ok(1.0 - self.kv_shared()? / self.kv_unshared()?)
    }

    /// How many times more users fit in the same memory.
    pub fn capacity_ratio(&self) -> Result<f64> {
        Ok(self.kv_unshared()? / self.kv_shared()?)
    }

    /// The prefix tokens that every user after the first need not prefill.
    pub fn prefill_tokens_skipped(&self) -> Result<u64> {
        (self.users - 1).times(self.prefix_tokens)
    }

    /// What one token leaves in the cache of all layers.
    #[unit(B)]
    fn kv_per_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(self.workload.layers.needed("layers")?, self.kv_values(), self.bytes_per_elem))
    }

    /// A key and a value.
    fn kv_values(&self) -> f64 {
        2.0 * self.kv_width as f64
    }

    /// The stated width may be another than the model's.
    #[note(kv_unshared, kv_shared)]
    fn other_width(&self) -> Option<String> {
        let own = self.workload.kv_values().ok().filter(|own| *own != self.kv_values())?;
        Some(format!(
            "{} caches {own} elements for a token and layer, not the {} that `kv_width` makes",
            self.workload.name,
            self.kv_values()
        ))
    }
}
