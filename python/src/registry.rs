//! The registry: which entries and named cases there are, and where their figures come from.

use mlsysim::{Library, Map, Origin, Value, library};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::OrRefuse;
use crate::instance::{Instance, Place};
use crate::restore::restore_entry;
use crate::values::to_python;

/// A figure's name, source, address, note and whether nobody has checked it.
type Sourced = (String, String, Option<String>, Option<String>, bool);

/// The paths of all entries below `prefix`.
#[pyfunction]
pub fn paths(prefix: &str) -> Vec<&'static str> {
    library().paths(prefix).collect()
}

/// The names of all named cases.
#[pyfunction]
pub fn case_names() -> Vec<&'static str> {
    library().case_names().map(|(_, name)| name).collect()
}

/// The named case called `name`.
#[pyfunction]
pub fn case(py: Python<'_>, name: &str) -> PyResult<Instance> {
    library().case(name).or_refuse(py).map(Instance::built)
}

/// The entry at `path`.
#[pyfunction]
pub fn entry(py: Python<'_>, path: &str) -> PyResult<Instance> {
    restore_entry(py, path)
}

/// The names of the figures in the group at `path`, each with the names below it, or with `None`
/// where it is a single figure; `None` for a path that leads to a record.
#[pyfunction]
pub fn figures<'py>(py: Python<'py>, path: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
    match library().value(path).or_refuse(py)? {
        Value::Map(group) => names(py, &group).map(Some),
        _ => Ok(None),
    }
}

fn names<'py>(py: Python<'py>, group: &Map<Value>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in group {
        match value {
            Value::Map(below) => dict.set_item(&**name, names(py, below)?)?,
            _ => dict.set_item(&**name, py.None())?,
        }
    }
    Ok(dict)
}

/// The figure at `path`, as its file writes it.
#[pyfunction]
pub fn figure<'py>(py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, library().value(path).or_refuse(py)?, &Place::Nowhere)
}

/// What the entry at `path` is, in a sentence.
#[pyfunction]
pub fn about(py: Python<'_>, path: &str) -> PyResult<String> {
    library().entry(path).or_refuse(py).map(|entry| entry.about.clone())
}

/// Where each figure at or below `path` comes from.
#[pyfunction]
pub fn sources(py: Python<'_>, path: &str) -> PyResult<Vec<Sourced>> {
    // The path may lead to a part of an entry; the entry is the longest beginning that is one.
    let mut whole = path;
    let entry = loop {
        match (library().entry(whole), whole.rfind('.')) {
            (Ok(entry), _) => break entry,
            (Err(_), Some(end)) => whole = &whole[..end],
            (Err(error), None) => return Err(error).or_refuse(py),
        }
    };
    let part = path[whole.len()..].trim_start_matches('.');
    let prefix = if part.is_empty() { String::new() } else { format!("{part}.") };
    let mut found = Vec::new();
    ways(&entry.fields, "", &mut found);
    let below = found.into_iter().filter_map(|figure| {
        let name = figure.strip_prefix(&prefix)?.to_string();
        let origin = library().origin(&format!("{}.{figure}", entry.path))?;
        let Origin { source, url, note, unverified } = origin;
        Some((name, source, url, note, unverified))
    });
    Ok(below.collect())
}

/// The ways to all figures in `fields`.
fn ways(fields: &Map<Value>, way: &str, found: &mut Vec<String>) {
    for (key, value) in fields {
        let way = if way.is_empty() { key.to_string() } else { format!("{way}.{key}") };
        match value {
            Value::Map(map) => ways(map, &way, found),
            _ => found.push(way),
        }
    }
}
