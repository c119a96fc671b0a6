//! `ServingModel`: the prefill and the decode steps of a model that is served.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Flops, Time, units::GIGABYTE};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Counting, Error, Name, OptionExt, Result, Solver, equations};

use crate::physics::decode::{
    DRAFT_LENGTH, FRAMEWORK_TIME_PER_LAYER, attention_flops, forward_flops, speculated_tokens,
};
use crate::physics::kv_cache::kv_token_bytes;
use crate::physics::memory::{element_size, weight_bytes};

/// The two phases of serving a Transformer: the prompt at once, bound by arithmetic, and then token
/// after token, bound by reading weights and KV cache.
///
/// A phase takes the longer of its arithmetic and its reading. Attention is causal. A mixture of experts
/// is priced by its active parameters and read as a whole. A part of the prompt may be cached, the
/// prompt may be taken in chunks, decode may run on another device, which the cache must reach first,
/// and a draft may propose tokens that the model verifies. The figures of a model that does not fit are
/// those that it would have if it did.
///
/// Source: Pope et al. (2023), Efficiently Scaling Transformer Inference, arXiv:2211.05102; Agrawal et
/// al. (2024), arXiv:2403.02310, for chunks; Zhong et al. (2024), DistServe, arXiv:2401.09670, for decode
/// on another device; Leviathan et al. (2023), arXiv:2211.17192, for drafts.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = ServingResult)]
pub struct ServingModel {
    /// The model that is served.
    pub model: Arc<Workload>,
    /// The device that prefills, and that decodes unless another does.
    pub hardware: Arc<HardwareNode>,
    /// How many tokens a request has, those of its prompt.
    #[range(>= 1)]
    pub seq_len: u64,
    /// How many requests are served at once.
    #[range(>= 1)]
    #[default(1)]
    pub batch_size: u64,
    /// The precision in which weights and cache are stored, and of arithmetic where the device states a
    /// peak for it.
    #[default("fp16")]
    pub precision: Name,
    /// The share of its peak that a device sustains.
    #[range(> 0, <= 1)]
    #[default(0.5)]
    pub efficiency: f64,
    /// The device that decodes, where it is another.
    pub decode_hardware: Option<Arc<HardwareNode>>,
    /// How fast the cache moves to the device that decodes.
    #[range(> 0)]
    #[unit(GB/s)]
    #[default("100 GB/s")]
    pub network_bandwidth: Bandwidth,
    /// The model that proposes tokens.
    pub draft_model: Option<Arc<Workload>>,
    /// The probability that a proposed token is accepted.
    #[range(>= 0, <= 1)]
    #[default(0.7)]
    pub draft_acceptance_rate: f64,
    /// How many tokens at the start of the prompt are cached.
    #[range(>= 0)]
    #[default(0)]
    pub cached_prefix_len: u64,
    /// How many tokens of the prompt a chunk has, where it is taken in chunks.
    #[range(>= 1)]
    pub prefill_chunk_tokens: Option<u64>,
}

impl ServingModel {
    /// A model that is served on one device with every other input at its default.
    pub fn new(model: Arc<Workload>, hardware: Arc<HardwareNode>, seq_len: u64) -> Self {
        ServingModel {
            model,
            hardware,
            seq_len,
            batch_size: 1,
            precision: "fp16".into(),
            efficiency: 0.5,
            decode_hardware: None,
            network_bandwidth: Bandwidth::from_base(100e9),
            draft_model: None,
            draft_acceptance_rate: 0.7,
            cached_prefix_len: 0,
            prefill_chunk_tokens: None,
        }
    }
}

#[equations(result = ServingResult)]
impl ServingModel {
    /// Whether the weights and the cache fit on the device that decodes.
    pub fn feasible(&self) -> Result<bool> {
        Ok(self.total_memory_required()? <= self.decode_node().memory.capacity)
    }

    /// The time to the first token: the prefill, its launches, and the way to the device that decodes.
    #[unit(ms)]
    pub fn ttft(&self) -> Result<Time> {
        Ok(self.prefill_time()? + self.prefill_chunks()? * self.launch_time() + self.transfer_time()?)
    }

    /// The time between two tokens.
    #[unit(ms)]
    #[kind(fitted)]
    pub fn itl(&self) -> Result<Time> {
        Ok((self.draft_time()? + self.step_time()?) / self.yielded_tokens())
    }

    /// The KV cache of all requests.
    #[unit(GB)]
    pub fn kv_cache_size(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(self.model.layers.needed("layers")?, self.model.kv_values()?, self.element()?)
            * self.cached_tokens())
    }

    /// What the weights occupy.
    #[unit(GB)]
    pub fn model_weights_size(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.model.parameters.needed("parameters")?, self.element()?))
    }

    /// What the device that decodes must hold: weights and cache, those of the draft too.
    #[unit(GB)]
    pub fn total_memory_required(&self) -> Result<Bytes> {
        Ok(self.model_weights_size()? + self.kv_cache_size()? + self.draft_bytes()?)
    }

    /// That as a share of its memory.
    pub fn memory_utilization(&self) -> Result<f64> {
        Ok(self.total_memory_required()? / self.decode_node().memory.capacity)
    }

    /// The share of the prompt that is cached.
    pub fn prompt_cache_hit_ratio(&self) -> f64 {
        self.cached_prefix_len as f64 / self.seq_len as f64
    }

    /// How many chunks the prompt is taken in.
    pub fn prefill_chunks(&self) -> Result<u64> {
        (self.new_tokens() as f64 / self.chunk_tokens() as f64).rounded_up()
    }

    /// The time of the longest chunk, where the prompt is taken in chunks.
    #[unit(ms)]
    pub fn prefill_chunk_time(&self) -> Result<Option<Time>> {
        self.prefill_chunk_tokens.map(|_| self.chunk_time()).transpose()
    }

    /// For how long a chunk holds up those who decode.
    #[unit(ms)]
    pub fn decode_stall_bound(&self) -> Result<Option<Time>> {
        self.prefill_chunk_time()
    }

    /// The time of the prompt's arithmetic, or of reading the weights once for each chunk.
    #[unit(ms)]
    fn prefill_time(&self) -> Result<Time> {
        Ok((self.prompt_flops(self.new_tokens())? / self.prefill_rate())
            .max(self.prefill_chunks()? * self.model_weights_size()? / self.hardware.memory.bandwidth))
    }

    /// The time of a full chunk that attends to the whole context.
    #[unit(ms)]
    fn chunk_time(&self) -> Result<Time> {
        Ok((self.prompt_flops(self.chunk_tokens())? / self.prefill_rate())
            .max(self.model_weights_size()? / self.hardware.memory.bandwidth)
            + self.launch_time())
    }

    /// The arithmetic of the last `tokens` tokens of every prompt.
    #[unit(TFLOP)]
    fn prompt_flops(&self, tokens: u64) -> Result<Flops> {
        Ok((forward_flops(self.model.priced_parameters()?, tokens)
            + attention_flops(
                self.model.layers.needed("layers")?,
                self.model.attention_width()?,
                tokens,
                self.seq_len,
            ))
            * self.batch_size)
    }

    /// The tokens of a prompt that are not cached.
    fn new_tokens(&self) -> u64 {
        self.seq_len.saturating_sub(self.cached_prefix_len)
    }

    /// The tokens of a full chunk; without chunks, all that are new.
    fn chunk_tokens(&self) -> u64 {
        self.prefill_chunk_tokens.unwrap_or(self.new_tokens()).min(self.new_tokens())
    }

    /// The time to launch a pass of the prefill.
    #[unit(ms)]
    fn launch_time(&self) -> Time {
        self.hardware.dispatch_tax.unwrap_or(Time::ZERO)
    }

    /// The time in which the cache reaches the device that decodes.
    #[unit(ms)]
    fn transfer_time(&self) -> Result<Time> {
        Ok(self.moved_cache()? / self.network_bandwidth)
    }

    /// The cache that moves to another device.
    #[unit(GB)]
    fn moved_cache(&self) -> Result<Bytes> {
        if self.decode_hardware.is_some() { self.kv_cache_size() } else { Ok(Bytes::ZERO) }
    }

    /// The device that decodes.
    fn decode_node(&self) -> Arc<HardwareNode> {
        self.decode_hardware.clone().unwrap_or(self.hardware.clone())
    }

    /// The time of a decode step: reading, or the arithmetic of its tokens, and the framework's share.
    #[unit(ms)]
    fn step_time(&self) -> Result<Time> {
        Ok(self.read_time()?.max(self.step_flops()? / self.decode_rate()) + self.framework_time()?)
    }

    /// The time in which the device that decodes reads weights and cache.
    #[unit(ms)]
    #[kind(bound)]
    fn read_time(&self) -> Result<Time> {
        Ok((self.model_weights_size()? + self.kv_cache_size()?) / self.decode_node().memory.bandwidth)
    }

    /// The arithmetic of a decode step, that of every token which it verifies.
    #[unit(TFLOP)]
    fn step_flops(&self) -> Result<Flops> {
        Ok(self.prompt_flops(1)? * self.step_tokens())
    }

    /// The tokens of a request in a decode step: those that the draft proposes, and one more.
    fn step_tokens(&self) -> u64 {
        if self.draft_model.is_some() { DRAFT_LENGTH + 1 } else { 1 }
    }

    /// What the framework adds to a decode step.
    #[unit(ms)]
    fn framework_time(&self) -> Result<Time> {
        Ok(self.model.layers.needed("layers")? * FRAMEWORK_TIME_PER_LAYER)
    }

    /// The time in which a draft proposes its tokens.
    #[unit(ms)]
    fn draft_time(&self) -> Result<Time> {
        Ok(DRAFT_LENGTH * self.draft_bytes()? / self.decode_node().memory.bandwidth)
    }

    /// The weights and the cache of the draft.
    #[unit(GB)]
    fn draft_bytes(&self) -> Result<Bytes> {
        Ok(self.draft_weights()? + self.draft_cache()?)
    }

    /// What the weights of the draft occupy.
    #[unit(GB)]
    fn draft_weights(&self) -> Result<Bytes> {
        self.draft_model.as_ref().map_or(Ok(Bytes::ZERO), |draft| {
            Ok(weight_bytes(draft.parameters.needed("parameters")?, self.element()?))
        })
    }

    /// The KV cache of all requests in the draft.
    #[unit(GB)]
    fn draft_cache(&self) -> Result<Bytes> {
        self.draft_model.as_ref().map_or(Ok(Bytes::ZERO), |draft| {
            Ok(kv_token_bytes(draft.layers.needed("layers")?, draft.kv_values()?, self.element()?)
                * self.cached_tokens())
        })
    }

    /// The tokens that a step yields on average.
    fn yielded_tokens(&self) -> f64 {
        if self.draft_model.is_some() { self.speculated_tokens() } else { 1.0 }
    }

    /// The tokens that a round of speculation yields on average.
    fn speculated_tokens(&self) -> f64 {
        speculated_tokens(self.draft_acceptance_rate, DRAFT_LENGTH)
    }

    /// The rate that the device sustains in the prefill.
    #[unit(TFLOP/s)]
    fn prefill_rate(&self) -> FlopRate {
        self.hardware.rate(&self.precision) * self.efficiency
    }

    /// The rate that the device that decodes sustains.
    #[unit(TFLOP/s)]
    fn decode_rate(&self) -> FlopRate {
        self.decode_node().rate(&self.precision) * self.efficiency
    }

    /// The tokens of all requests.
    fn cached_tokens(&self) -> f64 {
        self.seq_len as f64 * self.batch_size as f64
    }

    /// The size of an element of the weights and of the cache.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// The models are Transformers, the precision is one of storage, and a token is new.
    #[check]
    fn models_are_transformers(&self) -> Result<()> {
        element_size(&self.precision)?;
        self.model.states(&["parameters", "heads"])?;
        self.model.states_kv_cache()?;
        if let Some(draft) = &self.draft_model {
            let about = |error: Error| error.about("draft_model");
            draft.states(&["parameters"]).map_err(about)?;
            draft.states_kv_cache().map_err(about)?;
        }
        if self.cached_prefix_len >= self.seq_len {
            let (given, length) = (self.cached_prefix_len, self.seq_len);
            return Err(Error::input(
                "cached_prefix_len",
                format!("of {length} tokens fewer can be cached, but `{given}` was given"),
            ));
        }
        Ok(())
    }

    /// What does not fit cannot be served.
    #[infeasible(feasible, ttft, itl)]
    fn overfull(&self) -> Option<String> {
        let (needed, node) = (self.total_memory_required().ok()?, self.decode_node());
        let capacity = node.memory.capacity;
        (needed > capacity).then(|| {
            format!(
                "{} needs {:.1} GB, more than the {:.1} GB of {}: the times are those that it would have if it fitted",
                self.model.name,
                needed / GIGABYTE,
                capacity / GIGABYTE,
                node.name
            )
        })
    }

    /// The framework's share is assumed.
    #[note(itl)]
    fn assumed(&self) -> Option<String> {
        let share = self.framework_time().ok()? / self.step_time().ok()?;
        (share > 0.1).then(|| {
            format!(
                "{:.0} % of a step is the framework's assumed 0.01 ms for each layer, not a bound of the device",
                share * 100.0
            )
        })
    }
}
