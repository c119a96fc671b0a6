//! Inputs of a definition in one text, such as `tp=8,pp=4,sp`.

use mlsysim_quantity::nearest;
use mlsysim_scenario::{Define, Error, Map, Name, Result, Value, listed};

/// The inputs of a `T` that `text` gives; a bare name is `true`, and brackets hold lists.
///
/// # Errors
///
/// A name is none of `T`'s, which `none` says, or is given twice.
pub(crate) fn by_name<T: Define>(text: &str, none: &str) -> Result<Map<Value>> {
    let mut inputs = Map::new();
    for item in split_outside_brackets(text) {
        let (name, value) = match item.split_once('=') {
            Some((name, value)) => (name.trim(), Value::from_argument(value)),
            None => (item, Value::Bool(true)),
        };
        let known = T::describe().fields.iter().map(|field| field.name);
        if !known.clone().any(|field| field == name) {
            // Two letters are too few to be alike; the first of them says which is meant.
            let alike = |known: &&str| [known.len(), name.len()] == [2, 2] && known.get(..1) == name.get(..1);
            let hint = match nearest(name, known.clone()).or(known.clone().find(alike)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", listed(known)),
            };
            return Err(Error::input(name, format!("{none}; {hint}")));
        }
        if inputs.insert(Name::from(name), value).is_some() {
            return Err(Error::input(name, "it is given twice"));
        }
    }
    Ok(inputs)
}

/// The items between commas that stand in no brackets, without empty ones.
pub(crate) fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let split = text.split(move |letter| {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    split.map(str::trim).filter(|item| !item.is_empty()).collect()
}
