//! `HierarchicalAllReduceScenario`: an AllReduce within and across nodes against one flat ring.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{CountProduct, Result, Scenario, equations};

use crate::solvers::{HierarchicalAllReduceModel, HierarchicalAllReduceResult};

/// A buffer that the GPUs of several nodes reduce in three phases, within and across nodes, or in
/// one flat ring.
///
/// # Assumptions
/// Those of `HierarchicalAllReduceModel`; in particular each GPU has a port of its own to other
/// nodes, so that the rings across nodes do not share one.
///
/// # Excludes
/// The startup of the phases within a node, congestion, pipelining between the phases and overlap
/// with compute.
///
/// # Derivation
/// The inputs are those of `HierarchicalAllReduceModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct HierarchicalAllReduceScenario {
    /// What every GPU holds and the sum of which every GPU gets.
    #[range(>= 0)]
    #[unit(MB)]
    pub message: Bytes,
    /// How many nodes there are.
    #[range(>= 1)]
    pub n_nodes: u64,
    /// How many GPUs a node has.
    #[range(>= 1)]
    pub gpus_per_node: u64,
    /// The bandwidth of a GPU within its node in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub intra_bandwidth: Bandwidth,
    /// The bandwidth of a GPU's own port to other nodes in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub inter_bandwidth: Bandwidth,
    /// The startup of one round between nodes.
    #[range(>= 0)]
    #[unit("µs")]
    pub inter_alpha: Time,
}

#[equations]
impl HierarchicalAllReduceScenario {
    /// How many GPUs there are.
    ///
    /// # Errors
    ///
    /// There are more than can be counted.
    pub fn n_devices(&self) -> Result<u64> {
        self.n_nodes.times(self.gpus_per_node)
    }

    /// The three phases and the flat ring, by `HierarchicalAllReduceModel`.
    ///
    /// # Errors
    ///
    /// There are more GPUs than can be counted.
    pub fn result(&self) -> Result<HierarchicalAllReduceResult> {
        HierarchicalAllReduceModel {
            message: self.message,
            n_nodes: self.n_nodes,
            gpus_per_node: self.gpus_per_node,
            intra_bandwidth: self.intra_bandwidth,
            inter_bandwidth: self.inter_bandwidth,
            inter_alpha: self.inter_alpha,
        }
        .solve()
    }
}
