//! Pickling: what brings an instance back.

use mlsysim::{Case, Library, Map, Object, Value, library};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::OrRefuse;
use crate::instance::{Instance, Origin, Place};
use crate::values::below;

/// What brings `instance` back: a function of this module and its arguments.
///
/// An entry and a named case are found again by path, the rest is built again from the inputs as
/// they were written.
pub fn reduced<'py>(py: Python<'py>, instance: &Instance) -> PyResult<Bound<'py, PyTuple>> {
    let module = py.import("mlsysim._mlsysim")?;
    let by = |function: &str, arguments: Bound<'py, PyTuple>| {
        (module.getattr(function)?, arguments).into_pyobject(py)
    };
    if let Some(path) = instance.object().path() {
        return by("restore_entry", (path,).into_pyobject(py)?);
    }
    match instance.origin() {
        Origin::Built(case) => {
            let written = serde_json::to_string(case.written());
            let written = written.map_err(|error| PyTypeError::new_err(error.to_string()))?;
            let kind = case.item().description().name;
            let said = (kind, written, &case.title, &case.description, &case.source, case.changed());
            by("restore_built", said.into_pyobject(py)?)
        }
        Origin::Part(whole, way) => by("restore_part", (whole.clone_ref(py), way.clone()).into_pyobject(py)?),
        Origin::Entry | Origin::Call => Err(PyTypeError::new_err("what a call returned cannot be pickled")),
    }
}

/// The instance that was built from inputs, given as the text of a JSON object.
#[pyfunction]
pub fn restore_built(
    py: Python<'_>,
    kind: &str,
    written: &str,
    title: String,
    description: String,
    source: Option<String>,
    changed: Vec<String>,
) -> PyResult<Instance> {
    let written: Map<Value> =
        serde_json::from_str(written).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let Some(described) = library().description(kind) else {
        return Err(PyValueError::new_err(format!("there is no type {kind}")));
    };
    let case = Case::new(described, written, library()).or_refuse(py)?;
    // An explanation names the source of the inputs, but not of those that a variant changed.
    Ok(Instance::built(case.with_origin(title, description, source, changed)))
}

/// The named case or entry at `path`, or a part of an entry.
#[pyfunction]
pub fn restore_entry(py: Python<'_>, path: &str) -> PyResult<Instance> {
    if let Some(name) = path.strip_prefix("Scenarios.") {
        return library().case(name).or_refuse(py).map(Instance::built);
    }
    match library().value(path).or_refuse(py)? {
        Value::Object(object) => Ok(Instance::at(Object::at(path, object.item().clone()), &Place::Nowhere)),
        _ => Err(PyValueError::new_err(format!("{path} is a figure, not an entry"))),
    }
}

/// The part of `whole` at the end of `way`.
#[pyfunction]
pub fn restore_part(py: Python<'_>, whole: Py<Instance>, way: Vec<String>) -> PyResult<Instance> {
    let lost = || PyValueError::new_err(format!("there is nothing at {}", way.join(".")));
    let (first, rest) = way.split_first().ok_or_else(lost)?;
    let value = whole.get().value(first).or_refuse(py)?;
    let object = below(value, rest).ok_or_else(lost)?;
    Ok(Instance::at(object, &Place::Below(whole, way.clone())))
}
