//! `Limits`: between which times and memories a layout keeps what is required; `Kept`: how a layout that
//! was found keeps it.

use mlsysim_models::predict::utilization;
use mlsysim_models::transformer::{Convention, Recompute};
use mlsysim_quantity::{Bytes, FlopRate, FlopsPerToken, Time};
use mlsysim_scenario::Result;

use crate::requirement::Subject;
use crate::run::{RunSpans, RunTerms};
use crate::{Outcome, Requirement, Told, TrainingPlan};

/// What became of a requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The requirement, as it was written.
    pub written: String,
    /// Whether it is met.
    pub is_met: bool,
    /// What the plan has, in the unit of the requirement.
    pub value: String,
    /// By how much it is missed, or by how much more than met, in that unit.
    pub by: String,
    /// The end of the interval that is worse for the requirement where it is met, else the better one;
    /// nothing where the figure has no interval.
    pub end: Option<String>,
    /// Whether the whole interval lies on the same side of the limit, so that what became of it is known.
    pub is_known: bool,
}

/// What the figures of requirements are made of, on one number of devices in one precision.
pub(crate) struct Figures<'a> {
    /// The tokens of a step.
    pub tokens: f64,
    pub devices: u64,
    /// The arithmetic of the model for each token.
    pub flops: FlopsPerToken,
    pub peak: FlopRate,
    pub capacity: Bytes,
    /// What a whole run has, if one is stated.
    pub run: Option<&'a RunTerms>,
}

impl<'a> Figures<'a> {
    pub fn new(plan: &TrainingPlan, devices: u64, peak: FlopRate, run: Option<&'a RunTerms>) -> Result<Self> {
        let flops = plan.model.training_flops(Convention::Masked, plan.sequence, Recompute::Nothing)?;
        let capacity = plan.machine.device.memory.capacity;
        Ok(Figures { tokens: plan.tokens() as f64, devices, flops, peak, capacity, run })
    }

    /// The share of the peak that the model's arithmetic takes in steps of `time` (MFU).
    pub fn utilization(&self, time: Time) -> f64 {
        utilization(self.tokens / time.base(), self.flops, self.devices, self.peak)
    }

    /// A figure in base units; not a number where a run is needed and none is stated.
    fn of(&self, subject: Subject, time: Time, memory: Bytes) -> f64 {
        let run = |of: fn(&RunSpans) -> Option<f64>| {
            let spans = self.run.map(|terms| terms.spans(self.devices, time));
            spans.as_ref().and_then(of).unwrap_or(f64::NAN)
        };
        match subject {
            Subject::StepTime => time.base(),
            Subject::Rate => self.tokens / time.base(),
            Subject::Utilization => self.utilization(time),
            Subject::Memory => memory.base(),
            Subject::Free => (self.capacity - memory).base(),
            Subject::Devices => self.devices as f64,
            Subject::RunTime => run(|spans| Some(spans.wall_clock.base())),
            Subject::RunCost => run(|spans| Some(spans.cost.base())),
            Subject::RunEnergy => run(|spans| spans.energy.map(|energy| energy.base())),
            Subject::DeviceHours => run(|spans| Some(spans.device_hours)),
        }
    }
}

/// Between which times and memories a layout keeps all that is required, on one number of devices in one
/// precision: each requirement is a limit of one of the two, or of the number of devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    time: [f64; 2],
    memory: [f64; 2],
    /// By what share the number of devices misses what is required of it.
    devices: f64,
}

/// Longer and larger than anything is.
const ENDLESS: f64 = 1e30;

impl Limits {
    /// The limits of what is required of `figures`, whose times are at most `slow` times as long as
    /// predicted.
    pub fn new(requirements: &[Requirement], figures: &Figures, slow: f64) -> Self {
        let mut limits = Limits { time: [0.0, f64::INFINITY], memory: [0.0, f64::INFINITY], devices: 0.0 };
        for one in requirements {
            let (subject, factor) = (one.figure.subject, if one.figure.is_slow_end { slow } else { 1.0 });
            if subject == Subject::Devices {
                let [devices, limit] = [figures.devices as f64, one.limit];
                let miss = if one.at_most { devices / limit.max(0.0) } else { limit / devices };
                let miss = if one.is_met(devices) { 0.0 } else { (miss - 1.0).max(f64::MIN_POSITIVE) };
                limits.devices = limits.devices.max(miss);
                continue;
            }
            let is_met = |value: f64| {
                let (time, memory) = (Time::from_base(factor * value), Bytes::from_base(value));
                one.is_met(figures.of(subject, time, memory))
            };
            let ends = if subject.is_of_time() { &mut limits.time } else { &mut limits.memory };
            match one.at_most == subject.grows() {
                true => ends[1] = ends[1].min(last(is_met)),
                false => ends[0] = ends[0].max(last(|value| !is_met(value)).next_up()),
            }
        }
        limits
    }

    /// By what share a layout misses what it misses most: 0 where it keeps all.
    pub fn miss(&self, outcome: &Outcome) -> f64 {
        let (time, memory) = (outcome.time.base(), outcome.memory.base());
        let over = |value: f64, ends: [f64; 2]| match value {
            _ if value > ends[1] => (value / ends[1] - 1.0).max(f64::MIN_POSITIVE),
            _ if value < ends[0] => (ends[0] / value - 1.0).max(f64::MIN_POSITIVE),
            _ => 0.0,
        };
        over(time, self.time).max(over(memory, self.memory)).max(self.devices)
    }

    /// What a layout whose step takes at least `least` misses at the least.
    pub fn least_miss(&self, least: Time) -> f64 {
        let over = if least.base() > self.time[1] { least.base() / self.time[1] - 1.0 } else { 0.0 };
        over.max(self.devices)
    }
}

/// The largest number of which `is_met` holds, for what holds up to somewhere and not beyond: 0 if of
/// none, to the last digit.
fn last(is_met: impl Fn(f64) -> bool) -> f64 {
    if is_met(ENDLESS) {
        return ENDLESS;
    }
    // Positive numbers are in the order of their bits.
    let (mut low, mut high) = (0, ENDLESS.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match is_met(f64::from_bits(middle)) {
            true => low = middle,
            false => high = middle,
        }
    }
    f64::from_bits(low)
}

impl TrainingPlan {
    /// How a layout that was told keeps each of the plan's requirements.
    ///
    /// # Errors
    ///
    /// One is about a run, and the plan states no tokens.
    pub fn kept(&self, told: &Told) -> Result<Vec<Kept>> {
        let terms = RunTerms::new(self)?;
        let devices = told.outcome.candidate.devices.into();
        let figures = Figures::new(self, devices, told.peak, terms.as_ref())?;
        Ok(self.require.iter().map(|one| kept(one, told, &figures)).collect())
    }
}

fn kept(one: &Requirement, told: &Told, figures: &Figures) -> Kept {
    let (total, subject) = (&told.prediction.total, one.figure.subject);
    let of = |time| figures.of(subject, time, told.fit.memory.total());
    let value = of(if one.figure.is_slow_end { total.high } else { total.time });
    let is_met = one.is_met(value);
    // The slow end is the worse one where the figure is to be small and grows, or large and shrinks.
    let is_slow_worse = one.at_most == subject.grows();
    let end = (subject.is_of_time() && !one.figure.is_slow_end)
        .then(|| of(if is_met == is_slow_worse { total.high } else { total.low }));
    Kept {
        written: one.written.clone(),
        is_met,
        value: one.shown(value),
        by: one.shown((value - one.limit).abs()),
        is_known: end.is_none_or(|end| one.is_met(end) == is_met),
        end: end.map(|end| one.shown(end)),
    }
}
