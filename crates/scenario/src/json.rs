//! Values as JSON, in the form of the golden records.
//!
//! A quantity is `{"value": …, "unit": …}`, an entry `{"ref": path}`, a record or result
//! `{"type": …, "fields": …}`, an infinity `{"nonfinite": "inf"}`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::{Error, ErrorKind, Field, Map, Name, Object, Value};

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

/// What is said of a key that stands more than once in an object.
pub(crate) const TWICE: &str = " is given twice";

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Number(value as f64), Value::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::with_capacity(items.size_hint().unwrap_or(0).min(1024));
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, value)) = entries.next_entry::<Name, Value>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("`{key}`{TWICE}")));
            }
            map.insert(key, value);
        }
        Ok(Value::from_entries(map))
    }
}

impl Value {
    /// What a JSON object means by its keys: a reference, an infinity, a record or a plain map.
    pub fn from_entries(map: Map<Value>) -> Value {
        recognised(map)
    }
}

fn recognised(mut map: Map<Value>) -> Value {
    if map.len() == 1 {
        match map.first() {
            Some((key, Value::Text(path))) if &**key == "ref" => return Value::Reference(path.clone()),
            Some((key, Value::Text(word))) if &**key == "nonfinite" => {
                let number = match &**word {
                    "inf" => f64::INFINITY,
                    "-inf" => f64::NEG_INFINITY,
                    _ => f64::NAN,
                };
                return Value::Number(number);
            }
            Some((key, Value::List(items))) if &**key == "set" => return Value::List(items.clone()),
            _ => {}
        }
    }
    let structure = matches!(map.get("type"), Some(Value::Text(_)))
        && matches!(map.get("fields"), Some(Value::Map(_)))
        && map.keys().all(|key| matches!(&**key, "type" | "fields" | "derived"));
    if structure
        && let (Some(Value::Text(name)), Some(Value::Map(fields))) =
            (map.swap_remove("type"), map.swap_remove("fields"))
    {
        return Value::Structure(name, fields);
    }
    Value::Map(map)
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Integer(value) => serializer.serialize_i64(*value),
            Value::Number(value) if value.is_finite() => serializer.serialize_f64(*value),
            Value::Number(value) => {
                let word = if value.is_nan() {
                    "nan"
                } else if *value > 0.0 {
                    "inf"
                } else {
                    "-inf"
                };
                single(serializer, "nonfinite", word)
            }
            Value::Text(text) => serializer.serialize_str(text),
            Value::Quantity(quantity) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("value", &Value::Number(quantity.value()))?;
                map.serialize_entry("unit", quantity.unit().text())?;
                map.end()
            }
            Value::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Value::Map(map) => serializer.collect_map(map),
            Value::Reference(path) => single(serializer, "ref", path),
            Value::Structure(name, fields) => structure(serializer, name, fields),
            Value::Object(object) => match object.path() {
                Some(path) => single(serializer, "ref", path),
                None => structure(serializer, object.description().name, &Fields(object)),
            },
        }
    }
}

fn single<S: Serializer>(serializer: S, key: &str, text: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, text)?;
    map.end()
}

fn structure<S: Serializer>(serializer: S, name: &str, fields: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("type", name)?;
    map.serialize_entry("fields", fields)?;
    map.end()
}

/// The fields of an object by name.
struct Fields<'a>(&'a Object);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields: &'static [Field] = self.0.description().fields;
        let item = self.0.item();
        serializer
            .collect_map(fields.iter().enumerate().map(|(index, field)| (field.name, item.field(index))))
    }
}

/// `{"kind": …, "field": …, "message": …}`, the field only where an input is at fault.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = match self.kind() {
            ErrorKind::Input => "input",
            ErrorKind::Unknown => "unknown",
            ErrorKind::Absent => "absent",
            ErrorKind::Malformed => "malformed",
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", kind)?;
        if let Some(field) = self.field() {
            map.serialize_entry("field", field)?;
        }
        map.serialize_entry("message", self.message())?;
        map.end()
    }
}
