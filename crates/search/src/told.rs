//! `Told`: a layout that was found, with where each millisecond and each byte goes; and how it compares
//! with another.

use mlsysim_models::predict::{PartTime, StepPrediction};
use mlsysim_models::transformer::{Accounting, Fit, Layout, MemoryPolicy, Schedule, Step};
use mlsysim_quantity::{FlopRate, Time};
use mlsysim_scenario::{Name, Result};

use crate::limits::Figures;
use crate::{Outcome, TrainingPlan};

/// A layout that was found, with where each millisecond and each byte goes.
#[derive(Clone, Debug)]
pub struct Told {
    /// What was found.
    pub outcome: Outcome,
    /// The layout.
    pub layout: Layout,
    /// The step.
    pub step: Step,
    /// How memory is used.
    pub policy: MemoryPolicy,
    /// The precision of matrix products.
    pub precision: Name,
    /// The peak of those on one device.
    pub peak: FlopRate,
    /// The time of a step with its band, and the parts that it is the sum of.
    pub prediction: StepPrediction,
    /// What a rank of the fullest stage holds.
    pub fit: Fit,
    /// The model's arithmetic as a share of what the devices could do (MFU, by the convention `masked`).
    pub utilization: f64,
    /// What the reader should know: padding, replication and uneven stages.
    pub notes: Vec<String>,
}

impl TrainingPlan {
    /// What is known of a layout that was found.
    ///
    /// # Errors
    ///
    /// None for what a search of this plan found.
    pub fn tell(&self, outcome: &Outcome) -> Result<Told> {
        let candidate = &outcome.candidate;
        self.ask(candidate, |accounting, pricing| {
            let Accounting { division, step, .. } = *accounting;
            let policy = candidate.policy(self);
            let peak = pricing.products.peak();
            let prediction = self.calibrations()?.steps.training.step(accounting, pricing)?;
            let figures = Figures::new(self, candidate.devices.into(), peak, None)?;
            Ok(Told {
                outcome: *outcome,
                layout: division.layout.clone(),
                step: step.clone(),
                precision: pricing.practice.products.clone(),
                peak,
                fit: accounting.fit(pricing.machine, &policy)?,
                policy,
                utilization: figures.utilization(prediction.total.time),
                prediction,
                notes: division.notes(),
            })
        })
    }

    /// The tokens of a step.
    pub fn tokens(&self) -> u64 {
        self.batch.saturating_mul(self.sequence)
    }
}

impl Told {
    /// The parts of the time, each once: those of the passes by what they belong to, and the others.
    pub fn parts(&self) -> Vec<&PartTime> {
        let each = |part: &'_ PartTime| part.name == "passes";
        let parts = &self.prediction.parts.parts;
        let passes = parts.iter().filter(|part| each(part)).flat_map(|part| &part.parts);
        passes.chain(parts.iter().filter(|part| !each(part))).collect()
    }

    /// The layout as a user writes it: `tp=8,pp=4,…`.
    pub fn written(&self) -> String {
        self.layout.written()
    }

    /// The options of a command that get it again, with what is chosen beside the layout.
    pub fn options(&self) -> String {
        let (layout, step) = (self.written(), &self.step);
        let (micro_batch, recompute) = (step.micro_batch, step.recompute.name());
        let options = format!("--layout {layout} --micro-batch {micro_batch} --recompute {recompute}");
        match self.policy.schedule {
            Schedule::OneForwardOneBackward => options,
            other => format!("{options} --schedule {}", other.name()),
        }
    }
}

/// How far two layouts of one model on one machine have to be apart for the faster one to be known, as a
/// logarithm of their ratio: nine in ten predicted ratios of two published layouts lie no further from
/// the measured one.
///
/// The band of a prediction tells how far its time may be off. Two layouts of one model on one machine
/// are off in the same direction, mostly, so that less tells them apart; `validation::relative_error` of
/// all published sets of layouts, each layout predicted without its group of rows, is this number, which
/// a test repeats.
pub const RELATIVE_ERROR: f64 = 0.25;

/// How a layout compares with one that is slower.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// By how much the other is slower.
    pub gap: Time,
    /// The same as a share of the time of the first.
    pub share: f64,
    /// Whether that is more than what predicted ratios are off by.
    pub is_known: bool,
    /// Whether their bands overlap.
    pub bands_overlap: bool,
    /// The parts in which they differ: the time of the first and of the other, most different first.
    pub parts: Vec<(String, Time, Time)>,
    /// What would have to be shorter for the other to win, and by what share of it; nothing where no
    /// part alone could.
    pub needed: Option<(String, f64)>,
}

impl Comparison {
    /// How `first` compares with `other`.
    pub fn new(first: &Told, other: &Told) -> Self {
        let [one, two] = [first, other].map(|told| told.prediction.total.time);
        let gap = two - one;
        let mut parts: Vec<(String, Time, Time)> = Vec::new();
        for (is_first, told) in [(true, first), (false, other)] {
            for part in told.parts() {
                let at = parts.iter().position(|(name, ..)| *name == part.name).unwrap_or_else(|| {
                    parts.push((part.name.clone(), Time::ZERO, Time::ZERO));
                    parts.len() - 1
                });
                if is_first { parts[at].1 += part.time } else { parts[at].2 += part.time }
            }
        }
        let differs = |(_, one, two): &(String, Time, Time)| (two.base() - one.base()).abs();
        parts.retain(|part| differs(part) > 1e-3 * gap.base().abs());
        parts.sort_by(|one, other| differs(other).total_cmp(&differs(one)));
        let could = parts.iter().filter(|(_, one, two)| two > one && *two > gap);
        let needed = could.map(|(name, _, two)| (name.clone(), gap / *two));
        Comparison {
            gap,
            share: gap / one,
            is_known: (two / one).ln() > RELATIVE_ERROR,
            bands_overlap: other.prediction.total.low < first.prediction.total.high,
            needed: needed.min_by(|(_, one), (_, other)| one.total_cmp(other)),
            parts,
        }
    }
}
