//! The nearest layout that fits, where the one that was asked for does not.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Define, Result};

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
    model: &'a Transformer,
    layout: &'a Layout,
    step: &'a Step,
}

/// As many layouts are tried on each number of devices, at most.
const MOST_TRIED: usize = 20_000;

impl Alternative {
    /// The nearest layout to `layout` that fits `machine`; nothing where none does.
    ///
    /// On as many devices, and then on twice as many as long as there are, degrees (`tp`, `pp`, `cp`,
    /// `dp` and, where there are experts, `ep`), the stage of ZeRO, sequence parallelism,
    /// recomputation, the micro-batch and, where nothing is trained, the batch may change; the fewer
    /// doublings and other changes, the nearer. Where the machine has fewer devices than the layout,
    /// half as many are tried, and half of those again.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    /// use mlsysim_models::transformer::{Alternative, Layout, MemoryPolicy, Step, Transformer};
    ///
    /// // The experts of DeepSeek-V3 do not fit eight servers where each replica has all of them.
    /// let (model, layout) = (Transformer::named("DeepSeek_V3")?, Layout::parse("tp=8,dp=8")?);
    /// let machine = Machine::on("DGX_H100", Some(8), Some("InfiniBand_NDR"))?;
    /// let (step, policy) = (Step::decode(256, 4096), MemoryPolicy::default());
    /// let nearest = Alternative::nearest(&model, &layout, &step, &machine, &policy).ok_or("nothing fits")?;
    /// assert_eq!(nearest.changes, ["ep 1 to 4"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(
        model: &Transformer,
        layout: &Layout,
        step: &Step,
        machine: &Machine,
        policy: &MemoryPolicy,
    ) -> Option<Alternative> {
        let around = Around { model, layout, step };
        let (wanted, there) = (layout.devices(), machine.devices());
        let halves =
            std::iter::successors(Some(wanted), |devices| devices.is_multiple_of(2).then_some(devices / 2));
        let doubles = std::iter::successors(Some(wanted), |devices| devices.checked_mul(2));
        let counts: Vec<u64> = match wanted > there {
            true => halves.filter(|devices| *devices <= there).collect(),
            false => doubles.take_while(|devices| *devices <= there).collect(),
        };
        let least = around.least_held(policy).unwrap_or(Bytes::ZERO);
        let capacity = machine.device.memory.capacity;
        let counts = counts.into_iter().filter(|devices| least / *devices as f64 <= capacity);
        counts.into_iter().find_map(|devices| {
            let candidates = around.candidates(devices, machine).into_iter().take(MOST_TRIED);
            candidates.into_iter().find_map(|(_, layout, step)| {
                let fit = tried(model, &layout, &step, machine, policy).ok()?;
                let changes = around.changes(&layout, &step);
                fit.fits().then_some(Alternative { layout, step, fit, changes })
            })
        })
    }
}

impl Around<'_> {
    /// What all devices together hold at the least: each weight, and its gradient, once.
    fn least_held(&self, policy: &MemoryPolicy) -> Result<Bytes> {
        let trains = self.step.phase == Phase::Training;
        let weights = if trains && policy.cast_weights { Bytes::ZERO } else { self.step.element()? };
        let gradients = if trains { self.step.gradient()? } else { Bytes::ZERO };
        Ok(self.model.counts().total as f64 * (weights + gradients))
    }

    /// Legal layouts on `devices` with their distance, nearest first.
    fn candidates(&self, devices: u64, machine: &Machine) -> Vec<(f64, Layout, Step)> {
        let steps = self.steps();
        let mut found = Vec::new();
        for layout in self.layouts(devices, machine) {
            for step in &steps {
                found.push((self.distance(&layout, step), layout.clone(), step.clone()));
            }
        }
        found.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
        found
    }

    /// Legal layouts on `devices`.
    fn layouts(&self, devices: u64, machine: &Machine) -> Vec<Layout> {
        let trains = self.step.phase == Phase::Training;
        let experts = self.model.routing.map_or(1, |routing| u64::from(routing.experts));
        // Each token of a decode step is one of its own, which no ranks can share.
        let most_parts = if self.step.phase == Phase::Decode { 1 } else { self.step.sequence };
        let parts = doubled_and_halved(self.layout.cp, most_parts.min(devices));
        let mut found = Vec::new();
        for tp in doubled_and_halved(self.layout.tp, machine.domain.min(devices)) {
            for pp in doubled_and_halved(self.layout.pp, devices / tp) {
                for cp in parts.iter().filter(|cp| devices.is_multiple_of(tp * pp * **cp)) {
                    for ep in doubled_and_halved(self.layout.ep, experts.min(devices)) {
                        for zero in self.layout.zero..=if trains { 3 } else { self.layout.zero } {
                            for sp in [self.layout.sp && tp > 1, trains && tp > 1] {
                                let layout = Layout {
                                    tp,
                                    sp,
                                    pp,
                                    vpp: if pp > 1 { self.layout.vpp } else { 1 },
                                    stages: self.layout.stages.clone().filter(|_| pp == self.layout.pp),
                                    dp: devices / (tp * pp * cp),
                                    zero,
                                    cp: *cp,
                                    ep,
                                    ..self.layout.clone()
                                };
                                found.extend(layout.checked());
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// The step with smaller micro-batches, more recomputation and, where nothing is trained, fewer
    /// sequences.
    fn steps(&self) -> Vec<Step> {
        let halves = |count: u64| {
            std::iter::successors(Some(count), |count| count.is_multiple_of(2).then_some(count / 2))
        };
        if self.step.phase != Phase::Training {
            let at_once = self.step.micro_batch == self.step.batch;
            let smaller = halves(self.step.batch).flat_map(|batch| {
                let sizes = halves(if at_once { batch } else { self.step.micro_batch.min(batch) });
                sizes.map(move |micro_batch| (batch, micro_batch))
            });
            // The cache of a decode step is that of all sequences, however few pass at a time.
            let smaller = smaller.filter(|(batch, micro_batch)| {
                self.step.phase == Phase::Prefill || !at_once || batch == micro_batch
            });
            return smaller
                .map(|(batch, micro_batch)| Step { batch, micro_batch, ..self.step.clone() })
                .collect();
        }
        let more = Recompute::ALL.iter().filter(|recompute| **recompute as u8 >= self.step.recompute as u8);
        more.flat_map(|recompute| {
            let step = |micro_batch| Step { recompute: *recompute, micro_batch, ..self.step.clone() };
            halves(self.step.micro_batch).map(step)
        })
        .collect()
    }

    /// How far a layout and a step are: doublings of degrees count whole, what costs less counts less,
    /// and doing less counts most.
    fn distance(&self, layout: &Layout, step: &Step) -> f64 {
        let doublings = |from: u64, to: u64| (to as f64 / from as f64).log2().abs();
        let recompute = step.recompute as u8 - self.step.recompute as u8;
        let pieces = |step: &Step| step.batch / step.micro_batch.max(1);
        doublings(self.layout.tp, layout.tp)
            + doublings(self.layout.pp, layout.pp)
            + doublings(self.layout.cp, layout.cp)
            + 0.4 * doublings(self.layout.ep, layout.ep)
            + 0.5 * (layout.zero - self.layout.zero) as f64
            + 0.6 * f64::from(recompute)
            + 0.3 * doublings(pieces(self.step), pieces(step))
            + 1.5 * doublings(self.step.batch, step.batch)
            + 0.1 * f64::from(u8::from(layout.sp != self.layout.sp))
    }

    /// In what they differ, as a reader would say it.
    fn changes(&self, layout: &Layout, step: &Step) -> Vec<String> {
        let numbers = [
            ("tp", self.layout.tp, layout.tp),
            ("pp", self.layout.pp, layout.pp),
            ("cp", self.layout.cp, layout.cp),
            ("dp", self.layout.dp, layout.dp),
            ("ep", self.layout.ep, layout.ep),
            ("zero", self.layout.zero, layout.zero),
            ("batch", self.step.batch, step.batch),
            ("micro-batch", self.step.micro_batch, step.micro_batch),
        ];
        // All sequences at once are as many as there are.
        let all = step.batch == step.micro_batch && self.step.batch == self.step.micro_batch;
        let numbers =
            numbers.iter().filter(|(name, from, to)| from != to && !(all && *name == "micro-batch"));
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
