//! Values on their way between Python and the core.
//!
//! In both directions a quantity is the pair of its number and its unit's text: Python makes pint
//! of it, and of pint. No quantity crosses as a bare number.

use mlsysim::{DynQuantity, Map, Name, Object, Unit, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::instance::{Instance, Place};

/// The value that Python gives.
pub fn from_python(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    // A bool is an int to Python, so it has to be asked for first.
    if let Ok(flag) = given.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if given.is_instance_of::<PyInt>() {
        // Beyond 64 bits no count is exact, and its range will refuse it.
        return match given.extract::<i64>() {
            Ok(integer) => Ok(Value::Integer(integer)),
            Err(_) => Ok(Value::Number(given.extract::<f64>().unwrap_or(f64::INFINITY))),
        };
    }
    if given.is_instance_of::<PyFloat>() {
        return given.extract().map(Value::Number);
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::text(text.to_cow()?));
    }
    if let Ok(instance) = given.cast::<Instance>() {
        return Ok(instance.get().as_input());
    }
    if let Ok(pair) = given.cast::<PyTuple>() {
        let (number, unit): (f64, String) = pair.extract()?;
        return Ok(quantity(number, &unit));
    }
    if let Ok(items) = given.cast::<PyList>() {
        return items.iter().map(|item| from_python(&item)).collect::<PyResult<_>>().map(Value::List);
    }
    if let Ok(entries) = given.cast::<PyDict>() {
        return map_from_python(entries).map(Value::from_entries);
    }
    Err(PyTypeError::new_err(format!("a value of the type {} is not understood", given.get_type().name()?)))
}

/// Values by name, as Python gives them.
///
/// A name that UTF-8 cannot spell is no input's, and the core says so; keys further in have been
/// checked by Python.
pub fn map_from_python(given: &Bound<'_, PyDict>) -> PyResult<Map<Value>> {
    let mut map = Map::with_capacity(given.len());
    for (key, value) in given.iter() {
        map.insert(key.cast::<PyString>()?.to_string_lossy().into(), from_python(&value)?);
    }
    Ok(map)
}

/// The quantity; in an unknown unit it stays as it was given, for the core to refuse by its field.
fn quantity(number: f64, unit: &str) -> Value {
    match Unit::parse(unit) {
        Ok(unit) => Value::Quantity(DynQuantity::new(number, unit)),
        Err(_) => Value::Map(Map::from_iter([
            ("value".into(), Value::Number(number)),
            ("unit".into(), Value::text(unit)),
        ])),
    }
}

/// The value for Python, objects in it at `place`.
pub fn to_python<'py>(py: Python<'py>, value: Value, place: &Place) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => Ok(PyBool::new(py, flag).to_owned().into_any()),
        Value::Integer(integer) => integer.into_pyobject(py).map(Bound::into_any).map_err(PyErr::from),
        Value::Number(number) => Ok(PyFloat::new(py, number).into_any()),
        Value::Text(text) | Value::Reference(text) => Ok(PyString::new(py, &text).into_any()),
        Value::Quantity(quantity) => {
            (quantity.value(), quantity.unit().text()).into_pyobject(py).map(Bound::into_any)
        }
        Value::List(items) => {
            let list = PyList::empty(py);
            for (index, item) in items.into_iter().enumerate() {
                list.append(to_python(py, item, &place.below(&index.to_string()))?)?;
            }
            Ok(list.into_any())
        }
        Value::Map(map) | Value::Structure(_, map) => {
            let dict = PyDict::new(py);
            for (key, item) in map {
                dict.set_item(&*key, to_python(py, item, &place.below(&key))?)?;
            }
            Ok(dict.into_any())
        }
        Value::Object(object) => Ok(Bound::new(py, Instance::at(object, place))?.into_any()),
    }
}

/// `given` where it is `typed` in another spelling, else `typed`.
///
/// An input is shown as it was written, `300 µs` rather than `0.3 ms`; but a text that spells a
/// number is shown as that number, and a count that lacked its unit gets it.
pub fn as_written(given: &Value, typed: Value) -> Value {
    match (given, typed) {
        (Value::Quantity(given), Value::Quantity(typed)) if given.dimension() == typed.dimension() => {
            Value::Quantity(given.clone())
        }
        (Value::Object(given), Value::Object(typed)) if *given == typed => Value::Object(given.clone()),
        (Value::List(given), Value::List(typed)) if given.len() == typed.len() => {
            Value::List(given.iter().zip(typed).map(|(given, typed)| as_written(given, typed)).collect())
        }
        (Value::Map(given), Value::Map(typed)) => {
            let read = |(key, typed): (Name, Value)| match given.get(&key) {
                Some(given) => (key, as_written(given, typed)),
                None => (key, typed),
            };
            Value::Map(typed.into_iter().map(read).collect())
        }
        (_, typed) => typed,
    }
}

/// The value at the end of `way` below `value`, by keys of maps and positions in lists.
pub fn below(value: Value, way: &[String]) -> Option<Object> {
    match (value, way) {
        (Value::Object(object), []) => Some(object),
        (Value::Map(mut map), [key, rest @ ..]) => below(map.swap_remove(key.as_str())?, rest),
        (Value::List(mut items), [index, rest @ ..]) => {
            let index = index.parse::<usize>().ok().filter(|index| *index < items.len())?;
            below(items.swap_remove(index), rest)
        }
        _ => None,
    }
}
