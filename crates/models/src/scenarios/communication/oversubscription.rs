//! `OversubscriptionScenario`: a ring AllReduce through a network that carries less than its links.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, Money};
use mlsysim_registry::Fleet;
use mlsysim_scenario::{Scenario, equations};

use crate::solvers::{BisectionModel, BisectionResult};

/// A ring AllReduce over a fleet whose every link crosses the middle of the network, through a full
/// and through an oversubscribed one.
///
/// # Assumptions
/// Those of `BisectionModel`: neighbours of the ring stand in different halves, the worst
/// placement.
///
/// # Excludes
/// Latency, placements that keep traffic local, and what the larger network would cost.
///
/// # Derivation
/// The number of the fleet's accelerators and the other inputs are those of `BisectionModel`, whose
/// equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct OversubscriptionScenario {
    /// The fleet whose accelerators reduce.
    pub fleet: Arc<Fleet>,
    /// The bandwidth of each accelerator's link in one direction.
    #[range(> 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Bandwidth,
    /// How many times less the middle carries than the links of one half.
    #[range(>= 1)]
    pub oversubscription_ratio: f64,
    /// What each accelerator reduces.
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

#[equations]
impl OversubscriptionScenario {
    /// The AllReduce through both networks, and the throughput that is lost, by `BisectionModel`.
    pub fn result(&self) -> BisectionResult {
        BisectionModel {
            n_devices: self.fleet.total_accelerators(),
            link_bandwidth: self.link_bandwidth,
            oversubscription_ratio: self.oversubscription_ratio,
            payload_per_device: self.payload_per_device,
            communication_fraction: self.communication_fraction,
            cluster_cost: self.cluster_cost,
        }
        .solve()
    }
}
