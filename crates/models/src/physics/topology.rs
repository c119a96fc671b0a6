//! How many hosts, switches and links a network has, and what an oversubscribed one costs.

use mlsysim_scenario::{CountProduct, Result, formula};

/// The hosts of a fat tree without oversubscription, made of switches of `radix` ports.
///
/// Every switch below the top has half of its ports down and half up, so that each tier multiplies
/// the reach by `k/2`; the top has all ports down. Of an odd radix one port is left over.
///
/// # Errors
///
/// There are more than can be counted.
#[formula]
#[source("Al-Fares, Loukissas and Vahdat (2008), doi:10.1145/1402958.1402967")]
pub fn fat_tree_hosts(radix: u64, tiers: u64) -> Result<u64> {
    2u64.times((radix / 2).to_the(tiers)?)
}

/// The switches of a fat tree without oversubscription, made of switches of `radix` ports.
///
/// Each tier below the top has `2 (k/2)^(L-1)` switches, and the top half as many.
///
/// # Errors
///
/// There are more than can be counted.
#[formula]
#[source("Al-Fares, Loukissas and Vahdat (2008), doi:10.1145/1402958.1402967")]
pub fn fat_tree_switches(radix: u64, tiers: u64) -> Result<u64> {
    (2 * tiers).saturating_sub(1).times((radix / 2).to_the(tiers.saturating_sub(1))?)
}

/// The switches on the longest path of a fat tree: up through every tier to the top, and down again.
#[formula]
pub fn fat_tree_longest_path(tiers: u64) -> u64 {
    (2 * tiers).saturating_sub(1)
}

/// The links that a plane through a torus cuts: each ring that it crosses, on both of its sides.
///
/// # Errors
///
/// There are more than can be counted.
#[formula]
#[source("Dally and Towles (2004), Principles and Practices of Interconnection Networks, chapter 5")]
pub fn torus_bisection_links(side: u64, dims: u64) -> Result<u64> {
    2u64.times(side.to_the(dims.saturating_sub(1))?)
}

/// The hops of the longest of the shortest paths in a torus: half of a ring in every dimension.
///
/// # Errors
///
/// There are more than can be counted.
#[formula]
#[source("Dally and Towles (2004), Principles and Practices of Interconnection Networks, chapter 5")]
pub fn torus_longest_path(side: u64, dims: u64) -> Result<u64> {
    dims.times(side / 2)
}

/// How fast a step is whose share `communication` takes `ratio` times as long, as a share of what
/// it was.
#[formula]
pub fn stretched_throughput(communication: f64, ratio: f64) -> f64 {
    1.0 / ((1.0 - communication) + communication * ratio)
}
