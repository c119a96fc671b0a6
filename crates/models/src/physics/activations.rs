//! What a forward pass keeps for the backward pass.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::formula;

/// What one layer keeps of one token for each unit of its width, the attention scores aside.
///
/// In 16-bit storage: 16 elements of 2 B and two dropout masks of 1 B. The attention block keeps
/// its input, Q, K, V, the input of its projection and a mask (11 B), the feed-forward block of
/// two matrices and four times the width its two inputs, that of its activation and a mask (19 B),
/// and the two layer norms their inputs (4 B).
///
/// Source: Korthikanti et al. (2022), Reducing Activation Recomputation in Large Transformer
/// Models, section 4.1, arXiv:2205.05198.
pub const KEPT_PER_WIDTH: Bytes = Bytes::from_base(34.0);

/// What one layer keeps of each attention score: the softmax's output (2 B), the dropout mask
/// (1 B) and the dropout's output (2 B), in 16-bit storage.
///
/// Source: Korthikanti et al. (2022), section 4.1, arXiv:2205.05198.
pub const KEPT_PER_SCORE: Bytes = Bytes::from_base(5.0);

/// Activations with evenly spaced checkpoints, in units of one layer's activations.
///
/// The forward pass keeps one activation at each of `checkpoints`; the backward pass rebuilds the
/// layers between two of them at a time. Least where `checkpoints` is the root of `layers`.
///
/// ```
/// use mlsysim_models::physics::activations::checkpointed_layers;
///
/// assert_eq!(checkpointed_layers(48, 8), 14.0);
/// ```
#[formula]
#[source("Chen et al. (2016), Training Deep Nets with Sublinear Memory Cost, section 4, arXiv:1604.06174")]
pub fn checkpointed_layers(layers: u64, checkpoints: u64) -> f64 {
    checkpoints as f64 + layers as f64 / checkpoints as f64
}
