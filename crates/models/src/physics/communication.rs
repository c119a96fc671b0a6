//! What collectives move.

/// The bytes that each of `ranks` devices sends in a ring AllReduce, as a multiple of the payload.
///
/// A ring reduces and scatters the payload in `n − 1` steps and gathers it in as many, each moving
/// `1/n` of it: `2 (n − 1) / n`. A group of one exchanges nothing. Source: Thakur, Rabenseifner and
/// Gropp (2005), Optimization of Collective Communication Operations in MPICH,
/// doi:10.1177/1094342005051521.
///
/// ```
/// use mlsysim_models::physics::communication::ring_all_reduce_factor;
///
/// assert_eq!(ring_all_reduce_factor(1), 0.0);
/// assert_eq!(ring_all_reduce_factor(8), 1.75);
/// ```
pub fn ring_all_reduce_factor(ranks: u64) -> f64 {
    let ranks = ranks as f64;
    2.0 * (ranks - 1.0) / ranks
}
