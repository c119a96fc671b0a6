//! `Unit`: a spelling, a dimension and an exact factor to base units.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, RwLock};

use crate::error::Cause;
use crate::{Dimension, Exponents, QuantityError, spelling, vocabulary};

/// A unit of the vocabulary or a compound of such units, such as `GB/s` or `USD/GB/month`.
///
/// Cheap to clone and to compare.
#[derive(Clone, Debug)]
pub struct Unit(Arc<Definition>);

#[derive(Debug, PartialEq)]
struct Definition {
    text: String,
    dimension: Exponents,
    factor: Factor,
    offset: f64,
}

/// A scale as numerator over denominator, so that milliseconds divide by 1000 exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factor {
    numerator: f64,
    denominator: f64,
}

/// Parsed units are remembered, up to a number that no honest input reaches.
const REMEMBERED: usize = 1024;
static KNOWN: LazyLock<RwLock<HashMap<Box<str>, Unit>>> = LazyLock::new(RwLock::default);

/// The unit of plain numbers, which every count has.
static NONE: LazyLock<Unit> = LazyLock::new(|| {
    let text = String::new();
    Unit(Arc::new(Definition { text, dimension: Exponents::NONE, factor: Factor::ONE, offset: 0.0 }))
});

impl Unit {
    /// Reads a unit expression in pint's compact or long form; the empty text is a plain number.
    ///
    /// ```
    /// use mlsysim_quantity::Unit;
    ///
    /// assert_eq!(Unit::parse("TB / s")?.to_string(), "TB/s");
    /// assert_eq!(Unit::parse("kilogram * meter ** 2")?.to_base(1.0), 1.0);
    /// assert!(Unit::parse("GB/fortnight").is_err());
    /// # Ok::<(), mlsysim_quantity::QuantityError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// An unknown unit, with the nearest known one; an expression that cannot be read.
    pub fn parse(text: &str) -> Result<Unit, QuantityError> {
        let text = text.trim();
        if let Ok(known) = KNOWN.read()
            && let Some(unit) = known.get(text)
        {
            return Ok(unit.clone());
        }
        let unit = Unit::build(text)?;
        if let Ok(mut known) = KNOWN.write()
            && known.len() < REMEMBERED
        {
            known.insert(text.into(), unit.clone());
        }
        Ok(unit)
    }

    /// The coherent unit of the dimension `D`.
    pub fn coherent<D: Dimension>() -> Unit {
        Unit(Arc::new(Definition {
            text: D::UNIT.to_string(),
            dimension: D::EXPONENTS,
            factor: Factor::ONE,
            offset: 0.0,
        }))
    }

    /// The unit of plain numbers.
    pub fn none() -> Unit {
        NONE.clone()
    }

    /// The spelling, empty for plain numbers.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What the unit measures.
    pub fn dimension(&self) -> Exponents {
        self.0.dimension
    }

    /// From a number of this unit to coherent base units.
    pub fn to_base(&self, value: f64) -> f64 {
        self.0.factor.apply(value) + self.0.offset
    }

    /// From coherent base units to a number of this unit.
    pub fn from_base(&self, base: f64) -> f64 {
        self.0.factor.inverse().apply(base - self.0.offset)
    }

    fn build(text: &str) -> Result<Unit, QuantityError> {
        let mut atoms = spelling::read(text)?;
        // As they are printed, so that the printed unit is this one to the last bit of its factor.
        atoms.sort_by_key(|atom| atom.halves < 0);
        let mut dimension = Exponents::NONE;
        let mut factor = Factor::ONE;
        let mut offset = 0.0;
        for atom in &atoms {
            let entry = vocabulary::find(&atom.name)?;
            if entry.offset != 0.0 {
                if atoms.len() > 1 || atom.halves != 2 {
                    let why = "a temperature with an offset stands alone; use its Δ unit here";
                    return Err(Cause::Malformed { unit: text.to_string(), why }.into());
                }
                offset = entry.offset;
            }
            let too_large = || Cause::Malformed { unit: text.to_string(), why: "its power is too large" };
            dimension = dimension.times(entry.dimension, atom.halves).ok_or_else(too_large)?;
            factor = factor.times(entry.factor.power(atom.halves));
        }
        if !factor.apply(1.0).is_normal() {
            return Err(Cause::Malformed { unit: text.to_string(), why: "its factor is out of range" }.into());
        }
        let text = spelling::print(&atoms);
        Ok(Unit(Arc::new(Definition { text, dimension, factor, offset })))
    }
}

impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl Factor {
    pub(crate) const ONE: Factor = Factor { numerator: 1.0, denominator: 1.0 };

    /// A ratio in lowest terms where both sides are whole.
    pub(crate) fn ratio(numerator: f64, denominator: f64) -> Self {
        let whole = |value: f64| value.fract() == 0.0 && (1.0..9e15).contains(&value);
        if whole(numerator) && whole(denominator) {
            let (mut a, mut b) = (numerator, denominator);
            while b != 0.0 {
                (a, b) = (b, a % b);
            }
            return Factor { numerator: numerator / a, denominator: denominator / a };
        }
        Factor { numerator, denominator }
    }

    /// The exact ratio of a decimal literal: `1e-3` is 1 over 1000.
    pub(crate) fn decimal(literal: &str) -> Option<Self> {
        let (mantissa, exponent) = match literal.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (literal, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: f64 = format!("{whole}{fraction}").parse().ok()?;
        let shift = exponent - i32::try_from(fraction.len()).ok()?;
        let power = 10f64.powi(shift.abs());
        Some(if shift < 0 { Factor::ratio(digits, power) } else { Factor::ratio(digits * power, 1.0) })
    }

    pub(crate) fn times(self, other: Factor) -> Self {
        Factor::ratio(self.numerator * other.numerator, self.denominator * other.denominator)
    }

    pub(crate) fn is_below_one(self) -> bool {
        self.numerator < self.denominator
    }

    pub(crate) fn inverse(self) -> Self {
        Factor { numerator: self.denominator, denominator: self.numerator }
    }

    /// This factor to the power `halves` / 2.
    pub(crate) fn power(self, halves: i8) -> Self {
        let base = if halves < 0 { self.inverse() } else { self };
        let halves = i32::from(halves).abs();
        let raise = |value: f64| {
            if halves % 2 == 0 { value.powi(halves / 2) } else { value.sqrt().powi(halves) }
        };
        Factor::ratio(raise(base.numerator), raise(base.denominator))
    }

    fn apply(self, value: f64) -> f64 {
        value * self.numerator / self.denominator
    }
}
