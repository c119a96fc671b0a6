//! What an operation computes and moves on one rank, in each pass.

use mlsysim_quantity::units::FLOP;
use mlsysim_quantity::{Bytes, Flops};
use mlsysim_scenario::{choices, formula};

use crate::physics::matrix::matmul_flops;
use crate::transformer::{Axis, Dimension, Extent, Load, Operation, Phase, Recompute, Shares, Work};

choices! {
    /// A pass through the layers.
    pub enum Pass {
        /// From tokens to scores.
        Forward = "forward",
        /// From the loss back, for the gradients of activations and of weights.
        Backward = "backward",
        /// What the backward pass computes again.
        Recompute = "recompute",
    }
}

/// The arithmetic of attention: scores of queries and keys, and the values that they weigh, each a
/// multiplication and an addition for every number of a pair.
///
/// The softmax between them is left out, as published counts do.
///
/// ```
/// use mlsysim_models::transformer::attention_flops;
///
/// assert_eq!(attention_flops(10.0, 64, 128, 128).base(), 10.0 * 64.0 * 4.0 * 128.0);
/// ```
#[formula]
#[unit(flop)]
#[source("Narayanan et al. (2021), appendix, arXiv:2104.04473")]
pub fn attention_flops(pairs: f64, heads: u64, key_width: u64, value_width: u64) -> Flops {
    2.0 * pairs * heads as f64 * (key_width as f64 + value_width as f64) * FLOP
}

/// How large numbers are on one rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elements {
    /// A weight or an activation.
    pub activation: Bytes,
    /// A gradient of a weight.
    pub gradient: Bytes,
    /// A number in the KV cache.
    pub cached: Bytes,
}

/// What the passes of an operation move between memory and the device, and what of it a forward pass
/// cannot avoid to read: activations may stay on the chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moved {
    /// All of the forward pass.
    pub forward: Bytes,
    /// All of the backward pass.
    pub backward: Bytes,
    /// The weights that are read.
    pub weights: Bytes,
    /// What is read of the KV cache.
    pub cache: Bytes,
}

impl Pass {
    /// How many products the pass computes for each one of the forward pass.
    ///
    /// The backward pass has two: for the gradient of what went in and for that of the weights, or
    /// of the other factor.
    pub const fn products(self) -> f64 {
        match self {
            Pass::Forward | Pass::Recompute => 1.0,
            Pass::Backward => 2.0,
        }
    }
}

impl Operation {
    /// The arithmetic of a forward pass: products of matrices only, as every published count.
    pub fn forward_flops(&self, shares: &Shares, load: &Load, phase: Phase) -> Flops {
        match &self.work {
            Work::Linear { inputs, outputs, .. } => {
                load.linear_tokens(self, inputs, phase)
                    * matmul_flops(1, inputs.on(shares), outputs.on(shares))
            }
            Work::Expert { inputs, outputs, .. } => {
                load.routed() * matmul_flops(1, inputs.on(shares), outputs.on(shares))
            }
            Work::Attention { heads, mask, .. } => {
                let (key, value) = self.attended_widths(phase);
                attention_flops(load.pairs(*mask), heads.on(shares), key, value)
            }
            _ => Flops::ZERO,
        }
    }

    /// Whether every rank of a tensor-parallel group has its weights whole, were it that each uses
    /// them for heads of its own.
    pub(crate) fn is_undivided(&self) -> bool {
        match &self.work {
            Work::Expert { .. } => false,
            Work::Norm { weights, .. } => !is_cut(weights),
            _ => !BY_TENSOR.iter().any(|axis| self.is_divided(*axis)),
        }
    }

    /// The parameters that every rank of a tensor-parallel group has: all where nothing is divided,
    /// else the bias behind divided rows.
    pub(crate) fn undivided_parameters(&self, shares: &Shares) -> u64 {
        match &self.work {
            _ if self.is_undivided() => self.parameters(shares),
            Work::Linear { outputs, bias: true, .. } if !is_cut(outputs) => outputs.on(shares),
            _ => 0,
        }
    }

    /// Whether the backward pass computes it again, where it stands in a layer.
    pub fn is_recomputed(&self, recompute: Recompute) -> bool {
        match recompute {
            Recompute::Nothing => false,
            Recompute::Selective => matches!(self.work, Work::Attention { .. }),
            Recompute::Full => true,
        }
    }

    /// The widths of a key and a value as scores see them.
    ///
    /// A decode step of latent attention attends to the latents themselves: what would make keys
    /// of them is applied to the query instead, and what would make values to the result.
    pub(crate) fn attended_widths(&self, phase: Phase) -> (u64, u64) {
        match &self.work {
            Work::Attention { read: [latent, rotary], .. } if phase == Phase::Decode && is_latent(latent) => {
                (latent.whole() + rotary.whole(), latent.whole())
            }
            Work::Attention { key_width, value_width, .. } => (key_width.whole(), value_width.whole()),
            _ => (0, 0),
        }
    }

    /// What a forward pass moves between memory and the device, each operand once.
    ///
    /// A matrix product reads its weights and what goes in, and writes what comes out. Attention
    /// reads queries, keys and values, those in the cache and those of other ranks of a ring included,
    /// and writes its result, without the scores, as fused kernels do (Dao et al. 2022, arXiv:2205.14135). Of the experts, no more
    /// are read than tokens reach.
    pub fn forward_bytes(&self, shares: &Shares, load: &Load, phase: Phase, elements: &Elements) -> Bytes {
        self.forward_bytes_with(self.read_weights(shares, load), shares, load, phase, elements)
    }

    /// The same where it is known how many weights are read.
    #[inline]
    fn forward_bytes_with(
        &self,
        weights: f64,
        shares: &Shares,
        load: &Load,
        phase: Phase,
        elements: &Elements,
    ) -> Bytes {
        let element = elements.activation;
        let numbers = |extent: &Extent| extent.on(shares) as f64;
        let moved = match &self.work {
            Work::Linear { inputs, outputs, .. } => {
                load.linear_tokens(self, inputs, phase) * (numbers(inputs) + numbers(outputs))
            }
            Work::Expert { inputs, outputs, .. } => load.routed() * (numbers(inputs) + numbers(outputs)),
            Work::LookUp { width, .. } => 2.0 * load.of(self) * numbers(width),
            Work::Norm { data, .. } => 2.0 * load.of(self) * numbers(data),
            Work::Elementwise { inputs, outputs, .. } => load.of(self) * (numbers(inputs) + numbers(outputs)),
            Work::Attention { heads, read: [first, second], mask, .. } => {
                let (key, value) = self.attended_widths(phase);
                let queries = load.tokens as f64 * numbers(heads) * (key + value) as f64;
                // Outside of decoding, each head has keys and values that were made of the latents,
                // those of cached tokens included.
                if is_latent(first) && phase != Phase::Decode {
                    let keys = load.key_parts() * (load.tokens as f64 + load.cached_keys(*mask));
                    return (queries + keys * numbers(heads) * (key + value) as f64) * element;
                }
                let own = load.key_parts() * load.tokens as f64 * (numbers(first) + numbers(second));
                let cache = load.key_parts()
                    * load.cached_keys(*mask)
                    * (numbers(first) + numbers(second))
                    * elements.cached;
                return cache + (queries + own) * element;
            }
            Work::Weights { .. } => 0.0,
        };
        (weights + moved) * element
    }

    /// What the passes move: the forward pass, and the backward pass, which reads and writes twice as
    /// much with its gradients, and adds to the gradients of weights where those were read again.
    pub(crate) fn moved(&self, shares: &Shares, load: &Load, phase: Phase, elements: &Elements) -> Moved {
        let weights = self.read_weights(shares, load);
        let forward = self.forward_bytes_with(weights, shares, load, phase, elements);
        let backward = 2.0 * forward + weights * (2.0 * elements.gradient - elements.activation);
        let cache = self.read_cache(shares, load, elements);
        Moved { forward, backward, weights: weights * elements.activation, cache }
    }

    /// What a forward pass cannot avoid to read: weights, and the cache.
    pub(crate) fn least_read(&self, shares: &Shares, load: &Load, elements: &Elements) -> [Bytes; 2] {
        let weights = self.read_weights(shares, load) * elements.activation;
        [weights, self.read_cache(shares, load, elements)]
    }

    fn read_cache(&self, shares: &Shares, load: &Load, elements: &Elements) -> Bytes {
        match &self.work {
            Work::Attention { mask, read: [first, second], .. } => {
                load.cached_keys(*mask) * (first.on(shares) + second.on(shares)) as f64 * elements.cached
            }
            _ => Bytes::ZERO,
        }
    }

    /// The weights that a pass reads: all, except of experts that no token reaches and of tables.
    fn read_weights(&self, shares: &Shares, load: &Load) -> f64 {
        let held = match self.shared {
            true => Operation { shared: false, ..*self }.parameters(shares),
            false => self.parameters(shares),
        } as f64;
        match &self.work {
            Work::Expert { experts, .. } => {
                let experts = experts.on(shares) as f64;
                held / experts * experts.min(load.routed())
            }
            Work::LookUp { .. } => 0.0,
            _ => held,
        }
    }
}

/// The axes along which the ranks of a tensor-parallel group divide.
const BY_TENSOR: [Axis; 3] = [Axis::Tensor, Axis::TensorReplicated, Axis::TensorPadded];

/// Whether such a group divides a side of a matrix.
fn is_cut(extent: &Extent) -> bool {
    BY_TENSOR.iter().any(|axis| extent.is_divided(*axis))
}

/// Whether attention reads a latent in place of keys.
pub(crate) fn is_latent(read: &Extent) -> bool {
    read.sizes().any(|size| size.dimension == Dimension::KvRank)
}

impl Load {
    /// The tokens that a matrix works on.
    ///
    /// A prefill makes keys and values anew from the latents of cached tokens.
    pub(crate) fn linear_tokens(&self, operation: &Operation, inputs: &Extent, phase: Phase) -> f64 {
        let tokens = self.of(operation);
        match phase {
            Phase::Prefill if is_latent(inputs) => {
                tokens + self.cached_keys(crate::transformer::Mask::Causal)
            }
            _ => tokens,
        }
    }
}
