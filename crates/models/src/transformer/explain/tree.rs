//! The nodes of derivations: numbers that were computed, and numbers that somebody gave.

use mlsysim_scenario::{Derivation, Kind, Origin, Value};

/// A number that was computed.
pub(crate) fn computed(
    label: impl Into<String>,
    value: Value,
    meaning: &'static str,
    equation: impl Into<String>,
    parts: Vec<Derivation>,
) -> Derivation {
    let equation = equation.into();
    let substituted = substituted(&equation, &parts, &plain);
    Derivation {
        label: label.into(),
        value: Ok(value),
        kind: Kind::Exact,
        meaning,
        substituted: Some(substituted),
        equation: Some(equation.into()),
        equation_source: "",
        reference: None,
        origin: None,
        notes: Vec::new(),
        parts,
    }
}

/// A number that somebody gave.
pub(crate) fn given(label: impl Into<String>, value: Value, source: impl Into<String>) -> Derivation {
    let origin = Origin { source: source.into(), ..Origin::default() };
    Derivation {
        equation: None,
        substituted: None,
        origin: Some(origin),
        ..computed(label, value, "", "", vec![])
    }
}

/// A number of a vendor or a user that might be another.
pub(crate) fn stated(label: impl Into<String>, value: Value, source: impl Into<String>) -> Derivation {
    Derivation { kind: Kind::Stated, ..given(label, value, source) }
}

/// The equation with the values of its parts in place of their names, each as `written`; where several
/// have the same name, they stand in their order.
pub(crate) fn substituted(
    equation: &str,
    parts: &[Derivation],
    written: &dyn Fn(&Value) -> String,
) -> String {
    let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut used = vec![false; parts.len()];
    let (mut text, mut rest, mut at_start) = (String::new(), equation, true);
    while let Some(letter) = rest.chars().next() {
        let stands_here = |part: &Derivation| {
            let after = rest.strip_prefix(part.label.as_str());
            at_start && after.is_some_and(|after| !after.starts_with(in_word))
        };
        let here = (0..parts.len()).filter(|index| stands_here(&parts[*index]));
        let best = here.max_by_key(|index| (parts[*index].label.len(), !used[*index], parts.len() - *index));
        match best.and_then(|index| Some((index, parts[index].value.as_ref().ok()?))) {
            Some((index, value)) => {
                used[index] = true;
                text.push_str(&written(value));
                rest = &rest[parts[index].label.len()..];
                at_start = false;
            }
            None => {
                text.push(letter);
                rest = &rest[letter.len_utf8()..];
                at_start = !in_word(letter);
            }
        }
    }
    text
}

/// A value as it stands in an equation.
fn plain(value: &Value) -> String {
    match value {
        Value::Number(number) => mlsysim_quantity::format_number(*number),
        Value::Quantity(quantity) => mlsysim_quantity::format_number(quantity.value()),
        other => other.to_string(),
    }
}

pub(crate) fn count(value: u64) -> Value {
    i64::try_from(value).map_or_else(|_| Value::Number(value as f64), Value::Integer)
}

/// A number that is whole where it can be.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::Integer(value as i64)
    } else {
        Value::Number(value)
    }
}
