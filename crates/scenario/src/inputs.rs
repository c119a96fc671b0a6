//! `Inputs`: named values on their way into a definition.

use crate::error::{listed, suggestion};
use crate::library::resolve;
use crate::{Datum, Description, Error, Field, Library, Map, Result, Type, Value};

/// The values for one definition: known by name, resolved, not yet typed.
pub struct Inputs<'a> {
    description: &'static Description,
    values: Vec<Option<Value>>,
    library: &'a dyn Library,
}

impl<'a> Inputs<'a> {
    /// Sorts named values into the fields of `description` and follows their references.
    ///
    /// # Errors
    ///
    /// A name that the type does not have, with the nearest that it has; a reference to nothing.
    pub fn new(
        description: &'static Description,
        named: Map<Value>,
        library: &'a dyn Library,
    ) -> Result<Self> {
        let mut values: Vec<Option<Value>> = vec![None; description.fields.len()];
        for (name, value) in named {
            let Some((index, field)) = description.field(&name) else {
                return Err(unknown_field(description, &name));
            };
            let value = match (value, &field.value) {
                // Where an object is needed, a text can only be the path to one.
                (Value::Text(path), Type::Object(_)) => Value::Reference(path.trim_start_matches('@').into()),
                (value, _) => value,
            };
            let reference = if let Value::Reference(path) = &value { Some(path.clone()) } else { None };
            let value = resolve(library, value).map_err(|error| error.within(&name))?;
            if let (Value::Null, Some(path), false) = (&value, reference, is_optional(field)) {
                let needed = field.value.phrase(&field.range);
                return Err(Error::input(&*name, format!("{needed} is needed, but `@{path}` is not stated")));
            }
            values[index] = Some(value);
        }
        Ok(Inputs { description, values, library })
    }

    /// The resolved value of the field at `index`, its default where none was given.
    pub fn value(&self, index: usize) -> Value {
        let field = &self.description.fields[index];
        match (&self.values[index], field.default) {
            (Some(value), _) => spelled(value.clone(), &field.value),
            (None, Some(default)) => default(),
            (None, None) => Value::Null,
        }
    }

    /// Where references lead.
    pub fn library(&self) -> &dyn Library {
        self.library
    }

    /// Takes the field at `index` as a `T`, its default where none was given.
    ///
    /// # Errors
    ///
    /// The input is missing, of the wrong type or out of its range.
    pub fn take<T: Datum>(&mut self, index: usize) -> Result<T> {
        let field = &self.description.fields[index];
        let value = match (self.values[index].take(), field.default) {
            (Some(value), _) => value,
            (None, Some(default)) => default(),
            (None, None) => return Err(missing(self.description, field)),
        };
        T::from_value(value, field).map_err(|error| error.within(field.name))
    }
}

fn is_optional(field: &Field) -> bool {
    matches!(field.value, Type::Optional(_))
}

/// The same value with the quantities that its texts spell, where quantities are needed.
fn spelled(value: Value, needed: &Type) -> Value {
    match (value, needed) {
        (value, Type::Optional(needed)) => spelled(value, needed),
        (Value::Text(text), Type::Quantity(_)) => text.parse().map_or(Value::Text(text), Value::Quantity),
        (Value::List(items), Type::List(needed)) => {
            Value::List(items.into_iter().map(|item| spelled(item, needed)).collect())
        }
        (Value::Map(map), Type::Map(needed)) => {
            Value::Map(map.into_iter().map(|(key, item)| (key, spelled(item, needed))).collect())
        }
        (value, _) => value,
    }
}

fn unknown_field(description: &Description, name: &str) -> Error {
    let names = description.fields.iter().map(|field| field.name);
    let hint = suggestion(name, names);
    Error::input(name, format!("{} has no input of that name; {hint}", description.name))
}

fn missing(description: &Description, field: &Field) -> Error {
    let given: Vec<_> = description.fields.iter().filter(|field| field.default.is_none()).collect();
    let needed = field.value.phrase(&field.range);
    Error::input(
        field.name,
        format!(
            "{} needs this input, {needed}; it requires {}",
            description.name,
            listed(given.iter().map(|field| field.name))
        ),
    )
}
