//! Where data sets and checkpoints lie.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Name, Record, equations};

/// A drive, a file system or an object store, as one reader sees it.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct StorageSubsystem {
    /// What the storage is called.
    #[default("")]
    pub name: Name,
    /// How fast it is read.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// How much it holds.
    #[unit(TB)]
    pub capacity: Option<Bytes>,
    /// The time that the first byte takes.
    #[unit("µs")]
    pub latency: Option<Time>,
    /// How many requests a second it serves.
    pub iops: Option<f64>,
    /// What it is made of.
    pub media: Option<Name>,
    /// How it is connected.
    pub interface: Option<Name>,
    /// The technology that it is made with.
    pub storage_tech: Option<Arc<StorageTier>>,
    /// Whether its content outlives the server: `local` or `durable`.
    pub durability: Name,
}

/// A technology of memory or storage, as fast as a typical product.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct StorageTier {
    /// How fast it is read.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// The time that the first byte takes.
    #[unit(ns)]
    pub latency: Option<Time>,
}

/// Like drives in one server.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct NodeStorageConfig {
    /// What the set is called.
    #[default("")]
    pub name: Name,
    /// Its drives.
    pub device: Arc<StorageSubsystem>,
    /// How many drives a server has.
    #[range(>= 1)]
    pub devices_per_node: u64,
}

#[equations]
impl NodeStorageConfig {
    /// How fast the drives of a server are read together.
    #[unit(GB/s)]
    pub fn aggregate_bandwidth(&self) -> Bandwidth {
        self.devices_per_node * self.device.bandwidth
    }
}

/// The way of a checkpoint: to local drives first, then to what outlives the server.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct CheckpointStoragePath {
    /// What the path is called.
    #[default("")]
    pub name: Name,
    /// Where a checkpoint is written first.
    pub local_stage: Arc<NodeStorageConfig>,
    /// Where it is kept.
    pub durable_store: Arc<StorageSubsystem>,
    /// How fast it gets there.
    #[range(> 0)]
    #[unit(TB/s)]
    pub write_bandwidth: Bandwidth,
}
