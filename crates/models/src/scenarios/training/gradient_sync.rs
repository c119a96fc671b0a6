//! `GradientSyncScenario`: a data-parallel step over each of several links.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, EnergyPerByte, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Map, Name, Result, Scenario, equations};

use crate::solvers::{GradientSyncModel, GradientSyncResult};

/// A data-parallel step of a model: compute, and then an AllReduce of its gradients over each of
/// several links.
///
/// # Assumptions
/// Those of `GradientSyncModel`: many workers, a ring at the full rate of its link, no overlap. A
/// faster accelerator shortens compute and nothing else.
///
/// # Excludes
/// How many workers there are, latency, overlap and the sharding of the model.
///
/// # Derivation
/// The equations of `GradientSyncModel` stand with its result (Patarasuk and Yuan 2009,
/// doi:10.1016/j.jpdc.2008.09.002).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct GradientSyncScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The precision in which gradients are sent.
    #[default("fp16")]
    pub precision: Name,
    /// The bandwidth of each candidate link in one direction.
    #[range(> 0)]
    #[unit(Gbps)]
    pub links: Map<Bandwidth>,
    /// The compute of a step on the accelerator as it is.
    #[range(>= 0)]
    #[unit(s)]
    pub compute_time: Time,
    /// The energy of one bit on its way.
    #[range(>= 0)]
    #[unit("pJ/bit")]
    pub energy_per_bit: Option<EnergyPerByte>,
    /// How many steps there are.
    #[range(>= 0)]
    #[default(1)]
    pub steps: u64,
    /// How many times faster the accelerator becomes; links stay as they are.
    #[range(> 0)]
    #[default(1.0)]
    pub compute_speedup: f64,
}

#[equations]
impl GradientSyncScenario {
    /// The step on each link, by `GradientSyncModel`.
    ///
    /// # Errors
    ///
    /// The inputs lack a figure that the solver needs.
    pub fn result(&self) -> Result<GradientSyncResult> {
        GradientSyncModel {
            model: self.workload.clone(),
            precision: self.precision.clone(),
            links: self.links.clone(),
            compute_time: self.compute_time,
            energy_per_bit: self.energy_per_bit,
            steps: self.steps,
            compute_speedup: self.compute_speedup,
        }
        .solve()
    }
}
