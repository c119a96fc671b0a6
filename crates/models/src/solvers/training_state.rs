//! `TrainingStateModel`: the state of mixed-precision Adam, whole and on each device.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, Params};
use mlsysim_registry::Workload;
use mlsysim_scenario::{OptionExt, Result, Solver, equations};

use crate::physics::training_state::{STORED_16_BIT, STORED_32_BIT};

/// The state that mixed-precision Adam keeps of a model, and what each device holds of it.
///
/// Each parameter has a 16-bit weight and gradient, a 32-bit master weight and two 32-bit moments.
/// Tensor parallelism splits all of it, and the activations, over the devices of a group; sharding
/// over the replicas splits the moments once more. Small parameters that each device of a group
/// keeps whole, such as those of layer norms, count as split. A mixture of experts keeps the state
/// of all its experts.
///
/// Source: Rajbhandari et al. (2020), ZeRO, section 3.1, arXiv:1910.02054; Shoeybi et al. (2019),
/// Megatron-LM, section 3, arXiv:1909.08053.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = TrainingStateResult)]
pub struct TrainingStateModel {
    /// The model that is trained.
    pub model: Arc<Workload>,
    /// How many devices share each layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many replicas of the model there are.
    #[range(>= 1)]
    pub dp_size: u64,
    /// The activations of the whole model, as stated.
    #[range(>= 0)]
    #[unit(GB)]
    pub activations: Bytes,
}

#[equations(result = TrainingStateResult)]
impl TrainingStateModel {
    /// The 16-bit weights.
    #[unit(GB)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(self.parameters()? * STORED_16_BIT)
    }

    /// The 16-bit gradients.
    #[unit(GB)]
    pub fn gradients(&self) -> Result<Bytes> {
        Ok(self.parameters()? * STORED_16_BIT)
    }

    /// The 32-bit master weights.
    #[unit(GB)]
    pub fn master_weights(&self) -> Result<Bytes> {
        Ok(self.parameters()? * STORED_32_BIT)
    }

    /// One of Adam's two moments, in 32 bits.
    #[unit(GB)]
    pub fn adam_moment(&self) -> Result<Bytes> {
        Ok(self.parameters()? * STORED_32_BIT)
    }

    /// Both of Adam's moments.
    #[unit(GB)]
    pub fn optimizer_moments(&self) -> Result<Bytes> {
        Ok(2.0 * self.adam_moment()?)
    }

    /// All that stays from step to step: weights, gradients, master weights and moments.
    #[unit(GB)]
    #[source("Rajbhandari et al. (2020), section 3.1, arXiv:1910.02054")]
    pub fn persistent_state(&self) -> Result<Bytes> {
        Ok(self.weights()? + self.gradients()? + self.master_weights()? + self.optimizer_moments()?)
    }

    /// The activations of the whole model, as stated.
    #[unit(GB)]
    pub fn activations(&self) -> Bytes {
        self.activations
    }

    /// A device's part of the weights.
    #[unit(GB)]
    pub fn tp_weights_per_device(&self) -> Result<Bytes> {
        Ok(self.weights()? / self.tp_size)
    }

    /// A device's part of the gradients.
    #[unit(GB)]
    pub fn tp_gradients_per_device(&self) -> Result<Bytes> {
        Ok(self.gradients()? / self.tp_size)
    }

    /// A device's part of the master weights.
    #[unit(GB)]
    pub fn tp_master_per_device(&self) -> Result<Bytes> {
        Ok(self.master_weights()? / self.tp_size)
    }

    /// A device's part of the moments.
    #[unit(GB)]
    pub fn tp_moments_per_device(&self) -> Result<Bytes> {
        Ok(self.optimizer_moments()? / self.tp_size)
    }

    /// A device's part of the activations.
    #[unit(GB)]
    pub fn tp_activations_per_device(&self) -> Bytes {
        self.activations / self.tp_size
    }

    /// All that a device holds without further sharding.
    #[unit(GB)]
    pub fn tp_total_per_device(&self) -> Result<Bytes> {
        Ok((self.persistent_state()? + self.activations) / self.tp_size)
    }

    /// What a device holds once master weights and moments have moved to its host.
    #[unit(GB)]
    pub fn tp_offloaded_per_device(&self) -> Result<Bytes> {
        Ok((self.weights()? + self.gradients()? + self.activations) / self.tp_size)
    }

    /// A device's part of the moments, sharded over the replicas as well.
    #[unit(GB)]
    pub fn zero_moments_per_device(&self) -> Result<Bytes> {
        Ok(self.tp_moments_per_device()? / self.dp_size)
    }

    /// One tensor-parallel group's part of the moments, sharded over the replicas.
    #[unit(GB)]
    pub fn zero_moments_per_tp_group(&self) -> Result<Bytes> {
        Ok(self.optimizer_moments()? / self.dp_size)
    }

    /// A device's part of the weights, and of the moments sharded over the replicas.
    #[unit(GB)]
    pub fn zero_weights_and_moments_per_device(&self) -> Result<Bytes> {
        Ok(self.tp_weights_per_device()? + self.zero_moments_per_device()?)
    }

    /// The parameters of the model.
    #[unit(param)]
    fn parameters(&self) -> Result<Params> {
        self.model.parameters.needed("model.parameters")
    }

    /// The model is one whose layers can be split, where they are.
    #[check]
    fn model_is_divisible(&self) -> Result<()> {
        self.model.states(&["parameters"])?;
        if self.tp_size > 1 { self.model.divides_into(self.tp_size) } else { Ok(()) }
    }

    /// ZeRO shards the master weights with the moments.
    #[note(zero_moments_per_device, zero_moments_per_tp_group, zero_weights_and_moments_per_device)]
    fn moments_alone(&self) -> Option<String> {
        let master = self.tp_master_per_device().ok()? / self.dp_size;
        (self.dp_size > 1).then(|| {
            format!(
                "the moments alone; ZeRO shards the master weights with them, which adds {:.4} GB a device, and a device holds gradients too",
                master.base() / 1e9
            )
        })
    }
}
