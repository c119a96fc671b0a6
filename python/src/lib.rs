//! The extension module `mlsysim._mlsysim`: scenarios, entries and their values, without their types.
//!
//! Nothing here knows a single scenario. Python asks for a type's description and makes a class of
//! it; an [`Instance`](instance::Instance) builds and evaluates whatever type it is told.

mod degrees;
mod describe;
mod error;
mod forecast;
mod instance;
mod measurements;
mod plan;
mod registry;
mod restore;
mod transformer;
mod values;

use pyo3::prelude::*;
use pyo3::types::PyString;

/// What the package `mlsysim` is built on; not meant to be used by itself.
#[pymodule]
mod _mlsysim {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::degrees::{degrees, stated_degrees};
    #[pymodule_export]
    use crate::describe::{describe, types};
    #[pymodule_export]
    use crate::forecast::PyForecast;
    #[pymodule_export]
    use crate::instance::Instance;
    #[pymodule_export]
    use crate::measurements::{calibrate, validate};
    #[pymodule_export]
    use crate::plan::{PyPlanFile, plan};
    #[pymodule_export]
    use crate::registry::{about, case, case_names, entry, figure, figures, paths, sources};
    #[pymodule_export]
    use crate::restore::{restore_built, restore_entry, restore_part};
    #[pymodule_export]
    use crate::transformer::{PyAccount, PyTransformer};
    #[pymodule_export]
    use crate::{nearest, number, vocabulary};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("LONGEST_CONFIGURATION", mlsysim::transformer::configuration::LONGEST)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The units, in pint's syntax.
#[pyfunction]
fn vocabulary() -> &'static str {
    mlsysim::quantity::VOCABULARY
}

/// A number as briefly as it can be written without losing a bit.
#[pyfunction]
fn number(value: f64) -> String {
    mlsysim::quantity::format_number(value)
}

/// The candidate that `given` most likely meant.
///
/// Python's texts may hold what UTF-8 cannot spell, and a hint shall not fail because of it.
#[pyfunction]
fn nearest(given: &Bound<'_, PyString>, candidates: Vec<String>) -> Option<String> {
    let given = given.to_string_lossy();
    mlsysim::quantity::nearest(&given, candidates.iter().map(String::as_str)).map(str::to_string)
}
