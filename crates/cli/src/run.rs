//! `mlsysim run`: every output of a case.

use std::process::ExitCode;

use mlsysim::{Answer, Case, Map};
use serde_json::Value as Json;

use crate::arguments::Format;
use crate::output::{Failure, Table, cells, flattened, pretty, print};
use crate::target;

/// Evaluates every output of the case that `name` means.
pub fn run(name: &str, set: &[String], format: Format) -> Result<ExitCode, Failure> {
    let case = target::case(name, set)?;
    print(&render(name, &case, format))
}

/// The outputs of a case in `format`.
pub fn render(name: &str, case: &Case, format: Format) -> String {
    let id = case.name.as_deref().unwrap_or(name);
    let answer = case.answer(Json::from(id), &Map::new());
    match format {
        Format::Json => pretty(&answer),
        Format::Csv => outputs(&answer, format).render(format),
        Format::Text | Format::Markdown => {
            let mut text = headline(case, format);
            text.push_str(&inputs(case, format).render(format));
            text.push_str("\n\n");
            text.push_str(&outputs(&answer, format).render(format));
            text.push('\n');
            for note in &answer.notes {
                text.push_str(&format!("\nnote on {}: {}", note.outputs.join(", "), note.text));
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
