//! The records that the registry is made of, with the field names of the Python reference.

mod cluster;
mod hardware;
mod host;
mod links;
mod reliability;
mod storage;
mod system;
mod workload;

pub use cluster::{Fleet, Orchestration, PodEnvelope, RackProfile};
pub use hardware::{ComputeCore, HardwareNode, MemoryHierarchy, MigProfile, StorageHierarchy};
pub use host::HostDispatchScenario;
pub use links::IOInterconnect;
use mlsysim_scenario::{Define, Description};
pub use reliability::{RecoveryProfile, ReliabilityComponent};
pub use storage::{CheckpointStoragePath, NodeStorageConfig, StorageSubsystem, StorageTier};
pub use system::{NetworkFabric, Node};
pub use workload::Workload;

/// Every type of record, each once.
pub const RECORDS: &[fn() -> &'static Description] = &[
    HardwareNode::describe,
    ComputeCore::describe,
    MemoryHierarchy::describe,
    StorageHierarchy::describe,
    MigProfile::describe,
    IOInterconnect::describe,
    Workload::describe,
    Node::describe,
    NetworkFabric::describe,
    Fleet::describe,
    PodEnvelope::describe,
    RackProfile::describe,
    Orchestration::describe,
    ReliabilityComponent::describe,
    RecoveryProfile::describe,
    StorageSubsystem::describe,
    StorageTier::describe,
    NodeStorageConfig::describe,
    CheckpointStoragePath::describe,
    HostDispatchScenario::describe,
];
