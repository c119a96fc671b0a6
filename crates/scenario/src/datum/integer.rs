//! Whole numbers of either sign.

use mlsysim_quantity::Unit;

use super::{Datum, counting, refuse, within};
use crate::arithmetic::LARGEST_COUNT;
use crate::{Field, Result, Type, Value, constant};

impl Datum for i64 {
    const TYPE: Type = Type::Integer;

    fn from_value(value: Value, field: &Field) -> Result<Self> {
        let number = counting(&Self::TYPE, field, &value)?;
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
