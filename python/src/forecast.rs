//! Predictions of steps, seen from Python.

use std::collections::HashMap;

use mlsysim::machine::Machine;
use mlsysim::predict::{CalibrationSet, Engine, Forecast, Practice, Served, Terms, Workload};
use mlsysim::transformer::{Accounting, Division, Layout, MemoryPolicy, Step};
use mlsysim::{Map, Result, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::error::OrRefuse;
use crate::instance::Place;
use crate::measurements::Files;
use crate::transformer::{PyTransformer, placement, plain, whole};
use crate::values::{from_python, map_from_python, to_python};

/// A step of a layout on a machine, as it is predicted.
#[pyclass(frozen, name = "Forecast", module = "mlsysim._mlsysim")]
pub struct PyForecast {
    model: Py<PyTransformer>,
    layout: Layout,
    step: Step,
    machine: Machine,
    policy: MemoryPolicy,
    engine: Engine,
    terms: Terms,
    workload: Option<Workload>,
    calibrations: Option<CalibrationSet>,
}

#[pymethods]
impl PyForecast {
    /// The forecast of a step of `model` on a layout, which is a text or degrees by name, on a machine by
    /// what says which; `practice` and `terms` are settings by name.
    #[staticmethod]
    #[pyo3(signature = (model, layout, inputs, practice, terms, on, answer=None, load=None, calibration=None))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of a Python call")]
    fn of(
        model: &Bound<'_, PyTransformer>,
        layout: &Bound<'_, PyAny>,
        inputs: &Bound<'_, PyDict>,
        practice: &Bound<'_, PyAny>,
        terms: &Bound<'_, PyDict>,
        on: &Bound<'_, PyDict>,
        answer: Option<&Bound<'_, PyAny>>,
        load: Option<&Bound<'_, PyAny>>,
        calibration: Option<HashMap<String, String>>,
    ) -> PyResult<Self> {
        let py = model.py();
        let (layout, mut step) = model.get().step(py, layout, inputs)?;
        let Manner { machine, policy, engine, terms, given } = Manner::of(practice, &step, terms, on)?;
        let number = |name: &str, value: Option<&Bound<'_, PyAny>>| {
            let value = value.map(from_python).transpose()?.unwrap_or(Value::Null);
            whole(name, &value).or_refuse(py)
        };
        let (prompt, batch) = (step.sequence, step.batch);
        let workload = match (number("answer", answer)?, load) {
            (None, _) => None,
            (Some(answer), None) => Some(Workload::StaticBatch { batch, prompt, answer }),
            // `True` is as many as fit.
            (Some(answer), Some(load)) => {
                let requests =
                    if load.is_instance_of::<PyBool>() { None } else { number("load", Some(load))? };
                Some(Workload::Load { prompt, answer, requests })
            }
        };
        if let Some(workload) = workload {
            let served =
                Served { model: model.get().model(), layout: &layout, machine: &machine, engine: &engine };
            step = served.last_step(workload, &step).or_refuse(py)?;
        }
        let forecast = PyForecast {
            model: model.clone().unbind(),
            layout,
            step,
            machine,
            policy,
            engine,
            terms,
            workload,
            calibrations: Files(calibration.unwrap_or_default()).calibrations().or_refuse(py)?,
        };
        // What cannot be predicted is refused here, not when it is first asked for.
        let told = forecast.with(|_| Ok(()));
        told.map_err(|error| Practice::as_written(error, &given, ["precision", "kv_precision"]))
            .or_refuse(py)?;
        Ok(forecast)
    }

    /// Everything that is predicted, as nested dicts.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = self.with(|forecast| forecast.report()).or_refuse(py)?;
        to_python(py, plain(report), &Place::Nowhere)
    }

    /// How the part at `path` comes about: as text, and as a JSON object's text.
    fn explain(&self, py: Python<'_>, path: &Bound<'_, PyString>) -> PyResult<(String, String)> {
        let path = path.to_string_lossy();
        let derived = self.with(|forecast| forecast.explain(&path)).or_refuse(py)?;
        let data =
            serde_json::to_string(&derived).map_err(|error| PyTypeError::new_err(error.to_string()))?;
        Ok((derived.to_string(), data))
    }
}

/// On which machine a step runs, and how.
pub struct Manner {
    pub machine: Machine,
    pub policy: MemoryPolicy,
    pub engine: Engine,
    pub terms: Terms,
    /// The practice, as it was given.
    pub given: Map<Value>,
}

impl Manner {
    /// The machine that `on` names, and what a framework does there of its own choice in `step`.
    pub fn of(
        practice: &Bound<'_, PyAny>,
        step: &Step,
        terms: &Bound<'_, PyDict>,
        on: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let py = on.py();
        let (machine, policy) = placement(on)?;
        let given = given_practice(practice)?;
        let (engine, policy) = Engine::of(&given, step, policy).or_refuse(py)?;
        let terms = Terms::of(map_from_python(terms)?).or_refuse(py)?;
        Ok(Manner { machine, policy, engine, terms, given })
    }
}

/// What a framework does of its own choice, which is a text or settings by name.
pub fn given_practice(practice: &Bound<'_, PyAny>) -> PyResult<Map<Value>> {
    match practice.cast::<PyString>() {
        Ok(text) => Practice::parse(&text.to_string_lossy()).or_refuse(practice.py()),
        Err(_) => map_from_python(practice.cast::<PyDict>()?),
    }
}

impl PyForecast {
    /// What `ask` finds in the forecast.
    fn with<T>(&self, ask: impl FnOnce(&Forecast<'_>) -> Result<T>) -> Result<T> {
        let division = Division::new(self.model.get().model(), &self.layout)?;
        let accounting = Accounting::new(&division, &self.step)?;
        let (machine, policy, engine, terms) = (&self.machine, &self.policy, &self.engine, self.terms);
        let calibrations = match &self.calibrations {
            Some(own) => own,
            None => CalibrationSet::shipped()?,
        };
        let forecast = match self.workload {
            None => Forecast::new(&accounting, machine, policy, engine, terms, calibrations),
            workload => {
                Forecast::serving(&accounting, machine, policy, engine, terms, calibrations, workload)
            }
        };
        let forecast = forecast.map_err(|error| match error.field() {
            Some("recompute_layers") => error.within("memory"),
            _ => error,
        })?;
        ask(&forecast)
    }
}
