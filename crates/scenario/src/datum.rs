//! `Datum`: the types that inputs and outputs may have, and their way to and from values.

use std::sync::Arc;

use indexmap::IndexMap;
use mlsysim_quantity::{Dimension, DynQuantity, NamedDimension, Quantity, QuantityError, Unit};

use crate::arithmetic::LARGEST_COUNT;
use crate::description::with_article;
use crate::{Define, Error, Family, Field, Map, Name, Object, Result, Type, Value};

mod integer;
mod refusal;

use refusal::{filled, measured, refuse, shown, unlike, within};
pub(crate) use refusal::{needs_one_of, written_out};

/// A type that an input or an output may have.
pub trait Datum: Sized {
    /// The type, for pages, schemas and stubs.
    const TYPE: Type;

    /// Reads a value from the edge and checks it against the range that `field` states.
    ///
    /// # Errors
    ///
    /// The value is of another type or dimension, or out of the range.
    fn from_value(value: Value, field: &Field) -> Result<Self>;

    /// The value for the edge, quantities in `unit` if that is theirs.
    fn to_value(&self, unit: &Unit) -> Value;

    /// Whether the value is in the field's range.
    ///
    /// # Errors
    ///
    /// The value is out of the range, which the message states.
    fn check(&self, field: &Field) -> Result<()>;
}

/// What an equation may return: a value, or why there is none.
pub trait Produce {
    /// The type of the value.
    const PRODUCES: Type;
    /// Whether there may be none.
    const FALLIBLE: bool = false;

    /// The value with its quantities in `unit`.
    ///
    /// # Errors
    ///
    /// There is no value, or the arithmetic left the finite numbers.
    fn produce(self, unit: &Unit) -> Result<Value>;
}

impl<T: Datum> Produce for T {
    const PRODUCES: Type = T::TYPE;

    fn produce(self, unit: &Unit) -> Result<Value> {
        let value = self.to_value(unit);
        finite(&value)?;
        Ok(value)
    }
}

impl<T: Datum> Produce for Result<T> {
    const PRODUCES: Type = T::TYPE;
    const FALLIBLE: bool = true;

    fn produce(self, unit: &Unit) -> Result<Value> {
        self?.produce(unit)
    }
}

/// A text that stands in the code: the name of what binds, say.
impl Produce for &'static str {
    const PRODUCES: Type = Type::Text;

    fn produce(self, _unit: &Unit) -> Result<Value> {
        Ok(Value::text(self))
    }
}

/// The reason why a value is no answer: it is not a number, or beyond all numbers.
fn finite(value: &Value) -> Result<()> {
    let number = match value {
        Value::Number(number) => *number,
        Value::Quantity(quantity) => quantity.value(),
        Value::List(items) => return items.iter().try_for_each(finite),
        Value::Map(map) => return map.values().try_for_each(finite),
        Value::Object(object) if matches!(object.description().family, Family::Result | Family::Record) => {
            let fields = object.description().fields.iter().enumerate();
            return fields.map(|(index, field)| (field.name, object.item().field(index))).try_for_each(
                |(name, value)| {
                    finite(&value).map_err(|error| Error::absent(format!("`{name}` is {}", error.message())))
                },
            );
        }
        _ => return Ok(()),
    };
    if number.is_nan() {
        Err(Error::absent("undefined for these inputs: the equation divides zero by zero"))
    } else if number.is_infinite() {
        Err(Error::absent("without bound for these inputs: the equation divides by zero or overflows"))
    } else {
        Ok(())
    }
}

/// The quantity that a value is or spells.
fn quantity(value: &Value) -> Option<std::result::Result<DynQuantity, QuantityError>> {
    match value {
        Value::Quantity(quantity) => Some(Ok(quantity.clone())),
        Value::Integer(integer) => Some(Ok(DynQuantity::new(*integer as f64, Unit::none()))),
        Value::Number(number) => Some(Ok(DynQuantity::new(*number, Unit::none()))),
        Value::Text(text) => Some(text.parse()),
        _ => None,
    }
}

impl<D: Dimension> Datum for Quantity<D> {
    const TYPE: Type = Type::Quantity(NamedDimension::of::<D>());

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        match quantity(&value) {
            // An infinity or the lack of a number is what is wrong, not that it has no unit.
            _ if matches!(value, Value::Number(number) if !number.is_finite()) => {
                Err(refuse(&Self::TYPE, field, &value))
            }
            Some(quantity) => {
                // A quantity of another dimension has an example of its own.
                let unit = if field.unit.is_empty() && quantity.is_err() { D::UNIT } else { field.unit };
                let typed = quantity.and_then(|quantity| Quantity::try_from(&quantity));
                let typed: Self =
                    typed.map_err(|error| Error::unplaced(error.suggesting(unit).to_string()))?;
                within(typed.base(), typed, &Self::TYPE, field, &value)
            }
            None => Err(unlike(&Self::TYPE, field, &value)),
        }
    }

    fn to_value(&self, unit: &Unit) -> Value {
        Value::Quantity(self.to_dynamic(unit))
    }

    fn check(&self, field: &Field) -> Result<()> {
        within(self.base(), (), &Self::TYPE, field, &constant(self))
    }
}

impl Datum for f64 {
    const TYPE: Type = Type::Number;

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        match (&value, quantity(&value)) {
            (Value::Text(_), Some(Err(_))) | (_, None) => Err(refuse(&Self::TYPE, field, &value)),
            (_, Some(quantity)) => {
                let quantity = quantity.map_err(|error| Error::unplaced(error.to_string()))?;
                let plain = quantity.plain().map_err(|_| measured(&Self::TYPE, field, &quantity, &value))?;
                within(plain, plain, &Self::TYPE, field, &value)
            }
        }
    }

    fn to_value(&self, _unit: &Unit) -> Value {
        Value::Number(*self)
    }

    fn check(&self, field: &Field) -> Result<()> {
        within(*self, (), &Self::TYPE, field, &Value::Number(*self))
    }
}

/// The number that a count is given as; tokens and parameters may carry their unit.
fn counting(needed: &Type, field: &Field, value: &Value) -> Result<f64> {
    match (value, quantity(value)) {
        (Value::Text(_), Some(Err(_))) | (_, None) => Err(refuse(needed, field, value)),
        (_, Some(quantity)) => {
            let quantity = quantity.map_err(|error| Error::unplaced(error.to_string()))?;
            quantity.count().map_err(|_| measured(needed, field, &quantity, value))
        }
    }
}

impl Datum for u64 {
    const TYPE: Type = Type::Count;

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        let number = counting(&Self::TYPE, field, &value)?;
        if number.fract() == 0.0 && (0.0..=LARGEST_COUNT).contains(&number) {
            return within(number, number as u64, &Self::TYPE, field, &value);
        }
        if number.is_finite() && number > LARGEST_COUNT {
            let message = format!(
                "a whole number of at most {LARGEST_COUNT} is needed, but {} was given",
                shown(&value)
            );
            return Err(Error::unplaced(message));
        }
        Err(refuse(&Self::TYPE, field, &value))
    }

    fn to_value(&self, _unit: &Unit) -> Value {
        i64::try_from(*self).map_or(Value::Number(*self as f64), Value::Integer)
    }

    fn check(&self, field: &Field) -> Result<()> {
        within(*self as f64, (), &Self::TYPE, field, &constant(self))
    }
}

impl Datum for bool {
    const TYPE: Type = Type::Flag;

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        match value {
            Value::Bool(flag) => Ok(flag),
            other => Err(refuse(&Self::TYPE, field, &other)),
        }
    }

    fn to_value(&self, _unit: &Unit) -> Value {
        Value::Bool(*self)
    }

    fn check(&self, _field: &Field) -> Result<()> {
        Ok(())
    }
}

impl Datum for Name {
    const TYPE: Type = Type::Text;

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        match value {
            Value::Text(text) => {
                text.check(field)?;
                Ok(text)
            }
            other => Err(refuse(&Self::TYPE, field, &other)),
        }
    }

    fn to_value(&self, _unit: &Unit) -> Value {
        Value::Text(self.clone())
    }

    fn check(&self, field: &Field) -> Result<()> {
        if field.range.nonempty && self.trim().is_empty() {
            return Err(refuse(&Self::TYPE, field, &self.to_value(&Unit::none())));
        }
        Ok(())
    }
}

impl<T: Datum> Datum for Option<T> {
    const TYPE: Type = Type::Optional(&T::TYPE);

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        match value {
            Value::Null => Ok(None),
            some => T::from_value(some, field).map(Some),
        }
    }

    fn to_value(&self, unit: &Unit) -> Value {
        self.as_ref().map_or(Value::Null, |some| some.to_value(unit))
    }

    fn check(&self, field: &Field) -> Result<()> {
        self.as_ref().map_or(Ok(()), |some| some.check(field))
    }
}

impl<T: Datum> Datum for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        let Value::List(items) = value else {
            return Err(refuse(&Self::TYPE, field, &value));
        };
        let read =
            |(index, item)| T::from_value(item, field).map_err(|error| error.within(&format!("[{index}]")));
        let typed: Self = items.into_iter().enumerate().map(read).collect::<Result<_>>()?;
        filled(typed.is_empty(), typed, &Self::TYPE, field)
    }

    fn to_value(&self, unit: &Unit) -> Value {
        Value::List(self.iter().map(|item| item.to_value(unit)).collect())
    }

    fn check(&self, field: &Field) -> Result<()> {
        filled(self.is_empty(), (), &Self::TYPE, field)?;
        let check = |(index, item): (usize, &T)| {
            item.check(field).map_err(|error| error.within(&format!("[{index}]")))
        };
        self.iter().enumerate().try_for_each(check)
    }
}

impl<T: Datum> Datum for Map<T> {
    const TYPE: Type = Type::Map(&T::TYPE);

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        let Value::Map(map) = value else {
            return Err(refuse(&Self::TYPE, field, &value));
        };
        let mut typed = IndexMap::with_capacity(map.len());
        for (key, item) in map {
            let item = T::from_value(item, field).map_err(|error| error.within(&key))?;
            typed.insert(key, item);
        }
        filled(typed.is_empty(), typed, &Self::TYPE, field)
    }

    fn to_value(&self, unit: &Unit) -> Value {
        Value::Map(self.iter().map(|(key, item)| (key.clone(), item.to_value(unit))).collect())
    }

    fn check(&self, field: &Field) -> Result<()> {
        filled(self.is_empty(), (), &Self::TYPE, field)?;
        let check = |(key, item): (&Name, &T)| item.check(field).map_err(|error| error.within(key));
        self.iter().try_for_each(check)
    }
}

/// Records and scenarios as inputs of others.
impl<T: Define> Datum for Arc<T> {
    const TYPE: Type = Type::Object(T::describe);

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        match &value {
            Value::Object(object) => match object.downcast::<T>() {
                Some(typed) => Ok(typed),
                None => {
                    let needed = Self::TYPE.phrase(&field.range);
                    let found = with_article(object.description().name);
                    Err(Error::unplaced(format!("{needed} is needed, but `{value}` is {found}")))
                }
            },
            Value::Map(fields) => {
                let mut inputs = crate::Inputs::new(T::describe(), fields.clone(), &crate::NoLibrary)?;
                T::build(&mut inputs).map(Arc::new)
            }
            _ => Err(refuse(&Self::TYPE, field, &value)),
        }
    }

    fn to_value(&self, _unit: &Unit) -> Value {
        Value::Object(Object::new(self.clone()))
    }

    fn check(&self, _field: &Field) -> Result<()> {
        T::clone(self).checked().map(drop)
    }
}

/// A constant as a value in its coherent unit, for derivations.
pub fn constant<T: Datum>(value: &T) -> Value {
    let unit = Unit::parse(T::TYPE.coherent_unit()).unwrap_or_else(|_| Unit::none());
    value.to_value(&unit)
}
