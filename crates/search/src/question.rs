//! `PlanQuestion`: a plan with all that a user wants to know of it and to keep, and `Planned`, its answer.

use mlsysim_models::transformer::{MemoryPolicy, Transformer};
use mlsysim_scenario::{Error, Result};

use crate::{
    Comparison, Found, Kept, Outcome, PlanFile, Run, Search, Told, TrainingPlan, apart, region, thinned,
};

/// The most layouts of a front that are told.
const MOST_OF_FRONT: usize = 20;

/// A plan with all that a user wants to know of it and to keep.
#[derive(Clone, Debug)]
pub struct PlanQuestion {
    /// What the plan is for, in the words of its author.
    pub title: Option<String>,
    /// The plan.
    pub plan: TrainingPlan,
    /// The key of the region where the system stands.
    pub region: Option<String>,
}

/// What a search came to, told.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What was asked.
    pub question: PlanQuestion,
    /// What was found.
    pub found: Found,
    /// The best, first; none where nothing fits, or nothing that fits keeps all that is required.
    pub best: Vec<Told>,
    /// How many of those that were found are not told, as they differ from one of these in their chunks
    /// alone, and hardly in their time.
    pub near: usize,
    /// Those that no other beats in the figures of the plan, without what is nearly alike.
    pub front: Vec<Told>,
    /// By what share those differ at least.
    pub apart: f64,
    /// How the best compares with the next.
    pub comparison: Option<Comparison>,
    /// The whole run by the best.
    pub run: Option<Run>,
    /// What became of each requirement.
    pub kept: Vec<Kept>,
    /// Where there is no best: what fits and misses least of what is required, or what holds least where
    /// nothing fits.
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
    /// assert_eq!((planned.best.len(), planned.kept[0].is_met), (0, false));
    /// assert!(planned.nearest.is_some_and(|nearest| nearest.fit.fits()));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A name, a condition or a requirement means nothing, or contradicts another; the field is that of the
    /// file.
    pub fn new(file: &PlanFile, model: Transformer) -> Result<Self> {
        let plan = file.plan(model)?;
        plan.check()?;
        let region = file.system.region.as_deref().map(region).transpose()?;
        for (name, is_given) in [("price", plan.price.is_some()), ("region", region.is_some())] {
            if is_given && plan.tokens_of_run.is_none() {
                let message = "it is about a whole run; state its `tokens` too, such as 300e9";
                return Err(Error::input(name, message));
            }
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
        Ok(PlanQuestion { title: file.title.as_ref().map(|title| title.to_string()), plan, region })
    }

    /// What is found among the layouts, by the search being run by `run`.
    ///
    /// # Errors
    ///
    /// The plan contradicts itself, or no layout of it is legal; or `run` failed.
    pub fn search<E: From<Error>>(&self, run: impl FnOnce(&Search) -> Result<Found, E>) -> Result<Found, E> {
        run(&Search::new(&self.plan)?)
    }

    /// What was `found`, told.
    ///
    /// # Errors
    ///
    /// None for what a search of this plan found.
    pub fn told(self, found: Found) -> Result<Planned> {
        let told = |outcomes: &[Outcome]| -> Result<Vec<Told>> {
            outcomes.iter().map(|outcome| self.plan.tell(outcome)).collect()
        };
        let (front, share) = thinned(&found.front, &self.plan.pareto, MOST_OF_FRONT);
        let (best, near) = apart(&found.best, self.plan.top);
        let (best, front) = (told(&best)?, told(&front)?);
        let nearest = found.nearest.or(found.smallest).filter(|_| best.is_empty());
        let nearest = nearest.map(|outcome| self.plan.tell(&outcome)).transpose()?;
        let comparison = match best.as_slice() {
            [first, second, ..] => Some(Comparison::new(first, second)),
            _ => None,
        };
        let (run, kept) = (None, Vec::new());
        let mut planned = Planned {
            question: self,
            found,
            best,
            near,
            front,
            apart: share,
            comparison,
            run,
            kept,
            nearest,
        };
        let plan = &planned.question.plan;
        if let Some(first) = planned.first() {
            (planned.run, planned.kept) = (plan.run(first)?, plan.kept(first)?);
        }
        Ok(planned)
    }
}

impl Planned {
    /// The best layout; where none keeps all that is required, the one that fits and misses least of it.
    pub fn first(&self) -> Option<&Told> {
        self.best.first().or(self.nearest.as_ref().filter(|_| self.found.nearest.is_some()))
    }

    /// Whether there is a layout that fits and keeps all that is required.
    pub fn keeps(&self) -> bool {
        !self.best.is_empty()
    }

    /// What the reader should know of the first.
    pub fn notes(&self) -> Vec<String> {
        let Some(first) = self.first() else { return Vec::new() };
        let mut notes = first.notes.clone();
        let plan = &self.question.plan;
        notes.extend(plan.machine.figure_notes());
        if let Some(most) = plan.model.context.filter(|most| plan.sequence > *most) {
            notes.push(format!(
                "sequences of {} tokens are longer than the {most} that {} is made for",
                plan.sequence, plan.model.name
            ));
        }
        if self.near > 0 {
            notes.push(format!(
                "of the best {} layouts, {} differ from one of these in `vpp` alone and take less than 1 % \
                 longer; they are left out",
                self.found.best.len(),
                self.near
            ));
        }
        notes.extend(first.prediction.total.reasons.iter().cloned());
        notes
    }
}
