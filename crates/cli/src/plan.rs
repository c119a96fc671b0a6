//! `mlsysim plan`: the best way to train a model on a machine, and why.

mod json;
mod question;
mod tables;
mod text;
mod watch;

use std::process::ExitCode;

use mlsysim::Error;
use mlsysim::search::{Comparison, Found, Kept, Outcome, Run, Search, Told, TrainingPlan};

use crate::arguments::{Format, PlanOptions};
use crate::output::{Failure, complain, noted, pretty, print};
use question::Question;

/// The exit code of a plan that does not keep what is required.
const NOT_KEPT: u8 = 3;

/// What a search came to, told.
pub struct Planned {
    pub question: Question,
    pub found: Found,
    /// The best, first.
    pub best: Vec<Told>,
    pub front: Vec<Told>,
    /// How the best compares with the next.
    pub comparison: Option<Comparison>,
    pub run: Option<Run>,
    pub kept: Vec<Kept>,
}

/// Plans a training and prints what is best.
pub fn plan(options: &PlanOptions, format: Format) -> Result<ExitCode, Failure> {
    let question = Question::read(options)?;
    let plan = question.searched();
    let search = Search::new(&plan)?;
    let mut found = watch::searched(&search, options.exhaustive)?;
    if found.best.is_empty() && found.is_complete && plan.reserve != question.plan.reserve {
        // What is required of memory cannot be kept: the best without it shows by how much.
        let search = Search::new(&question.plan)?;
        found = watch::searched(&search, options.exhaustive)?;
    }
    if found.best.is_empty() {
        return infeasible(&question, &found, format);
    }
    let told = |outcomes: &[Outcome]| -> Result<Vec<Told>, Error> {
        outcomes.iter().map(|outcome| question.plan.tell(outcome)).collect()
    };
    let (best, front) = (told(&found.best)?, told(&found.front)?);
    let comparison = match best.as_slice() {
        [first, second, ..] => Some(Comparison::new(first, second)),
        _ => None,
    };
    let run =
        question.tokens.map(|tokens| question.plan.run(&best[0], tokens, question.price)).transpose()?;
    let requirements = question.requirements.iter();
    let kept: Vec<Kept> = requirements
        .map(|one| one.kept(&best[0], question.plan.tokens(), run.as_ref()))
        .collect::<Result<_, _>>()?;
    if let (Some(run), Some(region)) = (&run, &question.region) {
        mlsysim::search::region(run, region)?;
    }
    let planned = Planned { question, found, best, front, comparison, run, kept };
    print(&match format {
        Format::Text => text::page(&planned, Format::Text),
        Format::Markdown => text::page(&planned, Format::Markdown),
        Format::Json => pretty(&json::report(&planned)),
        Format::Csv => noted(tables::layouts(&planned.best, &planned, format).render(format), &[], format),
    })?;
    let missed: Vec<&Kept> = planned.kept.iter().filter(|kept| !kept.is_met).collect();
    if missed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if matches!(format, Format::Json | Format::Csv) {
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
