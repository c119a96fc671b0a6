//! Searches of layouts, seen from Python.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mlsysim::Error;
use mlsysim::search::{Found, PlanFile, PlanQuestion, Search};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{OrRefuse, refused};
use crate::measurements::Files;
use crate::transformer::PyTransformer;
use crate::values::map_from_python;

/// How often Python is asked whether somebody wants to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// What is planned, as a file or options state it.
#[pyclass(frozen, name = "PlanFile", module = "mlsysim._mlsysim")]
pub struct PyPlanFile(PlanFile);

#[pymethods]
impl PyPlanFile {
    /// What the text of the file called `name` states, in YAML or in TOML.
    #[staticmethod]
    fn read(py: Python<'_>, text: &str, name: &str, is_yaml: bool) -> PyResult<Self> {
        let read = if is_yaml { PlanFile::from_yaml(text) } else { PlanFile::from_toml(text) };
        let in_file = |error: Error| {
            let place = error.place().map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
            let field = error.field().map_or(String::new(), |field| format!("{field}: "));
            Error::malformed(format!("{name}{place}: {field}{}", error.message()))
        };
        read.map_err(in_file).or_refuse(py).map(PyPlanFile)
    }

    /// What options state, by their names.
    #[staticmethod]
    fn of(options: &Bound<'_, PyDict>) -> PyResult<Self> {
        PlanFile::from_options(map_from_python(options)?).or_refuse(options.py()).map(PyPlanFile)
    }

    /// The model, as it is named there.
    #[getter]
    fn model(&self) -> &str {
        &self.0.model
    }
}

/// Why a search came to no end.
enum Stopped {
    /// A signal's handler raised this.
    Raised(PyErr),
    Refused(Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Stopped::Refused(error)
    }
}

/// The best layouts of what `file` states for `model`, by the files of a calibration, as a JSON object's
/// text.
///
/// The search runs beside Python's threads, and ends when a signal's handler raises.
#[pyfunction]
pub fn plan(
    py: Python<'_>,
    file: &Bound<'_, PyPlanFile>,
    model: &Bound<'_, PyTransformer>,
    exhaustive: bool,
    calibration: HashMap<String, String>,
) -> PyResult<String> {
    let (file, model) = (&file.get().0, model.get().model());
    let report = py.detach(|| -> Result<String, Stopped> {
        let mut question = PlanQuestion::new(file, model.clone())?;
        question.plan.calibrations = Files(calibration).calibrations()?.map(Arc::new);
        let found = question.search(|search| watched(search, exhaustive))?;
        Ok(question.told(found)?.report().to_string())
    });
    report.map_err(|stopped| match stopped {
        Stopped::Raised(raised) => raised,
        Stopped::Refused(error) => refused(py, &error),
    })
}

/// What `search` finds, unless a signal's handler raises before.
fn watched(search: &Search, exhaustive: bool) -> Result<Found, Stopped> {
    std::thread::scope(|scope| {
        let work = scope.spawn(|| if exhaustive { search.exhaustive() } else { search.pruned() });
        let (mut raised, mut glance) = (None, Duration::from_millis(1));
        while !work.is_finished() {
            std::thread::sleep(glance);
            glance = (2 * glance).min(GLANCE);
            if raised.is_none() {
                raised = Python::attach(|py| py.check_signals()).err();
                search.progress().stop.store(raised.is_some(), Ordering::Relaxed);
            }
        }
        let found = work.join();
        match (raised, found) {
            (Some(raised), _) => Err(Stopped::Raised(raised)),
            (None, Ok(found)) => Ok(found),
            (None, Err(_)) => {
                Err(Stopped::Raised(PyRuntimeError::new_err("the search ended before its time")))
            }
        }
    })
}
