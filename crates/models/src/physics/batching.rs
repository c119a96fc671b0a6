//! What a batch takes, and how requests share its slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use mlsysim_quantity::Time;
use mlsysim_scenario::formula;

/// The time to serve one batch whose cost has a fixed part and one for each request.
#[formula]
#[unit(ms)]
pub fn batch_service_time(fixed_time: Time, per_request_time: Time, batch_size: u64) -> Time {
    fixed_time + batch_size * per_request_time
}

/// The sum of two lists, entry by entry.
#[formula]
#[words("each entry of one plus the entry of other in its place")]
pub fn elementwise_sum(one: &[u64], other: &[u64]) -> Vec<u64> {
    one.iter().zip(other).map(|(one, other)| one.saturating_add(*other)).collect()
}

/// The entries of one list, and then those of another.
#[formula]
#[words("the entries of first, then those of then")]
pub fn in_order(first: &[u64], then: &[u64]) -> Vec<u64> {
    [first, then].concat()
}

/// How many entries are below the largest.
#[formula]
#[words("how many of lengths are below max(lengths)")]
pub fn shorter_than_largest(lengths: &[u64]) -> u64 {
    let largest = lengths.iter().max();
    lengths.iter().filter(|length| Some(*length) < largest).count() as u64
}

/// When each request begins and ends, in iterations, when the waiting ones begin after the longest
/// of the first batch.
#[formula]
#[words("[0, n] for each n in lengths, then [max(lengths), max(lengths) + n] for each n in waiting")]
pub fn request_level_spans(lengths: &[u64], waiting: &[u64]) -> Vec<Vec<u64>> {
    let end = lengths.iter().copied().max().unwrap_or(0);
    spans(lengths, waiting.iter().map(|length| (end, *length)))
}

/// When each request begins and ends, in iterations, when each waiting one takes the slot that is
/// free first.
///
/// ```
/// use mlsysim_models::physics::batching::continuous_spans;
///
/// assert_eq!(continuous_spans(&[2, 5], &[4, 1]), [[0, 2], [0, 5], [2, 6], [5, 6]]);
/// ```
#[formula]
#[words(
    "[0, n] for each n in lengths, then [t, t + n] for each n in waiting, in order, where t is when the first slot is free"
)]
pub fn continuous_spans(lengths: &[u64], waiting: &[u64]) -> Vec<Vec<u64>> {
    let mut free: BinaryHeap<Reverse<u64>> = lengths.iter().copied().map(Reverse).collect();
    let begun = waiting.iter().map_while(|length| {
        let Reverse(begin) = free.pop()?;
        free.push(Reverse(begin.saturating_add(*length)));
        Some((begin, *length))
    });
    spans(lengths, begun)
}

/// The latest end among spans.
#[formula]
#[words("the latest end in spans")]
pub fn last_end(spans: &[Vec<u64>]) -> u64 {
    spans.iter().filter_map(|span| span.last()).copied().max().unwrap_or(0)
}

/// The spans of a batch that begins at once, and of requests that begin later.
fn spans(lengths: &[u64], later: impl Iterator<Item = (u64, u64)>) -> Vec<Vec<u64>> {
    let first = lengths.iter().map(|length| (0, *length));
    first.chain(later).map(|(begin, length)| vec![begin, begin.saturating_add(length)]).collect()
}
