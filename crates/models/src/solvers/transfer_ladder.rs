//! `TransferLadderModel`: one payload over links of different speed.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Map, MapExt, Solver, equations};

/// One payload over each of several links, at their full rates.
///
/// Latency is left out, so that nothing is faster.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = TransferLadderResult)]
pub struct TransferLadderModel {
    /// What is moved.
    #[range(>= 0)]
    #[unit(GB)]
    pub payload: Bytes,
    /// The bandwidth of each link in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub links: Map<Bandwidth>,
}

#[equations(result = TransferLadderResult)]
impl TransferLadderModel {
    /// What is moved.
    #[unit(GB)]
    pub fn payload(&self) -> Bytes {
        self.payload
    }

    /// The bandwidth of each link in one direction.
    #[unit(GB/s)]
    pub fn bandwidths(&self) -> Map<Bandwidth> {
        self.links.clone()
    }

    /// The time of the payload over each link.
    #[unit(ms)]
    #[kind(bound)]
    pub fn times(&self) -> Map<Time> {
        self.links.each(|bandwidth| self.payload / *bandwidth)
    }
}
