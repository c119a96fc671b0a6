//! How examples of different length fill buffers of one size.

use std::cmp::Reverse;

use mlsysim_scenario::formula;

/// The tokens in each buffer when examples are packed by first fit, the longest first.
///
/// No packing needs fewer buffers than the sum of the lengths over the capacity; this one needs at
/// most 11/9 of the fewest, and 6/9 of a buffer more (Dósa, 2007). An example that is longer than the
/// capacity takes a buffer of its own, which it overfills: callers refuse it.
///
/// ```
/// use mlsysim_models::physics::packing::first_fit_decreasing;
///
/// assert_eq!(first_fit_decreasing(&[2, 7, 5, 1], 8), [8, 7]);
/// ```
#[formula]
#[words(
    "the loads of the buffers when each of lengths, the longest first, goes into the first buffer of capacity with room, or a new one"
)]
#[source("Krell et al. (2021), Efficient Sequence Packing without Cross-contamination, arXiv:2107.02027")]
pub fn first_fit_decreasing(lengths: &[u64], capacity: u64) -> Vec<u64> {
    let mut longest_first = lengths.to_vec();
    longest_first.sort_unstable_by_key(|length| Reverse(*length));
    let mut loads: Vec<u64> = Vec::new();
    for length in longest_first {
        match loads.iter_mut().find(|load| length <= capacity.saturating_sub(**load)) {
            Some(load) => *load += length,
            None => loads.push(length),
        }
    }
    loads
}
