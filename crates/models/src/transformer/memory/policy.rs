//! How a framework uses the memory of a device.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Record, choices};

use super::Optimizer;

choices! {
    /// In which order a pipeline's stages work on micro-batches.
    pub enum Schedule {
        /// Each backward pass as soon as it can (1F1B), interleaved where stages have chunks.
        ///
        /// Source: Narayanan et al. (2021), section 2.2, arXiv:2104.04473.
        OneForwardOneBackward = "1f1b",
        /// All forward passes, then all backward passes.
        ///
        /// Source: Huang et al. (2019), GPipe, section 2.3, arXiv:1811.06965.
        GPipe = "gpipe",
    }
}

choices! {
    /// Which gradients are held a second time, in 32 bits, beside those of the backward pass.
    pub enum GradientCopies {
        /// None: they are added up as they are held.
        Nothing = "none",
        /// Those of the weights that the rank updates, while it does (DeepSpeed's 16-bit optimizers).
        Updated = "updated",
        /// All: the backward pass leaves its own, which are added to these.
        All = "all",
    }
}

/// How a framework uses the memory of a device.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct MemoryPolicy {
    /// The optimizer.
    #[default("adam")]
    pub optimizer: Optimizer,
    /// The order of a pipeline's passes.
    #[default("1f1b")]
    pub schedule: Schedule,
    /// Whether attention is fused, so that its scores never reach memory.
    #[default(true)]
    pub fused_attention: bool,
    /// Whether the softmax of the loss takes the place of the scores that it reads in 32 bits. Else
    /// both are there.
    #[default(true)]
    pub loss_in_place: bool,
    /// Whether a gate is fused with what it multiplies. Else its result is kept too.
    #[default(true)]
    pub fused_gate: bool,
    /// Whether there is dropout, of which masks are kept.
    #[default(false)]
    pub dropout: bool,
    /// Whether what a stage hands on is kept until its backward pass.
    #[default(false)]
    pub stage_outputs: bool,
    /// Which gradients are held a second time, in 32 bits.
    #[default("none")]
    pub gradient_copies: GradientCopies,
    /// Whether weights are held in the optimizer's 32 bits alone, and cast as they are gathered.
    #[default(false)]
    pub cast_weights: bool,
    /// How many layers of each stage are computed again with full recomputation, where not all.
    pub recompute_layers: Option<u64>,
    /// How many tokens a block of the KV cache has; caches are whole blocks.
    #[default(16)]
    #[range(>= 1, <= 1048576)]
    pub cache_block: u64,
    /// What the framework takes on each device: its context, libraries and communication buffers.
    #[default("1 GiB")]
    #[range(>= 0)]
    #[unit(GiB)]
    pub framework: Bytes,
    /// What the allocator cannot use, as a share of what is held.
    #[default(0.0)]
    #[range(>= 0, < 1)]
    pub fragmentation: f64,
}

impl Default for MemoryPolicy {
    /// What the fields state as their defaults.
    fn default() -> Self {
        MemoryPolicy {
            optimizer: Optimizer::Adam,
            schedule: Schedule::OneForwardOneBackward,
            fused_attention: true,
            loss_in_place: true,
            fused_gate: true,
            dropout: false,
            stage_outputs: false,
            gradient_copies: GradientCopies::Nothing,
            cast_weights: false,
            recompute_layers: None,
            cache_block: 16,
            framework: Bytes::from_base(1_073_741_824.0),
            fragmentation: 0.0,
        }
    }
}
