//! `Value`: anything that stands at the edge of a scenario, as it was written.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use mlsysim_quantity::{DynQuantity, format_number};

use crate::datum::written_out;
use crate::{Description, Error, Item, Result, Type};

/// A short text that is cheap to clone: a name, a key, a precision.
pub type Name = Arc<str>;

/// An input by name, in the order in which the author wrote it.
pub type Map<V> = IndexMap<Name, V>;

/// A value at the edge: what a file, a command line or a program gives, and what it gets back.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: an optional input that is not set.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number; as an input it may be infinite, as an output never.
    Number(f64),
    /// A text, which may turn out to be a quantity: `"0.3 ms"`.
    Text(Name),
    /// A number with its unit.
    Quantity(DynQuantity),
    /// Several values in order.
    List(Vec<Value>),
    /// Values by name, in order.
    Map(Map<Value>),
    /// The dotted path of a registry entry, a figure in it or a named case.
    Reference(Name),
    /// A record spelled out: its type's name and its fields.
    Structure(Name, Map<Value>),
    /// A record, a scenario or a result.
    Object(Object),
}

/// A record, scenario or result, with the registry path that it came from, if any.
#[derive(Clone, Debug)]
pub struct Object {
    path: Option<Name>,
    item: Arc<dyn Item>,
}

impl Object {
    /// An object that no registry holds.
    pub fn new(item: Arc<dyn Item>) -> Self {
        Object { path: None, item }
    }

    /// The entry at `path` of a registry.
    pub fn at(path: impl Into<Name>, item: Arc<dyn Item>) -> Self {
        Object { path: Some(path.into()), item }
    }

    /// The registry path, such as `Hardware.Cloud.H100`.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// What the object is.
    pub fn item(&self) -> &Arc<dyn Item> {
        &self.item
    }

    /// The description of the object's type.
    pub fn description(&self) -> &'static Description {
        self.item.description()
    }

    /// The field or output called `name`, or nothing if the type has none.
    pub fn get(&self, name: &str) -> Option<crate::Result<Value>> {
        let description = self.description();
        if let Some(index) = description.fields.iter().position(|field| field.name == name) {
            return Some(Ok(self.item.field(index)));
        }
        let index = description.outputs().iter().position(|output| output.name == name)?;
        Some(self.item.output(index, &[]))
    }

    /// The typed form, if the object is a `T`.
    pub fn downcast<T: Item>(&self) -> Option<Arc<T>> {
        self.item.clone().as_any().downcast::<T>().ok()
    }
}

/// Objects are equal if they are of one type with equal fields; where they came from is no part of it.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let (one, two) = (self.description(), other.description());
        std::ptr::eq(one, two)
            && (0..one.fields.len()).all(|index| self.item.field(index) == other.item.field(index))
    }
}

impl Value {
    /// A text value.
    pub fn text(text: impl AsRef<str>) -> Self {
        Value::Text(text.as_ref().into())
    }

    /// Whether the value is [`Value::Null`].
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The value of an unquoted text, as on a command line: a number, `true`, a `@reference`,
    /// a JSON object or list, a quantity, or else a text.
    pub fn from_argument(text: &str) -> Self {
        let trimmed = text.trim();
        if let Some(path) = trimmed.strip_prefix('@') {
            return Value::Reference(path.into());
        }
        let json = trimmed.starts_with(['{', '[']) || matches!(trimmed, "true" | "false" | "null");
        if json && let Ok(value) = serde_json::from_str(trimmed) {
            return value;
        }
        if let Ok(integer) = trimmed.parse::<i64>() {
            return Value::Integer(integer);
        }
        match trimmed.parse::<f64>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::text(trimmed),
        }
    }

    /// The same as [`whole`](Value::whole), where `name` needs one.
    ///
    /// ```
    /// use mlsysim_scenario::Value;
    ///
    /// let error = Value::from_argument("32k").needed_whole("answer").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "answer: a whole number is needed, but `32k` was given; write `32000` or `32768`",
    /// );
    /// ```
    ///
    /// # Errors
    ///
    /// It is none. The field is `name`.
    pub fn needed_whole(&self, name: &str) -> Result<u64> {
        self.whole().ok_or_else(|| {
            let hint = written_out(&Type::Count, self);
            Error::input(name, format!("a whole number is needed, but `{self}` was given{hint}"))
        })
    }

    /// The whole number that this is, from 0 to 2⁵³, however it is written; nothing where it is none.
    ///
    /// ```
    /// use mlsysim_scenario::Value;
    ///
    /// let [written, short, half] = ["1000", "1e3", "0.5"].map(Value::from_argument);
    /// assert_eq!((written.whole(), short.whole(), half.whole()), (Some(1000), Some(1000), None));
    /// ```
    pub fn whole(&self) -> Option<u64> {
        const LARGEST: u64 = 1 << 53;
        match self {
            Value::Integer(number) => u64::try_from(*number).ok(),
            Value::Number(number) if number.fract() == 0.0 && *number >= 0.0 => Some(*number as u64),
            _ => None,
        }
        .filter(|number| *number <= LARGEST)
    }
}

/// The value as it would be written in an error message.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Number(value) => f.write_str(&format_number(*value)),
            Value::Text(text) => f.write_str(text),
            Value::Quantity(quantity) => write!(f, "{quantity}"),
            Value::Reference(path) => write!(f, "@{path}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
            Value::Map(map) => write_map(f, map),
            Value::Structure(name, fields) => {
                f.write_str(name)?;
                write_map(f, fields)
            }
            Value::Object(object) => match object.path() {
                Some(path) => write!(f, "@{path}"),
                None => f.write_str(object.description().name),
            },
        }
    }
}

fn write_map(f: &mut fmt::Formatter<'_>, map: &Map<Value>) -> fmt::Result {
    f.write_str("{")?;
    for (index, (key, value)) in map.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{key}: {value}")?;
    }
    f.write_str("}")
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Number(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<Map<Value>> for Value {
    fn from(map: Map<Value>) -> Self {
        Value::Map(map)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Value::List(items)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::text(text)
    }
}

impl From<DynQuantity> for Value {
    fn from(quantity: DynQuantity) -> Self {
        Value::Quantity(quantity)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Value::Object(object)
    }
}
