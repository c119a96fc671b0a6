//! Refusals, as the exceptions of `mlsysim.errors`.

use mlsysim::{Error, ErrorKind};
use pyo3::prelude::*;

/// The exception for `error`, with its message, field and kind.
pub fn refused(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, error).unwrap_or_else(|failure| failure)
}

fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let (class, kind) = match error.kind() {
        ErrorKind::Absent => ("AbsentError", "absent"),
        ErrorKind::Unknown => ("ScenarioError", "unknown"),
        ErrorKind::Malformed => ("ScenarioError", "malformed"),
        _ => ("ScenarioError", "input"),
    };
    let class = py.import("mlsysim.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call1((error.message(), error.field(), kind))?))
}

/// A result of the core, with its error as a Python exception.
pub trait OrRefuse<T> {
    /// The value, or the exception.
    fn or_refuse(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRefuse<T> for mlsysim::Result<T> {
    fn or_refuse(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| refused(py, &error))
    }
}
