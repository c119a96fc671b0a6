//! What a name on the command line means.

use crate::configuration::is_handed_over;
use std::path::Path;

use mlsysim::{Case, Description, Error, Library, Map, Result, Value, library};

/// What a name can mean.
pub enum Target {
    /// A named case, or one from a file.
    Case(Box<Case>),
    /// A scenario or solver type.
    Type(&'static Description),
    /// A registry path.
    Path(String),
}

/// Finds what `name` means, with inputs changed by `changes` where it is a case.
pub fn find(name: &str) -> Result<Target> {
    let library = library();
    if name.trim().is_empty() {
        return Err(Error::unknown("a name is needed; `mlsysim list` shows what there is"));
    }
    let bare = name.strip_prefix("Scenarios.").unwrap_or(name);
    if library.case_names().any(|(_, case)| case == bare) {
        return library.case(bare).map(|case| Target::Case(Box::new(case)));
    }
    if let Some(description) = library.description(name) {
        return Ok(Target::Type(description));
    }
    if library.value(name).is_ok() || library.paths(name).next().is_some() {
        return Ok(Target::Path(name.to_string()));
    }
    Err(unknown(name))
}

/// The case that `name` means, with the inputs in `set` changed.
///
/// A type is a case with all its inputs in `set`; a name that ends in `.toml` is a file.
pub fn case(name: &str, set: &[String]) -> Result<Case> {
    let library = library();
    if name.ends_with(".toml") || Path::new(name).is_file() {
        let is_file = std::fs::metadata(name).is_ok_and(|metadata| metadata.is_file());
        if Path::new(name).exists() && !is_file && !is_handed_over(Path::new(name)) {
            return Err(Error::malformed(format!("{name}: this is no regular file")));
        }
        let text =
            std::fs::read_to_string(name).map_err(|error| Error::malformed(format!("{name}: {error}")))?;
        let written = mlsysim::registry::read_case(&text, Map::new(), library)
            .or_else(|error| {
                // A change may give what the file lacks.
                let changes = changes(&Map::new(), set)?;
                if changes.is_empty() {
                    Err(error)
                } else {
                    mlsysim::registry::read_case(&text, changes, library)
                }
            })
            .map_err(|error| in_file(name, &error))?;
        return written.variant(changes(written.written(), set)?, library);
    }
    match find(name)? {
        Target::Case(case) => case.variant(changes(case.written(), set)?, library),
        Target::Type(description) if description.group().is_some() => {
            Case::new(description, changes(&Map::new(), set)?, library)
        }
        Target::Type(description) => Err(Error::unknown(format!(
            "{} is no scenario; `mlsysim show {0}` describes it",
            description.name
        ))),
        Target::Path(path) => Err(Error::unknown(format!(
            "`{path}` is a registry entry, not a scenario; `mlsysim show {path}` shows it"
        ))),
    }
}

fn in_file(name: &str, error: &Error) -> Error {
    let place = error.place().map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    let field = error.field().map_or(String::new(), |field| format!("{field}: "));
    Error::malformed(format!("{name}{place}: {field}{}", error.message()))
}

/// The changes in `FIELD=VALUE` texts; `links.NVLink=…` changes one entry of a map.
fn changes(written: &Map<Value>, set: &[String]) -> Result<Map<Value>> {
    let mut changes = Map::new();
    for text in set {
        let Some((field, value)) = text.split_once('=') else {
            return Err(Error::malformed(format!("--set takes FIELD=VALUE, but `{text}` was given")));
        };
        let (field, value) = (field.trim(), Value::from_argument(value));
        match field.split_once('.') {
            None => {
                changes.insert(field.into(), value);
            }
            Some((map, key)) => {
                let before = changes.get(map).or_else(|| written.get(map)).cloned();
                let mut entries = match before {
                    Some(Value::Map(entries)) => entries,
                    _ => Map::new(),
                };
                entries.insert(key.into(), value);
                changes.insert(map.into(), Value::Map(entries));
            }
        }
    }
    Ok(changes)
}

/// The refusal of a name that means nothing, with the nearest that means something.
pub fn unknown(name: &str) -> Error {
    let library = library();
    let types: Vec<&str> = library.catalogue().map(|description| description.name).collect();
    let paths: Vec<&str> = library.paths("").collect();
    let cases = library.case_names().map(|(_, case)| case);
    let short = paths.iter().filter_map(|path| path.rsplit('.').next());
    let names = cases.chain(types.iter().copied()).chain(paths.iter().copied()).chain(short);
    match mlsysim::quantity::nearest(name, names) {
        Some(near) => Error::unknown(format!("nothing is called `{name}`; did you mean `{near}`?")),
        None => Error::unknown(format!("nothing is called `{name}`; `mlsysim list` shows what there is")),
    }
}
