//! `FleetMfuScenario`: the utilization of one node's step and of a fleet's.

use std::sync::Arc;

use mlsysim_quantity::{Flops, Time};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use crate::notes::counts_every_expert;
use crate::physics::compute::TRAINING_FLOPS_PER_PARAM;

/// A measured training step on one node and one on a fleet: how much of the devices' peak each
/// turns into the model's own arithmetic (model FLOPs utilization, MFU).
///
/// # Assumptions
/// A step does six operations for each parameter and token; the peak is the one that the device is
/// known for.
///
/// # Excludes
/// Attention scores, which grow with the context; recomputed activations, which are no useful work;
/// why the fleet is slower.
///
/// # Derivation
/// Useful work over what all devices could do at peak in the time of the step (Chowdhery et al.
/// 2022, PaLM, section 4.1 and appendix B, arXiv:2204.02311). The scaling efficiency is the fleet's
/// utilization over the node's.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct FleetMfuScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The device that node and fleet are made of.
    pub hardware: Arc<HardwareNode>,
    /// How many devices the node has.
    #[range(>= 1)]
    pub node_devices: u64,
    /// How many devices the fleet has.
    #[range(>= 1)]
    pub fleet_devices: u64,
    /// How many tokens a step of the node trains on.
    #[range(>= 1)]
    pub node_tokens: u64,
    /// How many tokens a step of the fleet trains on.
    #[range(>= 1)]
    pub fleet_tokens: u64,
    /// The measured time of a step on the node.
    #[range(> 0)]
    #[unit(ms)]
    pub node_step_time: Time,
    /// The measured time of a step on the fleet.
    #[range(> 0)]
    #[unit(ms)]
    pub fleet_step_time: Time,
}

#[equations]
impl FleetMfuScenario {
    /// The model's arithmetic in a step of the node.
    #[unit(flop)]
    pub fn node_useful_work(&self) -> Result<Flops> {
        Ok(TRAINING_FLOPS_PER_PARAM
            * self.workload.parameters.needed("workload.parameters")?
            * self.node_tokens)
    }

    /// The model's arithmetic in a step of the fleet.
    #[unit(flop)]
    pub fn fleet_useful_work(&self) -> Result<Flops> {
        Ok(TRAINING_FLOPS_PER_PARAM
            * self.workload.parameters.needed("workload.parameters")?
            * self.fleet_tokens)
    }

    /// What the fleet's devices could do at their peak in the time of a step.
    #[unit(TFLOP)]
    pub fn fleet_peak_work(&self) -> Flops {
        self.fleet_devices * self.hardware.compute.peak_flops * self.fleet_step_time
    }

    /// The share of its peak that the node turns into useful work.
    #[source("Chowdhery et al. (2022), PaLM, appendix B, arXiv:2204.02311")]
    pub fn node_mfu(&self) -> Result<f64> {
        Ok(self.node_useful_work()? / self.node_peak_work())
    }

    /// The share of its peak that the fleet turns into useful work.
    #[source("Chowdhery et al. (2022), PaLM, appendix B, arXiv:2204.02311")]
    pub fn fleet_mfu(&self) -> Result<f64> {
        Ok(self.fleet_useful_work()? / self.fleet_peak_work())
    }

    /// What a device does in the fleet, as a share of what it does in the node.
    pub fn scaling_efficiency(&self) -> Result<f64> {
        Ok(self.fleet_mfu()? / self.node_mfu()?)
    }

    /// How much longer a step takes on the fleet.
    #[unit(ms)]
    pub fn extra_step_time(&self) -> Time {
        self.fleet_step_time - self.node_step_time
    }

    /// The extra time as a share of the fleet's step.
    pub fn extra_share(&self) -> f64 {
        self.extra_step_time() / self.fleet_step_time
    }

    /// What the node's devices could do at their peak in the time of a step.
    #[unit(TFLOP)]
    fn node_peak_work(&self) -> Flops {
        self.node_devices * self.hardware.compute.peak_flops * self.node_step_time
    }

    /// A fleet gains nothing on its node by more devices.
    #[note(scaling_efficiency, extra_step_time, extra_share)]
    fn faster_than_node(&self) -> Option<String> {
        let beyond = self.scaling_efficiency().ok()? > 1.0 || self.fleet_step_time < self.node_step_time;
        beyond.then(|| {
            "a device does more in the fleet than in the node: the two steps differ in more than scale"
                .to_string()
        })
    }

    /// Nothing does more than its peak.
    #[note(node_mfu, fleet_mfu)]
    fn impossible(&self) -> Option<String> {
        let above = |mfu: Result<f64>| mfu.is_ok_and(|mfu| mfu > 1.0);
        (above(self.node_mfu()) || above(self.fleet_mfu())).then(|| {
            "above 1: no device does more than its peak, so that a time, a number of tokens or the peak is wrong".to_string()
        })
    }

    /// Every parameter is counted, though a token passes only some experts.
    #[note(node_useful_work, fleet_useful_work, node_mfu, fleet_mfu)]
    fn sparse(&self) -> Option<String> {
        counts_every_expert(&self.workload)
    }
}
