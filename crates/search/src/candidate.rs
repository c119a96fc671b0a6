//! `Candidate`: a layout with what is chosen beside it, in a few words of memory.

use mlsysim_models::transformer::{ContextExchange, Layout, MemoryPolicy, Order, Recompute, Schedule, Step};

use crate::axis::ORDERS;
use crate::{Axis, TrainingPlan};

/// A layout with what is chosen beside it: small, so that millions can be made and forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// How many devices there are.
    pub devices: u32,
    /// The ranks that share each layer.
    pub tp: u32,
    /// Whether those share the tokens between blocks.
    pub sp: bool,
    /// The stages.
    pub pp: u32,
    /// The chunks of each stage.
    pub vpp: u32,
    /// The replicas.
    pub dp: u32,
    /// What they share.
    pub zero: u8,
    /// Over how many of them; 0 for all.
    pub shard: u32,
    /// The groups of ranks that share the experts.
    pub ep: u32,
    /// The ranks that share each expert; 0 where there are none.
    pub etp: u32,
    /// The ranks that share each sequence.
    pub cp: u32,
    /// How they exchange keys and values: the place in [`ContextExchange::ALL`].
    pub cp_by: u8,
    /// The sequences of a micro-batch.
    pub micro_batch: u32,
    /// What is computed again: the place in [`Recompute::ALL`].
    pub recompute: u8,
    /// The precision of products: the place in the plan's list.
    pub precision: u8,
    /// The order of passes: the place in [`Schedule::ALL`].
    pub schedule: u8,
    /// The order of groups on devices: the place in the list of the axis.
    pub order: u8,
}

impl Candidate {
    /// The value on an axis, as a number; choices by their places.
    pub fn on(&self, axis: Axis) -> u64 {
        match axis {
            Axis::Devices => self.devices.into(),
            Axis::Tp => self.tp.into(),
            Axis::Sp => self.sp.into(),
            Axis::Pp => self.pp.into(),
            Axis::Vpp => self.vpp.into(),
            Axis::Dp => self.dp.into(),
            Axis::Zero => self.zero.into(),
            Axis::Shard if self.shard == 0 => u64::from(self.dp) * u64::from(self.cp),
            Axis::Shard => self.shard.into(),
            Axis::Ep => self.ep.into(),
            Axis::Etp if self.etp == 0 => self.tp.into(),
            Axis::Etp => self.etp.into(),
            Axis::Cp => self.cp.into(),
            Axis::CpBy => self.cp_by.into(),
            Axis::MicroBatch => self.micro_batch.into(),
            Axis::Recompute => self.recompute.into(),
            Axis::Precision => self.precision.into(),
            Axis::Schedule => self.schedule.into(),
            Axis::Order => self.order.into(),
        }
    }

    /// The layout, for a model of so many layers.
    pub fn layout(&self, layers: u64) -> Layout {
        let (pp, vpp) = (u64::from(self.pp), u64::from(self.vpp));
        Layout { stages: crate::staging::stages(layers, pp, vpp), ..self.layout_without_stages() }
    }

    pub(crate) fn layout_without_stages(&self) -> Layout {
        Layout {
            tp: self.tp.into(),
            sp: self.sp,
            pp: self.pp.into(),
            vpp: self.vpp.into(),
            dp: self.dp.into(),
            zero: self.zero.into(),
            shard: (self.shard > 0).then_some(self.shard.into()),
            ep: self.ep.into(),
            etp: (self.etp > 0).then_some(self.etp.into()),
            cp: self.cp.into(),
            cp_by: choice(ContextExchange::ALL, self.cp_by),
            order: order(self.order),
            ..Layout::whole()
        }
    }

    /// The step.
    pub fn step(&self, plan: &TrainingPlan) -> Step {
        Step {
            micro_batch: self.micro_batch.into(),
            recompute: choice(Recompute::ALL, self.recompute),
            gradients: plan.gradients.clone(),
            ..Step::training(plan.batch, plan.sequence)
        }
    }

    /// How memory is used.
    pub fn policy(&self, plan: &TrainingPlan) -> MemoryPolicy {
        MemoryPolicy { schedule: self.schedule(), ..plan.policy.clone() }
    }

    /// The order of passes.
    pub fn schedule(&self) -> Schedule {
        choice(Schedule::ALL, self.schedule)
    }
}

/// The order of groups at a place of the axis.
pub(crate) fn order(place: u8) -> Order {
    let written = ORDERS.get(usize::from(place)).copied();
    written.and_then(|written| Order::parse(written).ok()).unwrap_or(Order::DEFAULT)
}

/// The choice at a place; the first where there is none.
fn choice<T: Copy>(all: &'static [T], place: u8) -> T {
    all.get(usize::from(place)).copied().unwrap_or(all[0])
}
