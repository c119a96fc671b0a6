//! `DecodeBoundModel`: one decode step, bound by reading the weights or by arithmetic.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, FlopRate, Flops, Intensity, Time};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Name, OptionExt, Result, Solver, equations};

use crate::physics::decode::forward_flops;
use crate::physics::memory::{element_size, weight_bytes};

/// One decode step on one device of a group: the time to read its share of the weights against the
/// time of its arithmetic.
///
/// Every token of the batch passes all parameters, so that a step reads each of them once whatever
/// the batch. A mixture of experts is priced by its active parameters and read as a whole, which is
/// what a large batch needs. The KV cache, communication and launches are left out.
///
/// Source: Williams, Waterman and Patterson (2009), Roofline, doi:10.1145/1498765.1498785; Kaplan et
/// al. (2020), section 2.1, arXiv:2001.08361.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = DecodeBoundResult)]
pub struct DecodeBoundModel {
    /// The model that decodes.
    pub model: Arc<Workload>,
    /// The device that computes.
    pub hardware: Arc<HardwareNode>,
    /// The precision in which the weights are stored.
    #[default("fp16")]
    pub precision: Name,
    /// How many requests decode a token at once.
    #[range(>= 1)]
    #[default(1)]
    pub batch_size: u64,
    /// The peak rate of the device; where none is given, the one that it is known for.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub peak_flops: Option<FlopRate>,
    /// How many devices share the weights.
    #[range(>= 1)]
    #[default(1)]
    pub tp_size: u64,
}

#[equations(result = DecodeBoundResult)]
impl DecodeBoundModel {
    /// What a device reads of the weights.
    #[unit(B)]
    pub fn weight_bytes(&self) -> Result<Bytes> {
        Ok(self.weights()? / self.tp_size)
    }

    /// What a device computes in a step.
    #[unit(flop)]
    pub fn flops_per_step(&self) -> Result<Flops> {
        Ok(forward_flops(self.model.priced_parameters()?, self.batch_size) / self.tp_size)
    }

    /// The time of a step's arithmetic at the full peak rate.
    #[unit(ms)]
    #[kind(bound)]
    pub fn compute_time(&self) -> Result<Time> {
        Ok(self.flops_per_step()? / self.peak())
    }

    /// The time to read the weights at the full bandwidth of the memory.
    #[unit(ms)]
    #[kind(bound)]
    pub fn memory_time(&self) -> Result<Time> {
        Ok(self.weight_bytes()? / self.hardware.memory.bandwidth)
    }

    /// The share of reading in a step that would do one after the other.
    pub fn memory_share(&self) -> Result<f64> {
        Ok(self.memory_time()? / (self.memory_time()? + self.compute_time()?))
    }

    /// How many times longer reading takes than arithmetic.
    pub fn bound_ratio(&self) -> Result<f64> {
        Ok(self.memory_time()? / self.compute_time()?)
    }

    /// The arithmetic for each byte of the weights.
    #[unit(flop/B)]
    pub fn intensity(&self) -> Result<Intensity> {
        Ok(self.flops_per_step()? / self.weight_bytes()?)
    }

    /// The rate at which a device can compute while it waits for the weights.
    #[unit(flop/s)]
    #[kind(bound)]
    pub fn attainable_flops(&self) -> Result<FlopRate> {
        Ok(self.peak().min(self.hardware.memory.bandwidth * self.intensity()?))
    }

    /// That rate as a share of the peak.
    pub fn peak_fraction(&self) -> Result<f64> {
        Ok(self.attainable_flops()? / self.peak())
    }

    /// What takes longer, `Memory` or `Compute`.
    pub fn bottleneck(&self) -> Result<Name> {
        Ok(if self.memory_time()? > self.compute_time()? { "Memory" } else { "Compute" }.into())
    }

    /// What all the weights occupy.
    #[unit(GB)]
    fn weights(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.model.parameters.needed("parameters")?, self.element()?))
    }

    /// The size of a stored parameter.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// The peak rate of a device.
    #[unit(TFLOP/s)]
    fn peak(&self) -> FlopRate {
        self.peak_flops.unwrap_or(self.hardware.compute.peak_flops)
    }

    /// The precision is one of storage, and a group can share the model.
    #[check]
    fn model_is_divisible(&self) -> Result<()> {
        element_size(&self.precision)?;
        self.model.states(&["parameters"])?;
        if self.tp_size > 1 { self.model.divides_into(self.tp_size) } else { Ok(()) }
    }

    /// Weights that do not fit cannot be read from the device's memory.
    #[infeasible(memory_time, weight_bytes)]
    fn overfull(&self) -> Option<String> {
        let (weights, capacity) = (self.weight_bytes().ok()?, self.hardware.memory.capacity);
        (weights > capacity).then(|| {
            format!(
                "the {:.1} GB of weights do not fit in the {:.1} GB of {}",
                weights.base() / 1e9,
                capacity.base() / 1e9,
                self.hardware.name
            )
        })
    }

    /// A few tokens pass a few experts.
    #[note(weight_bytes, memory_time, intensity)]
    fn sparse(&self) -> Option<String> {
        let active = self.model.active_parameters?;
        let least = weight_bytes(active, self.element().ok()?) / self.tp_size;
        Some(format!(
            "{} is a mixture of experts: a step of one token reads {:.1} GB, and only a large batch all experts",
            self.model.name,
            least.base() / 1e9
        ))
    }
}
