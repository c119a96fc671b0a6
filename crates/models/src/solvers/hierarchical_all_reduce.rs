//! `HierarchicalAllReduceModel`: an AllReduce in three phases, within and across nodes.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{CountProduct, Defined, Result, Solver, equations};

use crate::physics::communication::{
    RING_ALL_REDUCE_LIMIT, ring_all_reduce_factor, ring_all_reduce_rounds, ring_all_reduce_time,
    ring_phase_factor,
};

/// An AllReduce over nodes of several GPUs, in three phases against one flat ring over all GPUs.
///
/// A ReduceScatter within each node leaves every GPU with the sum of its part of the message. The
/// GPUs in the same place of each node AllReduce that part across the nodes, each over a port of
/// its own. An AllGather within each node hands the parts round. The two phases within a node are
/// the two halves of a ring AllReduce, each of them once: neither is a whole one. They cost no
/// startup here. The flat ring runs at the rate of its slowest link, that between nodes.
///
/// Source: Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521, for the rings; the
/// hierarchy is that of NCCL and Horovod (Sergeev and Del Balso, 2018, arXiv:1802.05799).
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = HierarchicalAllReduceResult)]
pub struct HierarchicalAllReduceModel {
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

#[equations(result = HierarchicalAllReduceResult)]
impl HierarchicalAllReduceModel {
    /// What each GPU sends within its node in the ReduceScatter, and again in the AllGather.
    #[unit(GB)]
    pub fn intra_bytes(&self) -> Bytes {
        self.message * ring_phase_factor(self.gpus_per_node)
    }

    /// The time of the ReduceScatter within a node.
    #[unit(ms)]
    pub fn reduce_scatter_time(&self) -> Time {
        self.intra_bytes() / self.intra_bandwidth
    }

    /// The part of the message that each GPU reduces across the nodes.
    #[unit(GB)]
    pub fn shard(&self) -> Bytes {
        self.message / self.gpus_per_node
    }

    /// The time of the bytes across the nodes, without startup.
    #[unit(ms)]
    pub fn inter_byte_time(&self) -> Time {
        ring_all_reduce_factor(self.n_nodes) * self.shard() / self.inter_bandwidth
    }

    /// The time of the startups across the nodes.
    #[unit("µs")]
    pub fn inter_startup_time(&self) -> Time {
        ring_all_reduce_rounds(self.n_nodes) * self.inter_alpha
    }

    /// The time of the AllReduce across the nodes.
    #[unit(ms)]
    pub fn inter_time(&self) -> Time {
        self.inter_byte_time() + self.inter_startup_time()
    }

    /// The time of the AllGather within a node.
    #[unit(ms)]
    pub fn all_gather_time(&self) -> Time {
        self.intra_bytes() / self.intra_bandwidth
    }

    /// The time of the three phases, one after the other.
    #[unit(ms)]
    pub fn total_time(&self) -> Time {
        self.reduce_scatter_time() + self.inter_time() + self.all_gather_time()
    }

    /// The time of one flat ring over all GPUs at the rate between nodes.
    #[unit(ms)]
    pub fn flat_ring_time(&self) -> Result<Time> {
        Ok(ring_all_reduce_time(self.message, self.devices()?, self.inter_bandwidth, self.inter_alpha))
    }

    /// What the bytes of the flat ring tend to take for many GPUs.
    #[unit(ms)]
    pub fn flat_bound_time(&self) -> Time {
        RING_ALL_REDUCE_LIMIT * self.message / self.inter_bandwidth
    }

    /// How many times faster the three phases are than the flat ring; nothing where neither takes
    /// any time.
    pub fn speedup_vs_flat_ring(&self) -> Result<Option<f64>> {
        Ok((self.flat_ring_time()? / self.total_time()).defined())
    }

    /// How many times faster the three phases are than the flat ring's limit; nothing where they
    /// take no time.
    pub fn speedup_vs_flat_bound(&self) -> Option<f64> {
        (self.flat_bound_time() / self.total_time()).defined()
    }

    /// How many GPUs there are.
    fn devices(&self) -> Result<u64> {
        self.n_nodes.times(self.gpus_per_node)
    }

    /// A group of one has nobody to exchange with.
    #[note(total_time, flat_ring_time, flat_bound_time, speedup_vs_flat_ring, speedup_vs_flat_bound)]
    fn lonely(&self) -> Option<String> {
        (self.n_nodes == 1 && self.gpus_per_node == 1).then(|| {
            "a group of one device exchanges nothing; flat_bound_time is a limit for many devices and says nothing of it".to_string()
        })
    }
}
