//! Steps at each degree of tensor parallelism, seen from Python.

use std::collections::HashMap;

use mlsysim::Value;
use mlsysim::predict::{Asked, CalibrationSet, Degrees, Practice, StatedDegrees};
use mlsysim::transformer::{MemoryPolicy, Step};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::OrRefuse;
use crate::forecast::{Manner, given_practice};
use crate::instance::{Instance, Place};
use crate::measurements::Files;
use crate::transformer::{PyTransformer, degrees_of, placement, plain, whole};
use crate::values::{from_python, map_from_python, to_python};

/// What is told of degrees, and the next one with the reason why it is none.
type Told<'py> = (Bound<'py, PyAny>, Option<(u64, String)>);

/// A step of `model` at each degree, with the other degrees of a layout, on a machine, by the files of a
/// calibration: everything that is told of it, and the next degree with the reason why it is none.
#[pyfunction]
pub fn degrees<'py>(
    model: &Bound<'py, PyTransformer>,
    layout: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyDict>,
    practice: &Bound<'py, PyAny>,
    terms: &Bound<'py, PyDict>,
    on: &Bound<'py, PyDict>,
    calibration: HashMap<String, String>,
) -> PyResult<Told<'py>> {
    let (py, model) = (model.py(), model.get());
    let layout = Degrees::layout(degrees_of(layout)?.or_refuse(py)?).or_refuse(py)?;
    let step = Step::with_defaults(map_from_python(inputs)?, model.model(), &layout).or_refuse(py)?;
    let Manner { machine, policy, engine, terms, given } = Manner::of(practice, &step, terms, on)?;
    let own = Files(calibration).calibrations().or_refuse(py)?;
    let calibrations = match &own {
        Some(own) => own,
        None => CalibrationSet::shipped().or_refuse(py)?,
    };
    let degrees =
        Degrees::new(model.model(), &layout, &step, &machine, &policy, &engine, terms, calibrations)
            .map_err(|error| Practice::as_written(error, &given, ["precision", "kv_precision"]))
            .or_refuse(py)?;
    let refused = degrees.refused.as_ref().map(|(tp, error)| (*tp, error.to_string()));
    Ok((to_python(py, plain(degrees.report()), &Place::Nowhere)?, refused))
}

/// A case that states the times of a layer, at each degree, beside its predicted twin; model, machine, batch
/// and sequence take the place of what it implies.
#[pyfunction]
pub fn stated_degrees<'py>(
    scenario: &Bound<'py, PyAny>,
    model: Option<&Bound<'py, PyTransformer>>,
    inputs: &Bound<'py, PyDict>,
    practice: &Bound<'py, PyAny>,
    on: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = scenario.py();
    let named;
    let case = match scenario.cast::<Instance>() {
        Ok(instance) => instance.get().case()?,
        Err(_) => {
            named = mlsysim::library().case(&scenario.cast::<PyString>()?.to_string_lossy()).or_refuse(py)?;
            &named
        }
    };
    let number = |name: &str| {
        let value = inputs.get_item(name)?.map(|value| from_python(&value)).transpose()?;
        whole(name, &value.unwrap_or(Value::Null)).or_refuse(py)
    };
    let (usual, policy) = (Step::training(1, 1), MemoryPolicy::default());
    let practice = Practice::of(given_practice(practice)?, &usual, &policy);
    let asked = Asked {
        model: model.map(|model| model.get().model().clone()),
        machine: on.map(placement).transpose()?.map(|(machine, _)| machine),
        batch: number("batch")?,
        sequence: number("sequence")?,
        practice: practice.or_refuse(py)?,
    };
    let degrees = StatedDegrees::of(case, &asked).or_refuse(py)?;
    to_python(py, plain(degrees.report()), &Place::Nowhere)
}
