//! How a framework uses the memory of a device.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Error, Record, Result, choices};

use super::Optimizer;
use crate::transformer::Recompute;

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
        /// The backward pass in two, of which that of the weights is put off to fill the pipeline; a stage
        /// keeps as much as the first does with one forward and one backward pass in turn.
        ///
        /// Source: Qi et al. (2023), Zero Bubble Pipeline Parallelism, section 2.1, arXiv:2401.10241.
        ZeroBubbleH1 = "zb-h1",
        /// The same with as many more forward passes first as leave no bubble; a stage keeps nearly twice
        /// as much.
        ///
        /// Source: Qi et al. (2023), section 2.2, arXiv:2401.10241.
        ZeroBubbleH2 = "zb-h2",
    }
}

impl Schedule {
    /// How many passes of weights each stage puts off for each stage behind the first: none where the
    /// backward pass is one.
    pub fn puts_off(self) -> u64 {
        match self {
            Schedule::OneForwardOneBackward | Schedule::GPipe => 0,
            Schedule::ZeroBubbleH1 => 1,
            Schedule::ZeroBubbleH2 => 2,
        }
    }

    /// Whether `pp` stages of `vpp` chunks can run it where the backward pass computes `recompute` again.
    ///
    /// # Errors
    ///
    /// The pass of the weights is put off, and chunks are interleaved or layers are computed again whole.
    pub fn suits(self, [pp, vpp]: [u64; 2], recompute: Recompute) -> Result<()> {
        let refused = |message: String| Err(Error::input("schedule", format!("`{}` {message}", self.name())));
        match self.puts_off() {
            0 => Ok(()),
            // Without a pipeline passes have no order.
            _ if pp == 1 => Ok(()),
            _ if vpp > 1 => refused(format!(
                "puts off passes of whole stages, but vpp `{vpp}` interleaves chunks; set vpp to 1"
            )),
            _ if recompute == Recompute::Full => refused(
                "puts off passes that read what recompute `full` does not keep; set it to `none` or `selective`"
                    .to_string(),
            ),
            _ => Ok(()),
        }
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
