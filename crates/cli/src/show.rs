//! `mlsysim show` and `mlsysim schema`: what one thing says about itself.

use std::process::ExitCode;

use mlsysim::registry::Entry;
use mlsysim::{Define, Description, Family, Library, Origin, PlainText, Value, library};
use serde_json::json;

use crate::arguments::Format;
use crate::output::{Failure, Table, cells, flattened, pretty, print};
use crate::target::{self, Target};
use crate::{list, run};

/// Shows a registry entry with its sources, a scenario's page, or a named case.
pub fn show(name: &str, format: Format) -> Result<ExitCode, Failure> {
    print(&match target::find(name)? {
        Target::Case(case) => run::shown(name, &case, format),
        Target::Type(description) => page(description, format),
        Target::Path(path) => match library().entry(&path) {
            Ok(entry) => self::entry(&entry, format)?,
            Err(_) => part(&path, format)?,
        },
    })
}

/// Prints the JSON Schema of a type's inputs.
pub fn schema(name: &str) -> Result<ExitCode, Failure> {
    if name == "plan" {
        return print(&pretty(&mlsysim::schema(mlsysim::search::PlanFile::describe())));
    }
    match library().description(name) {
        Some(description) => print(&pretty(&mlsysim::schema(description))),
        None => Err(Failure::Refused(library().unknown_type(name))),
    }
}

fn page(description: &'static Description, format: Format) -> String {
    match format {
        Format::Json => pretty(&json!({
            "type": description.name,
            "group": description.group(),
            "summary": list::in_one_line(description.doc.summary()),
            "inputs": description.fields.iter().map(|field| json!({
                "name": field.name,
                "type": field.value.python(),
                "required": field.default.is_none(),
                "default": field.default.map(|default| default()),
                "range": field.range.to_string(),
                "meaning": list::in_one_line(field.doc.summary()),
            })).collect::<Vec<_>>(),
            "outputs": description.results().map(|(_, output)| json!({
                "name": output.name,
                "type": output.value.python(),
                "unit": output.unit,
                "arguments": output.arguments.iter().map(|argument| argument.field.name).collect::<Vec<_>>(),
                "equation": output.equation.text,
                "latex": output.equation.latex,
                "meaning": list::in_one_line(output.doc.summary()),
            })).collect::<Vec<_>>(),
        })),
        Format::Csv => {
            let mut table = Table::new(&["name", "is", "type", "unit", "default", "equation", "meaning"]);
            for field in description.fields {
                let default = field.default.map_or("required".to_string(), |default| default().to_string());
                let unit = field.shown_unit().to_string();
                let meaning = list::in_one_line(field.doc.summary());
                table.row([
                    field.name.into(),
                    "input".into(),
                    field.value.python(),
                    unit,
                    default,
                    String::new(),
                    meaning,
                ]);
            }
            for (_, output) in description.results() {
                let unit = output.shown_unit().to_string();
                let meaning = list::in_one_line(output.doc.summary());
                let equation = output.equation.text.to_string();
                table.row([
                    output.name.into(),
                    "output".into(),
                    output.value.python(),
                    unit,
                    String::new(),
                    equation,
                    meaning,
                ]);
            }
            table.render(format)
        }
        Format::Text | Format::Markdown => mlsysim::page(description, &PlainText(solver)),
    }
}

/// The solver whose result is of the type `result`.
fn solver(result: &str) -> Option<&'static Description> {
    library().catalogue().find(|found| matches!(found.family, Family::Solver(name) if name == result))
}

/// The figures of an entry, each with its source.
fn entry(entry: &Entry, format: Format) -> Result<String, Failure> {
    let mut found = Vec::new();
    match library().value(&entry.path)? {
        Value::Object(object) => {
            for (index, field) in object.description().fields.iter().enumerate() {
                let value = object.item().field(index);
                let written = entry.fields.get(field.name).filter(|written| is_reference(written));
                if !value.is_null() {
                    flattened(field.name, written.unwrap_or(&value), &mut found);
                }
            }
        }
        Value::Map(figures) => figures.iter().for_each(|(name, value)| flattened(name, value, &mut found)),
        _ => {}
    }
    // A figure stands as its file writes it, in the unit of its source.
    let value = |path: &str, built: &Value| match library().value(&format!("{}.{path}", entry.path)) {
        Ok(written @ (Value::Quantity(_) | Value::Number(_) | Value::Integer(_))) => written,
        _ => built.clone(),
    };
    if format == Format::Json {
        let figures: serde_json::Map<_, _> = found.iter().map(|(path, built)| {
            (path.clone(), json!({"value": value(path, built), "origin": library().origin(&format!("{}.{path}", entry.path))}))
        }).collect();
        return Ok(pretty(
            &json!({"path": entry.path, "type": entry.kind, "about": entry.about, "figures": figures}),
        ));
    }
    // A source stands once, below the table, since its address is long.
    let mut sources: Vec<String> = Vec::new();
    let mut table = Table::new(&["figure", "value", "unit", "source", "note"]);
    for (path, built) in &found {
        let (number, unit) = cells(&value(path, built), format);
        let origin = library().origin(&format!("{}.{path}", entry.path)).unwrap_or_default();
        let mark = if origin.unverified { " unverified" } else { "" };
        let note = origin.note.clone().unwrap_or_default();
        let source = Origin { note: None, unverified: false, ..origin }.to_string();
        if format == Format::Csv {
            table.row([path.clone(), number, unit, format!("{source}{mark}"), note]);
            continue;
        }
        let known = sources.iter().position(|known| *known == source).unwrap_or_else(|| {
            sources.push(source);
            sources.len() - 1
        });
        table.row([path.clone(), number, unit, format!("[{}]{mark}", known + 1), note]);
    }
    if format == Format::Csv {
        return Ok(table.render(format));
    }
    let numbered = sources.iter().enumerate().map(|(index, source)| format!("[{}] {source}", index + 1));
    let sources: Vec<String> = numbered.collect();
    let head = format!("{}: {}\n{}", entry.path, entry.kind, entry.about);
    Ok(format!("{head}\n\n{}\n\n{}", table.render(format), sources.join("\n")))
}

fn is_reference(value: &Value) -> bool {
    matches!(value, Value::Reference(_))
}

/// A figure in an entry, or the entries below a path.
fn part(path: &str, format: Format) -> Result<String, Failure> {
    let Ok(value) = library().value(path) else {
        let mut table = Table::new(&["path", "what it is"]);
        for below in library().paths(path) {
            table.row([below.to_string(), library().entry(below)?.about.clone()]);
        }
        return Ok(table.render(format));
    };
    let mut found = Vec::new();
    flattened(path, &value, &mut found);
    let origin = |path: &str| library().origin(path);
    if format == Format::Json {
        return Ok(match found.as_slice() {
            [(only, _)] if only == path => {
                pretty(&json!({"path": path, "value": value, "origin": origin(path)}))
            }
            _ => {
                let figures: serde_json::Map<_, _> = found
                    .iter()
                    .map(|(path, value)| (path.clone(), json!({"value": value, "origin": origin(path)})))
                    .collect();
                pretty(&json!({"path": path, "figures": figures}))
            }
        });
    }
    let mut table = Table::new(&["figure", "value", "unit", "source"]);
    for (path, value) in found {
        let (number, unit) = cells(&value, format);
        let source = origin(&path).as_ref().map(ToString::to_string).unwrap_or_default();
        table.row([path, number, unit, source]);
    }
    Ok(table.render(format))
}
