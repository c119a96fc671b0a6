//! `Stages`: what each stage of a layout that was found works on and holds.

use mlsysim_models::predict::Pipeline;
use mlsysim_models::transformer::Memory;
use mlsysim_scenario::Result;

use crate::{Told, TrainingPlan};

/// What each stage of a layout works on and holds.
#[derive(Clone, Debug)]
pub struct Stages {
    /// What stages take, and in which order they work on micro-batches; nothing where passes of weights are
    /// put off, which are no passes of their own there.
    pub pipeline: Option<Pipeline>,
    /// What a rank of each stage holds.
    pub memory: Vec<Memory>,
}

impl TrainingPlan {
    /// The stages of a layout that was found, by the same durations and sizes as its price.
    ///
    /// ```
    /// use mlsysim_models::{machine::Machine, transformer::Transformer};
    /// use mlsysim_search::{Condition, Search, TrainingPlan};
    ///
    /// let model = Transformer::named("Llama3_8B")?;
    /// let mut plan = TrainingPlan::new(model, Machine::named("DGX_H100")?, 8, 64, 4096);
    /// plan.fix = Condition::read("fix", "pp=2", &plan.precisions)?;
    /// let best = plan.tell(&Search::new(&plan)?.pruned().best[0])?;
    /// let stages = plan.stages(&best)?;
    /// let fullest = stages.memory[best.fit.stage as usize];
    /// assert_eq!((stages.memory.len(), fullest.total()), (2, best.fit.memory.total()));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None for what a search of this plan found.
    pub fn stages(&self, told: &Told) -> Result<Stages> {
        let coefficients = &self.calibrations()?.steps.training.coefficients;
        self.ask(&told.outcome.candidate, |accounting, pricing| {
            let memory = (0..told.layout.pp).map(|stage| accounting.memory_of(stage, &told.policy));
            Ok(Stages {
                pipeline: match told.policy.schedule.puts_off() {
                    0 => Some(Pipeline::new(accounting, pricing, coefficients)?),
                    _ => None,
                },
                memory: memory.collect::<Result<_>>()?,
            })
        })
    }
}
