//! `Engine` and `Workload`: how requests are served, and which requests.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Error, Result};

use super::{Practice, ServingClass};

/// The largest batch and the longest sequence that are believed.
const LARGEST: u64 = 1 << 30;

/// How an engine serves requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Engine {
    /// What it does of its own choice in each step.
    pub practice: Practice,
    /// What runs its kernels.
    pub class: ServingClass,
    /// The most sequences at once.
    pub max_batch: u64,
    /// The most tokens of an iteration.
    pub max_tokens: u64,
    /// Whether both limits are set to what the memory holds of the requests that are asked.
    pub tunes: bool,
    /// Whether a step of its own reads the last token of a prompt, and so gives the first one.
    pub ends_prompts_apart: bool,
    /// The share of the memory beside weights and workspace that the KV cache gets.
    pub memory_fraction: f64,
    /// What a device's memory holds beside weights, activations and the cache.
    pub workspace: Bytes,
}

impl Default for Engine {
    fn default() -> Self {
        Engine {
            practice: Practice::default(),
            class: ServingClass::Graphs,
            max_batch: 2048,
            max_tokens: 8192,
            tunes: false,
            ends_prompts_apart: false,
            memory_fraction: 0.95,
            workspace: Bytes::from_base(1_073_741_824.0),
        }
    }
}

/// What is asked of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Workload {
    /// A token for each of a batch.
    DecodeStep {
        /// The sequences.
        batch: u64,
        /// The tokens that each has cached.
        context: u64,
    },
    /// The first token of each of a batch.
    Prefill {
        /// The prompts.
        batch: u64,
        /// The tokens of each that are new.
        prompt: u64,
        /// The tokens before those that each has cached: of earlier chunks, or of a prefix that was read
        /// for another request.
        context: u64,
    },
    /// All tokens of a batch that begins and ends together.
    StaticBatch {
        /// The sequences.
        batch: u64,
        /// The tokens of each prompt.
        prompt: u64,
        /// The tokens of each answer.
        answer: u64,
    },
    /// The mean time between two tokens of all requests together, where new ones begin as others end.
    Load {
        /// The tokens of each prompt.
        prompt: u64,
        /// The tokens of each answer.
        answer: u64,
        /// How many requests there are at once, where they are limited.
        requests: Option<u64>,
    },
    /// The mean time between two tokens of one request, where new ones begin as others end.
    LoadedStep {
        /// The tokens of each prompt.
        prompt: u64,
        /// The tokens of each answer.
        answer: u64,
        /// How many requests there are at once.
        requests: u64,
        /// Whether the median is asked for.
        is_median: bool,
    },
}

impl Workload {
    /// Whether requests begin while others are answered.
    pub(super) fn is_loaded(self) -> bool {
        matches!(self, Workload::Load { .. } | Workload::LoadedStep { .. })
    }

    /// The tokens of its longest sequence.
    pub(super) fn longest(self) -> u64 {
        match self {
            Workload::DecodeStep { context, .. } => context + 1,
            Workload::Prefill { prompt, context, .. } => prompt + context,
            Workload::StaticBatch { prompt, answer, .. }
            | Workload::Load { prompt, answer, .. }
            | Workload::LoadedStep { prompt, answer, .. } => prompt + answer,
        }
    }

    /// Whether each of its numbers is one that can be.
    pub(super) fn check(self) -> Result<()> {
        let counts = match self {
            Workload::DecodeStep { batch, context } => {
                [("batch", batch), ("context", context.max(1)), ("", 1)]
            }
            Workload::Prefill { batch, prompt, context } => {
                [("batch", batch), ("prompt", prompt), ("context", context.max(1))]
            }
            Workload::StaticBatch { batch, prompt, answer } => {
                [("batch", batch), ("prompt", prompt), ("answer", answer)]
            }
            Workload::Load { prompt, answer, requests } => {
                [("requests", requests.unwrap_or(1)), ("prompt", prompt), ("answer", answer)]
            }
            Workload::LoadedStep { prompt, answer, requests, .. } => {
                [("requests", requests), ("prompt", prompt), ("answer", answer)]
            }
        };
        match counts.into_iter().find(|(_, count)| !(1..=LARGEST).contains(count)) {
            Some((name, count)) => Err(Error::input(
                name,
                format!("a whole number from 1 to {LARGEST} is needed, but `{count}` was given"),
            )),
            None => Ok(()),
        }
    }
}
