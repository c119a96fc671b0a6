//! `AllReduceAlgorithmModel`: an AllReduce by ring, by tree and by a parameter server, for several
//! sizes of the group.
#![expect(clippy::redundant_closure, reason = "an equation is printed with the argument of its closure")]

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Map, Sizes, Solver, equations};

use crate::physics::communication::{
    parameter_server_time, ring_all_reduce_factor, ring_all_reduce_rounds, ring_all_reduce_time,
    ring_tree_crossover, ring_tree_crossover_estimate, tree_all_reduce_rounds, tree_all_reduce_time,
};

/// An AllReduce of one message by a ring, by a simple binary tree and by one parameter server, for
/// groups of several sizes.
///
/// Each round costs a startup, and the bytes that a rank sends in it over its link. The ring sends
/// the fewest bytes in the most rounds; the tree sends the whole message in every round, but needs
/// a number of them that grows with the logarithm of the group only. So the ring is best for long
/// messages, the tree for short ones. The server receives the message of every rank through one
/// port. The arithmetic of the reduction, contention and protocols are left out, and the tree is a
/// plain one: a pipelined or double tree sends less.
///
/// Source: Thakur, Rabenseifner and Gropp (2005), Optimization of Collective Communication
/// Operations in MPICH, doi:10.1177/1094342005051521.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = AllReduceAlgorithmResult)]
pub struct AllReduceAlgorithmModel {
    /// What every rank holds and the sum of which every rank gets.
    #[range(>= 0)]
    #[unit(MB)]
    pub message: Bytes,
    /// The sizes of the group, each counted in ranks.
    #[range(>= 1)]
    pub group_sizes: Vec<u64>,
    /// The startup of one round.
    #[range(>= 0)]
    #[unit("µs")]
    pub alpha: Time,
    /// The bandwidth of the link of each rank in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
}

#[equations(result = AllReduceAlgorithmResult)]
impl AllReduceAlgorithmModel {
    /// What every rank holds and the sum of which every rank gets.
    #[unit(MB)]
    pub fn message(&self) -> Bytes {
        self.message
    }

    /// The startup of one round.
    #[unit("µs")]
    pub fn alpha(&self) -> Time {
        self.alpha
    }

    /// The bandwidth of the link of each rank in one direction.
    #[unit(GB/s)]
    pub fn bandwidth(&self) -> Bandwidth {
        self.bandwidth
    }

    /// What one round of the ring moves over each link, by size of the group.
    #[unit(MB)]
    pub fn chunk(&self) -> Map<Bytes> {
        self.group_sizes.by_size(|n| self.message / n)
    }

    /// What each rank sends in the whole ring, as a multiple of the message.
    #[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
    pub fn ring_factor(&self) -> Map<f64> {
        self.group_sizes.by_size(|n| ring_all_reduce_factor(n))
    }

    /// The rounds of the ring.
    #[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
    pub fn ring_rounds(&self) -> Map<u64> {
        self.group_sizes.by_size(|n| ring_all_reduce_rounds(n))
    }

    /// The rounds of the tree.
    #[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
    pub fn tree_rounds(&self) -> Map<u64> {
        self.group_sizes.by_size(|n| tree_all_reduce_rounds(n))
    }

    /// The time of the ring's bytes, without startup.
    #[unit(ms)]
    pub fn ring_byte_time(&self) -> Map<Time> {
        self.group_sizes.by_size(|n| ring_all_reduce_factor(n) * self.message / self.bandwidth)
    }

    /// The time of the ring's startups.
    #[unit("µs")]
    pub fn ring_startup_time(&self) -> Map<Time> {
        self.group_sizes.by_size(|n| ring_all_reduce_rounds(n) * self.alpha)
    }

    /// The time of the AllReduce by ring.
    #[unit(ms)]
    pub fn ring_time(&self) -> Map<Time> {
        self.group_sizes.by_size(|n| ring_all_reduce_time(self.message, n, self.bandwidth, self.alpha))
    }

    /// The time of the tree's bytes, without startup.
    #[unit(ms)]
    pub fn tree_byte_time(&self) -> Map<Time> {
        self.group_sizes.by_size(|n| tree_all_reduce_rounds(n) * self.message / self.bandwidth)
    }

    /// The time of the tree's startups.
    #[unit("µs")]
    pub fn tree_startup_time(&self) -> Map<Time> {
        self.group_sizes.by_size(|n| tree_all_reduce_rounds(n) * self.alpha)
    }

    /// The time of the AllReduce by tree.
    #[unit(ms)]
    pub fn tree_time(&self) -> Map<Time> {
        self.group_sizes.by_size(|n| tree_all_reduce_time(self.message, n, self.bandwidth, self.alpha))
    }

    /// The time of the bytes through the one port of a parameter server.
    #[unit(ms)]
    pub fn star_byte_time(&self) -> Map<Time> {
        self.group_sizes.by_size(|n| parameter_server_time(self.message, n, self.bandwidth))
    }

    /// How many times longer the server's bytes take than the ring's, in the limit of many ranks.
    pub fn star_ring_limit(&self) -> Map<f64> {
        self.group_sizes.by_size(|n| n as f64 / 2.0)
    }

    /// The message at which ring and tree take equally long, as estimated for many ranks; nothing
    /// where the ring is never slower.
    #[unit(B)]
    pub fn crossover_estimate(&self) -> Map<Option<Bytes>> {
        self.group_sizes.by_size(|n| ring_tree_crossover_estimate(n, self.alpha, self.bandwidth))
    }

    /// The message at which ring and tree take equally long, by these equations.
    #[unit(B)]
    pub fn crossover_exact(&self) -> Map<Option<Bytes>> {
        self.group_sizes.by_size(|n| ring_tree_crossover(n, self.alpha, self.bandwidth))
    }

    /// A group of one has nobody to exchange with.
    #[note(ring_time, tree_time, star_byte_time, star_ring_limit, crossover_exact)]
    fn lonely(&self) -> Option<String> {
        self.group_sizes.contains(&1).then(|| {
            "a group of one exchanges nothing: its times are 0, and nothing crosses over".to_string()
        })
    }

    /// In a small group the tree saves no round.
    #[note(crossover_estimate, crossover_exact)]
    fn never_slower(&self) -> Option<String> {
        self.group_sizes.iter().any(|size| matches!(size, 2 | 3)).then(|| {
            "for 2 and for 3 ranks the ring takes no more rounds than the tree, so that it is never slower: there is no crossover to estimate, and the exact one is at 0 B".to_string()
        })
    }
}
