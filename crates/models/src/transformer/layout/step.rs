//! What is done with a model: a step of training, a prefill or a step of decoding.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Define, Error, Map, Name, Record, Result, Value, choices, equations};

use super::Layout;
use crate::physics::memory::element_size;
use crate::transformer::Transformer;

/// The tokens of a sequence where nobody says how many, and the model is made for at least as many.
const USUAL_SEQUENCE: u64 = 4096;

choices! {
    /// What the backward pass computes again instead of keeping it.
    pub enum Recompute {
        /// Nothing.
        Nothing = "none",
        /// The scores of attention and what they weigh.
        Selective = "selective",
        /// Each layer, from its input.
        Full = "full",
    }
}

choices! {
    /// What is done with the model.
    pub enum Phase {
        /// Forward and backward passes over a batch, then an update.
        Training = "training",
        /// A forward pass over prompts.
        Prefill = "prefill",
        /// A forward pass over one token of each sequence.
        Decode = "decode",
    }
}

/// The largest batch and the longest sequence that are believed.
const LARGEST: u64 = 1 << 30;

/// What is done with a model at once, in all replicas together.
///
/// Source: Korthikanti et al. (2022), arXiv:2205.05198 (selective recomputation).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct Step {
    /// Training, prefill or decode.
    #[default("training")]
    pub phase: Phase,
    /// How many sequences are worked on, in all replicas together.
    #[range(>= 1, <= 1073741824)]
    pub batch: u64,
    /// How many tokens of each sequence are new: all in training, the prompt, or one.
    #[range(>= 1, <= 1073741824)]
    pub sequence: u64,
    /// How many tokens of each sequence are in the KV cache already.
    #[default(0)]
    #[range(<= 1073741824)]
    pub context: u64,
    /// How many sequences of a replica pass at a time.
    #[default(1)]
    #[range(>= 1, <= 1073741824)]
    pub micro_batch: u64,
    /// What the backward pass computes again.
    #[default("none")]
    pub recompute: Recompute,
    /// The precision of weights and activations.
    #[default("bf16")]
    pub precision: Name,
    /// The precision in which gradients are held and exchanged.
    #[default("fp32")]
    pub gradients: Name,
    /// The precision of the KV cache.
    #[default("bf16")]
    pub kv_precision: Name,
}

#[equations]
impl Step {
    /// The size of a weight or an activation.
    #[unit(B)]
    pub fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// The size of a gradient.
    #[unit(B)]
    pub fn gradient(&self) -> Result<Bytes> {
        element_size(&self.gradients)
    }

    /// The size of a number in the KV cache.
    #[unit(B)]
    pub fn cached(&self) -> Result<Bytes> {
        element_size(&self.kv_precision)
    }

    /// Every precision is one of storage.
    #[check]
    fn precisions_are_known(&self) -> Result<()> {
        self.element()?;
        self.gradient().map_err(|error| error.about("gradients"))?;
        self.cached().map_err(|error| error.about("kv_precision")).map(drop)
    }

    /// Training has no cache, and decoding makes one token of each sequence.
    #[check]
    fn phases_differ(&self) -> Result<()> {
        match self.phase {
            Phase::Training if self.context > 0 => Err(Error::input(
                "context",
                format!("training has no KV cache, but `{}` was given", self.context),
            )),
            Phase::Decode if self.sequence > 1 => Err(Error::input(
                "sequence",
                format!("decoding makes one token of each sequence, but `{}` was given", self.sequence),
            )),
            Phase::Prefill | Phase::Decode if self.recompute != Recompute::Nothing => Err(Error::input(
                "recompute",
                format!("only a backward pass computes again, and {} has none", self.phase.name()),
            )),
            _ => Ok(()),
        }
    }
}

impl Step {
    /// Whether the step is one that `checked` lets through, for one that is not known to have been
    /// there; it needs no copy.
    pub(super) fn is_consistent(&self) -> Result<()> {
        let counts = [
            ("batch", self.batch, 1),
            ("sequence", self.sequence, 1),
            ("context", self.context, 0),
            ("micro_batch", self.micro_batch, 1),
        ];
        let is_wrong = |(_, count, least): &(&str, u64, u64)| !(*least..=LARGEST).contains(count);
        match counts.into_iter().find(is_wrong) {
            Some((name, count, least)) => Err(Error::input(
                name,
                format!("a whole number from {least} to {LARGEST} is needed, but `{count}` was given"),
            )),
            None => self.phases_differ(),
        }
    }

    /// A step of training over `batch` sequences of `sequence` tokens.
    pub fn training(batch: u64, sequence: u64) -> Self {
        Step {
            phase: Phase::Training,
            batch,
            sequence,
            context: 0,
            micro_batch: 1,
            recompute: Recompute::Nothing,
            precision: Name::from("bf16"),
            gradients: Name::from("fp32"),
            kv_precision: Name::from("bf16"),
        }
    }

    /// A prefill of `batch` prompts of `sequence` tokens behind `context` that are cached, all at once.
    pub fn prefill(batch: u64, sequence: u64, context: u64) -> Self {
        Step { phase: Phase::Prefill, context, micro_batch: batch, ..Step::training(batch, sequence) }
    }

    /// A step that makes one token of each of `batch` sequences with `context` tokens in the cache.
    pub fn decode(batch: u64, context: u64) -> Self {
        Step { phase: Phase::Decode, ..Step::prefill(batch, 1, context) }
    }

    /// The step that `inputs` describe, with what they leave open taken from the model and the layout.
    ///
    /// That is one sequence for each replica, of 4,096 tokens or of the model's context if it is
    /// shorter. Training takes a replica's sequences one by one, a prefill and a decode step all at once.
    ///
    /// ```
    /// use mlsysim_models::transformer::{Layout, Step, Transformer};
    ///
    /// let (model, layout) = (Transformer::named("Llama3_8B")?, Layout::parse("tp=8,dp=16")?);
    /// let step = Step::with_defaults([("micro_batch".into(), 2.into())].into(), &model, &layout)?;
    /// assert_eq!((step.batch, step.sequence, step.micro_batch), (16, 4096, 2));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// An input is misspelt, out of its range, or contradicts another.
    pub fn with_defaults(inputs: Map<Value>, model: &Transformer, layout: &Layout) -> Result<Self> {
        let mut inputs = inputs;
        let is =
            |phase: Phase| matches!(inputs.get("phase"), Some(Value::Text(name)) if **name == *phase.name());
        let (decodes, trains) = (is(Phase::Decode), !is(Phase::Decode) && !is(Phase::Prefill));
        let usual = model.context.map_or(USUAL_SEQUENCE, |most| most.clamp(1, USUAL_SEQUENCE));
        let mut open = |name: &str, value: u64| {
            // What is left open is a degree or a length, far below the limit of an integer.
            let value = Value::Integer(i64::try_from(value).unwrap_or(i64::MAX));
            inputs.entry(name.into()).or_insert(value).clone()
        };
        let batch = open("batch", layout.dp);
        open("sequence", if decodes { 1 } else { usual });
        if !trains {
            inputs.entry("micro_batch".into()).or_insert(batch);
        }
        Self::from_inputs(inputs)
    }
}
