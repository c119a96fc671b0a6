//! `ZeroShardingModel`: the state of training on each device at each stage of ZeRO.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, Params, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Map, OptionExt, Result, Solver, equations, table};

use crate::physics::communication::ring_phase_factor;
use crate::physics::training_state::{ADAM_OPTIMIZER_STATE, STORED_16_BIT};

/// How many ring phases plain data parallelism needs in a step: the reduce-scatter and the
/// all-gather of the AllReduce of the gradients.
const ALL_REDUCE_PHASES: f64 = 2.0;

/// How many ring phases ZeRO-3 needs in a step: the weights are gathered for the forward pass and
/// again for the backward pass, and the gradients reduced and scattered.
const ZERO_3_PHASES: f64 = 3.0;

/// The state of mixed-precision Adam on each device at each stage of ZeRO, and what full sharding
/// sends.
///
/// Plain data parallelism (DDP) keeps weights, gradients and optimizer state on every device.
/// ZeRO-1 shards the optimizer state, master weights among it, ZeRO-2 the gradients too, and ZeRO-3
/// the weights as well. Stages 1 and 2 move what an AllReduce of the gradients moves; ZeRO-3 moves
/// half as much again. A device never sends the share that it has itself, so that a group of one
/// sends nothing. A mixture of experts keeps the state of all its experts.
///
/// Source: Rajbhandari et al. (2020), ZeRO, sections 5 and 7, arXiv:1910.02054.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = ZeroShardingResult)]
pub struct ZeroShardingModel {
    /// The model that is trained.
    pub model: Arc<Workload>,
    /// Over how many devices the state is sharded.
    #[range(>= 1)]
    pub n_devices: u64,
    /// What the forward pass keeps on each device.
    #[range(>= 0)]
    #[unit(GB)]
    pub activations: Option<Bytes>,
    /// How fast each device sends.
    #[range(> 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Option<Bandwidth>,
}

#[equations(result = ZeroShardingResult)]
impl ZeroShardingModel {
    /// The 16-bit weights of the whole model.
    #[unit(GB)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(self.parameters()? * STORED_16_BIT)
    }

    /// The 16-bit gradients of the whole model.
    #[unit(GB)]
    pub fn gradients(&self) -> Result<Bytes> {
        Ok(self.parameters()? * STORED_16_BIT)
    }

    /// The optimizer state of the whole model: 32-bit master weights and two moments.
    #[unit(GB)]
    #[source("Rajbhandari et al. (2020), section 3.1, arXiv:1910.02054")]
    pub fn optimizer_state(&self) -> Result<Bytes> {
        Ok(self.parameters()? * ADAM_OPTIMIZER_STATE)
    }

    /// What a device keeps at each stage, before activations.
    #[unit(GB)]
    #[source("Rajbhandari et al. (2020), section 5, arXiv:1910.02054")]
    pub fn stage_state(&self) -> Result<Map<Bytes>> {
        let weights = self.weights()?;
        let gradients = self.gradients()?;
        let optimizer_state = self.optimizer_state()?;
        Ok(table([
            ("DDP", weights + gradients + optimizer_state),
            ("ZeRO-1", weights + gradients + optimizer_state / self.n_devices),
            ("ZeRO-2", weights + (gradients + optimizer_state) / self.n_devices),
            ("ZeRO-3", self.zero3_state()?),
        ]))
    }

    /// What a device sends in a step at each stage, in units of what it sends for an AllReduce of
    /// the gradients.
    #[source("Rajbhandari et al. (2020), section 7, arXiv:1910.02054")]
    pub fn traffic_multiple(&self) -> Map<f64> {
        table([("DDP", 1.0), ("ZeRO-1", 1.0), ("ZeRO-2", 1.0), ("ZeRO-3", ZERO_3_PHASES / ALL_REDUCE_PHASES)])
    }

    /// What the forward pass keeps on each device; nothing where it is not stated.
    #[unit(GB)]
    pub fn activations(&self) -> Bytes {
        self.activations.unwrap_or(Bytes::ZERO)
    }

    /// What a device keeps with ZeRO-3, activations included.
    #[unit(GB)]
    pub fn zero3_total_per_device(&self) -> Result<Bytes> {
        Ok(self.zero3_state()? + self.activations())
    }

    /// What a device sends in a step with ZeRO-3.
    #[unit(GB)]
    #[source("Rajbhandari et al. (2020), section 7, arXiv:1910.02054")]
    pub fn gather_traffic(&self) -> Result<Bytes> {
        Ok(ZERO_3_PHASES * ring_phase_factor(self.n_devices) * self.weights()?)
    }

    /// The time of this traffic at the full rate of the link; nothing where no link is given.
    #[unit(s)]
    #[kind(bound)]
    pub fn gather_time(&self) -> Result<Option<Time>> {
        let gather_traffic = self.gather_traffic()?;
        Ok(self.link_bandwidth.map(|bandwidth| gather_traffic / bandwidth))
    }

    /// The parameters of the model.
    #[unit(param)]
    fn parameters(&self) -> Result<Params> {
        self.model.parameters.needed("model.parameters")
    }

    /// What a device keeps with ZeRO-3, before activations.
    #[unit(GB)]
    fn zero3_state(&self) -> Result<Bytes> {
        Ok((self.weights()? + self.gradients()? + self.optimizer_state()?) / self.n_devices)
    }

    /// The model states what its state depends on.
    #[check]
    fn model_is_sized(&self) -> Result<()> {
        self.model.states(&["parameters"])
    }

    /// A group of one has nobody to share with.
    #[note(stage_state, gather_traffic, gather_time)]
    fn lonely(&self) -> Option<String> {
        (self.n_devices == 1).then(|| "a group of one device shards and exchanges nothing".to_string())
    }
}
