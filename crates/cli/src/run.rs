//! `mlsysim run`: every output of a case.

use std::process::ExitCode;

use mlsysim::{Answer, Case, ErrorKind, Map, Note};
use serde_json::Value as Json;

use crate::arguments::Format;
use crate::output::{Failure, Table, cells, flattened, pretty, print};
use crate::target;

/// Evaluates every output of the case that `name` means.
pub fn run(name: &str, set: &[String], format: Format) -> Result<ExitCode, Failure> {
    let case = target::case(name, set)?;
    let answer = answer(name, &case);
    // An output may be absent; one that refuses an input is a mistake of the input.
    let refusal = answer.outputs.values().filter_map(|output| output.as_ref().err());
    if let Some(error) = refusal.into_iter().find(|error| error.kind() == ErrorKind::Input) {
        return Err(error.clone().into());
    }
    if format == Format::Csv {
        for note in answer.notes.iter().filter(|note| !note.infeasible) {
            anstream::eprintln!("{}", said(note));
        }
    }
    print(&render(&case, &answer, format))?;
    match answer.infeasible() {
        None => Ok(ExitCode::SUCCESS),
        Some(reason) => {
            // What cannot be done has its own exit code; the outputs say what it would take. The
            // forms for people carry the reason themselves.
            if matches!(format, Format::Json | Format::Csv) {
                anstream::eprintln!("infeasible: {reason}");
            }
            Ok(ExitCode::from(2))
        }
    }
}

fn answer(name: &str, case: &Case) -> Answer {
    let id = case.name.as_deref().unwrap_or(name);
    case.answer(Json::from(id), &Map::new())
}

/// A case and its outputs as text, for `show`.
pub fn shown(name: &str, case: &Case, format: Format) -> String {
    render(case, &answer(name, case), format)
}

fn said(note: &Note) -> String {
    let what = if note.infeasible { "infeasible" } else { "note on" };
    format!("{what} {}: {}", note.outputs.join(", "), note.text)
}

/// The outputs of a case in `format`.
fn render(case: &Case, answer: &Answer, format: Format) -> String {
    match format {
        Format::Json => pretty(answer),
        Format::Csv => outputs(answer, format).render(format),
        Format::Text | Format::Markdown => {
            let mut text = headline(case, format);
            text.push_str(&inputs(case, format).render(format));
            text.push_str("\n\n");
            text.push_str(&outputs(answer, format).render(format));
            text.push('\n');
            for note in &answer.notes {
                text.push('\n');
                text.push_str(&said(note));
            }
            text
        }
    }
}

fn headline(case: &Case, format: Format) -> String {
    let kind = case.item().description().name;
    let mark = if format == Format::Markdown { "## " } else { "" };
    let mut text = match &case.name {
        Some(name) => format!("{mark}{name}: {kind}\n"),
        None => format!("{mark}{kind}\n"),
    };
    for line in [&case.title, &case.description] {
        if !line.is_empty() {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.push('\n');
    text
}

fn inputs(case: &Case, format: Format) -> Table {
    let mut table = Table::new(&["input", "value", "unit", "from"]);
    for (index, field) in case.item().description().fields.iter().enumerate() {
        let written = case.written().get(field.name);
        let mut found = Vec::new();
        flattened(field.name, case.input(index), &mut found);
        for (path, value) in found {
            let below = path.strip_prefix(field.name).unwrap_or("").trim_start_matches('.');
            let from = match written {
                None => "default".to_string(),
                Some(mlsysim::Value::Map(map)) => map.get(below).map_or_else(String::new, reference),
                Some(written) => reference(written),
            };
            let (number, unit) = cells(&value, format);
            table.row([path, number, unit, from]);
        }
    }
    table
}

/// The registry path that a written input refers to.
fn reference(written: &mlsysim::Value) -> String {
    match written {
        mlsysim::Value::Reference(path) => format!("@{path}"),
        mlsysim::Value::Text(text) if text.starts_with('@') => text.to_string(),
        _ => String::new(),
    }
}

fn outputs(answer: &Answer, format: Format) -> Table {
    let mut table = Table::new(&["output", "value", "unit"]);
    for (name, output) in &answer.outputs {
        match output {
            Ok(value) => {
                let mut found = Vec::new();
                flattened(name, value, &mut found);
                for (path, value) in found {
                    let (number, unit) = cells(&value, format);
                    table.row([path, number, unit]);
                }
            }
            Err(error) => table.row([name.to_string(), format!("none: {error}"), String::new()]),
        }
    }
    table
}
