//! `DynQuantity`: a number and its unit as somebody wrote them.

use std::fmt;
use std::str::FromStr;

use crate::error::Cause;
use crate::number::split_number;
use crate::{Dimension, Exponents, NamedDimension, Quantity, QuantityError, Unit, format_number};

/// A number with a unit that is known only at run time, kept as it was written.
///
/// ```
/// use mlsysim_quantity::DynQuantity;
///
/// let rate: DynQuantity = "3.35 TB / s".parse()?;
/// assert_eq!(rate.to_string(), "3.35 TB/s");
/// assert_eq!(rate.base(), 3.35e12);
/// # Ok::<(), mlsysim_quantity::QuantityError>(())
/// ```
///
/// Decimal and binary prefixes keep their own meaning, and bits are not bytes:
///
/// ```
/// # use mlsysim_quantity::DynQuantity;
/// let base = |text: &str| text.parse::<DynQuantity>().map(|quantity| quantity.base());
/// assert_eq!(base("80 GiB")?, 85899345920.0);
/// assert_eq!(base("80 GB")?, 80e9);
/// assert_eq!(base("400 Gbps")?, base("50 GB/s")?);
/// # Ok::<(), mlsysim_quantity::QuantityError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DynQuantity {
    value: f64,
    unit: Unit,
}

impl DynQuantity {
    /// A number of `unit`.
    pub fn new(value: f64, unit: Unit) -> Self {
        DynQuantity { value, unit }
    }

    /// The number in front of the unit.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The unit as it was written.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// What is measured.
    pub fn dimension(&self) -> Exponents {
        self.unit.dimension()
    }

    /// The number in coherent base units.
    pub fn base(&self) -> f64 {
        self.unit.to_base(self.value)
    }

    /// The same quantity in another unit of the same dimension.
    ///
    /// Returns nothing where the dimensions differ.
    pub fn convert(&self, unit: &Unit) -> Option<DynQuantity> {
        if *unit == self.unit {
            return Some(self.clone());
        }
        let same = unit.dimension() == self.dimension();
        same.then(|| DynQuantity::new(unit.from_base(self.base()), unit.clone()))
    }

    /// The plain number that this is, where it has no dimension: `50 %` is 0.5.
    ///
    /// # Errors
    ///
    /// The quantity has a dimension.
    pub fn plain(&self) -> Result<f64, QuantityError> {
        if self.dimension().is_none() { Ok(self.base()) } else { Err(self.not_plain()) }
    }

    /// How many this is, where it counts something: `2048 token` is 2048.
    ///
    /// Tokens and parameters are counted; bytes and FLOPs are measured.
    ///
    /// # Errors
    ///
    /// The quantity has a dimension that is not counted.
    pub fn count(&self) -> Result<f64, QuantityError> {
        if self.dimension().without_counts().is_none() { Ok(self.base()) } else { Err(self.not_plain()) }
    }

    fn not_plain(&self) -> QuantityError {
        Cause::NotPlain { found: self.to_string(), dimension: self.dimension() }.into()
    }
}

/// The gate from a written quantity to a typed one.
///
/// A count may lack its unit (see [`Exponents::without_counts`]); every other mismatch is refused
/// with what was found, what is needed and an example.
impl<D: Dimension> TryFrom<&DynQuantity> for Quantity<D> {
    type Error = QuantityError;

    fn try_from(written: &DynQuantity) -> Result<Self, QuantityError> {
        let found = written.dimension();
        if found == D::EXPONENTS || found.without_counts() == D::EXPONENTS.without_counts() {
            return Ok(Quantity::from_base(written.base()));
        }
        let needed = NamedDimension::of::<D>();
        let (text, unit) = (written.to_string(), needed.unit.to_string());
        if written.unit.text().is_empty() {
            return Err(Cause::MissingUnit { found: text, needed, unit }.into());
        }
        let number = format_number(written.value);
        Err(Cause::WrongDimension { found: text, dimension: found, needed, number, unit }.into())
    }
}

impl FromStr for DynQuantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let trimmed = text.trim();
        let Some((value, rest)) = split_number(trimmed) else {
            let bare = trimmed.trim_start_matches(['+', '-']).to_lowercase();
            let shown = trimmed.to_string();
            return Err(match bare.split_whitespace().next() {
                Some("nan" | "inf" | "infinity" | "∞") => Cause::NotFinite { text: shown },
                _ => Cause::NoNumber { text: shown, unit: String::new() },
            }
            .into());
        };
        if rest.starts_with(',') {
            return Err(Cause::Comma { text: trimmed.to_string() }.into());
        }
        if !value.is_finite() {
            return Err(Cause::NotFinite { text: trimmed.to_string() }.into());
        }
        Ok(DynQuantity::new(value, Unit::parse(rest)?))
    }
}

impl fmt::Display for DynQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_number(self.value))?;
        if !self.unit.text().is_empty() {
            write!(f, " {}", self.unit)?;
        }
        Ok(())
    }
}
