//! `KvDecodeBatchScenario`: decode in batches whose sequences each read a cache of their own.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, BytesPerParam, FlopRate, Flops, Frequency, Intensity, Time};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Counting, Name, OptionExt, Result, Scenario, equations};

use crate::notes::peak_stands_in;
use crate::physics::compute::FORWARD_FLOPS_PER_PARAM;
use crate::physics::kv_cache::{kv_token_bytes, resident_fit};

/// Decode in batches on one accelerator: each step reads the weights once and the KV cache of each
/// sequence.
///
/// # Assumptions
/// Every sequence has the same context; memory is read at its full bandwidth, so that no step is
/// faster; prefill is bound by arithmetic at a stated share of the peak.
///
/// # Excludes
/// The arithmetic of a decode step, activations, the writing of the cache, scheduling, and memory
/// that the runtime keeps for itself.
///
/// # Derivation
/// A step reads `weights + B × kv_per_sequence` bytes. With larger batches the weights are shared
/// among more tokens but each sequence brings its own cache, so that the rate approaches
/// `bandwidth / kv_per_sequence` (Pope et al., 2023).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct KvDecodeBatchScenario {
    /// The model that is served.
    pub workload: Arc<Workload>,
    /// The accelerator that serves it.
    pub hardware: Arc<HardwareNode>,
    /// How large a stored parameter is.
    #[range(> 0)]
    #[unit(B/param)]
    pub weight_bytes_per_param: BytesPerParam,
    /// How large a cached element is.
    #[range(> 0)]
    #[unit(B)]
    pub kv_bytes_per_value: Bytes,
    /// How many tokens the cache of each sequence holds.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// The sizes of batches that are of interest.
    #[range(>= 1)]
    pub batch_sizes: Vec<u64>,
    /// How many tokens a prompt has.
    #[range(>= 0)]
    pub prompt_tokens: u64,
    /// The share of its peak that the accelerator sustains in prefill.
    #[range(> 0, <= 1)]
    pub prefill_efficiency: f64,
    /// The precision of the arithmetic: a key of the accelerator's peak rates.
    #[default("fp16_dense")]
    pub peak_precision: Name,
}

#[equations]
impl KvDecodeBatchScenario {
    /// What the weights occupy, all experts of a mixture of experts included.
    #[unit(GB)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(self.workload.parameters.needed("parameters")? * self.weight_bytes_per_param)
    }

    /// What one token leaves in the cache of all layers.
    #[unit(B)]
    pub fn kv_per_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(
            self.workload.layers.needed("layers")?,
            self.workload.kv_values()?,
            self.kv_bytes_per_value,
        ))
    }

    /// What the cache of one sequence holds.
    #[unit(MB)]
    pub fn kv_per_sequence(&self) -> Result<Bytes> {
        Ok(self.kv_per_token()? * self.context_tokens)
    }

    /// How fast the accelerator reads its memory.
    #[unit(TB/s)]
    pub fn bandwidth(&self) -> Bandwidth {
        self.hardware.memory.bandwidth
    }

    /// What one step of a batch reads: the weights once, and every cache.
    #[unit(GB)]
    pub fn step_bytes(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Result<Bytes> {
        Ok(self.weights()? + batch_size * self.kv_per_sequence()?)
    }

    /// The time of one step of a batch.
    #[unit(ms)]
    #[kind(bound)]
    #[source("Pope et al. (2023), Efficiently Scaling Transformer Inference, arXiv:2211.05102")]
    pub fn step_time(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Result<Time> {
        Ok(self.step_bytes(batch_size)? / self.bandwidth())
    }

    /// The tokens of the whole batch in a unit of time.
    #[unit(1/s)]
    #[kind(bound)]
    pub fn token_rate(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Result<Frequency> {
        Ok(batch_size as f64 / self.step_time(batch_size)?)
    }

    /// The share of the caches in what a step reads.
    pub fn cache_share(
        &self,
        #[keys(batch_sizes)]
        #[range(>= 1)]
        batch_size: u64,
    ) -> Result<f64> {
        Ok(batch_size * self.kv_per_sequence()? / self.step_bytes(batch_size)?)
    }

    /// The tokens in a unit of time that no batch exceeds, when caches are all that a step reads.
    #[unit(1/s)]
    #[kind(bound)]
    pub fn rate_ceiling(&self) -> Result<Frequency> {
        Ok(self.bandwidth() / self.kv_per_sequence()?)
    }

    /// The largest batch whose step takes no longer than a time per output token; 0 where reading
    /// the weights does.
    #[kind(bound)]
    pub fn max_batch_within(&self, #[range(>= 0)] tpot: Time) -> Result<u64> {
        ((tpot * self.bandwidth() - self.weights()?).max(Bytes::ZERO) / self.kv_per_sequence()?)
            .rounded_down()
    }

    /// The largest batch whose caches fit in memory beside the weights; 0 where the weights do not
    /// fit.
    #[kind(bound)]
    pub fn max_batch_in_memory(&self) -> Result<u64> {
        resident_fit(self.free_memory()?, self.kv_per_sequence()?)
    }

    /// The accelerator's peak at the precision.
    #[unit(TFLOP/s)]
    pub fn peak_rate(&self) -> Result<FlopRate> {
        self.hardware.peak(&self.peak_precision)
    }

    /// The arithmetic for each byte above which the accelerator is bound by arithmetic.
    #[unit(flop/B)]
    #[source("Williams, Waterman and Patterson (2009), Roofline, doi:10.1145/1498765.1498785")]
    pub fn ridge(&self) -> Result<Intensity> {
        Ok(self.peak_rate()? / self.bandwidth())
    }

    /// The arithmetic of a prompt, at what the model states for one token.
    #[unit(flop)]
    pub fn prefill_ops(&self) -> Result<Flops> {
        Ok(self.workload.inference_flops.needed("inference_flops")? * self.prompt_tokens)
    }

    /// The time of a prompt's arithmetic.
    #[unit(ms)]
    pub fn prefill_time(&self) -> Result<Time> {
        Ok(self.prefill_ops()? / (self.peak_rate()? * self.prefill_efficiency))
    }

    /// What the weights leave of the accelerator's memory; negative where they do not fit.
    #[unit(GB)]
    fn free_memory(&self) -> Result<Bytes> {
        Ok(self.hardware.memory.capacity - self.weights()?)
    }

    /// The model is one with a KV cache.
    #[check]
    fn model_caches(&self) -> Result<()> {
        let model = &self.workload;
        model.states(&["parameters"]).map_err(|error| error.about("workload"))?;
        model.states_kv_cache().map_err(|error| error.about("workload"))
    }

    /// The accelerator states a peak.
    #[check]
    fn peak_is_stated(&self) -> Result<()> {
        self.peak_rate().map(drop).map_err(|error| error.about("peak_precision"))
    }

    /// Weights that do not fit are not read from this memory.
    #[infeasible(weights, step_time, token_rate, max_batch_within, max_batch_in_memory)]
    fn overfull(&self) -> Option<String> {
        (self.free_memory().ok()? < Bytes::ZERO).then(|| {
            format!(
                "the weights do not fit in the memory of {}, so that it serves no batch",
                self.hardware.name
            )
        })
    }

    /// Large batches fit in time, but not in memory.
    #[note(step_time, token_rate)]
    fn too_large(&self) -> Option<String> {
        let fit = self.max_batch_in_memory().ok().filter(|fit| *fit > 0)?;
        let largest = self.batch_sizes.iter().filter(|size| **size > fit).max()?;
        Some(format!("a batch of {largest} does not fit: memory holds {fit} sequences"))
    }

    /// The equation has no arithmetic; where there is more of it than of reading, it binds.
    #[note(step_time, token_rate, max_batch_within)]
    fn bound_by_arithmetic(&self) -> Option<String> {
        let token =
            FORWARD_FLOPS_PER_PARAM * self.workload.priced_parameters().ok()? / self.peak_rate().ok()?;
        let bound = |size: &&u64| self.step_time(**size).is_ok_and(|time| **size * token > time);
        let first = self.batch_sizes.iter().filter(bound).min()?;
        Some(format!(
            "from a batch of {first} on the arithmetic takes longer than reading: the step is bound by it, which is left out here"
        ))
    }

    /// Where the accelerator states no peak for the precision, that of a like format may stand in.
    #[note(peak_rate, ridge, prefill_time)]
    fn stands_in(&self) -> Option<String> {
        peak_stands_in(&self.hardware, &self.peak_precision)
    }
}
