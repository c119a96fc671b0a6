//! `TrainingStateFitScenario`: what training keeps of a model, against the memory of one device.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, BytesPerParam, Params, Time};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{CountProduct, Counting, OptionExt, Result, Scenario, equations};

use crate::physics::training_state::low_rank_parameters;

/// The weights, gradients, optimizer state and activations of training, against the memory of one
/// device; with every parameter trained, or with adapters beside frozen weights.
///
/// # Assumptions
/// Weights and gradients are stored in one precision. Activations grow in proportion to the batch.
/// An optimizer update reads the gradient, and reads and writes what it changes, at the full
/// bandwidth of memory. With adapters the model keeps its weights alone, and each parameter of the
/// adapters keeps all that a trained one does.
///
/// # Excludes
/// Any split over devices, fragmentation and a framework's buffers, quantised base weights. The
/// parts by kind, the checkpoint and the update are those of training every parameter, with
/// adapters too.
///
/// # Derivation
/// Each kind of state is a number of bytes for each parameter: in mixed precision with Adam 2 for
/// the weight, 2 for the gradient, 4 for the master weight and 8 for two moments, 16 in all.
/// Source: Rajbhandari et al. (2020), ZeRO, section 3.1, arXiv:1910.02054. Low-rank adapters have
/// `rank × (in + out)` parameters for each matrix. Source: Hu et al. (2021), LoRA, section 4.1,
/// arXiv:2106.09685.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct TrainingStateFitScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The device whose memory it has to fit.
    pub hardware: Option<Arc<HardwareNode>>,
    /// The size of a weight, and that of a gradient.
    #[range(> 0)]
    #[unit(B/param)]
    pub bytes_per_value: BytesPerParam,
    /// What the optimizer keeps of each parameter, the master weight aside: 8 bytes for Adam's two
    /// moments, 4 for one momentum.
    #[range(>= 0)]
    #[unit(B/param)]
    pub optimizer_bytes_per_parameter: BytesPerParam,
    /// For how many sequences or images `activations` is stated.
    #[range(>= 1)]
    pub batch_size: Option<u64>,
    /// What the forward pass keeps for the backward pass at `batch_size`.
    #[range(>= 0)]
    #[unit(GB)]
    pub activations: Option<Bytes>,
    /// The size of the master weight that mixed precision keeps; none in a single precision.
    #[range(>= 0)]
    #[unit(B/param)]
    pub master_bytes_per_parameter: Option<BytesPerParam>,
    /// How many parameters the adapters have, if the model itself is frozen.
    #[range(>= 0)]
    pub adapter_parameters: Option<u64>,
    /// The rank of the adapters, which gives their number of parameters where none is stated.
    #[range(>= 1)]
    pub adapter_rank: Option<u64>,
    /// How many matrices of each layer have an adapter.
    #[range(>= 0)]
    pub adapted_matrices: Option<u64>,
    /// How many values enter an adapted matrix.
    #[range(>= 1)]
    pub adapter_in_dim: Option<u64>,
    /// How many values leave an adapted matrix.
    #[range(>= 1)]
    pub adapter_out_dim: Option<u64>,
}

#[equations]
impl TrainingStateFitScenario {
    /// How many parameters the adapters have, as stated or by their shape; nothing without adapters.
    ///
    /// # Errors
    ///
    /// The shape of the adapters is incomplete.
    pub fn adapter_count(&self) -> Result<Option<u64>> {
        Ok(self.adapter_parameters.or(self.shaped_adapters()?))
    }

    /// The weights of the model.
    #[unit(B)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(self.parameters()? * self.bytes_per_value)
    }

    /// The gradients where every parameter is trained.
    #[unit(B)]
    pub fn gradients(&self) -> Result<Bytes> {
        Ok(self.parameters()? * self.bytes_per_value)
    }

    /// The master weights where every parameter is trained.
    #[unit(B)]
    pub fn master_weights(&self) -> Result<Bytes> {
        Ok(self.parameters()? * self.master_bytes())
    }

    /// The optimizer state where every parameter is trained, the master weights aside.
    #[unit(B)]
    pub fn optimizer_state(&self) -> Result<Bytes> {
        Ok(self.parameters()? * self.optimizer_bytes_per_parameter)
    }

    /// How many values of the weights' precision the optimizer keeps of each parameter.
    pub fn optimizer_values_per_parameter(&self) -> f64 {
        self.optimizer_bytes_per_parameter / self.bytes_per_value
    }

    /// What a trained parameter keeps: its weight, gradient, master weight and optimizer state.
    #[unit(B/param)]
    #[source("Rajbhandari et al. (2020), section 3.1, arXiv:1910.02054")]
    pub fn bytes_per_trained_parameter(&self) -> BytesPerParam {
        2.0 * self.bytes_per_value + self.master_bytes() + self.optimizer_bytes_per_parameter
    }

    /// The state where every parameter is trained, before activations.
    #[unit(B)]
    pub fn full_state(&self) -> Result<Bytes> {
        Ok(self.weights()? + self.gradients()? + self.optimizer_state()? + self.master_weights()?)
    }

    /// The state before activations: that of every parameter, or with adapters the frozen weights
    /// and what the adapters keep.
    #[unit(B)]
    pub fn total(&self) -> Result<Bytes> {
        if self.adapter_count()?.is_some() {
            Ok(self.weights()? + self.adapter_state()?)
        } else {
            self.full_state()
        }
    }

    /// The state in units of the weights.
    pub fn copies(&self) -> Result<f64> {
        Ok(self.total()? / self.weights()?)
    }

    /// What the adapters keep, all of it.
    #[unit(B)]
    pub fn adapter_state(&self) -> Result<Bytes> {
        Ok(self.adapters()? * self.bytes_per_trained_parameter())
    }

    /// The weights of the adapters.
    #[unit(B)]
    pub fn adapter_weights(&self) -> Result<Bytes> {
        Ok(self.adapters()? * self.bytes_per_value)
    }

    /// The gradients of the adapters.
    #[unit(B)]
    pub fn adapter_gradients(&self) -> Result<Bytes> {
        Ok(self.adapters()? * self.bytes_per_value)
    }

    /// The master weights of the adapters.
    #[unit(B)]
    pub fn adapter_master(&self) -> Result<Bytes> {
        Ok(self.adapters()? * self.master_bytes())
    }

    /// The optimizer state of the adapters, their master weights aside.
    #[unit(B)]
    pub fn adapter_optimizer_state(&self) -> Result<Bytes> {
        Ok(self.adapters()? * self.optimizer_bytes_per_parameter)
    }

    /// The adapters' parameters over those of the model.
    pub fn adapter_fraction(&self) -> Result<f64> {
        Ok(self.adapters()? / self.parameters()?)
    }

    /// What adapters save of the state.
    #[unit(B)]
    pub fn adapter_saved(&self) -> Result<Bytes> {
        Ok(self.full_state()? - self.total()?)
    }

    /// How many times smaller adapters make the state.
    pub fn adapter_reduction(&self) -> Result<f64> {
        Ok(self.full_state()? / self.total()?)
    }

    /// The share of the state that remains with adapters.
    pub fn adapter_kept_share(&self) -> Result<f64> {
        Ok(self.total()? / self.full_state()?)
    }

    /// The share of the state that the model's weights are.
    pub fn frozen_share(&self) -> Result<f64> {
        Ok(self.weights()? / self.total()?)
    }

    /// How many times smaller adapters of no size would make the state.
    pub fn adapter_reduction_ceiling(&self) -> f64 {
        self.bytes_per_trained_parameter() / self.bytes_per_value
    }

    /// What the forward pass keeps at another size of the batch.
    ///
    /// # Errors
    ///
    /// No activations are stated, or not for which batch.
    #[unit(B)]
    pub fn activations_at(&self, #[range(>= 0)] batch_size: u64) -> Result<Bytes> {
        Ok(self.sequence_activations()? * batch_size)
    }

    /// State and activations together.
    #[unit(B)]
    pub fn training_total(&self) -> Result<Bytes> {
        Ok(self.total()? + self.activations.needed("activations")?)
    }

    /// State and activations in units of the weights.
    pub fn training_copies(&self) -> Result<f64> {
        Ok(self.training_total()? / self.weights()?)
    }

    /// Whether the state fits the device's memory, before activations; false where no device is
    /// given.
    pub fn fits(&self) -> Result<bool> {
        Ok(self.hardware.is_some() && self.total()? <= self.capacity()?)
    }

    /// The state over the device's memory.
    pub fn capacity_share(&self) -> Result<f64> {
        Ok(self.total()? / self.capacity()?)
    }

    /// State and activations over the device's memory.
    pub fn training_capacity_multiple(&self) -> Result<f64> {
        Ok(self.training_total()? / self.capacity()?)
    }

    /// The size of the batch whose activations fill the memory beside the state; negative where the
    /// state alone does not fit.
    pub fn resident_batch_limit(&self) -> Result<f64> {
        Ok((self.capacity()? - self.total()?) / self.sequence_activations()?)
    }

    /// The largest whole batch whose activations fit beside the state; negative where the state
    /// alone does not fit.
    pub fn max_resident_batch(&self) -> Result<i64> {
        self.resident_batch_limit()?.floor().whole()
    }

    /// What a checkpoint to resume from holds: weights, master weights and optimizer state.
    #[unit(B)]
    pub fn checkpoint(&self) -> Result<Bytes> {
        Ok(self.weights()? + self.master_weights()? + self.optimizer_state()?)
    }

    /// The time in which a checkpoint is written.
    ///
    /// # Errors
    ///
    /// The model states no parameters.
    #[unit(s)]
    pub fn checkpoint_write_time(&self, #[range(> 0)] bandwidth: Bandwidth) -> Result<Time> {
        Ok(self.checkpoint()? / bandwidth)
    }

    /// What an optimizer update moves for each parameter: the gradient once, the weight that it
    /// updates and the optimizer state twice, in and out.
    #[unit(B/param)]
    pub fn update_bytes_per_parameter(&self) -> BytesPerParam {
        self.bytes_per_value + 2.0 * self.updated_bytes() + 2.0 * self.optimizer_bytes_per_parameter
    }

    /// What an optimizer update of every parameter moves.
    #[unit(GB)]
    pub fn update_traffic(&self) -> Result<Bytes> {
        Ok(self.update_bytes_per_parameter() * self.parameters()?)
    }

    /// The time of an optimizer update of every parameter, at the device's full bandwidth.
    #[unit(ms)]
    #[kind(bound)]
    pub fn update_time(&self) -> Result<Time> {
        Ok(self.update_traffic()? / self.hardware.needed("hardware")?.memory.bandwidth)
    }

    /// The parameters of the model.
    #[unit(param)]
    fn parameters(&self) -> Result<Params> {
        self.workload.parameters.needed("workload.parameters")
    }

    /// The parameters of the adapters.
    #[unit(param)]
    fn adapters(&self) -> Result<Params> {
        Ok(Params::from(self.adapter_count()?.needed("adapter_parameters")?))
    }

    /// The parameters of adapters by their shape, in all layers.
    fn shaped_adapters(&self) -> Result<Option<u64>> {
        if self.adapter_rank.is_some() { Ok(Some(self.adapters_by_shape()?)) } else { Ok(None) }
    }

    /// The parameters of one adapter, for each adapted matrix of each layer.
    fn adapters_by_shape(&self) -> Result<u64> {
        self.workload
            .layers
            .needed("workload.layers")?
            .times(self.adapted_matrices.needed("adapted_matrices")?)?
            .times(low_rank_parameters(
                self.adapter_in_dim.needed("adapter_in_dim")?,
                self.adapter_out_dim.needed("adapter_out_dim")?,
                self.adapter_rank.needed("adapter_rank")?,
            )?)
    }

    /// The size of a master weight, 0 where there is none.
    #[unit(B/param)]
    fn master_bytes(&self) -> BytesPerParam {
        self.master_bytes_per_parameter.unwrap_or(BytesPerParam::ZERO)
    }

    /// The size of the weight that the optimizer updates: the master weight where there is one.
    #[unit(B/param)]
    fn updated_bytes(&self) -> BytesPerParam {
        self.master_bytes_per_parameter.unwrap_or(self.bytes_per_value)
    }

    /// What the forward pass keeps of one sequence or image.
    #[unit(GB)]
    fn sequence_activations(&self) -> Result<Bytes> {
        Ok(self.activations.needed("activations")? / self.batch_size.needed("batch_size")?)
    }

    /// The device's memory.
    #[unit(GiB)]
    fn capacity(&self) -> Result<Bytes> {
        Ok(self.hardware.needed("hardware")?.memory.capacity)
    }

    /// The parts by kind do not know of adapters.
    #[note(
        gradients,
        master_weights,
        optimizer_state,
        checkpoint,
        checkpoint_write_time,
        update_traffic,
        update_time
    )]
    fn all_trained(&self) -> Option<String> {
        let count = self.adapter_count().ok()??;
        Some(format!(
            "as if every parameter were trained; with adapters only their {count} parameters have gradients, optimizer state and updates, which `adapter_state` counts"
        ))
    }

    /// The state alone is larger than the memory.
    #[infeasible(fits, capacity_share, training_capacity_multiple, resident_batch_limit, max_resident_batch)]
    fn too_large(&self) -> Option<String> {
        let (total, capacity) = (self.total().ok()?, self.capacity().ok()?);
        (total > capacity).then(|| {
            format!(
                "infeasible on one device: the state alone is {:.4} times its memory, so that no batch fits",
                total / capacity
            )
        })
    }

    /// The activations are too large beside a state that fits.
    #[infeasible(training_total, training_capacity_multiple)]
    fn too_much(&self) -> Option<String> {
        let (total, capacity) = (self.total().ok()?, self.capacity().ok()?);
        let multiple = self.training_capacity_multiple().ok()?;
        (total <= capacity && multiple > 1.0).then(|| {
            format!(
                "infeasible at this batch on one device: state and activations are {multiple:.4} times its memory"
            )
        })
    }

    /// Without a device nothing is known to fit.
    #[note(fits)]
    fn no_device(&self) -> Option<String> {
        self.hardware.is_none().then(|| "no device is given, so that nothing is known to fit".to_string())
    }
}
