//! `TensorParallelLayerModel`: the compute of one layer against the exchange that splitting it costs.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Flops, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Error, Map, MapExt, OptionExt, Result, Solver, equations};

use crate::notes::{counts_active_experts, replicates_kv_heads};
use crate::physics::communication::ring_all_reduce_factor;
use crate::physics::compute::{FORWARD_FLOPS_PER_PARAM, activation_bytes};

/// The forward compute of one Transformer layer, split over a tensor-parallel group, against the
/// AllReduces that the split costs on each link.
///
/// Each of the layer's two blocks, attention and feed-forward, ends in a sum over the group: an
/// AllReduce of `tokens` × `hidden_dim` activations. The layer's arithmetic is that of its share
/// of the model's parameters; for a mixture of experts, of the active ones.
///
/// Source: Shoeybi et al. (2019), Megatron-LM, section 3, arXiv:1909.08053.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = TensorParallelLayerResult)]
pub struct TensorParallelLayerModel {
    /// The model whose layer is split.
    pub model: Arc<Workload>,
    /// How many devices share the layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many tokens pass the layer at once.
    #[range(>= 1)]
    pub tokens: u64,
    /// The peak rate of one device.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub peak_flops: FlopRate,
    /// The share of its peak that a device sustains.
    #[range(> 0, <= 1)]
    pub local_efficiency: f64,
    /// The bandwidth of each candidate link in one direction.
    #[range(> 0, nonempty)]
    #[unit(GB/s)]
    pub links: Map<Bandwidth>,
    /// How many AllReduces the layer needs.
    #[range(>= 0)]
    #[default(2)]
    pub collectives_per_layer: u64,
}

#[equations(result = TensorParallelLayerResult)]
impl TensorParallelLayerModel {
    /// The arithmetic of the whole layer in the forward pass.
    #[unit(flop)]
    #[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
    pub fn layer_flops(&self) -> Result<Flops> {
        Ok(FORWARD_FLOPS_PER_PARAM
            * (self.model.priced_parameters()? / self.model.layers.needed("layers")?)
            * self.tokens)
    }

    /// The time of one device for its share of the layer's arithmetic.
    #[unit(ms)]
    pub fn compute_time(&self) -> Result<Time> {
        Ok(self.layer_flops()? / self.tp_size / (self.peak_flops * self.local_efficiency))
    }

    /// What each device sends for the layer's AllReduces, by ring.
    #[unit(B)]
    pub fn layer_bytes(&self) -> Result<Bytes> {
        Ok(self.collectives_per_layer * self.payload()? * ring_all_reduce_factor(self.tp_size))
    }

    /// The time of the layer's AllReduces on each link, at its full rate and without latency.
    #[unit(ms)]
    pub fn transfer_times(&self) -> Result<Map<Time>> {
        let bytes = self.layer_bytes()?;
        Ok(self.links.each(|bandwidth| bytes / *bandwidth))
    }

    /// The 16-bit activation that one AllReduce sums.
    #[unit(B)]
    fn payload(&self) -> Result<Bytes> {
        Ok(activation_bytes(self.tokens, self.model.hidden_dim.needed("hidden_dim")?))
    }

    /// The model is one whose layers can be split.
    #[check]
    fn model_is_divisible(&self) -> Result<()> {
        let name = &self.model.name;
        let absent =
            |what: &str| Error::input("model", format!("{name} states no `{what}`, which this needs"));
        self.model.hidden_dim.ok_or_else(|| absent("hidden_dim"))?;
        self.model.layers.ok_or_else(|| absent("layers"))?;
        self.model.parameters.ok_or_else(|| absent("parameters"))?;
        self.model.divides_into(self.tp_size)
    }

    /// A group of one has nobody to exchange with.
    #[note(layer_bytes, transfer_times)]
    fn lonely(&self) -> Option<String> {
        (self.tp_size == 1).then(|| "a group of one device exchanges nothing".to_string())
    }

    /// Fewer KV heads than devices are held more than once.
    #[note(layer_flops, compute_time)]
    fn replicated(&self) -> Option<String> {
        replicates_kv_heads(&self.model, self.tp_size)
    }

    /// A mixture of experts is priced by what a token passes.
    #[note(layer_flops, compute_time)]
    fn sparse(&self) -> Option<String> {
        counts_active_experts(&self.model)
    }

    /// Two AllReduces are those of the forward pass.
    #[note(layer_bytes, transfer_times)]
    fn forward_only(&self) -> Option<String> {
        (self.collectives_per_layer == 2 && self.tp_size > 1).then(|| {
            "two AllReduces are those of the forward pass; the backward pass of a training step needs two more".to_string()
        })
    }
}
