//! `ChunkedPrefillScenario`: a long prompt, taken in chunks beside those who decode.

use std::sync::Arc;

use mlsysim_scenario::{Counting, OptionExt, Result, Scenario, equations};

use crate::scenarios::memory_kv::PrefixRebuildScenario;
use crate::solvers::{ChunkedPrefillModel, ChunkedPrefillResult};

/// A long prompt that is taken in chunks; with a server, what that spares those who decode.
///
/// # Assumptions
/// Those of `ChunkedPrefillModel`. All chunks but the last are full.
///
/// # Excludes
/// Everything beyond `ChunkedPrefillModel`: attention, launches, and requests that come or end
/// meanwhile.
///
/// # Derivation
/// The server's rate and the time to read its weights are the inputs of `ChunkedPrefillModel`, whose
/// equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ChunkedPrefillScenario {
    /// How many tokens the prompt has.
    #[range(>= 1)]
    pub prompt_tokens: u64,
    /// How many of them a pass takes.
    #[range(>= 1)]
    pub chunk_tokens: u64,
    /// The model and the server, and the share of its rate that a prefill sustains.
    pub prefill: Option<Arc<PrefixRebuildScenario>>,
    /// How many requests decode meanwhile.
    #[range(>= 0)]
    pub decodes: Option<u64>,
}

#[equations]
impl ChunkedPrefillScenario {
    /// How many passes the prompt takes.
    pub fn iterations(&self) -> Result<u64> {
        (self.prompt_tokens as f64 / self.chunk_tokens as f64).rounded_up()
    }

    /// The gaps whole and in chunks, by `ChunkedPrefillModel`.
    ///
    /// # Errors
    ///
    /// No server is given, or not how many requests decode.
    pub fn result(&self) -> Result<ChunkedPrefillResult> {
        ChunkedPrefillModel {
            n_params: self.prefill.needed("prefill")?.result()?.n_params,
            sustained_rate: self.prefill.needed("prefill")?.result()?.sustained_rate,
            weight_read_time: self.prefill.needed("prefill")?.result()?.weight_read_time,
            decodes: self.decodes.needed("decodes")?,
            prompt_tokens: self.prompt_tokens,
            chunk_tokens: self.chunk_tokens,
        }
        .solve()
    }
}
