//! Servers and the networks between them.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, Mass, Power, Time};
use mlsysim_scenario::{Name, Record};

use super::HardwareNode;

/// A server with accelerators.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct Node {
    /// What the server is called.
    pub name: Name,
    /// Its accelerators.
    pub accelerator: Arc<HardwareNode>,
    /// How many accelerators it has.
    #[range(>= 1, <= 1000000000)]
    pub accelerators_per_node: u64,
    /// The bandwidth of one direction between two of its accelerators.
    #[range(> 0)]
    #[unit(GB/s)]
    pub intra_node_bw: Bandwidth,
    /// How many network ports it has for the traffic between accelerators.
    pub nics_per_node: Option<u64>,
    /// How many NVLink lanes an accelerator has.
    pub nvlink_links_per_accelerator: Option<u64>,
    /// How many NVSwitch chips it has.
    pub nvswitch_count: Option<u64>,
    /// Whether its switches add up what its accelerators send (NVLS).
    pub in_switch_reduction: Option<bool>,
    /// Its host processors.
    pub host_cpu: Option<Name>,
    /// How many cores its host processors have together.
    pub host_cpu_cores: Option<u64>,
    /// How much memory its host has.
    #[unit(TiB)]
    pub host_memory: Option<Bytes>,
    /// How fast its host's memory is read.
    #[unit(GB/s)]
    pub host_memory_bw: Option<Bandwidth>,
    /// How much storage its host has.
    #[unit(TB)]
    pub host_storage: Option<Bytes>,
    /// How many power supplies it has.
    pub psus_per_node: Option<u64>,
    /// How many of them may fail.
    pub psu_redundancy: Option<u64>,
    /// What one power supply delivers.
    #[unit(kW)]
    pub psu_rating: Option<Power>,
    /// What the server draws at most.
    #[unit(kW)]
    pub max_power: Option<Power>,
    /// What the server weighs.
    #[unit(kg)]
    pub mass: Option<Mass>,
}

/// A network between servers.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct NetworkFabric {
    /// What the network is called.
    pub name: Name,
    /// How its switches are connected.
    pub topology: Option<Name>,
    /// The bandwidth of one port in one direction.
    #[range(> 0)]
    #[unit(Gbps)]
    pub bandwidth: Bandwidth,
    /// The time that an empty message takes.
    #[unit("µs")]
    pub latency: Option<Time>,
    /// How much more bandwidth enters the network than leaves it upwards; 1 for a full fat tree.
    #[range(>= 1)]
    #[default(1.0)]
    pub oversubscription_ratio: f64,
}
