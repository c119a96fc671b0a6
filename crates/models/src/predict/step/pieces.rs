//! `Piece`: a kernel or a collective of a step, with its shape and its price.

use mlsysim_quantity::Time;
use mlsysim_scenario::Result;

use super::{KernelCoefficients, Pricing};
use crate::predict::{AttentionQuestion, CollectiveLibrary, CollectiveQuestion, ProductQuestion, Question};
use crate::transformer::{
    Elements, Exchange, Group, Kernel, Load, Mask, Operation, Part, Phase, Routing, Shares, Work,
};

/// A kernel or a collective of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// What it is, such as `query` or `block output`.
    pub what: &'static str,
    /// The part of the model that it belongs to.
    pub part: Part,
    /// What it is priced by.
    pub cost: Cost,
    /// The share of it that other ranks of the tensor-parallel group do as well: 0 where all is divided.
    pub repeated: f64,
}

/// What a piece is priced by.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// A product of matrices, and whether it stays in 16 bits whatever the precision of layers.
    Product {
        /// The product.
        question: ProductQuestion,
        /// Whether it stays in 16 bits.
        is_wide: bool,
    },
    /// Attention, and what its scores take to be written or read once at the bandwidth of the memory.
    Attention {
        /// The fused kernel.
        question: AttentionQuestion,
        /// The scores, moved once.
        scores: Time,
    },
    /// What only moves numbers, at the bandwidth of the memory.
    Moves(Time),
    /// A collective of a group.
    Exchange(Group, CollectiveQuestion),
}

impl Piece {
    /// The same with nothing to send; what is no exchange stays as it is.
    pub(super) fn without_payload(&self) -> Piece {
        let cost = match &self.cost {
            Cost::Exchange(group, question) => Cost::Exchange(*group, question.without_payload()),
            cost => cost.clone(),
        };
        Piece { cost, ..self.clone() }
    }

    /// What takes most of its time.
    pub fn binds(&self, kernels: &KernelCoefficients) -> &'static str {
        match &self.cost {
            Cost::Product { question, .. } => question.binds(&kernels.product),
            Cost::Attention { question, .. } => question.binds(&kernels.attention),
            Cost::Moves(_) => "memory",
            Cost::Exchange(_, question) => question.binds(&kernels.collective),
        }
    }
}

/// The largest payload that engines reduce by kernels of their own; NCCL reduces more.
///
/// Source: vllm-project/vllm, distributed/device_communicators/custom_all_reduce.py (`max_size`).
const LARGEST_OWN: f64 = 8.0 * 1024.0 * 1024.0;

/// The bytes of a score, in 16 bits.
const SCORE: f64 = 2.0;

impl Pricing<'_> {
    /// What an operation is in a forward pass of one micro-batch; nothing where it takes no time.
    pub fn operation(
        &self,
        operation: &Operation,
        shares: &Shares,
        load: &Load,
        phase: Phase,
        elements: &Elements,
    ) -> Option<Piece> {
        let repeated = repeated(operation, shares, phase);
        let piece = |cost| Some(Piece { what: operation.name, part: operation.part, cost, repeated });
        match &operation.work {
            Work::Linear { inputs, outputs, .. } => {
                let rows = load.linear_tokens(operation, inputs, phase);
                piece(self.product(operation.part, rows, [outputs.on(shares), inputs.on(shares)], 1.0))
            }
            Work::Expert { experts, per_token, inputs, outputs, .. } => {
                let held = experts.on(shares) as f64;
                let touched =
                    experts_touched(held, experts.whole() as f64, f64::from(*per_token), load.routed());
                let rows = load.routed() / touched;
                piece(self.product(operation.part, rows, [outputs.on(shares), inputs.on(shares)], touched))
            }
            Work::Attention { heads, mask, .. } => {
                let kernel = Kernel {
                    flops: operation.forward_flops(shares, load, phase),
                    moved: operation.forward_bytes(shares, load, phase, elements),
                };
                let keys = keys_of(*mask, load.sequence + load.context) as f64;
                let question = self.attention.attention(kernel, keys, phase == Phase::Decode, false);
                let scores = load.pairs(Mask::Full) * heads.on(shares) as f64 * SCORE;
                let scores = mlsysim_quantity::Bytes::from_base(scores) / self.bandwidth();
                piece(Cost::Attention { question, scores })
            }
            Work::LookUp { .. } | Work::Norm { .. } | Work::Elementwise { .. } => {
                let moved = operation.forward_bytes(shares, load, phase, elements);
                piece(Cost::Moves(moved / self.bandwidth()))
            }
            Work::Weights { .. } => None,
        }
    }

    /// `times` products of `rows` with a matrix of `[columns, inner]` of `part`.
    pub fn product(&self, part: Part, rows: f64, [columns, inner]: [u64; 2], times: f64) -> Cost {
        let is_wide = matches!(part, Part::Head | Part::Router);
        let (rates, is_wide) = match &self.unpacked {
            _ if is_wide => (&self.wide, true),
            Some((beyond, unpacked)) if rows > *beyond as f64 => (unpacked, true),
            _ => (&self.products, false),
        };
        Cost::Product { question: rates.product([rows, columns as f64, inner as f64], times, false), is_wide }
    }

    /// What an exchange takes once; experts that `routing` chooses for a token get it once for each
    /// domain.
    ///
    /// # Errors
    ///
    /// Its group spans domains and the machine has no network.
    pub fn exchange(&self, exchange: &Exchange, routing: Option<Routing>) -> Result<Piece> {
        let cost = Cost::Exchange(exchange.group, self.collective(exchange, routing)?);
        Ok(Piece { what: exchange.what, part: exchange.part, cost, repeated: 0.0 })
    }

    /// The collective that an exchange is.
    pub(super) fn collective(
        &self,
        exchange: &Exchange,
        routing: Option<Routing>,
    ) -> Result<CollectiveQuestion> {
        let reach = exchange.reach(self.machine);
        let bound = exchange.bound_over(reach, self.machine, routing)?;
        let payload = exchange.payload_bytes();
        let library = match exchange.group {
            Group::Tensor if payload.base() <= LARGEST_OWN => self.practice.library,
            _ => CollectiveLibrary::Nccl,
        };
        let question =
            CollectiveQuestion::bounded(exchange.collective, payload, reach, self.machine, library, bound);
        Ok(if self.practice.shares_links { question } else { question.unshared() })
    }
}

/// The share of what one rank of a tensor-parallel group does of `operation` that others do as well.
///
/// The experts of a layer are divided by degrees of their own, and decoding reads the cache, which is
/// what attention takes then.
pub(super) fn repeated(operation: &Operation, shares: &Shares, phase: Phase) -> f64 {
    let beyond = |whole: u64, own: u64| match own {
        0 => 0.0,
        _ => (1.0 - whole as f64 / (f64::from(shares.tensor) * own as f64)).max(0.0),
    };
    match &operation.work {
        Work::Linear { inputs, outputs, .. } => {
            beyond(inputs.whole() * outputs.whole(), inputs.on(shares) * outputs.on(shares))
        }
        Work::Attention { read: [one, other], .. } if phase == Phase::Decode => {
            beyond(one.whole() + other.whole(), one.on(shares) + other.on(shares))
        }
        _ => 0.0,
    }
}

/// How many of the `held` of `experts` any of the `routed` copies of tokens reach, when each choice of
/// `chosen` is equally likely: each token misses an expert with a chance of `1 - chosen / experts`.
///
/// ```
/// use mlsysim_models::predict::experts_touched;
///
/// assert_eq!(experts_touched(8.0, 8.0, 2.0, 2.0), 2.0);
/// assert!(experts_touched(8.0, 8.0, 2.0, 1e6) > 7.999);
/// ```
pub fn experts_touched(held: f64, experts: f64, chosen: f64, routed: f64) -> f64 {
    let tokens = routed * experts / (held * chosen);
    let missed = (1.0 - (chosen / experts).min(1.0)).powf(tokens);
    (held * (1.0 - missed)).clamp(1.0, held)
}

/// The keys that the last of `tokens` attends to.
fn keys_of(mask: Mask, tokens: u64) -> u64 {
    match mask {
        Mask::Full | Mask::Causal => tokens,
        Mask::Window(most) | Mask::Chunk(most) | Mask::Chosen(most) => tokens.min(u64::from(most)),
    }
}
