//! `SingleAcceleratorLlmServiceScenario`: a chat service on one accelerator.

use std::sync::Arc;

use mlsysim_quantity::units::{HOUR, TOKEN};
use mlsysim_quantity::{Bandwidth, Bytes, Frequency, Money, Price, Time, TokenRate};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Counting, Name, OptionExt, Result, Scenario, equations};

use crate::physics::kv_cache::kv_token_bytes;
use crate::physics::queueing::littles_law_rate;
use crate::solvers::{ServingModel, ServingResult};

/// A chat service on one accelerator: its latencies, the requests that its KV reserve holds, the rate at
/// which it serves them and what a token costs.
///
/// # Assumptions
/// Latencies are those of a request that is served alone. The service admits no more than its prefill
/// takes and no more than its reserve holds, and is always as full as that.
///
/// # Excludes
/// The slower steps of a full batch: a request that shares its steps takes longer, so that the rate by
/// residency is an upper end. Waiting for a slot, and requests of different length.
///
/// # Derivation
/// `ServingModel` gives the time to the first token and the weights. A later token reads the weights and
/// the request's own cache. By Little's law (1961, doi:10.1287/opre.9.3.383) the requests that the
/// reserve holds leave once in a request's time.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct SingleAcceleratorLlmServiceScenario {
    /// The model that is served.
    pub workload: Arc<Workload>,
    /// The device that serves it.
    pub hardware: Arc<HardwareNode>,
    /// The precision in which the weights are stored.
    pub precision: Name,
    /// How large a cached element is.
    #[range(> 0)]
    #[unit(B)]
    pub kv_bytes_per_value: Bytes,
    /// How many tokens a prompt has.
    #[range(>= 1)]
    pub prompt_tokens: u64,
    /// How many tokens an answer has.
    #[range(>= 1)]
    pub decode_tokens: u64,
    /// The share of its peak that the device sustains in a prefill.
    #[range(> 0, <= 1)]
    pub prefill_efficiency: f64,
    /// The memory that is set aside for the cache.
    #[range(>= 0)]
    #[unit(GiB)]
    pub kv_reserve: Bytes,
    /// How many tokens of prompts the service prefills in a unit of time.
    #[range(> 0)]
    #[unit(token/s)]
    pub prefill_rate: TokenRate,
    /// What the accelerator costs.
    #[range(>= 0)]
    #[unit(USD/h)]
    pub price: Price,
    /// How long the first token may take.
    #[range(> 0)]
    #[unit(ms)]
    pub ttft_target: Option<Time>,
    /// How long a later token may take.
    #[range(> 0)]
    #[unit(ms)]
    pub tpot_target: Option<Time>,
}

#[equations]
impl SingleAcceleratorLlmServiceScenario {
    /// The tokens of a prompt and its answer.
    pub fn total_tokens(&self) -> u64 {
        self.prompt_tokens + self.decode_tokens
    }

    /// The time to the first token of a prompt.
    #[unit(ms)]
    pub fn ttft(&self) -> Result<Time> {
        Ok(self.served_prompt()?.ttft)
    }

    /// What the weights occupy.
    #[unit(GB)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(self.served_request()?.model_weights_size)
    }

    /// How fast the device reads its memory.
    #[unit(TB/s)]
    pub fn bandwidth(&self) -> Bandwidth {
        self.hardware.memory.bandwidth
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

    /// What a request leaves in the cache in the end.
    #[unit(B)]
    pub fn kv_per_request(&self) -> Result<Bytes> {
        Ok(self.total_tokens() * self.kv_per_token()?)
    }

    /// The time to read the weights, below which no token takes.
    #[unit(s)]
    #[kind(bound)]
    pub fn weight_floor(&self) -> Result<Time> {
        Ok(self.weights()? / self.bandwidth())
    }

    /// What a decode step takes beyond reading weights and cache.
    #[unit(ms)]
    pub fn dispatch_cost(&self) -> Result<Time> {
        Ok(self.served_request()?.itl - self.served_request()?.total_memory_required / self.bandwidth())
    }

    /// The time of a later token: reading the weights and the request's cache, and what a step takes
    /// beyond that.
    #[unit(s)]
    pub fn tpot(&self) -> Result<Time> {
        Ok((self.weights()? + self.kv_per_request()?) / self.bandwidth() + self.dispatch_cost()?)
    }

    /// The time of an answer after its first token.
    #[unit(s)]
    pub fn decode_time(&self) -> Result<Time> {
        Ok(self.decode_tokens * self.tpot()?)
    }

    /// How many tokens the reserve holds.
    pub fn kv_capacity_tokens(&self) -> Result<u64> {
        (self.kv_reserve / self.kv_per_token()?).round_ties_even().counted()
    }

    /// How many requests the reserve holds at once.
    #[kind(bound)]
    pub fn resident_requests(&self) -> Result<u64> {
        (self.kv_capacity_tokens()? as f64 / self.total_tokens() as f64).rounded_down()
    }

    /// How long a request stays: a prefill that counts the tokens of its answer too, which is on
    /// the safe side, and the time of the answer.
    #[unit(s)]
    pub fn request_time(&self) -> Result<Time> {
        Ok(self.served_request()?.ttft + self.decode_time()?)
    }

    /// The requests that the prefill takes in a unit of time.
    #[unit(1/s)]
    pub fn prefill_request_rate(&self) -> Frequency {
        self.prefill_rate / (self.prompt_tokens * TOKEN)
    }

    /// The requests that leave the reserve in a unit of time.
    #[unit(1/s)]
    pub fn residency_request_rate(&self) -> Result<Frequency> {
        Ok(littles_law_rate(self.resident_requests()?, self.request_time()?))
    }

    /// The requests that are served in a unit of time: the smaller of both.
    #[unit(1/s)]
    pub fn request_rate(&self) -> Result<Frequency> {
        Ok(self.prefill_request_rate().min(self.residency_request_rate()?))
    }

    /// The tokens of prompts and answers in an hour.
    pub fn tokens_per_hour(&self) -> Result<f64> {
        Ok(self.request_rate()? * HOUR * self.total_tokens() as f64)
    }

    /// What a million of these tokens costs.
    #[unit(USD)]
    pub fn cost_per_million_tokens(&self) -> Result<Money> {
        Ok(self.price * HOUR / (self.tokens_per_hour()? / 1e6))
    }

    /// What the weights leave of the device's memory; negative where they do not fit.
    #[unit(GB)]
    pub fn remaining_memory(&self) -> Result<Bytes> {
        Ok(self.hardware.memory.capacity - self.weights()?)
    }

    /// The prompt alone, by `ServingModel`.
    fn served_prompt(&self) -> Result<ServingResult> {
        ServingModel {
            model: self.workload.clone(),
            hardware: self.hardware.clone(),
            seq_len: self.prompt_tokens,
            precision: self.precision.clone(),
            efficiency: self.prefill_efficiency,
            ..ServingModel::new(self.workload.clone(), self.hardware.clone(), self.prompt_tokens)
        }
        .solve()
    }

    /// The whole request as one prompt, by `ServingModel`.
    fn served_request(&self) -> Result<ServingResult> {
        ServingModel {
            model: self.workload.clone(),
            hardware: self.hardware.clone(),
            seq_len: self.total_tokens(),
            precision: self.precision.clone(),
            efficiency: self.prefill_efficiency,
            ..ServingModel::new(self.workload.clone(), self.hardware.clone(), self.total_tokens())
        }
        .solve()
    }

    /// The reserve is a part of what the weights leave.
    #[infeasible(remaining_memory, kv_capacity_tokens, resident_requests)]
    fn overfull(&self) -> Option<String> {
        (self.kv_reserve > self.remaining_memory().ok()?).then(|| {
            format!(
                "the weights do not leave the reserve on {}: the service does not fit",
                self.hardware.name
            )
        })
    }

    /// The first token takes longer than it may.
    #[note(ttft)]
    fn misses_first_target(&self) -> Option<String> {
        (self.ttft().ok()? > self.ttft_target?).then(|| "misses `ttft_target`".to_string())
    }

    /// A later token takes longer than it may.
    #[note(tpot)]
    fn misses_later_target(&self) -> Option<String> {
        (self.tpot().ok()? > self.tpot_target?).then(|| "misses `tpot_target`".to_string())
    }
}
