//! `KvAdmissionScenario`: how many requests of one length a replica's memory admits.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, BytesPerParam};
use mlsysim_registry::Workload;
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use crate::solvers::{KvAdmissionModel, KvAdmissionResult};

/// A replica of a model whose memory, after its weights, is divided among requests of one context
/// length.
///
/// # Assumptions
/// Weights and cache divide over all devices without a remainder, so that the memory is one pool.
/// Every request holds its whole context, and nothing but the stated reserve is kept from the
/// cache.
///
/// # Excludes
/// Rounding to blocks, prefixes that requests share, activations beyond the reserve, KV heads that
/// tensor parallelism replicates, and whether the devices are fast enough for so many requests.
///
/// # Derivation
/// What the weights and the reserve leave is divided by the cache of one request. A token leaves a
/// key and a value for each KV head of every layer, or one latent where the model compresses them
/// (Kwon et al., 2023, arXiv:2309.06180; DeepSeek-AI, 2024, arXiv:2405.04434).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct KvAdmissionScenario {
    /// The model that is served.
    pub workload: Arc<Workload>,
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
    /// How many requests share the budget where `context_fit` is asked without a number.
    #[range(>= 1)]
    pub requests: Option<u64>,
}

#[equations]
impl KvAdmissionScenario {
    /// The memory left for the cache and the requests that fit, by `KvAdmissionModel`.
    ///
    /// # Errors
    ///
    /// The model lacks a figure that the solver needs, or more requests fit than can be counted.
    pub fn result(&self) -> Result<KvAdmissionResult> {
        KvAdmissionModel {
            model: self.workload.clone(),
            accelerators: self.accelerators,
            hbm_per_accelerator: self.hbm_per_accelerator,
            weight_bytes_per_param: self.weight_bytes_per_param,
            reserve: self.reserve,
            context_tokens: self.context_tokens,
            kv_bytes_per_elem: self.kv_bytes_per_elem,
        }
        .solve()
    }

    /// How many tokens each of `requests` requests can hold where they share the budget evenly.
    ///
    /// # Errors
    ///
    /// Neither the argument nor the input `requests` is given.
    pub fn context_fit(&self, #[range(>= 1)] requests: Option<u64>) -> Result<f64> {
        Ok(self.result()?.kv_budget
            / (requests.or(self.requests).needed("requests")? * self.result()?.kv_per_token))
    }

    /// A negative budget gives no context.
    #[note(context_fit)]
    fn no_context(&self) -> Option<String> {
        let overfull = self.result().ok()?.kv_budget < Bytes::ZERO;
        overfull.then(|| {
            "the weights and the reserve do not fit: a negative number of tokens is what lacks, not a context"
                .to_string()
        })
    }
}
