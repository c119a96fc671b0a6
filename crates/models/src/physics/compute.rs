//! What arithmetic a model costs.

use mlsysim_quantity::{Bytes, FlopsPerParam};

/// The arithmetic of one parameter for one token in the forward pass: a multiplication and an
/// addition.
///
/// Source: Kaplan et al. (2020), Scaling Laws for Neural Language Models, section 2.1,
/// arXiv:2001.08361.
pub const FORWARD_FLOPS_PER_PARAM: FlopsPerParam = FlopsPerParam::from_base(2.0);

/// The size of one 16-bit element.
pub const BYTES_16_BIT: Bytes = Bytes::from_base(2.0);
