//! What collectives move, and how long that takes under the α–β model: a startup for each round,
//! and the bytes of each rank over its link.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::formula;

/// What [`ring_all_reduce_factor`] tends to for many ranks.
pub const RING_ALL_REDUCE_LIMIT: f64 = 2.0;

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

/// The bytes that each of `ranks` devices sends in one half of a ring AllReduce, a ReduceScatter
/// or an AllGather, as a multiple of the whole payload.
///
/// ```
/// use mlsysim_models::physics::communication::ring_phase_factor;
///
/// assert_eq!(ring_phase_factor(1), 0.0);
/// assert_eq!(ring_phase_factor(8), 0.875);
/// ```
#[formula]
#[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
pub fn ring_phase_factor(ranks: u64) -> f64 {
    (ranks as f64 - 1.0) / ranks as f64
}

/// The rounds of a ring AllReduce: `n − 1` that reduce, and `n − 1` that gather.
#[formula]
#[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
pub fn ring_all_reduce_rounds(ranks: u64) -> u64 {
    2 * ranks.saturating_sub(1)
}

/// The time of a ring AllReduce of `message` over links of `bandwidth` in one direction.
///
/// The arithmetic of the reduction is left out. A group of one exchanges nothing.
///
/// ```
/// use mlsysim_models::physics::communication::ring_all_reduce_time;
/// use mlsysim_quantity::{Bandwidth, Bytes, Time};
///
/// let (gigabyte, link) = (Bytes::from_base(1e9), Bandwidth::from_base(50e9));
/// let time = |ranks| ring_all_reduce_time(gigabyte, ranks, link, Time::from_base(1e-6));
/// assert_eq!(time(1), Time::ZERO);
/// assert_eq!(time(2), Time::from_base(0.020002));
/// ```
#[formula]
#[unit(ms)]
#[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
pub fn ring_all_reduce_time(message: Bytes, ranks: u64, bandwidth: Bandwidth, alpha: Time) -> Time {
    ring_all_reduce_factor(ranks) * message / bandwidth + ring_all_reduce_rounds(ranks) * alpha
}

/// The time of a ring AllGather, or ReduceScatter, of which `gathered` is the whole payload: what
/// every rank holds after the gathering, or before the scattering.
///
/// ```
/// use mlsysim_models::physics::communication::all_gather_time;
/// use mlsysim_quantity::{Bandwidth, Bytes, Time};
///
/// let (gigabyte, link) = (Bytes::from_base(1e9), Bandwidth::from_base(50e9));
/// assert_eq!(all_gather_time(gigabyte, 8, link, Time::ZERO), Time::from_base(0.0175));
/// ```
#[formula]
#[unit(ms)]
#[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
pub fn all_gather_time(gathered: Bytes, ranks: u64, bandwidth: Bandwidth, alpha: Time) -> Time {
    ring_phase_factor(ranks) * gathered / bandwidth + ranks.saturating_sub(1) * alpha
}

/// The rounds of an AllReduce by a binary tree: as many up as the tree has levels, and as many down.
///
/// ```
/// use mlsysim_models::physics::communication::tree_all_reduce_rounds;
///
/// assert_eq!([1, 2, 3, 64, 65].map(tree_all_reduce_rounds), [0, 2, 4, 12, 14]);
/// ```
#[formula]
#[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
pub fn tree_all_reduce_rounds(ranks: u64) -> u64 {
    2 * (ranks as f64).log2().ceil() as u64
}

/// The time of an AllReduce by a simple binary tree, which forwards the whole `message` in every
/// round.
///
/// A group of one exchanges nothing.
#[formula]
#[unit(ms)]
#[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
pub fn tree_all_reduce_time(message: Bytes, ranks: u64, bandwidth: Bandwidth, alpha: Time) -> Time {
    tree_all_reduce_rounds(ranks) * message / bandwidth + tree_all_reduce_rounds(ranks) * alpha
}

/// The time in which one parameter server receives the `message` of every rank through its one
/// port; sending the sum back takes as long at the same time, in the other direction.
///
/// A group of one exchanges nothing.
#[formula]
#[unit(ms)]
pub fn parameter_server_time(message: Bytes, ranks: u64, bandwidth: Bandwidth) -> Time {
    if ranks > 1 { ranks * message / bandwidth } else { Time::ZERO }
}

/// The message at which ring and tree take equally long, as estimated for many ranks.
///
/// There is none where the ring takes no more rounds than the tree, for groups of up to three: the
/// ring is then never slower.
#[formula]
#[unit(B)]
pub fn ring_tree_crossover_estimate(ranks: u64, alpha: Time, bandwidth: Bandwidth) -> Option<Bytes> {
    if ring_all_reduce_rounds(ranks) > tree_all_reduce_rounds(ranks) {
        Some(ranks * (alpha * bandwidth) / (ranks as f64).log2())
    } else {
        None
    }
}

/// The message at which ring and tree take equally long: where the rounds that the tree saves are
/// worth the bytes that it sends more.
///
/// It is 0 where both take as many rounds. A group of one has none.
#[formula]
#[unit(B)]
pub fn ring_tree_crossover(ranks: u64, alpha: Time, bandwidth: Bandwidth) -> Option<Bytes> {
    if ranks > 1 {
        Some(
            ring_all_reduce_rounds(ranks).saturating_sub(tree_all_reduce_rounds(ranks)) * (alpha * bandwidth)
                / (tree_all_reduce_rounds(ranks) as f64 - ring_all_reduce_factor(ranks)),
        )
    } else {
        None
    }
}

/// The time of one message from one end of a path to the other: its startup and its bytes.
#[formula]
#[unit("µs")]
#[source("Hockney (1994), The communication challenge for MPP, Parallel Computing 20, 389-398")]
pub fn point_to_point_time(message: Bytes, alpha: Time, bandwidth: Bandwidth) -> Time {
    alpha + message / bandwidth
}

/// The message whose bytes take as long as its startup: shorter ones wait for latency, longer ones
/// for bandwidth.
#[formula]
#[unit(KB)]
#[source("Hockney (1994), The communication challenge for MPP, Parallel Computing 20, 389-398")]
pub fn critical_size(alpha: Time, bandwidth: Bandwidth) -> Bytes {
    alpha * bandwidth
}

/// The chunk that a rank of a ring receives in a step of the ReduceScatter: the one that its
/// predecessor holds the most of.
#[formula]
pub fn ring_chunk(rank: u64, step: u64, ranks: u64) -> u64 {
    (rank + 2 * ranks - 1 - step) % ranks
}

/// What a rank of a ring holds after it received a chunk in a step of the ReduceScatter: the
/// chunk's number, and its sum so far.
#[formula]
#[words("[c, the sum of chunk c over ranks rank - step - 1 to rank], where c = (rank - step - 1) mod N")]
pub fn ring_scattered(vectors: &[Vec<i64>], rank: u64, step: u64) -> Vec<i64> {
    let ranks = vectors.len() as u64;
    let chunk = ring_chunk(rank, step, ranks);
    let summed = (0..step + 2).map(|back| element(vectors, (rank + ranks - back) % ranks, chunk));
    vec![chunk as i64, summed.sum()]
}

/// What a rank of a ring receives in a step of the AllGather: a chunk's number, and its whole sum.
#[formula]
#[words("[c, the sum of chunk c over all ranks], where c = (rank - step) mod N")]
pub fn ring_gathered(vectors: &[Vec<i64>], rank: u64, step: u64) -> Vec<i64> {
    let ranks = vectors.len() as u64;
    let chunk = ring_chunk(rank + 1, step, ranks);
    vec![chunk as i64, chunk_total(vectors, chunk)]
}

/// The sum of one chunk over all ranks, each vector having a chunk for every rank.
#[formula]
#[words("the sum of chunk c of every vector")]
pub fn chunk_total(vectors: &[Vec<i64>], chunk: u64) -> i64 {
    (0..vectors.len() as u64).map(|rank| element(vectors, rank, chunk)).sum()
}

/// One chunk of one vector, 0 where there is none.
fn element(vectors: &[Vec<i64>], rank: u64, chunk: u64) -> i64 {
    let at = |index: u64| usize::try_from(index).unwrap_or(usize::MAX);
    vectors.get(at(rank)).and_then(|vector| vector.get(at(chunk))).copied().unwrap_or(0)
}
