//! What is asked of a case that states times, beside which predicted ones are put.

use mlsysim::predict::{Asked, Practice};
use mlsysim::transformer::{MemoryPolicy, Step};
use mlsysim::{Error, Result};

use crate::account::question;
use crate::arguments::{MachineOptions, MemoryOptions, StepOptions};
use crate::configuration;
use crate::output::{Failure, Table};

/// Options that say what a case says itself.
const SAID: &str = "the case says what is done, of it only the model, the machine, `--batch`, `--seq` and \
                    `--practice` can be given";

/// Refuses options that say what a case says itself: those of a step, and `others`.
pub fn refuse(step: &StepOptions, others: &[(&'static str, Option<&String>)]) -> Result<()> {
    let of_step = [
        ("layout", Some(&step.layout).filter(|layout| !layout.is_empty())),
        ("prefill", step.prefill.as_ref()),
        ("decode", step.decode.as_ref()),
        ("context", step.context.as_ref()),
        ("micro-batch", step.micro_batch.as_ref()),
        ("recompute", step.recompute.as_ref()),
        ("devices", step.devices.as_ref()),
    ];
    match of_step.iter().chain(others).find(|(_, given)| given.is_some()) {
        Some((field, _)) => Err(Error::input(*field, SAID)),
        None => Ok(()),
    }
}

/// What takes the place of what a case implies.
pub fn asked(
    model: Option<&str>,
    step: &StepOptions,
    practice: &str,
    machine: &MachineOptions,
    memory: &MemoryOptions,
) -> Result<Asked, Failure> {
    Ok(Asked {
        model: model.map(configuration::named).transpose()?,
        machine: question::placement(machine, memory)?.map(|(machine, _)| machine),
        batch: question::whole("batch", step.batch.as_deref())?,
        sequence: question::whole("seq", step.seq.as_deref())?,
        practice: Practice::of(Practice::parse(practice)?, &Step::training(1, 1), &MemoryPolicy::default())?,
    })
}

/// What a case implies: what it is, and where that stands.
pub fn implied(implied: &[(&'static str, String)]) -> Table {
    let mut table = Table::new(&["what", "value"]);
    implied.iter().for_each(|(what, said)| table.row([(*what).to_string(), said.clone()]));
    table
}
