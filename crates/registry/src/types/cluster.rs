//! Fleets of servers, and what holds and schedules them.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, Power};
use mlsysim_scenario::{Name, Record, equations};

use super::{NetworkFabric, Node};

/// Many like servers on one network.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct Fleet {
    /// What the fleet is called.
    pub name: Name,
    /// Its servers.
    pub node: Arc<Node>,
    /// How many servers it has.
    #[range(>= 1, <= 1000000000)]
    pub count: u64,
    /// The network between its servers.
    pub fabric: Arc<NetworkFabric>,
    /// How many hours pass between failures, where that was measured.
    #[range(> 0)]
    pub mtbf_hours: Option<f64>,
}

#[equations]
impl Fleet {
    /// How many accelerators the fleet has.
    pub fn total_accelerators(&self) -> u64 {
        self.count * self.node.accelerators_per_node
    }
}

/// A pod of accelerators as its vendor states it.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct PodEnvelope {
    /// What the pod is called.
    pub name: Name,
    /// How many chips it has.
    #[range(>= 1)]
    pub chips: u64,
    /// How much memory its chips have together.
    #[unit(TiB)]
    pub memory: Bytes,
    /// What it draws.
    #[unit(MW)]
    pub power: Power,
}

/// A rack of servers and what it draws beside the accelerators.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct RackProfile {
    /// What the rack is called.
    #[default("")]
    pub name: Name,
    /// Its servers.
    pub node: Arc<Node>,
    /// How many servers it has.
    #[range(>= 1, <= 1000000000)]
    pub nodes_per_rack: u64,
    /// What it draws beside the accelerators.
    #[unit(kW)]
    pub non_accelerator_power: Option<Power>,
    /// What its hosts draw.
    #[unit(kW)]
    pub host_power: Option<Power>,
    /// What the switches between its accelerators draw.
    #[unit(kW)]
    pub switch_power: Option<Power>,
    /// What its network draws.
    #[unit(kW)]
    pub network_power: Option<Power>,
    /// What converting its power loses.
    #[unit(kW)]
    pub conversion_loss_power: Option<Power>,
    /// What its share of the cooling draws.
    #[unit(kW)]
    pub cooling_allocation_power: Option<Power>,
}

#[equations]
impl RackProfile {
    /// How many accelerators the rack has.
    pub fn accelerator_count(&self) -> u64 {
        self.nodes_per_rack * self.node.accelerators_per_node
    }
}

/// How a shared cluster is scheduled.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct Orchestration {
    /// The share of the cluster that is meant to be in use.
    #[range(> 0, <= 1)]
    pub target_cluster_utilization: f64,
    /// In which order jobs leave the queue.
    pub queue_discipline: Name,
    /// How many days a job takes on average.
    #[range(> 0)]
    pub average_researcher_job_days: f64,
}
