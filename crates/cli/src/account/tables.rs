//! The tables of an account.

use mlsysim::transformer::{Account, Accounting, Convention, Line, Part, Pass};
use mlsysim::{Map, Result, Value};

use crate::arguments::Format;
use crate::numbers::{exact, is_zero, shown};
use crate::output::Table;

/// A column of the table by part: its heading for people, that for programs, and how a line tells it.
type Column = (&'static str, &'static str, fn(&Account, Option<Part>) -> Value);

/// What is told of each part. Programs get units in the headings, and every column.
const COLUMNS: [Column; 8] = [
    ("parameters", "parameters", |account, part| Line::Parameters(part).value(account)),
    ("forward", "forward_flop", |account, part| Line::Flops(Pass::Forward, part).value(account)),
    ("backward", "backward_flop", |account, part| Line::Flops(Pass::Backward, part).value(account)),
    ("recomputed", "recomputed_flop", |account, part| Line::Flops(Pass::Recompute, part).value(account)),
    ("moved forward", "moved_forward_bytes", |account, part| Line::Bytes(Pass::Forward, part).value(account)),
    ("moved backward", "moved_backward_bytes", |account, part| {
        Line::Bytes(Pass::Backward, part).value(account)
    }),
    ("moved again", "moved_again_bytes", |account, part| Line::Bytes(Pass::Recompute, part).value(account)),
    ("sent", "sent_bytes", |account, part| match part {
        Some(part) => mlsysim::scenario::constant(&account.sent.by_part[part]),
        None => Line::Sent(None).value(account),
    }),
];

/// What the rank holds, computes, moves and sends, by part; for people without what is nowhere.
pub fn parts(account: &Account, format: Format) -> Table {
    let all = format == Format::Csv;
    let lines: Vec<Option<Part>> = Part::ALL.into_iter().map(Some).chain([None]).collect();
    let is_there = |column: &&Column| all || lines.iter().any(|part| !is_zero(&(column.2)(account, *part)));
    let columns: Vec<&Column> = COLUMNS.iter().filter(is_there).collect();
    let headings: Vec<&'static str> =
        columns.iter().map(|(people, programs, _)| if all { *programs } else { *people }).collect();
    let mut table = Table::new(&[&["part"], headings.as_slice()].concat());
    for part in lines {
        let values: Vec<Value> = columns.iter().map(|(_, _, value)| value(account, part)).collect();
        if part.is_some() && !all && values.iter().all(is_zero) {
            continue;
        }
        let name = part.map_or("total", Part::name).to_string();
        let cells = values.iter().map(|value| if all { exact(value) } else { shown(value) });
        table.row([name].into_iter().chain(cells));
    }
    table
}

/// The operations of the rank that have weights or arithmetic; those that layers of several kinds
/// share stand once, with the layers of all.
pub fn operations(report: &Map<Value>, trains: bool) -> Table {
    let mut rows: Vec<Map<Value>> = Vec::new();
    for row in listed(report, "operations") {
        let same = |known: &&mut Map<Value>| {
            ["name", "part", "shape"].iter().all(|key| known.get(*key) == row.get(*key))
        };
        match rows.iter_mut().find(same) {
            Some(known) => {
                for (key, value) in known.iter_mut() {
                    let other = row.get(key).unwrap_or(&Value::Null);
                    *value = sum(value, other);
                }
            }
            None => rows.push(row.clone()),
        }
    }
    let again = rows.iter().any(|row| row.get("recompute").is_some_and(|value| !is_zero(value)));
    let mut columns = vec!["parameters", "forward"];
    columns.extend(trains.then_some("backward"));
    columns.extend(again.then_some("recompute"));
    let mut table = Table::new(&[&["operation", "part", "shape"], columns.as_slice()].concat());
    for row in rows {
        let cell = |key: &str| row.get(key).map(shown).unwrap_or_default();
        if ["parameters", "forward"].iter().all(|key| row.get(*key).is_some_and(is_zero)) {
            continue;
        }
        let name = format!("{} × {}", cell("layers"), cell("name"));
        let cells = columns.iter().map(|key| cell(key));
        table.row([name, cell("part"), cell("shape")].into_iter().chain(cells));
    }
    table
}

/// Two values added, where they are counts or amounts.
fn sum(one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => Value::Integer(one.saturating_add(*other)),
        (Value::Quantity(first), Value::Quantity(second)) => {
            let sum = first.value() + second.value();
            Value::Quantity(mlsysim::DynQuantity::new(sum, first.unit().clone()))
        }
        _ => one.clone(),
    }
}

/// What the rank exchanges, with whom and how often; on a machine, over which link and for how long at
/// the least.
pub fn exchanges(report: &Map<Value>) -> Option<Table> {
    let mut columns =
        vec!["what", "part", "pass", "group", "ranks", "collective", "payload", "times", "sent"];
    let mut headings = columns.clone();
    let mut rows = listed(report, "exchanges").peekable();
    if rows.peek()?.contains_key("link") {
        columns.extend(["link", "least_time", "least_time_in_step"]);
        headings.extend(["link", "at least", "in a step"]);
    }
    let mut table = Table::new(&headings);
    for row in rows {
        table.row(columns.iter().map(|key| row.get(*key).map(shown).unwrap_or_default()));
    }
    Some(table)
}

/// What a rank of each stage has; stages that are alike stand in one row.
pub fn stages(accounting: &Accounting<'_>) -> Result<Table> {
    let mut table = Table::new(&["stage", "layers", "parameters", "arithmetic", "sent"]);
    let mut alike: Option<(u64, u64, [String; 4])> = None;
    let mut end = |rows: Option<(u64, u64, [String; 4])>| {
        if let Some((first, last, cells)) = rows {
            let stages = if first == last { first.to_string() } else { format!("{first} to {last}") };
            table.row([stages].into_iter().chain(cells));
        }
    };
    for stage in 0..accounting.division.layout.pp {
        let account = accounting.account(stage)?;
        let cells = [
            account.layers.to_string(),
            shown(&Line::Parameters(None).value(&account)),
            shown(&mlsysim::scenario::constant(&account.total_flops())),
            shown(&Line::Sent(None).value(&account)),
        ];
        alike = match alike.take() {
            Some((first, _, known)) if known == cells => Some((first, stage, known)),
            before => {
                end(before);
                Some((stage, stage, cells))
            }
        };
    }
    end(alike);
    Ok(table)
}

/// The arithmetic of training a token of the whole model, by each convention.
pub fn conventions(report: &Map<Value>) -> Option<Table> {
    let Some(Value::Map(counted)) = report.get("training_flops_per_token") else { return None };
    let mut table = Table::new(&["convention", "per token", "what it counts"]);
    for convention in Convention::ALL {
        let flops = counted.get(convention.name()).map(shown).unwrap_or_default();
        table.row([convention.name().to_string(), flops, phrase(*convention).to_string()]);
    }
    Some(table)
}

/// What a convention counts, in a phrase.
const fn phrase(convention: Convention) -> &'static str {
    match convention {
        Convention::Parameters => "6 for each active parameter",
        Convention::NonEmbedding => "6 for each active parameter outside of the embedding",
        Convention::Palm => "6 for each active parameter, and attention to the whole sequence",
        Convention::Square => "every matrix product, and attention to the whole sequence",
        Convention::Masked => "every matrix product, and attention as far as the mask lets a token see",
        Convention::Hardware => "the same, and what the backward pass computes again",
    }
}

/// The rows of a list in a report.
pub fn listed<'a>(report: &'a Map<Value>, name: &str) -> impl Iterator<Item = &'a Map<Value>> {
    let rows = match report.get(name) {
        Some(Value::List(rows)) => rows.as_slice(),
        _ => &[],
    };
    rows.iter().filter_map(|row| match row {
        Value::Map(row) => Some(row),
        _ => None,
    })
}
