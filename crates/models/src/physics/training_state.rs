//! What a training run keeps of each parameter, and what low-rank updates train.

use mlsysim_quantity::BytesPerParam;
use mlsysim_scenario::{CountProduct, Result, formula};

/// A parameter stored in 16 bits: a weight or a gradient of mixed-precision training.
pub const STORED_16_BIT: BytesPerParam = BytesPerParam::from_base(2.0);

/// A parameter stored in 32 bits: a master weight or one of Adam's two moments.
pub const STORED_32_BIT: BytesPerParam = BytesPerParam::from_base(4.0);

/// The optimizer state of mixed-precision Adam: the 32-bit master weight and two moments.
///
/// Source: Rajbhandari et al. (2020), ZeRO, section 3.1, arXiv:1910.02054.
pub const ADAM_OPTIMIZER_STATE: BytesPerParam = BytesPerParam::from_base(12.0);

/// The whole state of mixed-precision Adam: a 16-bit weight and gradient, and the optimizer state.
///
/// Source: Rajbhandari et al. (2020), ZeRO, section 3.1, arXiv:1910.02054.
pub const ADAM_TRAINING_STATE: BytesPerParam = BytesPerParam::from_base(16.0);

/// How many parameters a low-rank update of one matrix trains: its two thin factors.
///
/// ```
/// use mlsysim_models::physics::training_state::low_rank_parameters;
///
/// assert_eq!(low_rank_parameters(4096, 1024, 16)?, 81920);
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// There are more than can be counted exactly.
#[formula]
#[source("Hu et al. (2021), LoRA, section 4.1, arXiv:2106.09685")]
pub fn low_rank_parameters(in_dim: u64, out_dim: u64, rank: u64) -> Result<u64> {
    rank.times(in_dim + out_dim)
}
