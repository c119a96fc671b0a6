//! `mlsysim predict --scenario`: the times that a case states beside those that are predicted.

use std::process::ExitCode;

use mlsysim::predict::{Twin, TwinInput};
use mlsysim::{Error, Value};

use crate::arguments::{Format, PredictOptions};
use crate::case;
use crate::numbers::duration;
use crate::output::{Failure, Table, cells, noted, pretty, print};
use crate::target;

/// Prints the case called `name` and its predicted twin side by side.
pub fn twin(name: &str, options: &PredictOptions, format: Format) -> Result<ExitCode, Failure> {
    let stated = target::case(name, &[])?;
    let others = [
        ("answer", options.answer.as_ref()),
        ("power", options.power.as_ref()),
        ("price", options.price.as_ref()),
    ];
    case::refuse(&options.step, &others)?;
    if options.explain.is_some() {
        return Err(Error::input(
            "explain",
            "parts of a layout on a machine are derived, not those of a case",
        )
        .into());
    }
    let PredictOptions { model, step, practice, machine, memory, .. } = options;
    let asked = case::asked(model.as_deref(), step, practice, machine, memory)?;
    let twin = Twin::of(&stated, &asked)?;
    print(&match format {
        Format::Text => page(name, &twin),
        Format::Json => pretty(&twin.report()),
        Format::Markdown => {
            let mut text = inputs(&twin, format).render(format);
            if !twin.outputs.is_empty() {
                text.push_str(&format!("\n\n{}", outputs(&twin, format).render(format)));
            }
            noted(text, &notes(&twin), format)
        }
        Format::Csv => noted(inputs(&twin, format).render(format), &notes(&twin), format),
    })
}

fn page(name: &str, twin: &Twin) -> String {
    let implied = case::implied(&twin.implied);
    let text = format!(
        "{name} implies:\n\n{}\n\nThe times that it states, and those that are predicted:\n\n{}",
        implied.render(Format::Text),
        inputs(twin, Format::Text).render(Format::Text),
    );
    let outputs = match twin.outputs.as_slice() {
        [] => String::new(),
        _ => format!("\n\nWhat follows from both:\n\n{}", outputs(twin, Format::Text).render(Format::Text)),
    };
    noted(format!("{text}{outputs}"), &notes(twin), Format::Text)
}

/// The inputs that are times; whole for programs.
fn inputs(twin: &Twin, format: Format) -> Table {
    let all = format == Format::Csv;
    let headings: &[&'static str] = if all {
        &["input", "stated", "predicted", "low", "high", "bound", "regime"]
    } else {
        &["input", "stated", "predicted", "90 % interval", "stated / predicted", "binds"]
    };
    let mut table = Table::new(headings);
    for input in &twin.inputs {
        let TwinInput { name, stated, predicted, .. } = input;
        let shown = |time: mlsysim::quantity::Time| match all {
            true => mlsysim::quantity::format_number(time.base()),
            false => duration(time.base()),
        };
        let mut row = vec![name.clone(), shown(*stated)];
        match predicted {
            Ok(predicted) if all => {
                let times = [predicted.time, predicted.low, predicted.high, predicted.bound];
                row.extend(times.map(shown));
                row.push(predicted.regime.to_string());
            }
            Ok(predicted) => row.extend([
                shown(predicted.time),
                format!("{} to {}", shown(predicted.low), shown(predicted.high)),
                format!("{:.2}", *stated / predicted.time),
                predicted.binds.to_string(),
            ]),
            Err(_) => row.resize(headings.len(), if all { String::new() } else { "-".to_string() }),
        }
        table.row(row);
    }
    table
}

/// The outputs that differ.
fn outputs(twin: &Twin, format: Format) -> Table {
    let mut table = Table::new(&["output", "stated", "predicted"]);
    let shown = |value: &Value| {
        let (number, unit) = cells(value, format);
        format!("{number} {unit}").trim_end().to_string()
    };
    for output in &twin.outputs {
        table.row([output.name.clone(), shown(&output.stated), shown(&output.predicted)]);
    }
    table
}

/// What each prediction is of, and why its interval is as wide as it is or why there is none.
fn notes(twin: &Twin) -> Vec<String> {
    let mut notes = Vec::new();
    let mut reasons: Vec<&String> = Vec::new();
    for input in &twin.inputs {
        match &input.predicted {
            Ok(predicted) => {
                notes.push(format!("{}: {}", input.name, input.what));
                reasons.extend(
                    predicted.reasons.iter().filter(|reason| !reasons.contains(reason)).collect::<Vec<_>>(),
                );
            }
            Err(error) => notes.push(format!("{}: {} is not predicted: {error}", input.name, input.what)),
        }
    }
    notes.extend(reasons.into_iter().map(|reason| format!("interval: {reason}")));
    notes
}
