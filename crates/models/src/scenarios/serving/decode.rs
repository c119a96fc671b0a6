//! `DecodeScenario`: one decode step of a model on a device.

use std::sync::Arc;

use mlsysim_quantity::FlopRate;
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Name, Result, Scenario, equations};

use crate::solvers::{DecodeBoundModel, DecodeBoundResult};

/// One decode step of a model on a device, or on a group that shares its weights: is it bound by
/// reading them or by arithmetic?
///
/// # Assumptions
/// Those of `DecodeBoundModel`, to which the inputs are bound. The precision of the weights is the size
/// of an element; the rate is the peak that the device is known for, unless `peak_precision` names
/// another.
///
/// # Excludes
/// Everything beyond `DecodeBoundModel`: the KV cache, communication, launches, and whether the model
/// fits.
///
/// # Derivation
/// The device's peak and the other inputs are the inputs of `DecodeBoundModel`, whose equations stand
/// with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct DecodeScenario {
    /// The model that decodes.
    pub workload: Arc<Workload>,
    /// The device that computes.
    pub hardware: Arc<HardwareNode>,
    /// The precision in which the weights are stored.
    #[default("fp16")]
    pub precision: Name,
    /// How many requests decode a token at once.
    #[range(>= 1)]
    #[default(1)]
    pub batch_size: u64,
    /// The precision of the arithmetic, a key of the device's peak rates, where it is another than
    /// that of the peak for which the device is known.
    pub peak_precision: Option<Name>,
    /// How many devices share the weights.
    #[range(>= 1)]
    #[default(1)]
    pub tp_size: u64,
}

#[equations]
impl DecodeScenario {
    /// Both times of the step and which one binds, by `DecodeBoundModel`.
    ///
    /// # Errors
    ///
    /// The model lacks a figure that the solver needs, or the device has no such peak.
    pub fn result(&self) -> Result<DecodeBoundResult> {
        DecodeBoundModel {
            model: self.workload.clone(),
            hardware: self.hardware.clone(),
            precision: self.precision.clone(),
            batch_size: self.batch_size,
            peak_flops: self.peak_flops()?,
            tp_size: self.tp_size,
        }
        .solve()
    }

    /// The peak rate at `peak_precision`, where it is given.
    #[unit(TFLOP/s)]
    fn peak_flops(&self) -> Result<Option<FlopRate>> {
        self.peak_precision
            .as_ref()
            .map(|precision| self.hardware.peak(precision))
            .transpose()
            .map_err(|error| error.about("peak_precision"))
    }
}
