//! `ChunkedPrefillModel`: how long a new prompt holds up those who decode, whole or in chunks.

use mlsysim_quantity::{FlopRate, Params, Time};
use mlsysim_scenario::{Counting, Result, Solver, equations};

use crate::physics::decode::pass_time;

/// The gap that a new prompt makes between two tokens of those who decode, whole or in chunks.
///
/// Whole, the prompt is a pass of its own between two decode steps. In chunks, each pass does one chunk
/// beside the decoding tokens, so that the gap is one pass, and the prompt takes as many passes as it
/// has chunks. A pass reads every weight once or does the arithmetic of the parameters, whichever takes
/// longer; attention is left out.
///
/// Source: Agrawal et al. (2024), Taming Throughput-Latency Tradeoff in LLM Inference with
/// Sarathi-Serve, arXiv:2403.02310.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = ChunkedPrefillResult)]
pub struct ChunkedPrefillModel {
    /// The parameters that price a token's arithmetic.
    #[range(> 0)]
    #[unit(param)]
    pub n_params: Params,
    /// The rate at which the server computes.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub sustained_rate: FlopRate,
    /// The time to read every weight once.
    #[range(> 0)]
    #[unit(ms)]
    pub weight_read_time: Time,
    /// How many requests decode.
    #[range(>= 0)]
    pub decodes: u64,
    /// How many tokens the new prompt has.
    #[range(>= 1)]
    pub prompt_tokens: u64,
    /// How many of them a pass takes.
    #[range(>= 1)]
    pub chunk_tokens: u64,
}

#[equations(result = ChunkedPrefillResult)]
impl ChunkedPrefillModel {
    /// The time of a pass that only decodes.
    #[unit(ms)]
    #[kind(bound)]
    pub fn decode_step(&self) -> Time {
        pass_time(self.weight_read_time, self.n_params, self.decodes, self.sustained_rate)
    }

    /// The time of a pass with the whole prompt.
    #[unit(ms)]
    #[kind(bound)]
    pub fn monolithic_prefill(&self) -> Time {
        pass_time(self.weight_read_time, self.n_params, self.prompt_tokens, self.sustained_rate)
    }

    /// The gap between two tokens where the prompt is a pass of its own.
    #[unit(ms)]
    pub fn monolithic_gap(&self) -> Time {
        self.decode_step() + self.monolithic_prefill()
    }

    /// How many chunks the prompt has, the last of them perhaps a short one.
    pub fn chunks(&self) -> Result<u64> {
        (self.prompt_tokens as f64 / self.chunk_tokens as f64).rounded_up()
    }

    /// The time of a pass with one full chunk beside those who decode, which is their gap.
    #[unit(ms)]
    #[kind(bound)]
    pub fn chunked_iteration(&self) -> Time {
        pass_time(self.weight_read_time, self.n_params, self.chunk_and_decodes(), self.sustained_rate)
    }

    /// The time until the last chunk is done.
    #[unit(ms)]
    pub fn chunked_done(&self) -> Result<Time> {
        Ok((self.chunks()? - 1) * self.chunked_iteration() + self.last_iteration()?)
    }

    /// How many times longer the gap is where the prompt is a pass of its own.
    pub fn gap_ratio(&self) -> f64 {
        self.monolithic_gap() / self.chunked_iteration()
    }

    /// The time of the pass with the last chunk.
    #[unit(ms)]
    fn last_iteration(&self) -> Result<Time> {
        Ok(pass_time(self.weight_read_time, self.n_params, self.last_and_decodes()?, self.sustained_rate))
    }

    /// The tokens of a pass with a full chunk; a prompt that is shorter is one.
    fn chunk_and_decodes(&self) -> u64 {
        self.chunk_tokens.min(self.prompt_tokens) + self.decodes
    }

    /// The tokens of the pass with the last chunk.
    fn last_and_decodes(&self) -> Result<u64> {
        Ok(self.prompt_tokens - (self.chunks()? - 1) * self.chunk_tokens + self.decodes)
    }
}
