//! `AlphaBetaModel`: the time of messages on paths that each have a startup and a bandwidth.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Error, Map, MapExt, Name, Paired, Result, Solver, equations};

use crate::physics::communication::{critical_size, point_to_point_time};

/// The time of messages of several sizes on several paths, each with its startup and bandwidth.
///
/// A message pays the startup once, and its bytes at the bandwidth. Where the message is short the
/// startup decides, and only a lower one helps; where it is long the bandwidth does.
///
/// Source: Hockney (1994), The communication challenge for MPP, Parallel Computing 20, 389-398.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = AlphaBetaResult)]
pub struct AlphaBetaModel {
    /// The startup of a message on each path: adapters, switches, error correction and software.
    #[range(>= 0)]
    #[unit("µs")]
    pub alphas: Map<Time>,
    /// The bandwidth of each path in one direction, under the same names.
    #[range(> 0)]
    #[unit(Gbps)]
    pub bandwidths: Map<Bandwidth>,
    /// The messages, by what they are called.
    #[range(>= 0)]
    #[unit(KB)]
    pub messages: Map<Bytes>,
}

#[equations(result = AlphaBetaResult)]
impl AlphaBetaModel {
    /// The startup of a message on each path.
    #[unit("µs")]
    pub fn alphas(&self) -> Map<Time> {
        self.alphas.clone()
    }

    /// The bandwidth of each path in one direction.
    #[unit(Gbps)]
    pub fn bandwidths(&self) -> Map<Bandwidth> {
        self.bandwidths.clone()
    }

    /// The messages, by what they are called.
    #[unit(KB)]
    pub fn messages(&self) -> Map<Bytes> {
        self.messages.clone()
    }

    /// The time of each message on each path.
    #[unit("µs")]
    pub fn times(&self) -> Map<Map<Time>> {
        self.alphas.paired(&self.bandwidths, |alpha, bandwidth| {
            self.messages.each(|message| point_to_point_time(*message, *alpha, *bandwidth))
        })
    }

    /// The time of each message's bytes on each path, without startup.
    #[unit("µs")]
    pub fn transmission_times(&self) -> Map<Map<Time>> {
        self.bandwidths_in_order().each(|bandwidth| self.messages.each(|message| *message / *bandwidth))
    }

    /// The message whose bytes take as long as its startup, on each path.
    #[unit(B)]
    pub fn crossovers(&self) -> Map<Bytes> {
        self.alphas.paired(&self.bandwidths, |alpha, bandwidth| critical_size(*alpha, *bandwidth))
    }

    /// The bandwidths in the order of the startups.
    #[unit(Gbps)]
    fn bandwidths_in_order(&self) -> Map<Bandwidth> {
        self.alphas.paired(&self.bandwidths, |_, bandwidth| *bandwidth)
    }

    /// Every path has both of its figures.
    #[check]
    fn paths_are_whole(&self) -> Result<()> {
        let refused =
            |field: &str, path: &Name| Err(Error::input(field, format!("the path `{path}` needs one too")));
        if let Some(path) = self.alphas.keys().find(|path| !self.bandwidths.contains_key(*path)) {
            return refused("bandwidths", path);
        }
        match self.bandwidths.keys().find(|path| !self.alphas.contains_key(*path)) {
            Some(path) => refused("alphas", path),
            None => Ok(()),
        }
    }
}
