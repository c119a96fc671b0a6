//! `SelfContainedReplicaScenario`: the smallest replica whose state fits without sharding.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, BytesPerParam};
use mlsysim_registry::{Fleet, Workload};
use mlsysim_scenario::{CountProduct, Counting, OptionExt, Result, Scenario, equations};

/// The smallest replica of a model, in servers of a fleet, that holds all of its training state in
/// its own memory, so that a job can grow and shrink by whole replicas.
///
/// # Assumptions
/// Tensor parallelism spans the accelerators of one server. The pipeline has a power of two of
/// stages, among which the state divides evenly.
///
/// # Excludes
/// Activations, buffers and everything else that takes memory beside the state; whether heads and
/// layers divide.
///
/// # Derivation
/// A replica of `p` servers holds one part in `p` of the state on each; the pipeline is the least
/// power of two for which a server's part fits the memory of its accelerators.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct SelfContainedReplicaScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The servers that train it.
    pub fleet: Arc<Fleet>,
    /// What training keeps of each parameter.
    #[range(>= 0)]
    #[unit(B/param)]
    pub bytes_per_param: BytesPerParam,
}

#[equations]
impl SelfContainedReplicaScenario {
    /// How many accelerators share each layer: those of a server.
    pub fn tensor_parallel(&self) -> u64 {
        self.fleet.node.accelerators_per_node
    }

    /// How many servers one after the other share the layers.
    pub fn pipeline_depth(&self) -> Result<u64> {
        Ok((self.training_state()? / self.server_memory()).rounded_up()?.next_power_of_two())
    }

    /// How many accelerators a replica has.
    pub fn replica_gpus(&self) -> Result<u64> {
        self.tensor_parallel().times(self.pipeline_depth()?)
    }

    /// What training keeps of the model.
    #[unit(GB)]
    fn training_state(&self) -> Result<Bytes> {
        Ok(self.workload.parameters.needed("workload.parameters")? * self.bytes_per_param)
    }

    /// The memory of a server's accelerators.
    #[unit(GiB)]
    fn server_memory(&self) -> Bytes {
        self.tensor_parallel() * self.fleet.node.accelerator.memory.capacity
    }

    /// A replica is larger than the fleet.
    #[note(pipeline_depth, replica_gpus)]
    fn larger_than_fleet(&self) -> Option<String> {
        let (needed, servers) = (self.pipeline_depth().ok()?, self.fleet.count);
        (needed > servers).then(|| {
            format!(
                "infeasible on {}: a replica needs {needed} servers, but it has {servers}",
                self.fleet.name
            )
        })
    }

    /// Layers and heads are whole.
    #[note(tensor_parallel, pipeline_depth)]
    fn indivisible(&self) -> Option<String> {
        let layers =
            self.workload.layers.zip(self.pipeline_depth().ok()).filter(|(layers, depth)| layers < depth);
        let layers = layers.map(|(layers, depth)| format!("{depth} stages cannot share {layers} layers"));
        let heads =
            self.workload.heads.and_then(|_| self.workload.divides_into(self.tensor_parallel()).err());
        let found: Vec<String> =
            layers.into_iter().chain(heads.map(|error| error.message().to_string())).collect();
        (!found.is_empty()).then(|| found.join("; "))
    }
}
