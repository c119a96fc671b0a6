//! Named cases as TOML: a scenario's type and its inputs, with references into the registry.

use mlsysim_scenario::{Case, Error, Library, Map, Result, Value, listed};

use crate::document::Document;
use crate::source::text;

/// Reads a case from a TOML text and builds it.
///
/// The section `[case]` names the `type` and may hold `name`, `title`, `description` and
/// `source`; the section `[inputs]` holds the inputs, in which `"@Hardware.Cloud.H100"` refers to
/// the registry. The inputs in `changes` take the place of those in the text.
///
/// # Errors
///
/// A text that is no TOML, an unknown type or key, a wrong input; each with its line and column.
pub fn read_case(content: &str, changes: Map<Value>, library: &dyn Library) -> Result<Case> {
    let document = Document::read(content)?;
    if let Some(section) = document.sections.keys().find(|section| !matches!(&***section, "case" | "inputs"))
    {
        let error = Error::malformed(format!(
            "there is no section or key `{section}`; a case has {}",
            listed(["[case]", "[inputs]"].into_iter())
        ));
        return Err(document.locate(error, section));
    }
    let Some(Value::Map(header)) = document.sections.get("case") else {
        return Err(Error::malformed("a case needs the section [case] with its `type`").at(1, 1));
    };
    const KEYS: [&str; 5] = ["type", "name", "title", "description", "source"];
    if let Some(key) = header.keys().find(|key| !KEYS.contains(&&***key)) {
        let error =
            Error::input(&**key, format!("a case has no such key; it has {}", listed(KEYS.into_iter())));
        return Err(document.locate(error, &format!("case.{key}")));
    }
    let Some(kind) = text(header, "type") else {
        return Err(document.locate(Error::input("type", "the case needs its scenario's type"), "case"));
    };
    let Some(description) = library.description(&kind).filter(|found| found.group().is_some()) else {
        let error = Error::input("type", library.unknown_type(&kind));
        return Err(document.locate(error, "case.type"));
    };
    let mut inputs = match document.sections.get("inputs") {
        Some(Value::Map(inputs)) => inputs.clone(),
        _ => Map::new(),
    };
    let changed: Vec<_> = changes.keys().cloned().collect();
    inputs.extend(changes);
    let mut case = Case::new(description, inputs, library).map_err(|error| {
        let field = error.field().unwrap_or("").to_string();
        // An input from elsewhere has no place in this text.
        if changed.iter().any(|name| field == **name || field.starts_with(&format!("{name}."))) {
            return error;
        }
        document.locate(error, &format!("inputs.{field}"))
    })?;
    case.name = text(header, "name").map(Into::into);
    case.title = text(header, "title").unwrap_or_default();
    case.description = text(header, "description").unwrap_or_default();
    case.source = text(header, "source");
    Ok(case)
}
