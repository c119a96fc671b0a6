//! The records that the registry is made of, with the field names of the Python reference.

mod hardware;
mod links;
mod system;
mod workload;

pub use hardware::{ComputeCore, HardwareNode, MemoryHierarchy, MigProfile, StorageHierarchy};
pub use links::IOInterconnect;
use mlsysim_scenario::{Define, Description};
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
];
