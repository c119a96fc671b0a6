//! `Forecast`: a step of a layout on a machine as it is predicted, with what follows from its time.
//!
//! * `practice` reads what a framework does of its own choice;
//! * `terms` says what energy and money a step takes;
//! * `report` tells all of it as one value, and `explain` how each part comes about.

mod explain;
mod practice;
mod report;
mod terms;

use mlsysim_quantity::{FlopRate, FlopsPerToken, Time};
use mlsysim_scenario::{Error, Result};

use super::{CalibrationSet, Engine, Practice, Pricing, ProductPrecision, Served, StepPrediction, Workload};
use crate::machine::Machine;
use crate::transformer::{Accounting, Convention, MemoryPolicy, Phase, Placed, Step};

pub use practice::SETTINGS;
pub use terms::Terms;

/// What share of measurements lies in the interval of a prediction.
pub const INTERVAL: f64 = 0.9;

/// A step of a layout on a machine, as it is predicted.
///
/// ```
/// use mlsysim_models::machine::Machine;
/// use mlsysim_models::predict::{CalibrationSet, Engine, Forecast, Terms};
/// use mlsysim_models::transformer::{Accounting, Convention, Division, Layout, MemoryPolicy, Step, Transformer};
///
/// let (model, layout) = (Transformer::named("Llama3_70B")?, Layout::parse("tp=8,sp,dp=64,zero=1")?);
/// let (division, step) = (Division::new(&model, &layout)?, Step::training(512, 8192));
/// let accounting = Accounting::new(&division, &step)?;
/// let machine = Machine::named("Training_512_H100")?;
/// let (policy, engine) = (MemoryPolicy::default(), Engine::default());
/// let shipped = CalibrationSet::shipped()?;
/// let forecast = Forecast::new(&accounting, &machine, &policy, &engine, Terms::default(), shipped)?;
/// let [mfu, hfu] = [Convention::Masked, Convention::Hardware].map(|each| forecast.utilization(each));
/// assert!(mfu? > Some(0.2) && hfu? < Some(0.7));
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forecast<'a> {
    /// The step on the machine: what it holds, and its bound.
    pub placed: Placed<'a>,
    /// What the framework does of its own choice.
    pub engine: &'a Engine,
    /// What is served; nothing where a step is trained.
    pub workload: Option<Workload>,
    /// The time with its interval, and the parts that it is the sum of.
    pub predicted: StepPrediction,
    /// The peak of its products, on one device.
    pub peak: FlopRate,
    /// What power and time are taken to cost.
    pub terms: Terms,
    /// The coefficients that it is predicted by.
    pub calibrations: &'a CalibrationSet,
}

impl<'a> Forecast<'a> {
    /// Predicts the step of `accounting` on `machine`, by `calibrations`: those that come with this crate, or
    /// others.
    ///
    /// # Errors
    ///
    /// The machine contradicts itself or lacks a figure, a precision is not known, a group spans domains
    /// and the machine has no network, or what is served does not fit.
    pub fn new(
        accounting: &'a Accounting<'a>,
        machine: &'a Machine,
        policy: &'a MemoryPolicy,
        engine: &'a Engine,
        terms: Terms,
        calibrations: &'a CalibrationSet,
    ) -> Result<Self> {
        let step = accounting.step;
        let workload = match step.phase {
            Phase::Training => None,
            Phase::Prefill => {
                Some(Workload::Prefill { batch: step.batch, prompt: step.sequence, context: step.context })
            }
            Phase::Decode => Some(Workload::DecodeStep { batch: step.batch, context: step.context }),
        };
        Self::serving(accounting, machine, policy, engine, terms, calibrations, workload)
    }

    /// Predicts what is served of `workload`, of which `accounting` is a step: the last one, at which the
    /// KV cache is fullest.
    ///
    /// # Errors
    ///
    /// As for [`Forecast::new`].
    pub fn serving(
        accounting: &'a Accounting<'a>,
        machine: &'a Machine,
        policy: &'a MemoryPolicy,
        engine: &'a Engine,
        terms: Terms,
        calibrations: &'a CalibrationSet,
        workload: Option<Workload>,
    ) -> Result<Self> {
        let placed = Placed::new(accounting, machine, policy)?;
        let CalibrationSet { kernels, steps, .. } = calibrations;
        let pricing = pricing(machine, &engine.practice, policy, calibrations)?;
        let predicted = match workload {
            None => steps.training.step(accounting, &pricing)?,
            Some(workload) => {
                let Accounting { division, .. } = accounting;
                let served = Served { model: division.model, layout: division.layout, machine, engine };
                steps.serving.serve(&served, workload, kernels)?
            }
        };
        Ok(Forecast {
            placed,
            engine,
            workload,
            predicted,
            peak: pricing.products.peak(),
            terms,
            calibrations,
        })
    }

    /// How many tokens all replicas together work on in a second, or make of a batch or under load: as predicted, and at the ends of the
    /// interval, the lower one first; nothing where nothing takes time.
    pub fn tokens_per_second(&self) -> Option<[f64; 3]> {
        let step = self.placed.accounting.step;
        let tokens = match self.workload {
            None => step.batch as f64 * step.sequence as f64,
            Some(Workload::Prefill { batch, prompt, .. }) => batch as f64 * prompt as f64,
            Some(Workload::StaticBatch { batch, answer, .. }) => batch as f64 * answer as f64,
            Some(Workload::DecodeStep { batch, .. }) => batch as f64,
            Some(Workload::Load { .. }) => 1.0,
            Some(Workload::LoadedStep { requests, .. }) => requests as f64,
        };
        let total = &self.predicted.total;
        let rates = [total.time, total.high, total.low];
        rates.iter().all(|time| *time > Time::ZERO).then(|| rates.map(|time| tokens / time.base()))
    }

    /// How many tokens of a request follow each other in a second, once its first one is there: nothing
    /// where none follow, as nothing is decoded then, and where only the mean over all requests is told.
    pub fn decode_tokens_per_second(&self) -> Option<f64> {
        let time = self.predicted.total.time;
        let (tokens, time) = match self.workload? {
            Workload::DecodeStep { .. } | Workload::LoadedStep { .. } => (1, time),
            Workload::StaticBatch { answer, .. } => {
                (answer - 1, self.predicted.parts.at(&["decode steps"])?.time)
            }
            Workload::Prefill { .. } | Workload::Load { .. } => return None,
        };
        (time > Time::ZERO).then(|| tokens as f64 / time.base())
    }

    /// The model's arithmetic, counted by `convention`, as a share of what all devices could do in the
    /// time: HFU by [`Convention::Hardware`], MFU by any other; nothing where nothing is trained.
    ///
    /// # Errors
    ///
    /// The arithmetic of the model is not modelled.
    pub fn utilization(&self, convention: Convention) -> Result<Option<f64>> {
        let Accounting { division, step, .. } = self.placed.accounting;
        let Some([rate, ..]) = self.tokens_per_second().filter(|_| step.phase == Phase::Training) else {
            return Ok(None);
        };
        let flops = division.model.training_flops(convention, step.sequence, step.recompute)?;
        Ok(Some(utilization(rate, flops, division.layout.devices(), self.peak)))
    }

    /// How many devices the layout takes.
    pub fn devices(&self) -> u64 {
        self.placed.accounting.division.layout.devices()
    }
}

/// What share of the peak of `devices` the arithmetic of so many tokens a second takes, at so much for
/// each: MFU or HFU, by what is counted.
///
/// Source: Chowdhery et al. (2022), PaLM, appendix B, arXiv:2204.02311.
pub fn utilization(tokens_per_second: f64, each: FlopsPerToken, devices: u64, peak: FlopRate) -> f64 {
    tokens_per_second * each.base() / (devices as f64 * peak.base())
}

impl Served<'_> {
    /// The decode step of `workload` at which the KV cache is fullest, in the precisions of `step`: that of
    /// the last token of the answers.
    ///
    /// # Errors
    ///
    /// Not even one request fits, or prompts of whole answers lie behind cached tokens.
    pub fn last_step(&self, workload: Workload, step: &Step) -> Result<Step> {
        let is_step = matches!(workload, Workload::DecodeStep { .. } | Workload::Prefill { .. });
        if !is_step && step.phase == Phase::Prefill && step.context > 0 {
            let message = format!(
                "prompts that are answered begin with nothing cached, but {} cached tokens were given; \
                 leave them out, or leave out the answer for the prefill alone",
                step.context
            );
            return Err(Error::input("context", message));
        }
        let (batch, cached) = match workload {
            Workload::DecodeStep { .. } | Workload::Prefill { .. } => return Ok(step.clone()),
            Workload::StaticBatch { batch, prompt, answer } => (batch, prompt + answer - 1),
            Workload::Load { prompt, answer, requests } => {
                let each = self.batch(prompt, answer, requests)?.floor() as u64;
                (each.max(1) * self.layout.dp, prompt + answer - 1)
            }
            Workload::LoadedStep { prompt, answer, requests, .. } => (requests, prompt + answer - 1),
        };
        Ok(Step {
            precision: step.precision.clone(),
            kv_precision: step.kv_precision.clone(),
            micro_batch: batch / self.layout.dp,
            ..Step::decode(batch, cached)
        })
    }
}

/// Prices steps by `calibrations`; an error is about the setting that it is
/// about, and says how a figure can be stated that the device lacks.
fn pricing<'a>(
    machine: &'a Machine,
    practice: &'a Practice,
    policy: &MemoryPolicy,
    calibrations: &'a CalibrationSet,
) -> Result<Pricing<'a>> {
    let pricing = Pricing::stated(machine, practice, calibrations.kernels.kernels());
    pricing.map(|pricing| pricing.in_order(policy.schedule)).map_err(|error| match error.field() {
        Some("precision") if ProductPrecision::of(&practice.products).is_some() => {
            let message = format!("{}, or choose another precision of products", error.message());
            Error::input("products", message)
        }
        Some("precision") => error.about("products"),
        Some("kv_precision") => error.about("cache"),
        _ => error,
    })
}
