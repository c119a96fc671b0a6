//! `Load`: how much of a step reaches one rank in one pass of a micro-batch.

use mlsysim_scenario::{Error, Result};

use super::listed_divisors;
use crate::transformer::{
    ContextExchange, Division, Layout, Mask, Operation, Part, Phase, Step, Transformer, Work,
    attention_pairs, cached_keys_read,
};

/// How much of a step reaches one rank in one pass of a micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The micro-batches that pass a replica in a step.
    pub micro_batches: u64,
    /// The sequences of one of them.
    pub sequences: u64,
    /// The new tokens of a sequence that the rank has.
    pub new: u64,
    /// The new tokens of a whole sequence.
    pub sequence: u64,
    /// The cached tokens of a whole sequence.
    pub context: u64,
    /// The tokens within blocks, which every rank of a tensor-parallel group has.
    pub tokens: u64,
    /// The tokens between blocks: a part of those with sequence parallelism.
    pub between: u64,
    /// The tokens of which the vocabulary is scored: all in training, the last of each sequence else.
    pub scored: u64,
    /// How many ranks share each sequence.
    context_ranks: u64,
    /// Whether their keys and values go round.
    is_ring: bool,
    /// How many ranks share a layer, and how many each expert.
    tensor: (u64, u64),
    /// How many experts a token passes.
    per_token: u64,
}

impl Load {
    /// What one rank of `division` has of `step`.
    ///
    /// # Errors
    ///
    /// The batch does not divide by the replicas and micro-batches, or the sequence by the ranks
    /// that share it; the message lists what does. Or the step is a literal that contradicts itself.
    pub fn new(division: &Division, step: &Step) -> Result<Self> {
        step.is_consistent()?;
        let Layout { tp, sp, dp, cp, .. } = *division.layout;
        let Step { batch, sequence, micro_batch, context, phase, .. } = *step;
        can_do(division.model, step)?;
        if !batch.is_multiple_of(dp) {
            let message = format!(
                "`{batch}` sequences do not divide by dp {dp} replicas; {}",
                nearest_multiples(batch, dp)
            );
            return Err(Error::input("batch", message));
        }
        if phase != Phase::Training && division.layout.zero > 0 {
            let message = format!(
                "ZeRO shares among replicas what training keeps, and {} keeps nothing; it can be 0, but `{}` was given",
                phase.name(),
                division.layout.zero
            );
            return Err(Error::input("zero", message));
        }
        let own = batch / dp;
        // A replica's sequences are served all at once where nobody says otherwise.
        let at_once = phase != Phase::Training && micro_batch == batch;
        let micro_batch = if at_once { own } else { micro_batch };
        if !own.is_multiple_of(micro_batch) {
            let message = format!(
                "the {own} sequences of a replica do not divide by `{micro_batch}`; it can be {}",
                listed_divisors(own)
            );
            return Err(Error::input("micro_batch", message));
        }
        if phase == Phase::Decode && cp > 1 {
            let message = format!(
                "decoding makes one token of each sequence, which `{cp}` ranks cannot share; it can be 1"
            );
            return Err(Error::input("cp", message));
        }
        // In a ring, a causal sequence is cut into twice as many parts, so that each rank gets an
        // early and a late one and all have as many pairs.
        let parts = if division.layout.cp_by == ContextExchange::Ring && cp > 1 { 2 * cp } else { cp };
        if !sequence.is_multiple_of(parts) {
            let message = format!(
                "`{sequence}` tokens make no {parts} equal parts for cp {cp}; {}",
                nearest_multiples(sequence, parts)
            );
            return Err(Error::input("sequence", message));
        }
        let new = sequence / cp;
        let tokens =
            micro_batch.checked_mul(new).filter(|tokens| *tokens <= MOST_TOKENS).ok_or_else(|| {
                Error::input(
                    "micro_batch",
                    format!("`{micro_batch}` sequences of {new} tokens are more than can be counted"),
                )
            })?;
        if sp && !tokens.is_multiple_of(tp) {
            let message = format!(
                "the {tokens} tokens of a micro-batch do not divide by tp `{tp}`, which sequence parallelism needs"
            );
            return Err(Error::input("sp", message));
        }
        Ok(Load {
            micro_batches: own / micro_batch,
            sequences: micro_batch,
            new,
            sequence,
            context,
            tokens,
            between: if sp { tokens / tp } else { tokens },
            scored: if phase == Phase::Training { tokens } else { micro_batch },
            context_ranks: cp,
            is_ring: division.layout.cp_by == ContextExchange::Ring,
            tensor: (tp, division.layout.expert_tensor()),
            per_token: division.model.routing.map_or(1, |routing| u64::from(routing.per_token)),
        })
    }

    /// The copies of tokens that the experts of the rank work on, when routing is even.
    ///
    /// A token goes to several experts; where an expert is shared by fewer ranks than a layer, each
    /// rank has its part of the tokens.
    pub fn routed(&self) -> f64 {
        let (tp, etp) = self.tensor;
        self.tokens as f64 * self.per_token as f64 * etp as f64 / tp as f64
    }

    /// The pairs of a query and a key that one head of the rank works on.
    pub fn pairs(&self, mask: Mask) -> f64 {
        let pairs = attention_pairs(mask, self.sequence, self.context);
        self.sequences as f64 * pairs as f64 / self.context_ranks as f64
    }

    /// How many ranks' keys and values the rank reads: of all of a ring, one after the other, else
    /// its own, or as many of fewer heads.
    pub fn key_parts(&self) -> f64 {
        if self.is_ring { self.context_ranks as f64 } else { 1.0 }
    }

    /// The cached tokens of which the rank has the keys and values.
    pub fn cached_keys(&self, mask: Mask) -> f64 {
        let keys = cached_keys_read(mask, self.sequence, self.context);
        self.sequences as f64 * keys as f64 / self.context_ranks as f64
    }

    /// The tokens that `operation` works on, copies for several experts counted.
    pub fn of(&self, operation: &Operation) -> f64 {
        match operation.part {
            Part::Experts => self.routed(),
            Part::Norms | Part::Router => self.between as f64,
            Part::Head => self.scored as f64,
            _ => self.tokens as f64,
        }
    }
}

/// Whether a model can do a step at all.
fn can_do(model: &Transformer, step: &Step) -> Result<()> {
    if step.phase == Phase::Decode && model.kinds().iter().any(|layer| layer.mask() == Some(Mask::Full)) {
        return Err(Error::input(
            "phase",
            "the model is an encoder, which makes no tokens: it has no decoding",
        ));
    }
    let positions = model.embedding.iter().find_map(|operation| match &operation.work {
        Work::LookUp { rows, .. } if operation.name == "positions" => Some(rows.whole()),
        _ => None,
    });
    let tokens = step.context.saturating_add(step.sequence);
    match positions {
        Some(positions) if tokens > positions => Err(Error::input(
            "sequence",
            format!("the model has rows for {positions} positions, but {tokens} tokens were given"),
        )),
        _ => Ok(()),
    }
}

/// So many tokens that products with them stay countable.
const MOST_TOKENS: u64 = 1 << 40;

/// The multiples of `divisor` on either side of `number`, as advice.
fn nearest_multiples(number: u64, divisor: u64) -> String {
    let below = number - number % divisor;
    match below {
        0 => format!("{divisor} would"),
        _ => format!("{below} or {} would", below + divisor),
    }
}
