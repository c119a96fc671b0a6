//! `ClusterTrainingTimeScenario`: how long a training runs on like devices, and what it takes.

use std::sync::Arc;

use mlsysim_quantity::units::TOKEN;
use mlsysim_quantity::{Energy, FlopRate, Flops, Money, Price, Time, Tokens};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{Name, OptionExt, Result, Scenario, equations};

use crate::notes::counts_every_expert;
use crate::physics::compute::TRAINING_FLOPS_PER_PARAM;

/// A training of known arithmetic on a number of like devices that sustain one share of their peak:
/// its time, steps, energy and rent.
///
/// # Assumptions
/// One utilization holds for the whole run and all devices, whatever it loses to communication,
/// waiting or failures. Every device draws its full design power all the time.
///
/// # Excludes
/// Why the utilization is what it is; hosts, network and cooling; whether the model fits.
///
/// # Derivation
/// The model's total arithmetic over what all devices deliver. A step does six operations for each
/// parameter and token (Kaplan et al. 2020, section 2.1, arXiv:2001.08361).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct ClusterTrainingTimeScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The device that trains it.
    pub hardware: Arc<HardwareNode>,
    /// How many devices there are.
    #[range(>= 1)]
    pub n_devices: u64,
    /// The share of peak that the devices sustain over the whole run.
    #[range(> 0, <= 1)]
    pub efficiency: f64,
    /// How many tokens a step trains on.
    #[range(>= 1)]
    pub tokens_per_step: Option<u64>,
    /// What one device costs.
    #[range(>= 0)]
    #[unit("USD/h")]
    pub hourly_price: Option<Price>,
    /// A precision whose peak counts, a key of the device's peak rates; without one, the peak that
    /// the device is known for.
    pub peak_precision: Option<Name>,
}

#[equations]
impl ClusterTrainingTimeScenario {
    /// The peak rate of one device.
    #[unit(TFLOP/s)]
    pub fn peak_rate(&self) -> Result<FlopRate> {
        self.peak_precision
            .as_deref()
            .map_or(Ok(self.hardware.compute.peak_flops), |precision| self.hardware.compute.peak(precision))
    }

    /// How long the whole training takes.
    #[unit(d)]
    pub fn training_time(&self) -> Result<Time> {
        Ok(self.workload.training_ops.needed("workload.training_ops")? / self.delivered_rate()?)
    }

    /// What all devices deliver together.
    #[unit(TFLOP/s)]
    pub fn delivered_rate(&self) -> Result<FlopRate> {
        Ok(self.n_devices * self.peak_rate()? * self.efficiency)
    }

    /// How many tokens the whole training has, by its arithmetic.
    #[unit(token)]
    pub fn training_tokens(&self) -> Result<Tokens> {
        let parameters = self.workload.parameters.needed("workload.parameters")?;
        Ok(self.workload.training_ops.needed("workload.training_ops")?
            / (TRAINING_FLOPS_PER_PARAM * parameters)
            * TOKEN)
    }

    /// The arithmetic of one step.
    #[unit(TFLOP)]
    #[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
    pub fn step_operations(&self) -> Result<Flops> {
        Ok(TRAINING_FLOPS_PER_PARAM
            * self.workload.parameters.needed("workload.parameters")?
            * self.tokens_per_step.needed("tokens_per_step")?)
    }

    /// How long a step takes.
    #[unit(s)]
    pub fn step_time(&self) -> Result<Time> {
        Ok(self.step_operations()? / self.delivered_rate()?)
    }

    /// How many steps the whole training has.
    pub fn steps(&self) -> Result<f64> {
        Ok(self.workload.training_ops.needed("workload.training_ops")? / self.step_operations()?)
    }

    /// What all devices use in the whole training.
    #[unit(kWh)]
    pub fn energy(&self) -> Result<Energy> {
        Ok(self.n_devices * self.hardware.tdp.needed("hardware.tdp")? * self.training_time()?)
    }

    /// What all devices use in a step.
    #[unit(J)]
    pub fn step_energy(&self) -> Result<Energy> {
        Ok(self.n_devices * self.hardware.tdp.needed("hardware.tdp")? * self.step_time()?)
    }

    /// How long all devices are held, added up.
    #[unit(h)]
    pub fn device_hours(&self) -> Result<Time> {
        Ok(self.n_devices * self.training_time()?)
    }

    /// What renting the devices for the whole training costs.
    #[unit(USD)]
    pub fn rental_cost(&self) -> Result<Money> {
        Ok(self.device_hours()? * self.hourly_price.needed("hourly_price")?)
    }

    /// The device states the peak that is asked for.
    #[check]
    fn precision_is_served(&self) -> Result<()> {
        self.peak_rate().map(|_| ()).map_err(|error| error.about("peak_precision"))
    }

    /// Every parameter is counted, though a token passes only some experts.
    #[note(training_tokens, step_operations, step_time, steps, step_energy)]
    fn sparse(&self) -> Option<String> {
        counts_every_expert(&self.workload)
    }
}
