//! `Library`: where references and type names lead to.

use mlsysim_quantity::{DynQuantity, Unit};

use crate::{Description, Error, Inputs, Map, Result, Value};

/// Resolves the dotted paths of registry entries, figures and named cases.
pub trait Library: Sync {
    /// What stands at `path`: an entry, a figure in it or a named case.
    ///
    /// # Errors
    ///
    /// Nothing stands there.
    fn value(&self, path: &str) -> Result<Value>;

    /// The type called `name`.
    fn description(&self, name: &str) -> Option<&'static Description>;

    /// The message that there is no scenario type called `name`.
    fn unknown_type(&self, name: &str) -> String {
        format!("there is no scenario type `{name}`")
    }

    /// The message that there is no type called `name` that a value could be of.
    fn unknown_structure(&self, name: &str) -> String {
        format!("there is no type `{name}`")
    }

    /// Where the figure at `path` comes from, if the library knows.
    fn origin(&self, path: &str) -> Option<Origin>;
}

/// Where a figure comes from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Origin {
    /// The source: title, and authors or publisher where known.
    pub source: String,
    /// Where the source can be read.
    pub url: Option<String>,
    /// What a reader should know about the figure.
    pub note: Option<String>,
    /// Whether nobody has seen the figure in its source.
    pub unverified: bool,
}

/// A library without entries, for scenarios that are given everything in numbers.
pub struct NoLibrary;

impl Library for NoLibrary {
    fn value(&self, path: &str) -> Result<Value> {
        Err(Error::unknown(format!("`{path}` cannot be looked up: there is no registry here")))
    }

    fn description(&self, _name: &str) -> Option<&'static Description> {
        None
    }

    fn origin(&self, _path: &str) -> Option<Origin> {
        None
    }
}

/// The same value with every reference followed and every structure and quantity built.
///
/// # Errors
///
/// A reference to nothing, a structure of an unknown type or with wrong fields, an unknown unit.
pub fn resolve(library: &dyn Library, value: Value) -> Result<Value> {
    Ok(match value {
        Value::Reference(path) => library.value(&path)?,
        Value::Text(text) if text.starts_with('@') => library.value(&text[1..])?,
        Value::Structure(name, fields) => {
            let Some(description) = library.description(&name) else {
                return Err(Error::unknown(library.unknown_structure(&name)));
            };
            let mut inputs = Inputs::new(description, fields, library)?;
            Value::Object((description.build)(&mut inputs)?)
        }
        Value::List(items) => {
            let resolve_at =
                |(index, item)| resolve(library, item).map_err(|error| error.within(&format!("[{index}]")));
            Value::List(items.into_iter().enumerate().map(resolve_at).collect::<Result<_>>()?)
        }
        Value::Map(map) => match quantity(&map) {
            Some(quantity) => quantity?,
            None => {
                let mut resolved = Map::with_capacity(map.len());
                for (key, item) in map {
                    let item = resolve(library, item).map_err(|error| error.within(&key))?;
                    resolved.insert(key, item);
                }
                Value::Map(resolved)
            }
        },
        plain => plain,
    })
}

/// A map of just a number and a unit is a quantity.
fn quantity(map: &Map<Value>) -> Option<Result<Value>> {
    if map.len() != 2 {
        return None;
    }
    let (value, Value::Text(unit)) = (map.get("value")?, map.get("unit")?) else { return None };
    let number = match value {
        Value::Integer(integer) => *integer as f64,
        Value::Number(number) => *number,
        _ => return None,
    };
    let unit = Unit::parse(unit).map_err(|error| Error::unplaced(error.to_string()));
    Some(unit.map(|unit| Value::Quantity(DynQuantity::new(number, unit))))
}
