//! `mlsysim account`: what a rank of a layout holds, computes, moves and sends in a step, and whether
//! it fits a machine.

pub mod placed;
pub mod question;
mod tables;
mod text;

use std::process::ExitCode;

use mlsysim::transformer::{Account, Accounting, Division, Line, Placed, PlacedLine};
use mlsysim::{Derivation, Error};

use crate::arguments::{AccountOptions, Format};
use crate::explain;
use crate::output::{Failure, noted, pretty, print};
use question::Question;

/// Accounts for a step, or derives lines of its account.
pub fn account(options: &AccountOptions, format: Format) -> Result<ExitCode, Failure> {
    let question = Question::read(options)?;
    let division = Division::new(&question.model, &question.layout)?;
    let accounting = Accounting::new(&division, &question.step)
        .map_err(|error| question::as_written(error, &options.step))?;
    let placement = question.placement.as_ref();
    let placed = placement.map(|(machine, policy)| Placed::new(&accounting, machine, policy)).transpose();
    let placed = placed.map_err(|error| question::as_written(error, &options.step))?;
    let by_default = || placed.as_ref().map_or_else(|| accounting.fullest_stage(), |placed| placed.slowest);
    let account = accounting.account(question.stage.unwrap_or_else(by_default))?;
    if let Some(line) = &options.explain {
        let derived = derived(&accounting, &account, placed.as_ref(), line.as_deref())?;
        return print(&explain::rendered(&derived, format));
    }
    let notes: Vec<String> = question.model.notes.iter().cloned().chain(division.notes()).collect();
    let asked = text::Asked { options, accounting: &accounting, account: &account, notes: &notes };
    let Some(placed) = placed else {
        return print(&match format {
            Format::Text => text::page(&asked, None)?,
            Format::Json => pretty(&accounting.report(&account)?),
            _ => noted(tables::parts(&account, format).render(format), &notes, format),
        });
    };
    print(&match format {
        Format::Text => text::page(&asked, Some(&placed))?,
        Format::Json => pretty(&placed.report(&account)?),
        Format::Markdown => {
            let parts = tables::parts(&account, format).render(format);
            let memory = placed::memory(&placed).render(format);
            let bound = placed::bound(&placed)?.render(format);
            let verdict = placed::verdict(&placed).join("\n\n");
            noted(format!("{parts}\n\n{memory}\n\n{bound}\n\n{verdict}"), &notes, format)
        }
        Format::Csv => noted(placed::lines(&placed).render(format), &notes, format),
    })?;
    if placed.fits() {
        return Ok(ExitCode::SUCCESS);
    }
    // What does not fit has its own exit code; the forms for people say it themselves.
    if matches!(format, Format::Json | Format::Csv) {
        placed::verdict(&placed).iter().for_each(|line| anstream::eprintln!("{line}"));
    }
    Ok(ExitCode::from(2))
}

/// The derivation of the line called `name`, or of every total that is not zero.
fn derived(
    accounting: &Accounting<'_>,
    account: &Account,
    placed: Option<&Placed<'_>>,
    name: Option<&str>,
) -> Result<Vec<Derivation>, Failure> {
    let lines = match (name, placed) {
        (Some(name), Some(placed)) if PlacedLine::is_meant(name) => {
            return Ok(vec![placed.explain(PlacedLine::parse(name)?)?]);
        }
        (Some(name), None) if PlacedLine::is_meant(name) => {
            PlacedLine::parse(name)?;
            let message = format!("`{name}` is a line of a step on a machine; add `--on SYSTEM`");
            return Err(Error::input("explain", message).into());
        }
        (Some(name), _) => vec![Line::parse(name)?],
        (None, _) => Line::totals(account),
    };
    let mut derived: Vec<Derivation> =
        lines.into_iter().map(|line| accounting.explain(account, line)).collect();
    if let (None, Some(placed)) = (name, placed) {
        derived.push(placed.explain(PlacedLine::Memory(None))?);
        derived.push(placed.explain(PlacedLine::Bound(None))?);
    }
    Ok(derived)
}
