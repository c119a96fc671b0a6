//! `mlsysim plan`: the best way to train a model on a machine, and why.

mod picture;
mod question;
mod tables;
mod text;
mod watch;

use std::process::ExitCode;

use mlsysim::search::{Kept, Planned, Search, TrainingPlan};

use crate::arguments::{Format, PlanOptions};
use crate::output::{Failure, complain, noted, pretty, print};

/// The exit code where no layout keeps what is required.
const NOT_KEPT: u8 = 3;

/// Plans a training and prints what is best.
pub fn plan(options: &PlanOptions, format: Format) -> Result<ExitCode, Failure> {
    crate::picture::check(options.plot.as_deref())?;
    let question = question::read(options)?;
    let search = Search::new(&question.plan).map_err(|error| match options.what.as_str() {
        "train" => question::as_written(error),
        _ => error,
    })?;
    let found = watch::searched(&search, options.exhaustive)?;
    drop(search);
    let planned = question.told(found)?;
    if planned.first().is_none() {
        return infeasible(&planned, format);
    }
    if let (Some(path), Some(page)) = (&options.plot, picture::of(&planned)?) {
        crate::picture::write(path, &page.svg())?;
    }
    print(&match format {
        Format::Text => text::page(&planned, Format::Text),
        Format::Markdown => text::page(&planned, Format::Markdown),
        Format::Json => pretty(&planned.report()),
        Format::Csv => noted(tables::rows(&planned)?.render(format), &planned.notes(), format),
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
fn infeasible(planned: &Planned, format: Format) -> Result<ExitCode, Failure> {
    if !planned.found.is_complete {
        complain("interrupted before a layout was found that fits");
        return Ok(ExitCode::from(1));
    }
    let lines = text::infeasible(planned);
    match format {
        Format::Json => {
            print(&pretty(&planned.report()))?;
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
