//! What a product of two matrices costs.

use mlsysim_quantity::units::FLOP;
use mlsysim_quantity::{Bytes, Flops};
use mlsysim_scenario::formula;

/// The arithmetic of the product of a `rows` × `inner` and an `inner` × `columns` matrix: a
/// multiplication and an addition for each term.
///
/// ```
/// use mlsysim_models::physics::matrix::matmul_flops;
///
/// assert_eq!(matmul_flops(32, 784, 128).base(), 6422528.0);
/// ```
#[formula]
#[unit(flop)]
pub fn matmul_flops(rows: u64, inner: u64, columns: u64) -> Flops {
    2.0 * rows as f64 * inner as f64 * columns as f64 * FLOP
}

/// What this product moves: both matrices are read once, and the result is written.
#[formula]
#[unit(B)]
pub fn matmul_bytes(rows: u64, inner: u64, columns: u64, element: Bytes) -> Bytes {
    (rows as f64 * inner as f64 + inner as f64 * columns as f64 + rows as f64 * columns as f64) * element
}
