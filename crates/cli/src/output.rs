//! How answers are printed: tables in four forms, and why there may be none.

use std::io::{self, Write};
use std::process::ExitCode;

use comfy_table::{ColumnConstraint, ContentArrangement, TableStyle, presets};
use mlsysim::{Error, Value};
use serde_json::{Map, Value as Json};

use crate::arguments::Format;

/// The colour of the word `error`, on a terminal only.
const RED: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();

/// What is longer than this is no figure.
const LONGEST_FIGURE: usize = 20;

/// Why there is no answer.
pub enum Failure {
    /// The input is wrong; the message says how.
    Refused(String),
    /// Nobody reads the output any more.
    Closed,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Refused(error.to_string()),
        }
    }
}

/// Rows under headings.
pub struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(headings: &[&'static str]) -> Self {
        Table { headings: headings.to_vec(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table in `format`; JSON as a list of objects.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => self.drawn(presets::NOTHING, ContentArrangement::Dynamic),
            Format::Markdown => self.drawn(presets::ASCII_MARKDOWN, ContentArrangement::Disabled),
            Format::Json => {
                let rows = self.rows.iter().map(|row| {
                    let cells = self.headings.iter().zip(row);
                    let object: Map<String, Json> = cells
                        .map(|(heading, cell)| ((*heading).to_string(), Json::from(cell.as_str())))
                        .collect();
                    Json::Object(object)
                });
                pretty(&Json::Array(rows.collect()))
            }
            Format::Csv => csv(&self.headings, &self.rows),
        }
    }

    fn drawn(&self, style: TableStyle, arrangement: ContentArrangement) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(style).set_content_arrangement(arrangement);
        table.set_header(&self.headings);
        table.add_rows(&self.rows);
        // Names and figures stay whole; what is said of them in the last column may wrap.
        let is_said = self.rows.iter().any(|row| row.last().is_some_and(|cell| cell.len() > LONGEST_FIGURE));
        let whole = self.headings.len() - usize::from(is_said);
        for column in table.column_iter_mut().take(whole) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
        let text = table.to_string();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
}

/// Rows below headings as comma-separated values.
pub fn csv(headings: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = &str>| cells.map(quoted).collect::<Vec<_>>().join(",");
    let mut lines = vec![line(&mut headings.iter().copied())];
    lines.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    lines.join("\n")
}

/// A cell of comma-separated values, quoted where it must be (RFC 4180).
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

/// JSON over several lines.
pub fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}

/// Prints an error to standard error.
pub fn complain(message: &str) {
    anstream::eprintln!("{RED}error:{RED:#} {message}");
}

/// Prints an answer and a line's end.
pub fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.trim_end().as_bytes())?;
    out.write_all(b"\n")?;
    Ok(ExitCode::SUCCESS)
}

/// A text with notes below it; comma-separated values have no place for them, so that they go to
/// standard error there.
pub fn noted(mut text: String, notes: &[String], format: Format) -> String {
    let said = notes.iter().map(|note| format!("note: {note}"));
    if format == Format::Csv {
        said.for_each(|note| anstream::eprintln!("{note}"));
    } else if !notes.is_empty() {
        text.push_str(&format!("\n\n{}", said.collect::<Vec<_>>().join("\n")));
    }
    text
}

/// A value as number and unit: to six digits for people, whole for programs.
pub fn cells(value: &Value, format: Format) -> (String, String) {
    let number = |number: f64| match format {
        Format::Text | Format::Markdown => mlsysim::quantity::format_brief(number),
        Format::Json | Format::Csv => mlsysim::quantity::format_number(number),
    };
    match value {
        Value::Quantity(quantity) => (number(quantity.value()), quantity.unit().to_string()),
        Value::Number(plain) => (number(*plain), String::new()),
        other => (other.to_string(), String::new()),
    }
}

/// The values within a value, each with the path to it: `links.NVLink`.
pub fn flattened(path: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Map(map) => {
            for (key, value) in map {
                flattened(&format!("{path}.{key}"), value, found);
            }
        }
        Value::List(items) if items.iter().any(|item| matches!(item, Value::Object(_) | Value::Map(_))) => {
            for (index, item) in items.iter().enumerate() {
                flattened(&format!("{path}.{index}"), item, found);
            }
        }
        Value::Object(object) if object.path().is_none() => {
            for (index, field) in object.description().fields.iter().enumerate() {
                let value = object.item().field(index);
                if !value.is_null() {
                    flattened(&format!("{path}.{}", field.name), &value, found);
                }
            }
        }
        other => found.push((path.to_string(), other.clone())),
    }
}
