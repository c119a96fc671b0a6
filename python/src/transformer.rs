//! Transformers and their accounts, seen from Python.

use mlsysim::machine::{Figures, Machine, Wiring};
use mlsysim::registry::Workload;
use mlsysim::transformer::{
    Accounting, Division, Layout, Line, MemoryPolicy, Placed, PlacedLine, Step, Transformer,
};
use mlsysim::{Define, Error, Map, Name, Result, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::OrRefuse;
use crate::instance::{Instance, Place};
use crate::values::{from_python, map_from_python, to_python};

/// A model, read from its configuration.
#[pyclass(frozen, name = "Transformer", module = "mlsysim._mlsysim")]
pub struct PyTransformer(Transformer);

#[pymethods]
impl PyTransformer {
    /// The model that the text of a configuration describes, called `name`.
    #[staticmethod]
    fn from_config(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let mut model = Transformer::from_config(text).or_refuse(py)?;
        if model.name.is_empty() {
            model.name = Name::from(name);
        }
        Ok(PyTransformer(model))
    }

    /// The model of the registry at `path`.
    #[staticmethod]
    fn named(py: Python<'_>, path: &str) -> PyResult<Self> {
        Transformer::named(path).or_refuse(py).map(PyTransformer)
    }

    /// The model that a workload's configuration describes.
    #[staticmethod]
    fn of(py: Python<'_>, workload: &Bound<'_, Instance>) -> PyResult<Self> {
        let object = workload.get().object();
        match object.downcast::<Workload>() {
            Some(workload) => Transformer::of(&workload).or_refuse(py).map(PyTransformer),
            None => Err(PyTypeError::new_err(format!("a {} is no model", object.description().name))),
        }
    }

    /// The names of a layout's degrees.
    #[staticmethod]
    fn degrees() -> Vec<&'static str> {
        Layout::describe().fields.iter().map(|field| field.name).collect()
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What is counted of it alone.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.0.summary(), &Place::Nowhere)
    }

    /// The account of a step on a layout, which is a text or degrees by name; with `on` of a step on the
    /// machine that it describes.
    #[pyo3(signature = (layout, inputs, stage, on=None))]
    fn account(
        slf: &Bound<'_, Self>,
        layout: &Bound<'_, PyAny>,
        inputs: &Bound<'_, PyDict>,
        stage: &Bound<'_, PyAny>,
        on: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyAccount> {
        let py = slf.py();
        let (layout, step) = slf.get().step(py, layout, inputs)?;
        let stage = whole("stage", &from_python(stage)?).or_refuse(py)?;
        let placement = on.map(placement).transpose()?;
        let mut account = PyAccount { model: slf.clone().unbind(), layout, step, stage: 0, placement };
        account.stage = account
            .with(|accounting, placed| match (stage, placed) {
                (Some(stage), _) => accounting.account(stage).map(|account| account.stage),
                (None, Some(placed)) => Ok(placed.slowest),
                (None, None) => Ok(accounting.fullest_stage()),
            })
            .or_refuse(py)?;
        Ok(account)
    }
}

impl PyTransformer {
    /// The model itself.
    pub fn model(&self) -> &Transformer {
        &self.0
    }

    /// The layout, which is a text or degrees by name, and the step.
    pub fn step(
        &self,
        py: Python<'_>,
        layout: &Bound<'_, PyAny>,
        inputs: &Bound<'_, PyDict>,
    ) -> PyResult<(Layout, Step)> {
        let layout = degrees_of(layout)?.and_then(Layout::from_inputs).or_refuse(py)?;
        let step = Step::with_defaults(map_from_python(inputs)?, &self.0, &layout).or_refuse(py)?;
        Ok((layout, step))
    }
}

/// The degrees of a layout, which is a text or degrees by name, not yet checked.
pub fn degrees_of(layout: &Bound<'_, PyAny>) -> PyResult<Result<Map<Value>>> {
    match layout.cast::<PyString>() {
        Ok(text) => Ok(Layout::inputs(&text.to_string_lossy())),
        Err(_) => Ok(Ok(map_from_python(layout.cast::<PyDict>()?)?)),
    }
}

/// The machine that `on` describes: by its name `on`, how many `nodes`, the `fabric` between them, its
/// `wiring` and the figures that it is to `state`; and how the `memory` of its devices is used.
pub fn placement(on: &Bound<'_, PyDict>) -> PyResult<(Machine, MemoryPolicy)> {
    let py = on.py();
    let text = |name: &str| -> PyResult<Option<String>> {
        let given = on.get_item(name)?;
        Ok(given
            .map(|given| given.cast_into::<PyString>())
            .transpose()?
            .map(|text| text.to_string_lossy().into()))
    };
    let nodes = on.get_item("nodes")?.map(|nodes| from_python(&nodes)).transpose()?.unwrap_or(Value::Null);
    let nodes = whole("nodes", &nodes).or_refuse(py)?;
    let wiring = match on.get_item("wiring")? {
        None => Ok(Wiring::default()),
        Some(given) => match given.cast::<PyString>() {
            Ok(text) => Wiring::parse(&text.to_string_lossy()),
            Err(_) => Wiring::from_inputs(map_from_python(given.cast::<PyDict>()?)?),
        },
    };
    let wiring = wiring.map_err(|error| error.within("wiring")).or_refuse(py)?;
    let (system, fabric) = (text("on")?.unwrap_or_default(), text("fabric")?);
    let figures = match on.get_item("state")? {
        None => Ok(Figures::default()),
        Some(given) => Figures::of_names(map_from_python(given.cast::<PyDict>()?)?),
    };
    let figures = figures.map_err(|error| error.within("state")).or_refuse(py)?;
    let machine = Machine::stated(&system, nodes, fabric.as_deref(), &wiring, &figures).or_refuse(py)?;
    let policy = on.get_item("memory")?.map(|given| map_from_python(given.cast::<PyDict>()?)).transpose()?;
    let policy = policy.unwrap_or_default();
    let policy = MemoryPolicy::from_inputs(policy).map_err(|error| error.within("memory"));
    Ok((machine, policy.or_refuse(py)?))
}

/// What one rank of a layout holds, computes, moves and sends in a step.
#[pyclass(frozen, name = "Account", module = "mlsysim._mlsysim")]
pub struct PyAccount {
    model: Py<PyTransformer>,
    layout: Layout,
    step: Step,
    stage: u64,
    /// What it runs on, and how the memory of that is used.
    placement: Option<(Machine, MemoryPolicy)>,
}

#[pymethods]
impl PyAccount {
    /// Everything that the account tells, as nested dicts.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = self.with(|accounting, placed| {
            let account = accounting.account(self.stage)?;
            match placed {
                Some(placed) => placed.report(&account),
                None => accounting.report(&account),
            }
        });
        to_python(py, plain(report.or_refuse(py)?), &Place::Nowhere)
    }

    /// The names of the totals that are not zero.
    fn totals(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let account = self.with(|accounting, _| accounting.account(self.stage)).or_refuse(py)?;
        let placed = self.placement.iter().flat_map(|_| [PlacedLine::Memory(None), PlacedLine::Bound(None)]);
        Ok(Line::totals(&account).into_iter().map(Line::name).chain(placed.map(PlacedLine::name)).collect())
    }

    /// How the line called `name` comes about: as text, and as a JSON object's text.
    fn explain(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<(String, String)> {
        let name = name.to_string_lossy();
        let derived = self.with(|accounting, placed| match placed {
            Some(placed) if PlacedLine::is_meant(&name) => placed.explain(PlacedLine::parse(&name)?),
            None if PlacedLine::is_meant(&name) => {
                PlacedLine::parse(&name)?;
                Err(Error::input("on", format!("`{name}` is a line of a step on a machine; give `on`")))
            }
            _ => Ok(accounting.explain(&accounting.account(self.stage)?, Line::parse(&name)?)),
        });
        let derived = derived.or_refuse(py)?;
        let data =
            serde_json::to_string(&derived).map_err(|error| PyTypeError::new_err(error.to_string()))?;
        Ok((derived.to_string(), data))
    }
}

impl PyAccount {
    /// What `ask` finds in the accounting of the step, and on its machine.
    fn with<T>(&self, ask: impl FnOnce(&Accounting<'_>, Option<&Placed<'_>>) -> Result<T>) -> Result<T> {
        let division = Division::new(&self.model.get().0, &self.layout)?;
        let accounting = Accounting::new(&division, &self.step)?;
        let placement = self.placement.as_ref();
        let placed = placement.map(|(machine, policy)| Placed::new(&accounting, machine, policy)).transpose();
        // An input of the policy was given within `memory`.
        let placed = placed.map_err(|error| match error.field() {
            Some("recompute_layers") => error.within("memory"),
            _ => error,
        })?;
        ask(&accounting, placed.as_ref())
    }
}

/// The whole number that `value` is, if it is set.
pub fn whole(field: &str, value: &Value) -> Result<Option<u64>> {
    match value {
        Value::Null => Ok(None),
        other => other.needed_whole(field).map(Some),
    }
}

/// The value with the fields of records as dicts; Python has no classes for a layout and a step.
pub fn plain(value: Value) -> Value {
    match value {
        Value::Map(map) => Value::Map(map.into_iter().map(|(key, value)| (key, plain(value))).collect()),
        Value::Object(object) if object.path().is_none() => {
            let fields = object.description().fields.iter().enumerate();
            let named = fields.map(|(index, field)| (Name::from(field.name), object.item().field(index)));
            Value::Map(named.collect::<Map<Value>>())
        }
        other => other,
    }
}
