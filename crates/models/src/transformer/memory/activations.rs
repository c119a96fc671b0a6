//! What forward passes keep for backward passes.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Error, Result};

use super::{FULL_PRECISION, again};
use crate::transformer::account::is_latent;
use crate::transformer::{
    Accounting, Block, Dimension, Extent, Layer, Mask, MemoryPolicy, Operation, Part, Phase, Recompute,
    Shares, Work, attention_pairs,
};

/// Whether dropout left a number.
const MASK: Bytes = Bytes::from_base(1.0);

/// Something that a block keeps for its backward pass: numbers of so many bytes, as many for each of
/// its tokens as two sides multiply to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// What it is, or the operation that reads it.
    pub what: &'static str,
    /// Of how many tokens, or pairs of them, and what those are called in derivations.
    pub tokens: (&'static str, f64),
    /// How many numbers of each.
    pub width: [Extent; 2],
    /// How large a number is, and what that is called.
    pub element: (&'static str, Bytes),
}

impl Kept {
    /// All of it on a rank.
    pub(crate) fn bytes(&self, shares: &Shares) -> Bytes {
        let [first, second] = &self.width;
        self.tokens.1 * (first.on(shares) * second.on(shares)) as f64 * self.element.1
    }
}

impl Accounting<'_> {
    /// Which part of the layers of a stage is computed again whole.
    ///
    /// # Errors
    ///
    /// The policy computes more layers again than the stage has.
    pub fn computed_again(&self, stage: u64, policy: &MemoryPolicy) -> Result<f64> {
        let layers: u64 = self.kinds(stage).map(|(_, layers)| layers).sum();
        match (self.step.recompute, policy.recompute_layers) {
            (Recompute::Full, Some(some)) if some > layers => Err(Error::input(
                "recompute_layers",
                format!("stage {stage} has {layers} layers, but `{some}` are to be computed again"),
            )),
            (Recompute::Full, Some(some)) => Ok(some as f64 / layers.max(1) as f64),
            (recompute, None) => Ok(again(recompute)),
            (_, Some(some)) => Err(Error::input(
                "recompute_layers",
                format!(
                    "`{some}` layers are to be computed again, but recompute is `{}`; it has to be `full`",
                    self.step.recompute.name()
                ),
            )),
        }
    }

    /// The activations between two layers, of one micro-batch.
    pub fn between_layers(&self) -> Bytes {
        self.load.between as f64 * f64::from(self.division.model.hidden) * self.elements.activation
    }

    /// What one layer keeps of one micro-batch.
    pub(crate) fn layer_kept(&self, layer: &Layer, policy: &MemoryPolicy) -> Bytes {
        let mut kept = Bytes::ZERO;
        for block in &layer.blocks {
            self.block_kept(block, policy, |entry| kept += entry.bytes(&self.division.shares));
        }
        kept
    }

    /// What a block keeps of one micro-batch, to `visit`: what goes into each of its operations, once,
    /// and what attention needs to compute its scores again.
    ///
    /// For a GPT layer without dropout these are 32 bytes for each token and unit of width: 8 that
    /// sequence parallelism divides and 24 that tensor parallelism does. Dropout adds the two masks
    /// behind the blocks, which makes the 34 of Korthikanti et al. (2022), section 4.1,
    /// arXiv:2205.05198.
    pub(crate) fn block_kept(&self, block: &Block, policy: &MemoryPolicy, mut visit: impl FnMut(Kept)) {
        let element = ("element", self.elements.activation);
        let mut keep = |what, (name, tokens), width, element| {
            visit(Kept { what, tokens: (name, tokens), width, element });
        };
        let (within, between) =
            (("tokens", self.load.tokens as f64), ("tokens_between", self.load.between as f64));
        if policy.dropout {
            let hidden = Extent::of(Dimension::Hidden, self.division.model.hidden);
            keep("dropout_mask", between, [hidden, Extent::ONE], ("mask", MASK));
        }
        for (index, operation) in block.operations.iter().enumerate() {
            let before = &block.operations[..index];
            let name = operation.name;
            let own = self.named_tokens(operation);
            match &operation.work {
                Work::Norm { data, .. } => keep(name, own, [*data, Extent::ONE], element),
                Work::Linear { inputs, outputs, .. } => {
                    if operation.part == Part::Router {
                        keep(
                            "scores_of_experts",
                            own,
                            [*outputs, Extent::ONE],
                            ("full_precision", FULL_PRECISION),
                        );
                    }
                    // What all ranks gather is kept in parts.
                    let tokens = if is_hidden(inputs) { between } else { own };
                    if !is_kept(operation, before) {
                        keep(name, tokens, [*inputs, Extent::ONE], element);
                    }
                }
                Work::Expert { inputs, .. } => {
                    if !is_kept(operation, before) {
                        keep(name, ("tokens_routed", self.load.routed()), [*inputs, Extent::ONE], element);
                    }
                }
                Work::Elementwise { inputs, outputs, .. } => {
                    keep(name, own, [*inputs, Extent::ONE], element);
                    if !policy.fused_gate && inputs != outputs {
                        keep("gate_output", own, [*outputs, Extent::ONE], element);
                    }
                }
                Work::Attention { heads, key_width, value_width, read: [first, second], .. } => {
                    keep("queries", within, [*heads, *key_width], element);
                    if is_latent(first) {
                        keep("keys", within, [*heads, *key_width], element);
                        keep("values", within, [*heads, *value_width], element);
                    } else {
                        keep("keys", within, [*first, Extent::ONE], element);
                        keep("values", within, [*second, Extent::ONE], element);
                    }
                    let (numbers, each) = self.scores_kept(policy);
                    keep(name, numbers, [*heads, Extent::ONE], each);
                }
                Work::LookUp { .. } | Work::Weights { .. } => {}
            }
        }
    }

    /// The tokens that an operation works on, by their name in derivations.
    pub(crate) fn named_tokens(&self, operation: &Operation) -> (&'static str, f64) {
        let name = match operation.part {
            Part::Experts => "tokens_routed",
            Part::Norms | Part::Router => "tokens_between",
            Part::Head => "tokens_scored",
            _ => "tokens",
        };
        (name, self.load.of(operation))
    }

    /// What attention keeps of the scores of a head: one number for each query where it is fused,
    /// else every probability, unless they are computed again; with dropout its mask and what it
    /// leaves too, which are the 5 bytes of Korthikanti et al. (2022), section 4.1, arXiv:2205.05198.
    fn scores_kept(&self, policy: &MemoryPolicy) -> ((&'static str, f64), (&'static str, Bytes)) {
        if policy.fused_attention || self.step.recompute == Recompute::Selective {
            return (("tokens", self.load.tokens as f64), ("full_precision", FULL_PRECISION));
        }
        // Kernels that are not fused compute the whole square and mask it.
        let square =
            attention_pairs(Mask::Full, self.load.sequence, 0) as f64 / self.division.layout.cp as f64;
        let element = self.elements.activation;
        let each = if policy.dropout { 2.0 * element + MASK } else { element };
        (("pairs", self.load.sequences as f64 * square), ("bytes_of_a_score", each))
    }

    /// The scores of the vocabulary of one micro-batch with their softmax in 32 bits, on the last
    /// stage. Their gradient takes the place of the scores.
    ///
    /// A loss that does not work in place has the scores in 32 bits too.
    pub(super) fn logits(&self, stage: u64, policy: &MemoryPolicy) -> Bytes {
        if self.is_last(stage) { self.logits_held(policy) } else { Bytes::ZERO }
    }

    /// The same of the stage that has them.
    pub fn logits_held(&self, policy: &MemoryPolicy) -> Bytes {
        let size = crate::transformer::Size {
            dimension: Dimension::Vocabulary,
            value: self.division.model.vocabulary,
        };
        let numbers = self.load.scored as f64 * self.division.shares.of(size) as f64;
        let copy = if policy.loss_in_place || self.step.phase != Phase::Training { 0.0 } else { 1.0 };
        numbers * (self.elements.activation + (1.0 + copy) * FULL_PRECISION)
    }
}

/// What an operation reads that is kept once for all that read it: what it belongs to, and its width.
fn kept_input(operation: &Operation) -> Option<(Part, &Extent)> {
    match &operation.work {
        Work::Linear { inputs, .. } if is_hidden(inputs) => Some((Part::Norms, inputs)),
        Work::Linear { inputs, .. } => Some((operation.part, inputs)),
        Work::Expert { inputs, .. } => Some((Part::Experts, inputs)),
        _ => None,
    }
}

/// Whether an operation `before` this one reads the same.
fn is_kept(operation: &Operation, before: &[Operation]) -> bool {
    before.iter().any(|earlier| kept_input(earlier) == kept_input(operation))
}

/// Whether an extent is the width of the activations between layers.
fn is_hidden(extent: &Extent) -> bool {
    extent.sizes().all(|size| size.dimension == Dimension::Hidden)
}
