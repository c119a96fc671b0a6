//! `AlphaBetaScenario`: messages on paths that each have a startup and a bandwidth.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Map, Scenario, equations};

use crate::solvers::{AlphaBetaModel, AlphaBetaResult};

/// Messages of several sizes on several paths, each with its startup and bandwidth: how long each
/// message takes, and at which size startup and bytes weigh the same.
///
/// # Assumptions
/// Those of `AlphaBetaModel`: one message at a time, on an idle path.
///
/// # Excludes
/// Contention, pipelining, and protocols that change with the size of the message.
///
/// # Derivation
/// The inputs are those of `AlphaBetaModel`, the linear model of Hockney (1994), Parallel Computing
/// 20, 389-398.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct AlphaBetaScenario {
    /// The startup of a message on each path.
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

#[equations]
impl AlphaBetaScenario {
    /// The time of each message on each path, and where startup and bytes weigh the same, by
    /// `AlphaBetaModel`.
    pub fn result(&self) -> AlphaBetaResult {
        AlphaBetaModel {
            alphas: self.alphas.clone(),
            bandwidths: self.bandwidths.clone(),
            messages: self.messages.clone(),
        }
        .solve()
    }
}
