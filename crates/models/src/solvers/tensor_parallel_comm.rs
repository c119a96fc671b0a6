//! `TensorParallelCommModel`: the AllReduces of one step of tensor-parallel training.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{CountProduct, OptionExt, Result, Solver, equations};

use crate::notes::replicates_kv_heads;
use crate::physics::communication::ring_all_reduce_factor;
use crate::physics::compute::activation_bytes;

/// The AllReduces of activations in a step of a tensor-parallel group, beside a stated compute
/// time.
///
/// Each AllReduce sums a 16-bit activation of `microbatch` × `seq_len` tokens over the group by
/// ring, at the full rate of the link and without latency; nothing overlaps. Megatron-style layers
/// need two in the forward pass and two in the backward pass.
///
/// Source: Shoeybi et al. (2019), Megatron-LM, section 3, arXiv:1909.08053.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = TensorParallelCommResult)]
pub struct TensorParallelCommModel {
    /// The model whose layers are split.
    pub model: Arc<Workload>,
    /// How many devices share each layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many sequences pass at once.
    #[range(>= 1)]
    pub microbatch: u64,
    /// The bandwidth of one device's link in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link_bandwidth: Bandwidth,
    /// The compute of the step, communication left out.
    #[range(>= 0)]
    #[unit(ms)]
    pub compute_time: Time,
    /// How many tokens a sequence has; without it, as many as the model's context holds.
    #[range(>= 1)]
    pub seq_len: Option<u64>,
    /// How many AllReduces a layer needs in the step.
    #[range(>= 0)]
    #[default(2)]
    pub collectives_per_layer: u64,
}

#[equations(result = TensorParallelCommResult)]
impl TensorParallelCommModel {
    /// The activation that one AllReduce sums.
    #[unit(B)]
    pub fn payload(&self) -> Result<Bytes> {
        Ok(activation_bytes(self.tokens()?, self.model.hidden_dim.needed("model.hidden_dim")?))
    }

    /// What a device sends, as a multiple of the payload.
    pub fn ring_factor(&self) -> f64 {
        ring_all_reduce_factor(self.tp_size)
    }

    /// What a device sends in one AllReduce.
    #[unit(B)]
    pub fn traffic_per_device(&self) -> Result<Bytes> {
        Ok(self.ring_factor() * self.payload()?)
    }

    /// How many AllReduces the step has.
    pub fn collectives_per_step(&self) -> Result<u64> {
        self.collectives_per_layer.times(self.model.layers.needed("model.layers")?)
    }

    /// The time of one AllReduce.
    #[unit(ms)]
    pub fn per_collective_time(&self) -> Result<Time> {
        Ok(self.traffic_per_device()? / self.link_bandwidth)
    }

    /// The time of all AllReduces of the step.
    #[unit(ms)]
    pub fn communication_time(&self) -> Result<Time> {
        Ok(self.collectives_per_step()? * self.per_collective_time()?)
    }

    /// The compute of the step, as stated.
    #[unit(ms)]
    pub fn compute_time(&self) -> Time {
        self.compute_time
    }

    /// The time of the step: its compute and every AllReduce, one after the other.
    #[unit(ms)]
    pub fn step_time(&self) -> Result<Time> {
        Ok(self.compute_time + self.communication_time()?)
    }

    /// The share of the step that is compute.
    pub fn compute_fraction(&self) -> Result<f64> {
        Ok(self.compute_time / self.step_time()?)
    }

    /// The share of the step that is communication.
    pub fn communication_fraction(&self) -> Result<f64> {
        Ok(self.communication_time()? / self.step_time()?)
    }

    /// How many tokens pass at once.
    fn tokens(&self) -> Result<u64> {
        self.microbatch.times(self.sequence()?)
    }

    /// How many tokens a sequence has.
    fn sequence(&self) -> Result<u64> {
        self.seq_len.or(self.model.context_length).needed("seq_len")
    }

    /// The layers can be split over the group.
    #[check]
    fn layers_are_divisible(&self) -> Result<()> {
        if self.tp_size == 1 { Ok(()) } else { self.model.divides_into(self.tp_size) }
    }

    /// A group of one has nobody to exchange with.
    #[note(traffic_per_device, communication_time)]
    fn lonely(&self) -> Option<String> {
        (self.tp_size == 1).then(|| "a group of one device exchanges nothing".to_string())
    }

    /// Two AllReduces a layer are those of one pass.
    #[note(collectives_per_step, communication_time)]
    fn one_pass(&self) -> Option<String> {
        (self.collectives_per_layer == 2 && self.tp_size > 1).then(|| {
            "two AllReduces a layer are those of one pass; a training step has two in the forward and two in the backward pass: `collectives_per_layer` is 4".to_string()
        })
    }

    /// A group with more devices than KV heads holds them more than once.
    #[note(compute_time)]
    fn replicated(&self) -> Option<String> {
        replicates_kv_heads(&self.model, self.tp_size)
    }
}
