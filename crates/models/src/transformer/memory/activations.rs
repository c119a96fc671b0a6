//! What forward passes keep for backward passes.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Error, Result};

use super::FULL_PRECISION;
use crate::transformer::account::is_latent;
use crate::transformer::{
    Accounting, Block, Dimension, Extent, Layer, Mask, MemoryPolicy, Part, Phase, Recompute, Schedule,
    Shares, Work, attention_pairs,
};

/// Whether dropout left a number.
const MASK: Bytes = Bytes::from_base(1.0);

impl Accounting<'_> {
    /// What a rank of `stage` keeps for its backward passes, or works with where there are none.
    ///
    /// # Errors
    ///
    /// The policy computes more layers again than the stage has.
    pub(super) fn activations(&self, stage: u64, policy: &MemoryPolicy) -> Result<Bytes> {
        if self.step.phase != Phase::Training {
            return Ok(self.working(stage));
        }
        let layers: u64 = self.kinds(stage).map(|(_, layers)| layers).sum();
        let again = match (self.step.recompute, policy.recompute_layers) {
            (Recompute::Full, Some(some)) if some > layers => {
                return Err(Error::input(
                    "recompute_layers",
                    format!("the stage has {layers} layers, but `{some}` are to be computed again"),
                ));
            }
            (Recompute::Full, Some(some)) => some as f64 / layers.max(1) as f64,
            (Recompute::Full, None) => 1.0,
            (_, Some(some)) => {
                return Err(Error::input(
                    "recompute_layers",
                    format!(
                        "nothing is computed again as a whole layer, but `{some}` was given; set recompute to `full`"
                    ),
                ));
            }
            _ => 0.0,
        };
        let mut kept = Bytes::ZERO;
        let mut largest = Bytes::ZERO;
        for (layer, count) in self.kinds(stage) {
            let whole = self.layer_kept(layer, policy);
            let each = again * self.between_layers() + (1.0 - again) * whole;
            kept += count as f64 * each;
            // While a layer is computed again, all that it keeps is there once.
            if again > 0.0 && whole > largest {
                largest = whole;
            }
        }
        if policy.stage_outputs && stage + 1 < self.division.layout.pp {
            kept += self.between_layers();
        }
        Ok(self.in_flight(stage, policy.schedule) * kept + largest)
    }

    /// How many micro-batches a stage keeps at once.
    ///
    /// With one forward and one backward pass in turn, stage `s` of `p` has begun `p − s` before its
    /// first backward pass; interleaved chunks of layers begin `2(p − s − 1) + (v − 1)p + 1` of them,
    /// each a `v`-th of a stage.
    ///
    /// Source: Narayanan et al. (2021), section 2.2, arXiv:2104.04473; the warm-up of Megatron-LM's
    /// interleaved schedule.
    pub(super) fn in_flight(&self, stage: u64, schedule: Schedule) -> f64 {
        let (pp, vpp) = (self.division.layout.pp, self.division.layout.vpp);
        let all = self.load.micro_batches;
        let after = pp - 1 - stage;
        match schedule {
            Schedule::GPipe => all as f64,
            Schedule::OneForwardOneBackward if vpp > 1 => {
                (2 * after + (vpp - 1) * pp + 1).min(all * vpp) as f64 / vpp as f64
            }
            Schedule::OneForwardOneBackward => (after + 1).min(all) as f64,
        }
    }

    /// The activations between two layers, of one micro-batch.
    fn between_layers(&self) -> Bytes {
        self.load.between as f64 * f64::from(self.division.model.hidden) * self.elements.activation
    }

    /// What one layer keeps of one micro-batch.
    fn layer_kept(&self, layer: &Layer, policy: &MemoryPolicy) -> Bytes {
        layer.blocks.iter().fold(Bytes::ZERO, |sum, block| sum + self.block_kept(block, policy))
    }

    /// What a block keeps of one micro-batch: what goes into each of its operations, once, and what
    /// attention needs to compute its scores again.
    ///
    /// For a GPT layer without dropout these are 32 bytes for each token and unit of width: 8 that
    /// sequence parallelism divides and 24 that tensor parallelism does. Dropout adds the two masks
    /// behind the blocks, which makes the 34 of Korthikanti et al. (2022), section 4.1,
    /// arXiv:2205.05198.
    fn block_kept(&self, block: &Block, policy: &MemoryPolicy) -> Bytes {
        let shares = &self.division.shares;
        let load = &self.load;
        let element = self.elements.activation;
        let numbers = |extent: &Extent| extent.on(shares) as f64;
        let mut kept = Bytes::ZERO;
        if policy.dropout {
            kept += load.between as f64 * f64::from(self.division.model.hidden) * MASK;
        }
        let mut inputs_kept: Vec<(Part, Extent)> = Vec::new();
        for operation in &block.operations {
            kept += match &operation.work {
                Work::Norm { data, .. } => load.of(operation) * numbers(data) * element,
                Work::Linear { inputs, outputs, .. } => {
                    let routed = operation.part == Part::Router;
                    let scores = if routed {
                        load.of(operation) * numbers(outputs) * FULL_PRECISION
                    } else {
                        Bytes::ZERO
                    };
                    // What several matrices read is kept once; what all ranks gather, in parts.
                    let own = if is_hidden(inputs) { Part::Norms } else { operation.part };
                    let tokens = if is_hidden(inputs) { load.between as f64 } else { load.of(operation) };
                    if inputs_kept.contains(&(own, *inputs)) {
                        scores
                    } else {
                        inputs_kept.push((own, *inputs));
                        scores + tokens * numbers(inputs) * element
                    }
                }
                Work::Expert { inputs, .. } => {
                    if inputs_kept.contains(&(Part::Experts, *inputs)) {
                        Bytes::ZERO
                    } else {
                        inputs_kept.push((Part::Experts, *inputs));
                        load.routed() * numbers(inputs) * element
                    }
                }
                Work::Elementwise { inputs, outputs, .. } => {
                    let gate = if policy.fused_gate || inputs == outputs { 0.0 } else { numbers(outputs) };
                    load.of(operation) * (numbers(inputs) + gate) * element
                }
                Work::Attention { heads, key_width, value_width, read: [first, second], .. } => {
                    let tokens = load.tokens as f64;
                    let keys = if is_latent(first) {
                        numbers(heads) * (numbers(key_width) + numbers(value_width))
                    } else {
                        numbers(first) + numbers(second)
                    };
                    let scores = self.scores_kept(numbers(heads), policy);
                    tokens * (numbers(heads) * numbers(key_width) + keys) * element + scores
                }
                Work::LookUp { .. } | Work::Weights { .. } => Bytes::ZERO,
            };
        }
        kept
    }

    /// What attention keeps of its scores: one number for each query and head where it is fused,
    /// else every probability, unless they are computed again; with dropout its mask and what it
    /// leaves too, which are the 5 bytes of Korthikanti et al. (2022), section 4.1, arXiv:2205.05198.
    fn scores_kept(&self, heads: f64, policy: &MemoryPolicy) -> Bytes {
        let sums = self.load.tokens as f64 * heads * FULL_PRECISION;
        if policy.fused_attention || self.step.recompute == Recompute::Selective {
            return sums;
        }
        // Kernels that are not fused compute the whole square and mask it.
        let square =
            attention_pairs(Mask::Full, self.load.sequence, 0) as f64 / self.division.layout.cp as f64;
        let element = self.elements.activation;
        let each = if policy.dropout { 2.0 * element + MASK } else { element };
        self.load.sequences as f64 * square * heads * each
    }

    /// The scores of the vocabulary of one micro-batch with their softmax in 32 bits, on the last
    /// stage. Their gradient takes the place of the scores.
    ///
    /// A loss that does not work in place has the scores in 32 bits too.
    pub(super) fn logits(&self, stage: u64, policy: &MemoryPolicy) -> Bytes {
        if stage + 1 != self.division.layout.pp {
            return Bytes::ZERO;
        }
        let size = crate::transformer::Size {
            dimension: Dimension::Vocabulary,
            value: self.division.model.vocabulary,
        };
        let numbers = self.load.scored as f64 * self.division.shares.of(size) as f64;
        let copy = if policy.loss_in_place || self.step.phase != Phase::Training { 0.0 } else { 1.0 };
        numbers * (self.elements.activation + (1.0 + copy) * FULL_PRECISION)
    }

    /// What the backward pass of one operation works with, of the one that needs most: gradients of
    /// what it wrote, of what it read and of its weights, the latter until they are added to those
    /// of other micro-batches.
    pub(super) fn backward_working(&self, stage: u64) -> Bytes {
        let shares: &Shares = &self.division.shares;
        let mut most = Bytes::ZERO;
        self.operations(stage, |operation, _, _| {
            let of = |extent: &Extent| extent.on(shares) as f64;
            let moved = match &operation.work {
                // The gradient of scores is told with them.
                Work::Linear { inputs, .. } if operation.part == Part::Head => of(inputs),
                Work::Linear { inputs, outputs, .. } | Work::Elementwise { inputs, outputs, .. } => {
                    of(inputs) + of(outputs)
                }
                // Experts follow each other, each with its part of the tokens.
                Work::Expert { experts, inputs, outputs, .. } => (of(inputs) + of(outputs)) / of(experts),
                Work::LookUp { width, .. } => of(width),
                _ => 0.0,
            };
            let weights = operation.parameters(shares) as f64;
            let weights = match &operation.work {
                Work::Expert { experts, .. } => weights / of(experts),
                _ => weights,
            };
            let bytes = (self.load.of(operation) * moved + weights) * self.elements.activation;
            if bytes > most {
                most = bytes;
            }
        });
        most
    }

    /// The most that one operation of a forward pass reads and writes, weights apart.
    fn working(&self, stage: u64) -> Bytes {
        let shares: &Shares = &self.division.shares;
        let mut most = Bytes::ZERO;
        self.operations(stage, |operation, _, _| {
            let of = |extent: &Extent| extent.on(shares) as f64;
            let numbers = match &operation.work {
                Work::Linear { .. } if operation.part == Part::Head => 0.0,
                Work::Linear { inputs, outputs, .. }
                | Work::Expert { inputs, outputs, .. }
                | Work::Elementwise { inputs, outputs, .. } => {
                    self.load.of(operation) * (of(inputs) + of(outputs))
                }
                _ => 0.0,
            };
            let bytes = numbers * self.elements.activation;
            if bytes > most {
                most = bytes;
            }
        });
        self.between_layers() + most
    }
}

/// Whether an extent is the width of the activations between layers.
fn is_hidden(extent: &Extent) -> bool {
    extent.sizes().all(|size| size.dimension == Dimension::Hidden)
}
