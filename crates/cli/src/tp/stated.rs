//! `mlsysim tp --scenario`: the stated times of a case at each degree, beside the predicted ones.

use std::process::ExitCode;

use mlsysim::predict::StatedDegrees;
use mlsysim::quantity::{Time, format_number};

use super::{picture, tables};
use crate::arguments::{Format, TpOptions};
use crate::case;
use crate::numbers::duration;
use crate::output::{Failure, Table, noted, pretty, print};
use crate::target;

/// Prints the case called `name` at each degree.
pub fn stated(name: &str, options: &TpOptions, format: Format) -> Result<ExitCode, Failure> {
    let stated = target::case(name, &[])?;
    case::refuse(&options.step, &[("price", options.price.as_ref())])?;
    let TpOptions { model, step, practice, machine, memory, .. } = options;
    let asked = case::asked(model.as_deref(), step, practice, machine, memory)?;
    let degrees = StatedDegrees::of(&stated, &asked)?;
    if let Some(path) = &options.plot {
        crate::picture::write(path, &picture::of_case(&degrees, format!("{name}, by degree")).svg())?;
    }
    let notes = notes(&degrees);
    let text = match format {
        Format::Json => pretty(&degrees.report()),
        Format::Csv => noted(rows(&degrees, format).render(format), &notes, format),
        Format::Text | Format::Markdown => {
            let implied = case::implied(&degrees.implied);
            let text = format!(
                "{name} implies:\n\n{}\n\nA layer at each degree, by the times that it states and by those \
                 that are predicted:\n\n{}",
                implied.render(format),
                rows(&degrees, format).render(format),
            );
            noted(text, &notes, format)
        }
    };
    print(&text)
}

/// A row for each degree; whole for programs.
fn rows(degrees: &StatedDegrees, format: Format) -> Table {
    let all = format == Format::Csv;
    let headings: &[&'static str] = if all {
        &[
            "tp",
            "layer",
            "ideal",
            "exchanges",
            "total",
            "speed_up",
            "efficiency",
            "gain",
            "predicted_layer",
            "predicted_low",
            "predicted_high",
            "predicted_speed_up",
        ]
    } else {
        &[
            "TP",
            "layer",
            "ideal",
            "AllReduces",
            "speed-up",
            "efficiency",
            "gain",
            "predicted",
            "90 % interval",
            "predicted speed-up",
        ]
    };
    let mut table = Table::new(headings);
    let time = |time: Time| if all { format_number(time.base()) } else { duration(time.base()) };
    let share = |share: f64| if all { format_number(share) } else { tables::percent(share) };
    let speed_up = |number: f64| if all { format_number(number) } else { format!("{number:.4}") };
    let none = || if all { String::new() } else { "-".to_string() };
    for degree in &degrees.all {
        let mut row = vec![
            degree.tp.to_string(),
            time(degree.layer),
            time(degree.ideal),
            time(degree.layer - degree.ideal),
        ];
        if all {
            row.push(time(degree.total));
        }
        row.push(speed_up(degree.speed_up));
        row.push(share(degree.speed_up / degree.tp as f64));
        row.push(degrees.gain(degree).map_or_else(none, share));
        match &degree.predicted {
            Ok(predicted) => {
                let [layer, low, high] = predicted.layer.map(time);
                row.push(layer);
                if all {
                    row.extend([low, high])
                } else {
                    row.push(format!("{low} to {high}"))
                }
                row.push(speed_up(predicted.speed_up));
            }
            Err(_) => row.resize_with(headings.len(), none),
        }
        table.row(row);
    }
    table
}

/// What the case states and what does not, and why nothing is predicted where that is so.
fn notes(degrees: &StatedDegrees) -> Vec<String> {
    let own = degrees.own;
    let mut notes = vec![format!(
        "the case is TP {own}; the other rows are its equations at other degrees, with the time that it \
         states for an AllReduce, and without any at TP 1"
    )];
    notes.push(
        "predicted are the kernels of a layer on one device and the AllReduce at each degree; the split is \
         the case's own, without loss"
            .to_string(),
    );
    for degree in &degrees.all {
        if let Err(error) = &degree.predicted {
            notes.push(format!("TP {} is not predicted: {error}", degree.tp));
        }
    }
    notes
}
