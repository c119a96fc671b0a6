//! `PrefixRebuildModel`: the prefill that a cached prefix saves, against a pass over the suffix.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Flops, Params, Time};
use mlsysim_registry::{Node, Workload};
use mlsysim_scenario::{Name, OptionExt, Result, Solver, equations};

use crate::physics::decode::{attention_flops, forward_flops};
use crate::physics::kv_cache::kv_token_bytes;
use crate::physics::memory::{element_size, weight_bytes};

/// The prefill of a prefix that is not in the cache, against one short pass over the suffix where
/// it is.
///
/// A miss does the linear work and the causal attention of the whole prefix, a hit the linear work of
/// the suffix alone. Both passes read every weight once, so that neither is faster than that.
/// Arithmetic is that of the active parameters, reading that of all.
///
/// Source: Kaplan et al. (2020), section 2.1, arXiv:2001.08361.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = PrefixRebuildResult)]
pub struct PrefixRebuildModel {
    /// The model that is served.
    pub workload: Arc<Workload>,
    /// The server that holds it.
    pub node: Arc<Node>,
    /// The precision in which weights and cache are stored.
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

#[equations(result = PrefixRebuildResult)]
impl PrefixRebuildModel {
    /// The parameters that price a token's arithmetic.
    #[unit(param)]
    pub fn n_params(&self) -> Result<Params> {
        self.workload.priced_parameters()
    }

    /// What the prefix leaves in the KV cache.
    #[unit(B)]
    pub fn state(&self) -> Result<Bytes> {
        Ok(self.prefix_tokens * self.kv_per_token()?)
    }

    /// The arithmetic of the parameters for the prefix.
    #[unit(flop)]
    pub fn linear_ops(&self) -> Result<Flops> {
        Ok(forward_flops(self.n_params()?, self.prefix_tokens))
    }

    /// The arithmetic of causal attention for the prefix.
    #[unit(flop)]
    pub fn attention_ops(&self) -> Result<Flops> {
        Ok(attention_flops(
            self.workload.layers.needed("layers")?,
            self.workload.attention_width()?,
            self.prefix_tokens,
            self.prefix_tokens,
        ))
    }

    /// The rate at which the server's accelerators compute together.
    #[unit(TFLOP/s)]
    pub fn sustained_rate(&self) -> FlopRate {
        self.node.accelerators_per_node * self.node.accelerator.compute.peak_flops * self.utilization
    }

    /// The time to prefill the prefix anew.
    #[unit(ms)]
    #[kind(bound)]
    pub fn rebuild_time(&self) -> Result<Time> {
        Ok(((self.linear_ops()? + self.attention_ops()?) / self.sustained_rate())
            .max(self.weight_read_time()?))
    }

    /// The time to read every weight once, spread over the accelerators.
    #[unit(ms)]
    #[kind(bound)]
    pub fn weight_read_time(&self) -> Result<Time> {
        Ok(self.weights()? / self.memory_bandwidth())
    }

    /// The time of the suffix's arithmetic.
    #[unit(ms)]
    pub fn suffix_ops_time(&self) -> Result<Time> {
        Ok(forward_flops(self.n_params()?, self.suffix_tokens) / self.sustained_rate())
    }

    /// How many times longer a miss takes than a hit.
    pub fn rebuild_over_hit(&self) -> Result<f64> {
        Ok(self.rebuild_time()? / self.weight_read_time()?.max(self.suffix_ops_time()?))
    }

    /// The size of an element of the weights and of the cache.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// What the weights occupy, all experts of a mixture of experts included.
    #[unit(GB)]
    fn weights(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.workload.parameters.needed("parameters")?, self.element()?))
    }

    /// What one token leaves in the cache of all layers.
    #[unit(B)]
    fn kv_per_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(
            self.workload.layers.needed("layers")?,
            self.workload.kv_values()?,
            self.element()?,
        ))
    }

    /// How fast the server's accelerators read their memory together.
    #[unit(TB/s)]
    fn memory_bandwidth(&self) -> Bandwidth {
        self.node.accelerators_per_node * self.node.accelerator.memory.bandwidth
    }

    /// The model is a Transformer, and the precision is one of storage.
    #[check]
    fn model_is_a_transformer(&self) -> Result<()> {
        self.workload.states(&["parameters", "heads"]).map_err(|error| error.about("workload"))?;
        self.workload.states_kv_cache().map_err(|error| error.about("workload"))?;
        element_size(&self.precision).map(drop)
    }
}
