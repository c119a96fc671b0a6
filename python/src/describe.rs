//! Descriptions as plain Python data, of which Python makes classes.

use mlsysim::registry::RECORDS;
use mlsysim::{Description, Library, library};
use mlsysim_scenario::{Family, Field, Output, Type};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::instance::Place;
use crate::values::to_python;

/// Every type: its name, its family, its group or the name of its result, and its other names.
#[pyfunction]
pub fn types() -> Vec<(&'static str, &'static str, &'static str, Vec<&'static str>)> {
    let records = RECORDS.iter().map(|describe| describe());
    let row = |description: &'static Description| {
        let (family, of) = family(description.family);
        (description.name, family, of, description.aliases.to_vec())
    };
    library().catalogue().chain(records).map(row).collect()
}

/// The description of the type called `name`.
#[pyfunction]
pub fn describe<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let description = library().description(name).ok_or_else(|| PyKeyError::new_err(name.to_string()))?;
    let (family, of) = family(description.family);
    let dict = PyDict::new(py);
    dict.set_item("name", description.name)?;
    dict.set_item("family", family)?;
    dict.set_item("of", of)?;
    dict.set_item("doc", description.doc.body())?;
    for section in ["Assumptions", "Excludes", "Derivation"] {
        dict.set_item(section.to_lowercase(), description.doc.section(section))?;
    }
    dict.set_item("fields", list(py, description.fields.iter().map(|field| described_field(py, field)))?)?;
    let outputs = description.results().map(|(_, output)| described_output(py, output));
    dict.set_item("outputs", list(py, outputs)?)?;
    Ok(dict)
}

fn family(family: Family) -> (&'static str, &'static str) {
    match family {
        Family::Scenario(group) => ("scenario", group),
        Family::Solver(result) => ("solver", result),
        Family::Record => ("record", ""),
        Family::Result => ("result", ""),
    }
}

fn described_field<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", field.name)?;
    dict.set_item("doc", field.doc.body())?;
    dict.set_item("type", field.value.python())?;
    dict.set_item("unit", unit(field.unit, &field.value))?;
    dict.set_item("range", field.range.phrase(field.value.coherent_unit()))?;
    dict.set_item("required", field.default.is_none())?;
    if let Some(default) = field.default {
        dict.set_item("default", to_python(py, default(), &Place::Nowhere)?)?;
    }
    Ok(dict)
}

fn described_output<'py>(py: Python<'py>, output: &Output) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", output.name)?;
    dict.set_item("doc", output.doc.body())?;
    dict.set_item("errors", output.doc.section("Errors"))?;
    dict.set_item("type", output.value.python())?;
    dict.set_item("unit", unit(output.unit, &output.value))?;
    dict.set_item("equation", output.equation.text)?;
    dict.set_item("source", output.source)?;
    let arguments = output.arguments.iter().map(|argument| {
        let dict = PyDict::new(py);
        dict.set_item("name", argument.field.name)?;
        dict.set_item("type", argument.field.value.python())?;
        dict.set_item("required", !matches!(argument.field.value, Type::Optional(_)))?;
        dict.set_item("keys", argument.keys)?;
        Ok(dict)
    });
    dict.set_item("arguments", list(py, arguments)?)?;
    dict.set_item("method", output.is_method())?;
    Ok(dict)
}

/// The unit in which a value is stated; empty for plain numbers.
fn unit<'a>(stated: &'a str, value: &Type) -> &'a str {
    if stated.is_empty() { value.coherent_unit() } else { stated }
}

fn list<'py>(
    py: Python<'py>,
    items: impl Iterator<Item = PyResult<Bound<'py, PyDict>>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}
