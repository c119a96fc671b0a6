//! `mlsysim account`: what a rank of a layout holds, computes, moves and sends in a step.

mod question;
mod tables;
mod text;

use std::process::ExitCode;

use mlsysim::Derivation;
use mlsysim::transformer::{Account, Accounting, Division, Line};

use crate::arguments::{AccountOptions, Format};
use crate::explain;
use crate::output::{Failure, noted, pretty, print};
use question::Question;

/// Accounts for a step, or derives lines of its account.
pub fn account(options: &AccountOptions, format: Format) -> Result<ExitCode, Failure> {
    let question = Question::read(options)?;
    let division = Division::new(&question.model, &question.layout)?;
    let accounting =
        Accounting::new(&division, &question.step).map_err(|error| question::as_written(error, options))?;
    let stage = question.stage.unwrap_or_else(|| accounting.fullest_stage());
    let account = accounting.account(stage)?;
    if let Some(line) = &options.explain {
        let derived = derived(&accounting, &account, line.as_deref())?;
        return print(&explain::rendered(&derived, format));
    }
    if format == Format::Json {
        return print(&pretty(&accounting.report(&account)?));
    }
    let notes: Vec<String> = question.model.notes.iter().cloned().chain(division.notes()).collect();
    print(&match format {
        Format::Text => text::page(options, &accounting, &account, &notes)?,
        _ => noted(tables::parts(&account, format).render(format), &notes, format),
    })
}

/// The derivation of the line called `name`, or of every total that is not zero.
fn derived(
    accounting: &Accounting<'_>,
    account: &Account,
    name: Option<&str>,
) -> Result<Vec<Derivation>, Failure> {
    let lines = match name {
        Some(name) => vec![Line::parse(name)?],
        None => Line::totals(account),
    };
    Ok(lines.into_iter().map(|line| accounting.explain(account, line)).collect())
}
