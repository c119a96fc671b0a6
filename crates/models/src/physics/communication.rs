//! What collectives move.

use mlsysim_scenario::formula;

/// The bytes that each of `ranks` devices sends in a ring AllReduce, as a multiple of the payload.
///
/// A ring reduces and scatters the payload in `n − 1` steps and gathers it in as many, each moving
/// `1/n` of it: `2 (n − 1) / n`. A group of one exchanges nothing.
///
/// ```
/// use mlsysim_models::physics::communication::ring_all_reduce_factor;
///
/// assert_eq!(ring_all_reduce_factor(1), 0.0);
/// assert_eq!(ring_all_reduce_factor(8), 1.75);
/// ```
#[formula]
#[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
pub fn ring_all_reduce_factor(ranks: u64) -> f64 {
    2.0 * (ranks as f64 - 1.0) / ranks as f64
}
