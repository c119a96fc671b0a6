//! `TrainingPlan`: what is to be trained, on what, and what may be chosen.

use std::sync::Arc;

use mlsysim_models::machine::{Figures, Machine};
use mlsysim_models::physics::memory::element_size;
use mlsysim_models::predict::{CalibrationSet, Practice, Pricing};
use mlsysim_models::transformer::{Accounting, Division, MemoryPolicy, Schedule, Step, Transformer};
use mlsysim_quantity::Price;
use mlsysim_scenario::{Error, Map, Name, Result};

use crate::{Axis, Candidate, Condition, Figure, Goal, Requirement};

/// What is to be trained, on what, and what may be chosen of it.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// The model.
    pub model: Transformer,
    /// The machine, with as many devices as there are.
    pub machine: Machine,
    /// How many of its devices are used: each of these numbers is tried.
    pub devices: Vec<u64>,
    /// The sequences of a step, in all replicas together.
    pub batch: u64,
    /// The tokens of a sequence.
    pub sequence: u64,
    /// The precisions of matrix products that may be chosen.
    pub precisions: Vec<Name>,
    /// The precision in which gradients are held and exchanged.
    pub gradients: Name,
    /// How memory is used, but for the order of passes, which is chosen.
    pub policy: MemoryPolicy,
    /// The tokens of a whole run, where one is planned.
    pub tokens_of_run: Option<f64>,
    /// What a device costs an hour, where that is not the registry's.
    pub price: Option<Price>,
    /// What has to be kept: only layouts that keep all of it are ranked.
    pub require: Vec<Requirement>,
    /// What has to hold, all of it.
    pub fix: Vec<Condition>,
    /// What must not hold: each of these, all of its conditions together.
    pub forbid: Vec<Vec<Condition>>,
    /// What the plan is to be best at.
    pub goal: Goal,
    /// How many layouts are told.
    pub top: usize,
    /// In which figures the front is, if one is wanted.
    pub pareto: Vec<Figure>,
    /// What layouts are priced by; the calibrations that come with this crate if left out.
    pub calibrations: Option<Arc<CalibrationSet>>,
}

/// The most layouts that are told.
const MOST_TOLD: usize = 1000;

impl TrainingPlan {
    /// A plan for one number of devices, in which everything may be chosen but the precision.
    ///
    /// ```
    /// use mlsysim_models::{machine::Machine, transformer::Transformer};
    /// use mlsysim_search::{Search, TrainingPlan};
    ///
    /// let model = Transformer::named("Llama3_8B")?;
    /// let plan = TrainingPlan::new(model, Machine::named("DGX_H100")?, 8, 64, 4096);
    /// let found = Search::new(&plan)?.pruned();
    /// assert!(found.best[0].time <= found.best[1].time);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn new(model: Transformer, machine: Machine, devices: u64, batch: u64, sequence: u64) -> Self {
        TrainingPlan {
            model,
            machine,
            devices: vec![devices],
            batch,
            sequence,
            precisions: vec![Name::from("bf16")],
            gradients: Name::from("fp32"),
            policy: MemoryPolicy::default(),
            tokens_of_run: None,
            price: None,
            require: Vec::new(),
            fix: Vec::new(),
            forbid: Vec::new(),
            goal: Goal::default(),
            top: 5,
            pareto: Vec::new(),
            calibrations: None,
        }
    }

    /// What layouts are priced by.
    pub(crate) fn calibrations(&self) -> Result<&CalibrationSet> {
        match &self.calibrations {
            Some(own) => Ok(own),
            None => CalibrationSet::shipped(),
        }
    }

    /// Whether `value` may be chosen on `axis`, as far as that axis alone decides.
    pub(crate) fn allows(&self, axis: Axis, value: u64) -> bool {
        let own = |condition: &&Condition| condition.axis == axis;
        self.fix.iter().filter(own).all(|condition| condition.values.has(value))
            && !self.forbid.iter().any(|conditions| {
                matches!(conditions.as_slice(), [only] if only.axis == axis && only.values.has(value))
            })
    }

    /// Whether passes may be in the order at a place of the axis. Those that put off the gradients of
    /// weights are searched only where a condition names them, as few frameworks have them and no step
    /// that was measured tells how well they do.
    pub(crate) fn allows_schedule(&self, place: u8) -> bool {
        let puts_off = Schedule::ALL.get(usize::from(place)).is_some_and(|order| order.puts_off() > 0);
        let is_named = || self.fix.iter().any(|condition| condition.axis == Axis::Schedule);
        self.allows(Axis::Schedule, place.into()) && (!puts_off || is_named())
    }

    /// Whether several axes are forbidden something together.
    pub(crate) fn has_combinations(&self) -> bool {
        self.forbid.iter().any(|conditions| conditions.len() > 1)
    }

    /// Whether `candidate` is forbidden for what it has on several axes together.
    pub(crate) fn forbids(&self, candidate: &Candidate) -> bool {
        let mut combinations = self.forbid.iter().filter(|conditions| conditions.len() > 1);
        combinations.any(|conditions| conditions.iter().all(|one| one.holds(candidate)))
    }

    /// The practice of each precision.
    pub(crate) fn practices(&self) -> Result<Vec<Practice>> {
        let practice = |precision: &Name| {
            let step = Step { precision: precision.clone(), ..Step::training(self.batch, self.sequence) };
            Practice::of(Map::new(), &step, &self.policy)
        };
        self.precisions.iter().map(practice).collect()
    }

    /// What `ask` finds of a layout that was found, whole and priced.
    pub(crate) fn ask<T>(
        &self,
        candidate: &Candidate,
        ask: impl FnOnce(&Accounting, &Pricing) -> Result<T>,
    ) -> Result<T> {
        let (machine, practices) = (self.machine_of(candidate.devices.into()), self.practices()?);
        let practice = practices.get(usize::from(candidate.precision)).cloned().unwrap_or_default();
        let pricing = Pricing::new(&machine, &practice, self.calibrations()?.kernels.kernels())?;
        let (layout, step) = (candidate.layout(u64::from(self.model.layers())), candidate.step(self));
        let division = Division::new(&self.model, &layout)?;
        ask(&Accounting::new(&division, &step)?, &pricing.in_order(candidate.schedule()))
    }

    /// The machine with `devices` of its devices.
    pub(crate) fn machine_of(&self, devices: u64) -> Machine {
        let domains = devices.div_ceil(self.machine.domain).max(1);
        Machine { domains, ..self.machine.clone() }
    }

    /// Whether the plan can be asked at all.
    ///
    /// # Errors
    ///
    /// A count is zero, there are more devices than the machine has, or something is required of a run
    /// of which the plan does not say enough.
    pub fn check(&self) -> Result<()> {
        let counts = [("batch", self.batch), ("seq", self.sequence), ("top", self.top as u64)];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(Error::input(*name, "a whole number of at least 1 is needed, but `0` was given"));
        }
        if self.top > MOST_TOLD {
            let message = format!("at most {MOST_TOLD} layouts are told, but `{}` was given", self.top);
            return Err(Error::input("top", message));
        }
        if self.devices.is_empty() || self.devices.contains(&0) {
            return Err(Error::input("devices", "a whole number of at least 1 is needed"));
        }
        if let Some(devices) = self.devices.iter().find(|devices| **devices > self.machine.devices()) {
            let message = format!(
                "{} has {} devices, but `{devices}` were given",
                self.machine.name,
                self.machine.devices()
            );
            return Err(Error::input("devices", message));
        }
        element_size(&self.gradients).map_err(|error| error.about("gradients"))?;
        self.check_run()
    }

    fn check_run(&self) -> Result<()> {
        if let Some(tokens) = self.tokens_of_run.filter(|tokens| !(tokens.is_finite() && *tokens > 0.0)) {
            let message = format!("a number above 0 is needed, but `{tokens}` was given");
            return Err(Error::input("tokens", message));
        }
        let Some(one) = self.require.iter().find(|one| one.is_of_run()) else { return Ok(()) };
        if self.tokens_of_run.is_none() {
            let message = format!("`{}` is about a whole run; state its `tokens`", one.written);
            return Err(Error::input("require", message));
        }
        let device = &self.machine.device;
        match self.require.iter().find(|one| one.is_of_energy()) {
            Some(one) if device.tdp.or(device.tdp_max).is_none() => {
                let message = format!(
                    "`{}`: the registry has no power of {}; {}",
                    one.written,
                    device.name,
                    Figures::how_to_state("tdp", "W")
                );
                Err(Error::input("require", message))
            }
            _ => Ok(()),
        }
    }
}
