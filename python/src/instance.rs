//! `Instance`: a scenario, solver, record or result, seen from Python.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use mlsysim::quantity::nearest;
use mlsysim::{Case, Derivation, Error, Library, Map, Object, Result, Value, library};
use mlsysim_scenario::listed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::error::{OrRefuse, refused};
use crate::restore::reduced;
use crate::values::{as_written, from_python, map_from_python, to_python};

/// An immutable instance of any described type.
#[pyclass(frozen, module = "mlsysim._mlsysim")]
pub struct Instance {
    object: Object,
    origin: Origin,
}

/// How an instance came about, which is how a pickle brings it back.
pub enum Origin {
    /// From inputs, which the case keeps as they were written.
    Built(Box<Case>),
    /// From the registry, by the object's path.
    Entry,
    /// From another instance: a field or an output of it.
    Part(Py<Instance>, Vec<String>),
    /// From a call, which nobody wrote down.
    Call,
}

/// Where a value was read, for the objects in it.
pub enum Place {
    /// Below an instance, along fields, keys and positions.
    Below(Py<Instance>, Vec<String>),
    /// Nowhere that could be found again.
    Nowhere,
}

impl Place {
    /// One step further.
    pub fn below(&self, step: &str) -> Place {
        match self {
            Place::Below(whole, way) => Python::attach(|py| {
                let way = way.iter().cloned().chain([step.to_string()]).collect();
                Place::Below(whole.clone_ref(py), way)
            }),
            Place::Nowhere => Place::Nowhere,
        }
    }
}

impl Instance {
    /// A case that was built from inputs.
    pub fn built(case: Case) -> Self {
        Instance { object: case.object(), origin: Origin::Built(Box::new(case)) }
    }

    /// `object`, which was read at `place`.
    pub fn at(object: Object, place: &Place) -> Self {
        if object.path().is_some() {
            return Instance { object, origin: Origin::Entry };
        }
        let Place::Below(whole, way) = place else { return Instance { object, origin: Origin::Call } };
        let parent = whole.get();
        match (&parent.origin, parent.object.path()) {
            // A part of an entry has a path of its own, by which it can be looked up.
            (Origin::Entry, Some(path)) => {
                let path = format!("{path}.{}", way.join("."));
                Instance { object: Object::at(path, object.item().clone()), origin: Origin::Entry }
            }
            _ => Python::attach(|py| Instance {
                object,
                origin: Origin::Part(whole.clone_ref(py), way.clone()),
            }),
        }
    }

    /// The instance as somebody else's input: by its path where it has one.
    pub fn as_input(&self) -> Value {
        match (self.object.path(), &self.origin) {
            (Some(path), _) => Value::Reference(path.into()),
            (None, Origin::Built(case)) => {
                Value::Structure(self.object.description().name.into(), case.written().clone())
            }
            (None, _) => Value::Object(self.object.clone()),
        }
    }

    /// What the instance is.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// How the instance came about.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The field or output called `name`, inputs as they were written.
    pub fn value(&self, name: &str) -> Result<Value> {
        let (description, item) = (self.object.description(), self.object.item());
        match description.field(name) {
            Some((index, _)) => Ok(match &self.origin {
                Origin::Built(case) => as_written(case.input(index), item.field(index)),
                _ => item.field(index),
            }),
            None if name == SOLVE => item.solved().unwrap_or_else(|| Err(description.unknown_output(name))),
            None => self.output(name, &[]),
        }
    }

    fn output(&self, name: &str, arguments: &[Value]) -> Result<Value> {
        let description = self.object.description();
        match description.output(name).filter(|(_, output)| !output.step) {
            Some((index, _)) => self.object.item().output(index, arguments),
            None => Err(description.unknown_output(name)),
        }
    }

    /// The derivation of an output; for a result, of the solver's output that it holds.
    fn derivation(&self, py: Python<'_>, name: &str, arguments: &[Value]) -> PyResult<Derivation> {
        let Origin::Part(whole, way) = &self.origin else {
            return Derivation::of_output(self.case()?, name, arguments, library()).or_refuse(py);
        };
        match way.as_slice() {
            [step] if step == SOLVE => whole.get().derivation(py, name, arguments),
            [output] => {
                let mut parts = whole.get().derivation(py, output, &[])?.parts;
                match parts.iter().position(|part| part.label == name) {
                    Some(index) => Ok(parts.swap_remove(index)),
                    None => Err(refused(py, &self.unknown(name, &parts))),
                }
            }
            _ => Err(self.not_built()),
        }
    }

    pub fn case(&self) -> PyResult<&Case> {
        match &self.origin {
            Origin::Built(case) => Ok(case),
            _ => Err(self.not_built()),
        }
    }

    /// The refusal of what is not among the outputs that a result holds.
    fn unknown(&self, name: &str, parts: &[Derivation]) -> Error {
        let labels = || parts.iter().map(|part| part.label.as_str());
        let hint = match nearest(name, labels()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", listed(labels())),
        };
        Error::unknown(format!("{} has no output `{name}`; {hint}", self.object.description().name))
    }

    fn not_built(&self) -> PyErr {
        PyTypeError::new_err(format!("this {} was not built from inputs", self.object.description().name))
    }
}

/// The step from a solver to its result.
pub const SOLVE: &str = "solve";

#[pymethods]
impl Instance {
    /// Builds the type called `kind` from `inputs`.
    #[new]
    fn new(py: Python<'_>, kind: &str, inputs: &Bound<'_, PyDict>) -> PyResult<Self> {
        let Some(described) = library().description(kind) else {
            return Err(PyTypeError::new_err(format!("there is no type {kind}")));
        };
        Case::new(described, map_from_python(inputs)?, library()).or_refuse(py).map(Instance::built)
    }

    /// The name of the type.
    #[getter]
    fn kind(&self) -> &'static str {
        self.object.description().name
    }

    /// The path in the registry.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.object.path()
    }

    /// What a case is, in a few words.
    #[getter]
    fn title(&self) -> &str {
        self.case().map_or("", |case| &case.title)
    }

    /// What a case says, in a sentence or two.
    #[getter]
    fn description(&self) -> &str {
        self.case().map_or("", |case| &case.description)
    }

    /// The field or output called `name`.
    fn read<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let value = slf.get().value(name).or_refuse(py)?;
        to_python(py, value, &Place::Below(slf.clone().unbind(), vec![name.to_string()]))
    }

    /// The output called `name` for `arguments`.
    #[pyo3(signature = (name, *arguments))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = resolved(arguments)?;
        let value = self.output(name, &arguments).or_refuse(py)?;
        to_python(py, value, &Place::Nowhere)
    }

    /// The same with some inputs changed; the title and description where they are given.
    #[pyo3(signature = (changes, title=None, description=None))]
    fn variant(
        &self,
        py: Python<'_>,
        changes: &Bound<'_, PyDict>,
        title: Option<&str>,
        description: Option<&str>,
    ) -> PyResult<Self> {
        let mut case = self.case()?.variant(map_from_python(changes)?, library()).or_refuse(py)?;
        if let Some(title) = title {
            (case.title, case.name) = (title.to_string(), None);
        }
        if let Some(description) = description {
            (case.description, case.name) = (description.to_string(), None);
        }
        Ok(Instance::built(case))
    }

    /// Every output, as the text of a JSON object.
    fn answer(&self) -> PyResult<String> {
        let case = self.case()?;
        let id = case.name.as_deref().map_or(serde_json::Value::Null, Into::into);
        json(&case.answer(id, &Map::new()))
    }

    /// How the output called `name` comes about: as text, and as a JSON object's text.
    #[pyo3(signature = (name, *arguments))]
    fn explain(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyString>,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<(String, String)> {
        let derived = self.derivation(py, &name.to_string_lossy(), &resolved(arguments)?)?;
        Ok((derived.to_string(), json(&derived)?))
    }

    /// What is remarkable: the outputs that each note is about, and the note.
    fn notes(&self) -> Vec<(Vec<&'static str>, String)> {
        let notes = self.object.item().notes();
        notes.into_iter().map(|note| (note.outputs.to_vec(), note.text)).collect()
    }

    /// For pickling.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(py, self)
    }

    /// Equal types with equal values, however they were written.
    fn __eq__(&self, other: &Self) -> bool {
        self.object == other.object
    }

    /// Equal instances have equal hashes.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        hash(&Value::Object(self.object.clone()), &mut hasher);
        hasher.finish()
    }
}

/// The arguments with references followed and units read.
fn resolved(arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<Value>> {
    let read = |argument: Bound<'_, PyAny>| {
        mlsysim_scenario::resolve(library(), from_python(&argument)?).or_refuse(argument.py())
    };
    arguments.iter().map(read).collect()
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyTypeError::new_err(error.to_string()))
}

/// Hashes a value so that equal ones agree: numbers by value, maps without regard to order.
fn hash(value: &Value, hasher: &mut DefaultHasher) {
    // Zero has two signs and one value.
    let bits = |number: f64| (number + 0.0).to_bits();
    match value {
        Value::Null => 0.hash(hasher),
        Value::Bool(flag) => flag.hash(hasher),
        Value::Integer(integer) => integer.hash(hasher),
        Value::Number(number) => bits(*number).hash(hasher),
        Value::Text(text) | Value::Reference(text) => text.hash(hasher),
        Value::Quantity(quantity) => bits(quantity.value()).hash(hasher),
        Value::List(items) => items.iter().for_each(|item| hash(item, hasher)),
        Value::Map(map) | Value::Structure(_, map) => {
            let entry = |(key, item): (&mlsysim::Name, &Value)| {
                let mut hasher = DefaultHasher::new();
                key.hash(&mut hasher);
                hash(item, &mut hasher);
                hasher.finish()
            };
            map.iter().map(entry).fold(0, u64::wrapping_add).hash(hasher);
        }
        Value::Object(object) => {
            let description = object.description();
            description.name.hash(hasher);
            (0..description.fields.len()).for_each(|index| hash(&object.item().field(index), hasher));
        }
    }
}
