//! `KvAdmissionModel`: how many requests of one length the memory that weights leave holds.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, BytesPerParam, units::GIGABYTE};
use mlsysim_registry::Workload;
use mlsysim_scenario::{OptionExt, Result, Solver, equations};

use crate::physics::kv_cache::{kv_token_bytes, resident_fit};

/// How many requests of one context length fit in the memory that the weights of a replica leave.
///
/// Every request holds the cache of its whole context. Paging changes nothing about these bytes,
/// only the waste around them.
///
/// Source: Kwon et al. (2023), Efficient Memory Management for Large Language Model Serving with
/// PagedAttention, arXiv:2309.06180.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = KvAdmissionResult)]
pub struct KvAdmissionModel {
    /// The model that is served.
    pub model: Arc<Workload>,
    /// How many devices hold one replica.
    #[range(>= 1)]
    pub accelerators: u64,
    /// How much memory one device has.
    #[range(> 0)]
    #[unit(GiB)]
    pub hbm_per_accelerator: Bytes,
    /// How large a stored parameter is.
    #[range(> 0)]
    #[unit(B/param)]
    pub weight_bytes_per_param: BytesPerParam,
    /// What the runtime keeps for itself on all devices together.
    #[range(>= 0)]
    #[unit(GB)]
    pub reserve: Bytes,
    /// How many tokens each request holds.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// How large a cached element is.
    #[range(> 0)]
    #[unit(B)]
    pub kv_bytes_per_elem: Bytes,
}

#[equations(result = KvAdmissionResult)]
impl KvAdmissionModel {
    /// How wide an attention head is.
    pub fn head_dim(&self) -> Result<u64> {
        self.model.head_width()
    }

    /// What the weights occupy, all experts of a mixture of experts included.
    #[unit(GB)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(self.model.parameters.needed("parameters")? * self.weight_bytes_per_param)
    }

    /// The memory of all devices.
    #[unit(GiB)]
    pub fn hbm_total(&self) -> Bytes {
        self.accelerators * self.hbm_per_accelerator
    }

    /// What the weights and the reserve leave for the KV cache; negative where they do not fit.
    #[unit(GB)]
    pub fn kv_budget(&self) -> Result<Bytes> {
        Ok(self.hbm_total() - self.weights()? - self.reserve)
    }

    /// What one token leaves in the cache of all layers.
    #[unit(B)]
    pub fn kv_per_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(
            self.model.layers.needed("layers")?,
            self.model.kv_values()?,
            self.kv_bytes_per_elem,
        ))
    }

    /// What one request holds for its whole context.
    #[unit(GB)]
    pub fn kv_per_request(&self) -> Result<Bytes> {
        Ok(self.context_tokens * self.kv_per_token()?)
    }

    /// How many requests fit at once; none where nothing is left for the cache.
    #[kind(bound)]
    pub fn max_requests(&self) -> Result<u64> {
        resident_fit(self.kv_budget()?, self.kv_per_request()?)
    }

    /// The model is one with a KV cache.
    #[check]
    fn model_caches(&self) -> Result<()> {
        self.model.states(&["parameters"])?;
        self.model.states_kv_cache()
    }

    /// Weights that do not fit leave no room for a request.
    #[infeasible(kv_budget, max_requests)]
    fn overfull(&self) -> Option<String> {
        let missing = -self.kv_budget().ok()?;
        (missing > Bytes::ZERO).then(|| {
            format!(
                "the weights and the reserve need {:.1} GB more than the {:.1} GB that there are: no request fits",
                missing / GIGABYTE,
                self.hbm_total() / GIGABYTE
            )
        })
    }

    /// A compressed latent is cached once for all heads.
    #[note(kv_per_token, kv_per_request, max_requests)]
    fn latent(&self) -> Option<String> {
        self.model.kv_lora_rank?;
        let values = self.model.kv_values().ok()?;
        Some(format!(
            "{} caches one latent of {values} elements for a token and layer, not a key and a value for each head",
            self.model.name
        ))
    }
}
