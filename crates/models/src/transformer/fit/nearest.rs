//! The nearest layout that fits, where the one that was asked for does not.

use mlsysim_scenario::Define;

use super::{Fit, tried};
use crate::machine::Machine;
use crate::transformer::{Layout, MemoryPolicy, Phase, Recompute, Step, Transformer};

/// A layout and a step that fit, and in what they differ from those that do not.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The layout.
    pub layout: Layout,
    /// The step.
    pub step: Step,
    /// How it fits.
    pub fit: Fit,
    /// What was changed, such as `pp 2 to 4`.
    pub changes: Vec<String>,
}

/// What is searched around.
struct Around<'a> {
    layout: &'a Layout,
    step: &'a Step,
}

impl Alternative {
    /// The nearest layout to `layout` that fits `machine`; nothing where none does.
    ///
    /// On as many devices, and then on twice as many as long as there are, degrees, the stage of
    /// ZeRO, sequence parallelism, recomputation and the micro-batch may change; the fewer doublings
    /// and other changes, the nearer. Where the machine has fewer devices than the layout, half as
    /// many are tried, and half of those again.
    pub fn nearest(
        model: &Transformer,
        layout: &Layout,
        step: &Step,
        machine: &Machine,
        policy: &MemoryPolicy,
    ) -> Option<Alternative> {
        let around = Around { layout, step };
        let (wanted, there) = (layout.devices(), machine.devices());
        let halves =
            std::iter::successors(Some(wanted), |devices| devices.is_multiple_of(2).then_some(devices / 2));
        let doubles = std::iter::successors(Some(wanted), |devices| devices.checked_mul(2));
        let counts: Vec<u64> = match wanted > there {
            true => halves.filter(|devices| *devices <= there).collect(),
            false => doubles.take_while(|devices| *devices <= there).collect(),
        };
        counts.into_iter().find_map(|devices| {
            around.candidates(devices, machine).into_iter().find_map(|(_, layout, step)| {
                let fit = tried(model, &layout, &step, machine, policy).ok()?;
                let changes = around.changes(&layout, &step);
                fit.fits().then_some(Alternative { layout, step, fit, changes })
            })
        })
    }
}

impl Around<'_> {
    /// Legal layouts on `devices` with their distance, nearest first.
    fn candidates(&self, devices: u64, machine: &Machine) -> Vec<(f64, Layout, Step)> {
        let trains = self.step.phase == Phase::Training;
        let mut found = Vec::new();
        for tp in doubled_and_halved(self.layout.tp, machine.domain.min(devices)) {
            for pp in doubled_and_halved(self.layout.pp, devices / tp) {
                let each = tp * pp * self.layout.cp;
                if !devices.is_multiple_of(each) {
                    continue;
                }
                for zero in self.layout.zero..=if trains { 3 } else { self.layout.zero } {
                    for sp in [self.layout.sp && tp > 1, trains && tp > 1] {
                        let layout = Layout {
                            tp,
                            sp,
                            pp,
                            vpp: if pp > 1 { self.layout.vpp } else { 1 },
                            stages: self.layout.stages.clone().filter(|_| pp == self.layout.pp),
                            dp: devices / each,
                            zero,
                            ..self.layout.clone()
                        };
                        let Ok(layout) = layout.checked() else { continue };
                        for step in self.steps() {
                            found.push((self.distance(&layout, &step), layout.clone(), step));
                        }
                    }
                }
            }
        }
        found.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
        found
    }

    /// The step with smaller micro-batches and more recomputation.
    fn steps(&self) -> Vec<Step> {
        if self.step.phase != Phase::Training {
            return vec![self.step.clone()];
        }
        let more = Recompute::ALL.iter().filter(|recompute| **recompute as u8 >= self.step.recompute as u8);
        let sizes = std::iter::successors(Some(self.step.micro_batch), |size| {
            size.is_multiple_of(2).then_some(size / 2)
        });
        more.flat_map(|recompute| {
            let step = |micro_batch| Step { recompute: *recompute, micro_batch, ..self.step.clone() };
            sizes.clone().map(step)
        })
        .collect()
    }

    /// How far a layout and a step are: doublings of degrees count whole, what costs less counts less.
    fn distance(&self, layout: &Layout, step: &Step) -> f64 {
        let doublings = |from: u64, to: u64| (to as f64 / from as f64).log2().abs();
        let recompute = step.recompute as u8 - self.step.recompute as u8;
        doublings(self.layout.tp, layout.tp)
            + doublings(self.layout.pp, layout.pp)
            + 0.5 * (layout.zero - self.layout.zero) as f64
            + 0.6 * f64::from(recompute)
            + 0.3 * doublings(self.step.micro_batch, step.micro_batch)
            + 0.1 * f64::from(u8::from(layout.sp != self.layout.sp))
    }

    /// In what they differ, as a reader would say it.
    fn changes(&self, layout: &Layout, step: &Step) -> Vec<String> {
        let numbers = [
            ("tp", self.layout.tp, layout.tp),
            ("pp", self.layout.pp, layout.pp),
            ("dp", self.layout.dp, layout.dp),
            ("zero", self.layout.zero, layout.zero),
            ("micro-batch", self.step.micro_batch, step.micro_batch),
        ];
        let numbers = numbers.iter().filter(|(_, from, to)| from != to);
        let mut changes: Vec<String> =
            numbers.map(|(name, from, to)| format!("{name} {from} to {to}")).collect();
        if layout.sp != self.layout.sp {
            changes.push(format!("{} sp", if layout.sp { "with" } else { "without" }));
        }
        if step.recompute != self.step.recompute {
            changes.push(format!("recompute {} to {}", self.step.recompute.name(), step.recompute.name()));
        }
        changes
    }
}

/// `degree`, its doubles up to `most` and its halves.
fn doubled_and_halved(degree: u64, most: u64) -> Vec<u64> {
    let doubles = std::iter::successors(Some(degree), |degree| Some(degree * 2));
    let halves = std::iter::successors(Some(degree), |degree| degree.is_multiple_of(2).then_some(degree / 2));
    doubles
        .take_while(|degree| *degree <= most)
        .chain(halves.skip(1).filter(|degree| *degree <= most))
        .collect()
}
