//! `BatchEnergyPerImageScenario`: what batching does to the energy of moving bytes.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, BytesPerParam, Energy, EnergyPerByte, EnergyPerFlop, Intensity};
use mlsysim_registry::Workload;
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

/// The bytes and the energy of one image, in a batch that reads the weights once for all its images.
///
/// # Assumptions
/// The weights are read once for each batch, an image's activations move `activation_passes` times
/// (2 where they are written and read once). Every byte and every operation costs the same energy.
///
/// # Excludes
/// Caches that keep weights or activations on the chip, static power, and data that other layers of
/// memory move.
///
/// # Derivation
/// A batch divides the bytes of the weights among its images; the activations are each image's own.
/// Energy is bytes times the energy of one, and operations times the energy of one, as in Horowitz
/// (2014), "Computing's energy problem", doi:10.1109/ISSCC.2014.6757323, whose figures of 45 nm the
/// named case takes. The intensity is operations over bytes, as in a roofline: Williams, Waterman
/// and Patterson (2009), doi:10.1145/1498765.1498785.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct BatchEnergyPerImageScenario {
    /// The model that sees the images.
    pub workload: Arc<Workload>,
    /// How large a parameter is.
    #[range(>= 0)]
    pub weight_bytes_per_param: BytesPerParam,
    /// How large the activations of one image are, all layers together.
    #[range(>= 0)]
    #[unit(MB)]
    pub activation_bytes: Bytes,
    /// How often the activations move between device and memory.
    #[range(>= 0)]
    pub activation_passes: u64,
    /// The energy of moving one byte.
    #[range(>= 0)]
    #[unit(pJ/B)]
    pub byte_energy: EnergyPerByte,
    /// The energy of one operation.
    #[range(>= 0)]
    #[unit(pJ/flop)]
    pub flop_energy: EnergyPerFlop,
}

#[equations]
impl BatchEnergyPerImageScenario {
    /// The size of the weights.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters.
    #[unit(B)]
    pub fn weights(&self) -> Result<Bytes> {
        Ok(self.workload.parameters.needed("parameters")? * self.weight_bytes_per_param)
    }

    /// An image's part of the weights that its batch reads.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters.
    #[unit(B)]
    pub fn weight_per_image(&self, #[range(>= 1)] batch_size: u64) -> Result<Bytes> {
        Ok(self.weights()? / batch_size)
    }

    /// The bytes that move for one image: its part of the weights, and its activations.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters.
    #[unit(B)]
    pub fn bytes_per_image(&self, #[range(>= 1)] batch_size: u64) -> Result<Bytes> {
        Ok(self.weight_per_image(batch_size)? + self.activation_passes * self.activation_bytes)
    }

    /// The operations for each byte that moves.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters, or not the operations of an inference.
    #[unit(flop/B)]
    pub fn intensity(&self, #[range(>= 1)] batch_size: u64) -> Result<Intensity> {
        Ok(self.workload.inference_flops.needed("inference_flops")? / self.bytes_per_image(batch_size)?)
    }

    /// The energy of moving one image's bytes.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters.
    #[unit(mJ)]
    pub fn movement_energy(&self, #[range(>= 1)] batch_size: u64) -> Result<Energy> {
        Ok(self.bytes_per_image(batch_size)? * self.byte_energy)
    }

    /// The energy of one image's operations.
    ///
    /// # Errors
    ///
    /// The model does not state the operations of an inference.
    #[unit(mJ)]
    pub fn compute_energy(&self) -> Result<Energy> {
        Ok(self.workload.inference_flops.needed("inference_flops")? * self.flop_energy)
    }

    /// The energy of one image: its bytes and its operations.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters, or not the operations of an inference.
    #[unit(mJ)]
    pub fn energy(&self, #[range(>= 1)] batch_size: u64) -> Result<Energy> {
        Ok(self.movement_energy(batch_size)? + self.compute_energy()?)
    }

    /// The share of an image's energy that moves bytes.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters, or not the operations of an inference.
    pub fn movement_share(&self, #[range(>= 1)] batch_size: u64) -> Result<f64> {
        Ok(self.movement_energy(batch_size)? / self.energy(batch_size)?)
    }

    /// The model is one whose weights and operations can be counted.
    #[check]
    fn model_is_counted(&self) -> Result<()> {
        self.workload.states(&["parameters", "inference_flops"]).map_err(|error| error.about("workload"))
    }
}
