//! Refusals: what is needed, and what was given.

use mlsysim_quantity::{DynQuantity, format_number};

use crate::description::with_article;
use crate::{Error, Field, Result, Type, Value};

/// The refusal of a value that is of another type or out of range.
pub(crate) fn refuse(needed: &Type, field: &Field, given: &Value) -> Error {
    let (needed, hint) = (needed.phrase(&field.range), written_out(needed, given));
    Error::unplaced(format!("{needed} is needed, but {} was given{hint}", shown(given)))
}

/// The refusal of a value that can be no quantity.
pub(crate) fn unlike(needed: &Type, field: &Field, given: &Value) -> Error {
    let (needed, unit) = (needed.phrase(&field.range), field.shown_unit());
    let other = match given {
        Value::Map(_) => format!(" or {{\"value\": 1, \"unit\": \"{unit}\"}}"),
        _ => String::new(),
    };
    Error::unplaced(format!(
        "{needed} is needed, such as \"1 {unit}\"{other}, but {} was given",
        shown(given)
    ))
}

/// How a number with a letter for its size is written out, such as `32k`, where a number is needed.
pub(crate) fn written_out(needed: &Type, given: &Value) -> String {
    let Value::Text(text) = given else { return String::new() };
    let is_number = matches!(needed, Type::Count | Type::Integer | Type::Number);
    let sizes = |letter| match letter {
        'k' | 'K' => Some([1e3, 1024.0].as_slice()),
        'M' => Some([1e6].as_slice()),
        'G' | 'B' => Some([1e9].as_slice()),
        'T' => Some([1e12].as_slice()),
        _ => None,
    };
    let read = || {
        let text = text.trim();
        let letter = text.chars().next_back()?;
        let number: f64 = text.strip_suffix(letter)?.parse().ok()?;
        let written = sizes(letter)?.iter().map(|size| number * size);
        let written = written.filter(|number| number.is_finite() && number.fract() == 0.0);
        let written: Vec<String> = written.map(|number| format!("`{}`", format_number(number))).collect();
        (!written.is_empty()).then(|| format!("; write {}", written.join(" or ")))
    };
    if is_number { read().unwrap_or_default() } else { String::new() }
}

/// A given value as a message shows it, cut where it is longer than anybody reads.
pub(crate) fn shown(given: &Value) -> String {
    let (quote, text) = match given {
        Value::Text(text) => ("\"", text.to_string()),
        Value::Null => return "nothing".to_string(),
        Value::Object(object) if object.path().is_none() => return with_article(object.description().name),
        other => ("`", other.to_string()),
    };
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{quote}{}…{quote}", &text[..end]),
        None => format!("{quote}{text}{quote}"),
    }
}

/// How many characters of a given value a message shows.
const LONGEST_SHOWN: usize = 80;

/// The refusal of a quantity that has a dimension where a number is needed.
pub(crate) fn measured(needed: &Type, field: &Field, given: &DynQuantity, written: &Value) -> Error {
    let hint = written_out(needed, written);
    let (needed, dimension) = (needed.phrase(&field.range), given.dimension());
    Error::unplaced(format!("`{given}` is {dimension}, but {needed} is needed{hint}"))
}

/// `typed` if `number` is in the field's range, else the refusal of `given`.
pub(crate) fn within<T>(number: f64, typed: T, needed: &Type, field: &Field, given: &Value) -> Result<T> {
    if field.range.contains(number) { Ok(typed) } else { Err(refuse(needed, field, given)) }
}

/// `typed` unless it is empty where the field needs something.
pub(crate) fn filled<T>(empty: bool, typed: T, needed: &Type, field: &Field) -> Result<T> {
    if empty && field.range.nonempty {
        let needed = needed.phrase(&field.range);
        return Err(Error::unplaced(format!("{needed}, is needed, but it is empty")));
    }
    Ok(typed)
}

/// The refusal of a value that is none of `names`.
pub(crate) fn needs_one_of(names: &[&str], near: Option<&str>, given: &Value) -> Error {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let needed = match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    };
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Error::unplaced(format!("{needed} is needed, but {} was given{hint}", shown(given)))
}
