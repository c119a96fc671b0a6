//! `Fit`: whether a layout fits a machine, by how much, and the nearest one that does.

mod nearest;

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Error, Result};

use crate::machine::Machine;
use crate::transformer::{Accounting, Division, Layout, Memory, MemoryPolicy, Step, Transformer};

pub use nearest::Alternative;

/// Whether a layout fits the memory of a machine's devices: that of its fullest stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The stage whose ranks hold most, from 0.
    pub stage: u64,
    /// What one of them holds.
    pub memory: Memory,
    /// What a device holds at most.
    pub capacity: Bytes,
}

impl Fit {
    /// What is left on the fullest device; below zero where it does not fit.
    pub fn free(&self) -> Bytes {
        self.capacity - self.memory.total()
    }

    /// Whether it fits.
    pub fn fits(&self) -> bool {
        self.free() >= Bytes::ZERO
    }
}

impl Accounting<'_> {
    /// Whether the step fits the memory of `machine`'s devices.
    ///
    /// # Errors
    ///
    /// The policy does not suit the layout.
    pub fn fit(&self, machine: &Machine, policy: &MemoryPolicy) -> Result<Fit> {
        let capacity = machine.device.memory.capacity;
        let mut fullest: Option<Fit> = None;
        // Of stages that are alike, the first keeps most micro-batches.
        for (stage, _) in self.division.runs() {
            let memory = self.memory_of(stage, policy)?;
            if fullest.is_none_or(|fit| fit.memory.total() < memory.total()) {
                fullest = Some(Fit { stage, memory, capacity });
            }
        }
        fullest.ok_or_else(|| Error::input("pp", "a layout has one stage at least"))
    }
}

impl Machine {
    /// Whether the machine has as many devices as `layout`.
    ///
    /// # Errors
    ///
    /// It has fewer.
    pub fn holds(&self, layout: &Layout) -> Result<()> {
        if layout.devices() <= self.devices() {
            return Ok(());
        }
        Err(Error::input(
            "layout",
            format!("it has {} devices, but {} has `{}`", layout.devices(), self.name, self.devices()),
        ))
    }
}

/// Applies everything and says whether it fits.
pub(super) fn tried(
    model: &Transformer,
    layout: &Layout,
    step: &Step,
    machine: &Machine,
    policy: &MemoryPolicy,
) -> Result<Fit> {
    let division = Division::new(model, layout)?;
    Accounting::new(&division, step)?.fit(machine, policy)
}
