//! `ParallelLayoutModel`: a training step on a grid of tensor, pipeline and data parallelism.

use std::sync::Arc;

use mlsysim_quantity::units::{FLOP, PARAM, TOKEN};
use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Flops, Time, Tokens};
use mlsysim_registry::Workload;
use mlsysim_scenario::{CountProduct, Counting, Error, Name, OptionExt, Result, Solver, equations};

use crate::notes::counts_active_experts;
use crate::physics::communication::ring_all_reduce_factor;
use crate::physics::memory::{element_size, weight_bytes};
use crate::physics::pipeline::pipeline_bubble;
use crate::physics::training_state::{ADAM_OPTIMIZER_STATE, ADAM_TRAINING_STATE, STORED_16_BIT};

/// One training step of a model on `tp_size` × `pp_size` × `dp_size` devices, and the state that
/// each of them holds.
///
/// The arithmetic of the step is shared equally. A device sums its part of the gradients with those
/// of the other replicas by ring; some of that time hides behind compute, never more than there is
/// compute. Stages of the pipeline idle while it fills and drains. The state is that of Adam in
/// mixed precision, split over tensor and pipeline parallelism.
///
/// Sources: Narayanan et al. (2021), section 3, arXiv:2104.04473; Rajbhandari et al. (2020), ZeRO,
/// section 3.1, arXiv:1910.02054.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = ParallelLayoutResult)]
pub struct ParallelLayoutModel {
    /// The model that is trained.
    pub model: Arc<Workload>,
    /// How many devices share each layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many stages of layers there are.
    #[range(>= 1)]
    pub pp_size: u64,
    /// How many replicas of the model there are.
    #[range(>= 1)]
    pub dp_size: u64,
    /// How many microbatches pass each pipeline in a step.
    #[range(>= 1)]
    pub microbatches: u64,
    /// How many tokens all replicas train on in a step.
    #[range(> 0)]
    #[unit(token)]
    pub batch_tokens: Tokens,
    /// The arithmetic for each parameter and token: 6, or 8 where activations are recomputed.
    #[range(> 0)]
    pub flops_per_param_token: f64,
    /// The peak rate of one device.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub peak_flops: FlopRate,
    /// The share of its peak that a device sustains while it computes.
    #[range(> 0, <= 1)]
    pub local_efficiency: f64,
    /// The bandwidth with which a device reaches other replicas, in one direction.
    #[range(> 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Bandwidth,
    /// The share of the exchange of gradients that may hide behind compute.
    #[range(>= 0, <= 1)]
    pub overlap_fraction: f64,
    /// The precision in which gradients are sent.
    #[default("fp16")]
    pub gradient_precision: Name,
    /// To what the time of compute is rounded, for figures that are worked by hand.
    #[range(> 0)]
    #[unit(s)]
    pub window_resolution: Option<Time>,
    /// The memory of one device.
    #[range(> 0)]
    #[unit(GB)]
    pub device_memory: Option<Bytes>,
}

#[equations(result = ParallelLayoutResult)]
impl ParallelLayoutModel {
    /// How many devices there are.
    pub fn n_devices(&self) -> Result<u64> {
        self.model_shards()?.times(self.dp_size)
    }

    /// The arithmetic of the step.
    #[unit(flop)]
    #[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
    pub fn step_flops(&self) -> Result<Flops> {
        Ok(self.flops_per_param_token
            * (self.model.priced_parameters()? / PARAM)
            * (self.batch_tokens / TOKEN)
            * FLOP)
    }

    /// The compute of each device, without bubbles and communication.
    #[unit(s)]
    pub fn compute_time(&self) -> Result<Time> {
        let window = self.window()?;
        Ok(self
            .window_resolution
            .map_or(window, |resolution| (window / resolution).round_ties_even() * resolution))
    }

    /// The gradients of all parameters.
    #[unit(GB)]
    pub fn gradient_bytes(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.model.parameters.needed("model.parameters")?, self.element()?))
    }

    /// The gradients that one device holds.
    #[unit(GB)]
    pub fn dp_shard(&self) -> Result<Bytes> {
        Ok(self.gradient_bytes()? / self.model_shards()?)
    }

    /// What a device sends to sum its gradients over the replicas.
    #[unit(GB)]
    pub fn ring_bytes(&self) -> Result<Bytes> {
        Ok(ring_all_reduce_factor(self.dp_size) * self.dp_shard()?)
    }

    /// The time of that exchange.
    #[unit(s)]
    pub fn allreduce_time(&self) -> Result<Time> {
        Ok(self.ring_bytes()? / self.link_bandwidth)
    }

    /// The part of the exchange that hides behind compute.
    #[unit(s)]
    pub fn hidden_time(&self) -> Result<Time> {
        Ok((self.allreduce_time()? * self.overlap_fraction).min(self.compute_time()?))
    }

    /// The part of the exchange that every device waits for.
    #[unit(s)]
    pub fn exposed_time(&self) -> Result<Time> {
        Ok(self.allreduce_time()? - self.hidden_time()?)
    }

    /// The share of the pipeline's time in which a stage idles.
    pub fn bubble(&self) -> f64 {
        pipeline_bubble(self.pp_size, self.microbatches)
    }

    /// The share of the step that is compute.
    pub fn efficiency(&self) -> Result<f64> {
        Ok(self.compute_time()? / self.step_time()?)
    }

    /// The share of the step that would be compute if nothing hid the exchange.
    pub fn efficiency_no_overlap(&self) -> Result<f64> {
        Ok(self.compute_time()? / (self.pipeline_time()? + self.allreduce_time()?))
    }

    /// The share of the exchange that hides behind compute.
    pub fn overlap_share(&self) -> Result<f64> {
        Ok(self.overlap_fraction.min(self.compute_time()? / self.allreduce_time()?))
    }

    /// The time of the step: compute with its bubble, and what is left of the exchange.
    #[unit(s)]
    pub fn step_time(&self) -> Result<Time> {
        Ok(self.pipeline_time()? + self.exposed_time()?)
    }

    /// Weights, gradients and optimizer state of one replica.
    #[unit(GB)]
    pub fn state_total(&self) -> Result<Bytes> {
        Ok(self.model.parameters.needed("model.parameters")? * ADAM_TRAINING_STATE)
    }

    /// What a device holds of it.
    #[unit(GB)]
    pub fn state_per_device(&self) -> Result<Bytes> {
        Ok(self.state_total()? / self.model_shards()?)
    }

    /// What a device holds of it where the optimizer's part is split over the replicas too.
    #[unit(GB)]
    #[source("Rajbhandari et al. (2020), ZeRO, section 5.1, arXiv:1910.02054")]
    pub fn zero1_state_per_device(&self) -> Result<Bytes> {
        let parameters = self.model.parameters.needed("model.parameters")?;
        Ok(parameters * (2.0 * STORED_16_BIT) / self.model_shards()?
            + parameters * ADAM_OPTIMIZER_STATE / self.n_devices()?)
    }

    /// The share of its peak that a device turns into the model's arithmetic.
    pub fn fleet_mfu(&self) -> Result<f64> {
        Ok(self.local_efficiency * self.efficiency()?)
    }

    /// What that share seems to be where the efficiency is counted twice: a common mistake.
    pub fn double_counted_mfu(&self) -> Result<f64> {
        Ok(self.fleet_mfu()? * self.efficiency()?)
    }

    /// How many devices hold the state of one replica at least.
    #[kind(bound)]
    pub fn min_devices_for_state(&self) -> Result<Option<u64>> {
        let state_total = self.state_total()?;
        self.device_memory.map(|device_memory| (state_total / device_memory).rounded_up()).transpose()
    }

    /// How many devices hold one replica.
    fn model_shards(&self) -> Result<u64> {
        self.tp_size.times(self.pp_size)
    }

    /// The compute of each device as it is, not rounded.
    #[unit(s)]
    fn window(&self) -> Result<Time> {
        Ok(self.step_flops()? / (self.n_devices()? * self.peak_flops * self.local_efficiency))
    }

    /// The compute of each device with the bubble of its pipeline.
    #[unit(s)]
    fn pipeline_time(&self) -> Result<Time> {
        Ok(self.compute_time()? / (1.0 - self.bubble()))
    }

    /// The size of one gradient.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.gradient_precision)
    }

    /// The model can be cut as the layout says, and its gradients have a size.
    #[check]
    fn layout_fits_the_model(&self) -> Result<()> {
        self.element().map_err(|error| error.about("gradient_precision"))?;
        if self.tp_size > 1 {
            self.model.divides_into(self.tp_size)?;
        }
        match self.model.layers {
            Some(layers) if self.pp_size > layers => Err(Error::input(
                "pp_size",
                format!(
                    "{} has {layers} layers, so that at most {layers} stages can share them, but `{}` was given",
                    self.model.name, self.pp_size
                ),
            )),
            _ => Ok(()),
        }
    }

    /// A single replica has nobody to exchange with.
    #[note(ring_bytes, allreduce_time, overlap_share)]
    fn lonely(&self) -> Option<String> {
        (self.dp_size == 1).then(|| "a single replica exchanges no gradients".to_string())
    }

    /// A rounded window is not the model's own.
    #[note(compute_time)]
    fn rounded(&self) -> Option<String> {
        let (window, rounded) = (self.window().ok()?, self.compute_time().ok()?);
        (window != rounded).then(|| {
            format!(
                "{} s, rounded to a multiple of `window_resolution`",
                mlsysim_quantity::format_brief(window.base())
            )
        })
    }

    /// The state fits only where ZeRO shards it.
    #[note(state_per_device)]
    fn needs_zero1(&self) -> Option<String> {
        let missing = !self.fits(self.state_per_device()) && self.fits(self.zero1_state_per_device());
        missing.then(|| "fits into a device with ZeRO-1 only".to_string())
    }

    /// The state fits in no way.
    #[infeasible(state_per_device, zero1_state_per_device)]
    fn too_large(&self) -> Option<String> {
        let (memory, state) = (self.device_memory?, self.zero1_state_per_device().ok()?);
        let billions = |bytes: Bytes| bytes.base() / 1e9;
        (state > memory).then(|| {
            format!(
                "a device holds {:.1} GB, and the state of one needs {:.1} GB even with ZeRO-1",
                billions(memory),
                billions(state)
            )
        })
    }

    /// A mixture of experts is priced by what a token passes.
    #[note(step_flops, compute_time)]
    fn sparse(&self) -> Option<String> {
        counts_active_experts(&self.model)
    }
}

impl ParallelLayoutModel {
    /// Whether a device is known to hold `state`; without a device everything fits.
    fn fits(&self, state: Result<Bytes>) -> bool {
        self.device_memory.is_none_or(|memory| state.is_ok_and(|state| state <= memory))
    }
}
