//! What arithmetic a model costs.

use mlsysim_quantity::{Bytes, FlopsPerParam};
use mlsysim_scenario::formula;

/// The arithmetic of one parameter for one token in the forward pass: a multiplication and an
/// addition.
///
/// Source: Kaplan et al. (2020), Scaling Laws for Neural Language Models, section 2.1,
/// arXiv:2001.08361.
pub const FORWARD_FLOPS_PER_PARAM: FlopsPerParam = FlopsPerParam::from_base(2.0);

/// The arithmetic of one parameter for one token in training: the forward pass, and twice as much
/// backward, for the gradients of activations and of parameters.
///
/// Source: Kaplan et al. (2020), Scaling Laws for Neural Language Models, section 2.1,
/// arXiv:2001.08361.
pub const TRAINING_FLOPS_PER_PARAM: FlopsPerParam = FlopsPerParam::from_base(6.0);

/// The size of one 16-bit element.
pub const BYTES_16_BIT: Bytes = Bytes::from_base(2.0);

/// The 16-bit activation of `tokens` tokens between two layers.
#[formula]
#[unit(B)]
pub fn activation_bytes(tokens: u64, hidden_dim: u64) -> Bytes {
    tokens * (hidden_dim * BYTES_16_BIT)
}
