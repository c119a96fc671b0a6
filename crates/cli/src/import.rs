//! `mlsysim import`: what a model's own configuration says of it, counted.

use std::path::Path;
use std::process::ExitCode;

use mlsysim::{Map, Value};

use crate::arguments::Format;
use crate::configuration;
use crate::numbers::shown;
use crate::output::{Failure, Table, noted, pretty, print};

/// Reads a configuration and counts the model that it describes.
pub fn import(path: &Path, format: Format) -> Result<ExitCode, Failure> {
    let model = configuration::read(path)?;
    let summary = model.summary();
    let parts = parts(&summary, format);
    match (format, &summary) {
        (Format::Json, _) => print(&pretty(&summary)),
        (Format::Text, Value::Map(facts)) => {
            let text = format!("{}\n\n{}", told(facts).render(format), parts.render(format));
            print(&noted(text, &model.notes, format))
        }
        _ => print(&noted(parts.render(format), &model.notes, format)),
    }
}

/// The parameters by part, with their total last.
fn parts(summary: &Value, format: Format) -> Table {
    let mut table = Table::new(&["part", "parameters"]);
    let Value::Map(summary) = summary else { return table };
    let Some(Value::Map(parameters)) = summary.get("parameters") else { return table };
    let is_sum = |name: &str| matches!(name, "total" | "active");
    let parts = parameters.iter().filter(|(name, _)| !is_sum(name));
    for (name, count) in parts.chain(parameters.iter().filter(|(name, _)| is_sum(name))) {
        match format {
            Format::Csv => table.row([name.to_string(), count.to_string()]),
            // What a model does not have is no line for people.
            _ if *count == Value::Integer(0) => {}
            _ => table.row([name.to_string(), shown(count)]),
        }
    }
    table
}

/// What the model is, beside its parts.
fn told(summary: &Map<Value>) -> Table {
    let value = |name: &str| summary.get(name).map(shown).unwrap_or_default();
    let mut facts = Table::new(&["what", "value"]);
    for name in ["model_type", "layers", "hidden", "vocabulary", "tied"] {
        facts.row([name.to_string(), value(name)]);
    }
    let cached = format!("{} B, at 2 bytes a number", value("kv_bytes_per_token"));
    facts.row(["kv_bytes_per_token".to_string(), cached]);
    facts
}
