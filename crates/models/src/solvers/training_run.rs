//! `TrainingRunModel`: from the peak rate of a fleet to the time that a training takes.

use std::sync::Arc;

use mlsysim_quantity::units::TOKEN;
use mlsysim_quantity::{FlopRate, Flops, Time, Tokens};
use mlsysim_registry::{Fleet, Workload};
use mlsysim_scenario::{Map, Name, OptionExt, Result, Running, Solver, equations};

use crate::notes::counts_active_experts;
use crate::physics::compute::TRAINING_FLOPS_PER_PARAM;

/// The time of a training on a fleet: at peak, at the efficiency of each device, at that of all of
/// them together, and with what is lost to operations.
///
/// Six operations for each parameter and token; for a mixture of experts, for each active
/// parameter. Each overhead adds its share to the time that the ones before it have come to.
///
/// Source: Kaplan et al. (2020), section 2.1, arXiv:2001.08361.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = TrainingRunResult)]
pub struct TrainingRunModel {
    /// The model that is trained.
    pub model: Arc<Workload>,
    /// The fleet that trains it.
    pub fleet: Arc<Fleet>,
    /// The share of its peak that a device sustains while it computes.
    #[range(> 0, <= 1)]
    pub local_efficiency: f64,
    /// What is left of that when all devices work together.
    #[range(> 0, <= 1)]
    pub scaling_efficiency: f64,
    /// What operations add, as shares of the time before each, in order.
    #[range(>= 0)]
    pub overheads: Map<f64>,
    /// The precision of the arithmetic: a key of the accelerator's peak rates.
    #[default("fp8")]
    pub precision: Name,
    /// How many tokens the training has; without it, as many as the model's own had.
    #[range(>= 0)]
    #[unit(token)]
    pub tokens: Option<Tokens>,
}

#[equations(result = TrainingRunResult)]
impl TrainingRunModel {
    /// The arithmetic of the whole training.
    #[unit(flop)]
    #[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
    pub fn total_flops(&self) -> Result<Flops> {
        Ok(TRAINING_FLOPS_PER_PARAM * self.model.priced_parameters()? * (self.trained_tokens()? / TOKEN))
    }

    /// The time at the peak of every device.
    #[unit(h)]
    #[kind(bound)]
    pub fn peak_time(&self) -> Result<Time> {
        Ok(self.total_flops()? / self.fleet_peak()?)
    }

    /// The time at what each device sustains.
    #[unit(h)]
    pub fn compute_time(&self) -> Result<Time> {
        Ok(self.peak_time()? / self.local_efficiency)
    }

    /// The time at what all devices sustain together.
    #[unit(h)]
    pub fn scaled_time(&self) -> Result<Time> {
        Ok(self.compute_time()? / self.scaling_efficiency)
    }

    /// The time after each overhead, in order.
    #[unit(h)]
    pub fn stage_times(&self) -> Result<Map<Time>> {
        Ok(self.overheads.running(self.scaled_time()?, |time, overhead| time * (1.0 + *overhead)))
    }

    /// The time with all overheads.
    #[unit(h)]
    pub fn total_time(&self) -> Result<Time> {
        Ok(self.stage_times()?.last_or(self.scaled_time()?))
    }

    /// The share of the fleet's peak that the whole training gets.
    pub fn delivered_fraction(&self) -> Result<f64> {
        Ok(self.peak_time()? / self.total_time()?)
    }

    /// How many tokens the training has.
    #[unit(token)]
    fn trained_tokens(&self) -> Result<Tokens> {
        self.tokens.or(self.model.training_tokens).needed("model.training_tokens")
    }

    /// The peak rate of all devices together.
    #[unit(TFLOP/s)]
    fn fleet_peak(&self) -> Result<FlopRate> {
        Ok(self.fleet.total_accelerators() * self.fleet.node.accelerator.peak(&self.precision)?)
    }

    /// The accelerators do arithmetic in the precision.
    #[check]
    fn precision_is_served(&self) -> Result<()> {
        self.fleet.node.accelerator.peak(&self.precision).map(|_| ())
    }

    /// A mixture of experts is priced by what a token passes.
    #[note(total_flops, peak_time)]
    fn sparse(&self) -> Option<String> {
        counts_active_experts(&self.model)
    }
}
