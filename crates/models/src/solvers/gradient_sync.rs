//! `GradientSyncModel`: a data-parallel step over each of several links.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, Energy, EnergyPerByte, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Map, MapExt, Name, OptionExt, Result, Solver, equations};

use crate::physics::communication::RING_ALL_REDUCE_LIMIT;
use crate::physics::memory::{element_size, weight_bytes};

/// A data-parallel step: local compute, and then a ring AllReduce of all gradients over one link.
///
/// The ring is large: each worker sends twice the gradients, the limit that `n` workers approach
/// with `2 (n − 1) / n`. Nothing overlaps. Each bit sent takes the energy of one way over the link.
///
/// Source: Patarasuk and Yuan (2009), doi:10.1016/j.jpdc.2008.09.002.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = GradientSyncResult)]
pub struct GradientSyncModel {
    /// The model that is trained.
    pub model: Arc<Workload>,
    /// The precision in which gradients are sent.
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

#[equations(result = GradientSyncResult)]
impl GradientSyncModel {
    /// What each worker sends in a step.
    #[unit(B)]
    pub fn sync_bytes(&self) -> Result<Bytes> {
        Ok(RING_ALL_REDUCE_LIMIT * self.gradients()?)
    }

    /// The compute of a step on the faster accelerator.
    #[unit(s)]
    pub fn compute_time(&self) -> Time {
        self.local_time()
    }

    /// The time of the AllReduce on each link.
    #[unit(s)]
    pub fn transfer_times(&self) -> Result<Map<Time>> {
        let sync_bytes = self.sync_bytes()?;
        Ok(self.links.each(|bandwidth| sync_bytes / *bandwidth))
    }

    /// The time of the step on each link: compute, and then the AllReduce.
    #[unit(s)]
    pub fn step_times(&self) -> Result<Map<Time>> {
        Ok(self.transfer_times()?.each(|transfer| self.local_time() + *transfer))
    }

    /// The share of the step in which the accelerator computes, on each link.
    pub fn compute_fractions(&self) -> Result<Map<f64>> {
        Ok(self.step_times()?.each(|step| self.local_time() / *step))
    }

    /// The energy with which one worker sends its gradients in a step; none where no energy of a
    /// bit is stated.
    #[unit(J)]
    pub fn energy_per_step(&self) -> Result<Energy> {
        let sync_bytes = self.sync_bytes()?;
        Ok(self.energy_per_bit.map_or(Energy::ZERO, |energy_per_bit| sync_bytes * energy_per_bit))
    }

    /// The energy with which one worker sends its gradients in all steps.
    #[unit(J)]
    pub fn energy_total(&self) -> Result<Energy> {
        Ok(self.energy_per_step()? * self.steps)
    }

    /// The gradients of all parameters.
    #[unit(B)]
    fn gradients(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.model.parameters.needed("model.parameters")?, self.element()?))
    }

    /// The size of one gradient.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// The compute of a step on the faster accelerator.
    #[unit(s)]
    fn local_time(&self) -> Time {
        self.compute_time / self.compute_speedup
    }

    /// The gradients have a size.
    #[check]
    fn precision_is_known(&self) -> Result<()> {
        self.element().map(|_| ())
    }

    /// The number of workers is not asked for.
    #[note(sync_bytes, transfer_times, step_times)]
    fn large_ring(&self) -> Option<String> {
        Some("of many workers: 2 of them send half as much, 8 send 7/8, one sends nothing".to_string())
    }

    /// Nobody says what a bit takes.
    #[note(energy_per_step, energy_total)]
    fn no_energy(&self) -> Option<String> {
        self.energy_per_bit.is_none().then(|| "without `energy_per_bit` no energy is counted".to_string())
    }
}
