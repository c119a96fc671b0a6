//! `Placed`: a step of a layout on a machine: what fits, what crosses which link, and the least time.

mod group;
mod report;

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::Result;

use crate::machine::Machine;
use crate::transformer::{
    Account, Accounting, Alternative, Convention, Fit, MemoryPolicy, Phase, Rates, StepBound,
};

pub use group::PlacedGroup;

/// A step of a layout on a machine.
///
/// ```
/// use mlsysim_models::machine::Machine;
/// use mlsysim_models::transformer::{
///     Accounting, Division, Layout, MemoryPolicy, Placed, Resource, Step, Transformer,
/// };
///
/// let (model, layout) = (Transformer::named("Llama3_70B")?, Layout::parse("tp=8")?);
/// let (division, step) = (Division::new(&model, &layout)?, Step::decode(64, 8192));
/// let accounting = Accounting::new(&division, &step)?;
/// let (machine, policy) = (Machine::named("DGX_H100")?, MemoryPolicy::default());
/// let placed = Placed::new(&accounting, &machine, &policy)?;
/// assert!(placed.fits());
/// assert_eq!(placed.bound.binds(), Resource::Memory.name());
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    /// The step on its layout.
    pub accounting: &'a Accounting<'a>,
    /// The machine.
    pub machine: &'a Machine,
    /// How the framework uses memory.
    pub policy: &'a MemoryPolicy,
    /// What a rank of the fullest stage holds.
    pub fit: Fit,
    /// The rates that bound the step.
    pub rates: Rates,
    /// The stage whose least time is longest, from 0.
    pub slowest: u64,
    /// The least time of that stage, and so of the step.
    pub bound: StepBound,
}

/// What a machine has too little of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lack {
    /// So many devices more are needed.
    Devices(u64),
    /// So many bytes more are needed on a device of the fullest stage.
    Memory(Bytes),
}

impl Lack {
    /// What binds.
    pub const fn name(self) -> &'static str {
        match self {
            Lack::Devices(_) => "devices",
            Lack::Memory(_) => "memory",
        }
    }
}

impl<'a> Placed<'a> {
    /// Places `accounting` on `machine`, whose devices are used as `policy` says.
    ///
    /// # Errors
    ///
    /// The machine is a literal that contradicts itself, its device states no peak for the precision of
    /// the step, a group spans domains without a network, or the policy does not suit the layout.
    pub fn new(
        accounting: &'a Accounting<'a>,
        machine: &'a Machine,
        policy: &'a MemoryPolicy,
    ) -> Result<Self> {
        machine.is_consistent()?;
        let rates = accounting.rates(machine)?;
        let fit = accounting.fit(machine, policy)?;
        let mut slowest = (0, accounting.bound_at(&accounting.account(0)?, machine, rates)?);
        for stage in 1..accounting.division.layout.pp {
            let bound = accounting.bound_at(&accounting.account(stage)?, machine, rates)?;
            if bound.time() > slowest.1.time() {
                slowest = (stage, bound);
            }
        }
        let (slowest, bound) = slowest;
        Ok(Placed { accounting, machine, policy, fit, rates, slowest, bound })
    }

    /// Whether the machine has the devices and the memory.
    pub fn fits(&self) -> bool {
        self.lacks().is_empty()
    }

    /// What the machine has too little of, first what binds.
    pub fn lacks(&self) -> Vec<Lack> {
        let missing = self.accounting.division.layout.devices().saturating_sub(self.machine.devices());
        let devices = (missing > 0).then_some(Lack::Devices(missing));
        let memory = (!self.fit.fits()).then(|| Lack::Memory(-1.0 * self.fit.free()));
        devices.into_iter().chain(memory).collect()
    }

    /// The nearest layout that fits; nothing where this one does, or none does.
    pub fn nearest(&self) -> Option<Alternative> {
        let Accounting { division, step, .. } = self.accounting;
        match self.fits() {
            true => None,
            false => Alternative::nearest(division.model, division.layout, step, self.machine, self.policy),
        }
    }

    /// The groups that a rank of `account`'s stage exchanges something with.
    ///
    /// # Errors
    ///
    /// A group spans domains without a network.
    pub fn groups(&self, account: &Account) -> Result<Vec<PlacedGroup>> {
        group::of(self, account)
    }

    /// How many tokens all replicas together work on in a second, at the bound; nothing where
    /// nothing takes time.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let step = self.accounting.step;
        let tokens = step.batch as f64 * step.sequence as f64;
        Some(self.bound.time()).filter(|time| *time > Time::ZERO).map(|time| tokens / time.base())
    }

    /// The model's arithmetic as a share of what all devices could do in the least time, where it is
    /// trained: the MFU at the bound. It counts every matrix product as far as the mask lets a token
    /// see, by the convention `masked`.
    ///
    /// # Errors
    ///
    /// The arithmetic of the model is not modelled.
    pub fn utilization(&self) -> Result<Option<f64>> {
        let Accounting { division, step, .. } = self.accounting;
        let Some(rate) = self.tokens_per_second().filter(|_| step.phase == Phase::Training) else {
            return Ok(None);
        };
        let flops = division.model.training_flops(Convention::Masked, step.sequence, step.recompute)?;
        let peak = division.layout.devices() as f64 * self.rates.peak.base();
        Ok(Some(rate * flops.base() / peak))
    }
}
