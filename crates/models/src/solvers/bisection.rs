//! `BisectionModel`: a ring AllReduce whose links all cross the middle of the network.

use mlsysim_quantity::{Bandwidth, Bytes, Money, Time};
use mlsysim_scenario::{Defined, Solver, equations};

use crate::physics::communication::ring_all_reduce_factor;
use crate::physics::topology::stretched_throughput;

/// A ring AllReduce whose neighbours all stand in different halves of the cluster, through a full
/// and through an oversubscribed network.
///
/// With neighbours in alternate halves, the worst placement, half of the ring's links cross the
/// cut in each direction, each with the bytes of one device. A full cut has as many links of its
/// own, so that each carries what one device sends; an oversubscribed one has fewer. Only the part
/// of a step that communicates takes longer by that. What throughput is lost is worth as much of
/// the cluster's price, as if it stood idle.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = BisectionResult)]
pub struct BisectionModel {
    /// How many devices the cluster has.
    #[range(>= 1)]
    pub n_devices: u64,
    /// The bandwidth of each device's link in one direction.
    #[range(> 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Bandwidth,
    /// How many times less the cut carries than the links of one half.
    #[range(>= 1)]
    pub oversubscription_ratio: f64,
    /// What each device reduces.
    #[range(>= 0)]
    #[unit(GB)]
    pub payload_per_device: Bytes,
    /// The share of a step that communicates through a full network.
    #[range(>= 0, <= 1)]
    pub communication_fraction: f64,
    /// What the cluster costs.
    #[range(>= 0)]
    #[unit(USD)]
    pub cluster_cost: Money,
}

#[equations(result = BisectionResult)]
impl BisectionModel {
    /// The devices of one half; of an odd number one is left over, and no link of the ring with it.
    pub fn devices_per_side(&self) -> u64 {
        self.n_devices / 2
    }

    /// What a full cut carries in one direction.
    #[unit(B/s)]
    pub fn bisection_full(&self) -> Bandwidth {
        self.devices_per_side() * self.link_bandwidth
    }

    /// What the oversubscribed cut carries in one direction.
    #[unit(B/s)]
    pub fn bisection_oversubscribed(&self) -> Bandwidth {
        self.bisection_full() / self.oversubscription_ratio
    }

    /// What each device sends, as a multiple of its payload.
    #[source("Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521")]
    pub fn ring_factor(&self) -> f64 {
        ring_all_reduce_factor(self.n_devices)
    }

    /// What crosses the cut in one direction.
    #[unit(GB)]
    pub fn crossing_bytes(&self) -> Bytes {
        self.devices_per_side() * self.payload_per_device * self.ring_factor()
    }

    /// The time of the AllReduce through the full cut, each link of which carries what one device
    /// sends.
    #[unit(s)]
    pub fn time_full(&self) -> Time {
        self.payload_per_device * self.ring_factor() / self.link_bandwidth
    }

    /// The time of the AllReduce through the oversubscribed cut.
    #[unit(s)]
    pub fn time_oversubscribed(&self) -> Time {
        self.time_full() * self.oversubscription_ratio
    }

    /// How many times longer the AllReduce takes; nothing where it takes no time.
    pub fn slowdown(&self) -> Option<f64> {
        (self.time_oversubscribed() / self.time_full()).defined()
    }

    /// The throughput of training, as a share of that through a full network.
    pub fn relative_throughput(&self) -> f64 {
        stretched_throughput(self.communication_fraction, self.oversubscription_ratio)
    }

    /// The share of the throughput that is lost.
    pub fn throughput_loss(&self) -> f64 {
        1.0 - self.relative_throughput()
    }

    /// What that share of the cluster costs.
    #[unit(USD)]
    pub fn idle_cost(&self) -> Money {
        self.throughput_loss() * self.cluster_cost
    }

    /// A group of one has nobody to exchange with.
    #[note(crossing_bytes, time_full, time_oversubscribed, slowdown, relative_throughput)]
    fn lonely(&self) -> Option<String> {
        (self.n_devices == 1).then(|| {
            "a group of one device exchanges nothing; the throughput is that of the stated communication_fraction all the same".to_string()
        })
    }
}
