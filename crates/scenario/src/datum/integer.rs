//! Whole numbers of either sign.

use mlsysim_quantity::Unit;

use super::{Datum, LARGEST_COUNT, measured, quantity, refuse, within};
use crate::{Field, Result, Type, Value, constant};

impl Datum for i64 {
    const TYPE: Type = Type::Integer;

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        let number = match (&value, quantity(&value)) {
            (Value::Text(_), Some(Err(_))) | (_, None) => return Err(refuse(&Self::TYPE, field, &value)),
            (_, Some(quantity)) => {
                let quantity = quantity?;
                quantity.count().map_err(|_| measured(&Self::TYPE, field, &quantity))?
            }
        };
        if number.fract() == 0.0 && number.abs() <= LARGEST_COUNT {
            return within(number, number as i64, &Self::TYPE, field, &value);
        }
        Err(refuse(&Self::TYPE, field, &value))
    }

    fn to_value(&self, _unit: &Unit) -> Value {
        Value::Integer(*self)
    }

    fn check(&self, field: &Field) -> Result<()> {
        within(*self as f64, (), &Self::TYPE, field, &constant(self))
    }
}
