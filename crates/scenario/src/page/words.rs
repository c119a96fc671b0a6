//! The words of a page: texts, units, defaults and kinds as Markdown.

use crate::{Equation, Field, Kind, Piece, Type, Value};

/// A text from a documentation comment as Markdown for readers of every front end: references to
/// Rust items become plain code, and examples in Rust are left out.
///
/// ```
/// assert_eq!(mlsysim_scenario::prose("Of [`Time`](crate::Time)."), "Of `Time`.");
/// ```
pub fn prose(comment: &str) -> String {
    // Every second piece stands between fences.
    let comment: String = comment.split("```").step_by(2).collect();
    let comment = comment.trim();
    let mut text = String::with_capacity(comment.len());
    let mut rest = comment;
    while let Some(start) = rest.find("[`") {
        let after = &rest[start + 1..];
        let Some(end) = after.find("`]") else { break };
        text.push_str(&rest[..start]);
        text.push_str(&after[..=end]);
        rest = &after[end + 2..];
        if let (true, Some(close)) = (rest.starts_with('('), rest.find(')')) {
            rest = &rest[close + 1..];
        }
    }
    text + rest
}

pub(super) fn innermost(value: &Type) -> &Type {
    match value {
        Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => innermost(inner),
        plain => plain,
    }
}

pub(super) fn unit(stated: &str, value: &Type) -> String {
    let unit = if stated.is_empty() { value.coherent_unit() } else { stated };
    if unit.is_empty() { String::new() } else { format!("`{unit}`") }
}

pub(super) fn default(field: &Field) -> String {
    match field.default.map(|default| default()) {
        None => "required".to_string(),
        Some(Value::Null) => "not set".to_string(),
        Some(Value::Text(text)) => format!("`\"{text}\"`"),
        Some(value) => format!("`{value}`"),
    }
}

pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Exact => "exact arithmetic, as certain as its inputs",
        Kind::Bound => "a bound: an end that nothing passes, if its inputs hold",
        Kind::Stated => "stated, not derived",
        Kind::Measured => "measured",
        Kind::Fitted => "fitted: physics with calibrated coefficients",
    }
}

/// The constants of an equation with their values.
pub(super) fn constants(equation: &Equation) -> String {
    let mut constants = Vec::new();
    for piece in equation.pieces {
        if let Piece::Constant(name, value) = piece {
            let text = format!("`{name}` = {}", value());
            if !constants.contains(&text) {
                constants.push(text);
            }
        }
    }
    constants.join(", ")
}

/// A text in one line, fit for a table.
pub(super) fn cell(text: &str) -> String {
    prose(&text.split_whitespace().collect::<Vec<_>>().join(" ")).replace('|', r"\|")
}

/// What a group of scenarios is called: `memory_kv` is "Memory KV scenarios".
///
/// ```
/// assert_eq!(mlsysim_scenario::group_title("memory_kv"), "Memory KV scenarios");
/// ```
pub fn group_title(group: &str) -> String {
    let words = group.split('_').map(|word| if word == "kv" { "KV" } else { word });
    format!("{} scenarios", capital(&words.collect::<Vec<_>>().join(" ")))
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
