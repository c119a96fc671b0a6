//! `mlsysim plan`: the best way to train a model on a machine, and why.

mod json;
mod question;
mod tables;
mod text;
mod watch;

use std::process::ExitCode;

use mlsysim::Error;
use mlsysim::search::{Comparison, Found, Kept, Outcome, Run, Search, Told, TrainingPlan, thinned};

use crate::arguments::{Format, PlanOptions};
use crate::output::{Failure, complain, noted, pretty, print};
use question::Question;

/// The most layouts of a front that are told.
const MOST_OF_FRONT: usize = 20;

/// The exit code where no layout keeps what is required.
const NOT_KEPT: u8 = 3;

/// What a search came to, told.
pub struct Planned {
    pub question: Question,
    pub found: Found,
    /// The best, first; where nothing keeps all that is required, what comes nearest.
    pub best: Vec<Told>,
    /// Those that no other beats, without what is nearly alike.
    pub front: Vec<Told>,
    /// By what share those of the front differ at least.
    pub apart: f64,
    /// How the best compares with the next.
    pub comparison: Option<Comparison>,
    pub run: Option<Run>,
    pub kept: Vec<Kept>,
}

impl Planned {
    /// Whether the best keeps all that is required.
    pub fn keeps(&self) -> bool {
        self.found.nearest.is_none()
    }
}

/// Plans a training and prints what is best.
pub fn plan(options: &PlanOptions, format: Format) -> Result<ExitCode, Failure> {
    let question = Question::read(options)?;
    let search = Search::new(&question.plan).map_err(|error| match error.field() {
        // What a plan file calls `sequence` is `--seq` here.
        Some("sequence") if options.what == "train" => error.about("seq"),
        _ => error,
    })?;
    let found = watch::searched(&search, options.exhaustive)?;
    if found.best.is_empty() && found.nearest.is_none() {
        return infeasible(&question, &found, format);
    }
    let told = |outcomes: &[Outcome]| -> Result<Vec<Told>, Error> {
        outcomes.iter().map(|outcome| question.plan.tell(outcome)).collect()
    };
    let nearest = found.nearest.as_slice();
    let best = told(if nearest.is_empty() { &found.best } else { nearest })?;
    let (front, apart) = thinned(&found.front, &question.plan.pareto, MOST_OF_FRONT);
    let front = told(&front)?;
    let comparison = match best.as_slice() {
        [first, second, ..] => Some(Comparison::new(first, second)),
        _ => None,
    };
    let (run, kept) = (question.plan.run(&best[0])?, question.plan.kept(&best[0])?);
    let planned = Planned { question, found, best, front, apart, comparison, run, kept };
    print(&match format {
        Format::Text => text::page(&planned, Format::Text),
        Format::Markdown => text::page(&planned, Format::Markdown),
        Format::Json => pretty(&json::report(&planned)),
        Format::Csv => noted(tables::rows(&planned)?.render(format), &text::notes(&planned), format),
    })?;
    let missed: Vec<&Kept> = planned.kept.iter().filter(|kept| !kept.is_met).collect();
    if missed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if matches!(format, Format::Json | Format::Csv) {
        anstream::eprintln!("{}", text::searched(&planned.question.plan, &planned.found));
        missed.iter().for_each(|kept| anstream::eprintln!("{}", text::missed(kept)));
    }
    Ok(ExitCode::from(NOT_KEPT))
}

/// Says that nothing fits, and what the nearest layout lacks.
fn infeasible(question: &Question, found: &Found, format: Format) -> Result<ExitCode, Failure> {
    if !found.is_complete {
        complain("interrupted before a layout was found that fits");
        return Ok(ExitCode::from(1));
    }
    let smallest = found.smallest.map(|outcome| question.plan.tell(&outcome)).transpose()?;
    let lines = text::infeasible(&question.plan, found, smallest.as_ref());
    match format {
        Format::Json => {
            print(&pretty(&json::infeasible(&question.plan, found, smallest.as_ref())))?;
            lines.iter().for_each(|line| anstream::eprintln!("{line}"));
        }
        Format::Csv => lines.iter().for_each(|line| anstream::eprintln!("{line}")),
        _ => drop(print(&lines.join("\n"))?),
    }
    Ok(ExitCode::from(2))
}

/// The plan's devices, as a reader would say them.
pub fn devices(plan: &TrainingPlan) -> String {
    let each: Vec<String> =
        plan.devices.iter().map(|devices| crate::numbers::grouped(*devices as i64)).collect();
    each.join(" or ")
}
