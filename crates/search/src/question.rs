//! `PlanQuestion`: a plan with all that a user wants to know of it and to keep, and `Planned`, its answer.

use mlsysim_models::transformer::{MemoryPolicy, Transformer};
use mlsysim_quantity::{Bytes, Price};
use mlsysim_scenario::{Error, Result};

use crate::{
    Comparison, Found, Kept, Outcome, PlanFile, Requirement, Run, Search, Told, TrainingPlan, region,
};

/// A plan with all that a user wants to know of it and to keep.
#[derive(Clone, Debug)]
pub struct PlanQuestion {
    /// What the plan is for, in the words of its author.
    pub title: Option<String>,
    /// The plan.
    pub plan: TrainingPlan,
    /// The tokens of a whole run, where one is asked for.
    pub tokens: Option<f64>,
    /// What a device costs an hour, where that is not the registry's.
    pub price: Option<Price>,
    /// Where the system stands.
    pub region: Option<String>,
    /// What the plan has to keep.
    pub requirements: Vec<Requirement>,
}

/// What a search came to, told.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What was asked.
    pub question: PlanQuestion,
    /// What was found.
    pub found: Found,
    /// The best, first; none where nothing fits.
    pub best: Vec<Told>,
    /// Those that no other beats in the figures of the plan.
    pub front: Vec<Told>,
    /// How the best compares with the next.
    pub comparison: Option<Comparison>,
    /// The whole run by the best.
    pub run: Option<Run>,
    /// What became of each requirement.
    pub kept: Vec<Kept>,
    /// The layout that holds least, where nothing fits.
    pub nearest: Option<Told>,
}

impl PlanQuestion {
    /// What `file` asks, for `model`.
    ///
    /// ```
    /// use mlsysim_models::transformer::Transformer;
    /// use mlsysim_search::{PlanFile, PlanQuestion, Search};
    ///
    /// let text = "model = \"Llama3_8B\"\nrequire = [\"step_time < 1 s\"]\n[system]\non = \"DGX_H100\"\n\
    ///             [training]\nbatch = 64\nsequence = 4096";
    /// let question = PlanQuestion::new(&PlanFile::from_toml(text)?, Transformer::named("Llama3_8B")?)?;
    /// let found = question.search(|search| mlsysim_scenario::Result::Ok(search.pruned()))?;
    /// let planned = question.told(found)?;
    /// assert_eq!((planned.best.len(), planned.kept[0].is_met), (5, false));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A name, a condition or a requirement means nothing, or contradicts another; the field is that of the
    /// file.
    pub fn new(file: &PlanFile, model: Transformer) -> Result<Self> {
        let (plan, requirements) = (file.plan(model)?, file.requirements()?);
        let of_run = requirements.iter().find(|one| one.is_of_run());
        if let (Some(one), None) = (of_run, file.training.tokens) {
            let message = format!("`{}` is about a whole run; state its `tokens`", one.written);
            return Err(Error::input("require", message));
        }
        if plan.policy.schedule != MemoryPolicy::default().schedule {
            let chosen = plan.policy.schedule.name();
            let message = format!("a plan chooses the order of passes; fix it with `schedule={chosen}`");
            return Err(Error::input("memory.schedule", message));
        }
        if plan.policy.recompute_layers.is_some() {
            let message = "a plan computes all layers of a stage again, or none; leave it out";
            return Err(Error::input("memory.recompute_layers", message));
        }
        Ok(PlanQuestion {
            title: file.title.as_ref().map(|title| title.to_string()),
            plan,
            tokens: file.training.tokens,
            price: file.system.price,
            region: file.system.region.as_ref().map(|region| region.to_string()),
            requirements,
        })
    }

    /// What is found among the layouts, each search being run by `run`.
    ///
    /// What has to stay free of memory is taken away first, so that what is found keeps it; where nothing
    /// does, a second search without shows by how much it is missed.
    ///
    /// # Errors
    ///
    /// The plan contradicts itself, or no layout of it is legal; or `run` failed.
    pub fn search<E: From<Error>>(
        &self,
        mut run: impl FnMut(&Search) -> Result<Found, E>,
    ) -> Result<Found, E> {
        let kept = self.searched();
        let found = run(&Search::new(&kept)?)?;
        let is_missed = found.best.is_empty() && found.is_complete && kept.reserve != self.plan.reserve;
        if is_missed { run(&Search::new(&self.plan)?) } else { Ok(found) }
    }

    /// The plan with what has to stay free of memory taken away.
    fn searched(&self) -> TrainingPlan {
        let reserve = self.requirements.iter().filter_map(Requirement::reserve).fold(0.0, f64::max);
        TrainingPlan { reserve: Bytes::from_base(reserve), ..self.plan.clone() }
    }

    /// What was `found`, told.
    ///
    /// # Errors
    ///
    /// The region is none of the registry.
    pub fn told(self, found: Found) -> Result<Planned> {
        let told = |outcomes: &[Outcome]| -> Result<Vec<Told>> {
            outcomes.iter().map(|outcome| self.plan.tell(outcome)).collect()
        };
        let (best, front) = (told(&found.best)?, told(&found.front)?);
        let nearest = found.smallest.filter(|_| best.is_empty());
        let nearest = nearest.map(|outcome| self.plan.tell(&outcome)).transpose()?;
        let comparison = match best.as_slice() {
            [first, second, ..] => Some(Comparison::new(first, second)),
            _ => None,
        };
        let (mut run, mut kept) = (None, Vec::new());
        if let Some(first) = best.first() {
            run = self.tokens.map(|tokens| self.plan.run(first, tokens, self.price)).transpose()?;
            let requirements = self.requirements.iter();
            kept = requirements
                .map(|one| one.kept(first, self.plan.tokens(), run.as_ref()))
                .collect::<Result<_>>()?;
        }
        if let (Some(run), Some(name)) = (&run, &self.region) {
            region(run, name)?;
        }
        Ok(Planned { question: self, found, best, front, comparison, run, kept, nearest })
    }
}

impl Planned {
    /// What the reader should know of the best.
    pub fn notes(&self) -> Vec<String> {
        let first = self.best.iter().take(1);
        first.flat_map(|told| told.notes.iter().chain(&told.prediction.total.reasons)).cloned().collect()
    }

    /// What a device lacks for `told`.
    pub fn lacking(&self, told: &Told) -> Bytes {
        self.question.plan.reserve - told.fit.free()
    }
}
