//! `Quantity`: one `f64` in coherent base units, and the arithmetic that its dimension allows.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::{DynQuantity, Exponents, Unit};

/// A number with a named dimension, held in that dimension's coherent base unit.
///
/// Sums need equal dimensions; products and quotients exist where the result is a named
/// dimension too, or a plain number. Anything else does not compile.
///
/// ```
/// use mlsysim_quantity::{Bandwidth, Bytes, Time, units::{GIGABYTE, MILLISECOND, SECOND}};
///
/// let link: Bandwidth = 450.0 * GIGABYTE / SECOND;
/// let payload: Bytes = 0.9 * GIGABYTE;
/// let transfer: Time = payload / link;
/// assert_eq!(transfer, 2.0 * MILLISECOND);
/// ```
///
/// Bytes per second and bytes do not add:
///
/// ```compile_fail
/// use mlsysim_quantity::units::{GIGABYTE, SECOND};
///
/// let nonsense = 450.0 * GIGABYTE / SECOND + GIGABYTE;
/// ```
pub struct Quantity<D> {
    base: f64,
    dimension: PhantomData<D>,
}

/// A named dimension: its name, its coherent unit and its exponents over the base dimensions.
pub trait Dimension: Copy + fmt::Debug + Send + Sync + 'static {
    /// The name as the table spells it, such as `Bandwidth`.
    const NAME: &'static str;
    /// The coherent unit, such as `B/s`.
    const UNIT: &'static str;
    /// What is measured, in a few words.
    const MEANING: &'static str;
    /// The exponents over the base dimensions.
    const EXPONENTS: Exponents;
}

/// A row of the dimension table as a value, for messages and documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedDimension {
    /// The name as the table spells it.
    pub name: &'static str,
    /// The coherent unit.
    pub unit: &'static str,
    /// What is measured, in a few words.
    pub meaning: &'static str,
    /// The exponents over the base dimensions.
    pub exponents: Exponents,
}

impl NamedDimension {
    /// The row of the dimension `D`.
    pub const fn of<D: Dimension>() -> Self {
        NamedDimension { name: D::NAME, unit: D::UNIT, meaning: D::MEANING, exponents: D::EXPONENTS }
    }
}

/// Dimensions whose product is a named dimension or a plain number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` × `{Right}` has no named dimension",
    label = "this product is neither a named dimension nor a plain number",
    note = "check the equation; if the product is meant, add a row to the `dimensions!` table"
)]
pub trait Times<Right> {
    /// The type of the product.
    type Output: Outcome;
}

/// Dimensions whose quotient is a named dimension or a plain number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` ÷ `{Right}` has no named dimension",
    label = "this quotient is neither a named dimension nor a plain number",
    note = "check the equation; if the quotient is meant, add a row to the `dimensions!` table"
)]
pub trait Per<Right> {
    /// The type of the quotient.
    type Output: Outcome;
}

/// Dimensions whose inverse is a named dimension.
#[diagnostic::on_unimplemented(
    message = "1 ÷ `{Self}` has no named dimension",
    label = "this inverse is no named dimension",
    note = "check the equation; if the inverse is meant, add a row to the `dimensions!` table"
)]
pub trait Inverse {
    /// The marker of the inverse.
    type Output;
}

/// What a product or quotient may be: a quantity or a plain number.
pub trait Outcome {
    /// Wraps a number in base units.
    fn from_base(base: f64) -> Self;
}

impl Outcome for f64 {
    #[inline]
    fn from_base(base: f64) -> Self {
        base
    }
}

impl<D> Outcome for Quantity<D> {
    #[inline]
    fn from_base(base: f64) -> Self {
        Quantity::from_base(base)
    }
}

impl<D> Quantity<D> {
    /// Nothing of this dimension.
    pub const ZERO: Self = Quantity::from_base(0.0);

    /// Wraps a number that is already in the coherent base unit.
    #[inline]
    pub const fn from_base(base: f64) -> Self {
        Quantity { base, dimension: PhantomData }
    }

    /// The number in the coherent base unit.
    #[inline]
    pub const fn base(self) -> f64 {
        self.base
    }

    /// The larger of two quantities.
    #[inline]
    pub fn max(self, other: Self) -> Self {
        Quantity::from_base(self.base.max(other.base))
    }

    /// The smaller of two quantities.
    #[inline]
    pub fn min(self, other: Self) -> Self {
        Quantity::from_base(self.base.min(other.base))
    }
}

impl<D: Dimension> Quantity<D> {
    /// The same quantity in `unit`, as a value that keeps its unit.
    ///
    /// A unit of another dimension falls back to the coherent unit, so that the answer is never
    /// a wrong number.
    pub fn to_dynamic(self, unit: &Unit) -> DynQuantity {
        if unit.dimension() == D::EXPONENTS {
            DynQuantity::new(unit.from_base(self.base), unit.clone())
        } else {
            DynQuantity::new(self.base, Unit::coherent::<D>())
        }
    }
}

impl<D> Clone for Quantity<D> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Quantity<D> {}

impl<D> Default for Quantity<D> {
    fn default() -> Self {
        Quantity::ZERO
    }
}

impl<D> PartialEq for Quantity<D> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base
    }
}

impl<D> PartialOrd for Quantity<D> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.base.partial_cmp(&other.base)
    }
}

impl<D: Dimension> fmt::Debug for Quantity<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.base, D::UNIT)
    }
}

impl<D: Dimension> fmt::Display for Quantity<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.base, f)?;
        write!(f, " {}", D::UNIT)
    }
}

impl<D> Add for Quantity<D> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Quantity::from_base(self.base + other.base)
    }
}

impl<D> AddAssign for Quantity<D> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.base += other.base;
    }
}

impl<D> Sub for Quantity<D> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Quantity::from_base(self.base - other.base)
    }
}

impl<D> Neg for Quantity<D> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Quantity::from_base(-self.base)
    }
}

impl<D> Sum for Quantity<D> {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        // From positive zero: `f64`'s own sum of nothing is −0.
        items.fold(Quantity::ZERO, Add::add)
    }
}

impl<'a, D: 'a> Sum<&'a Quantity<D>> for Quantity<D> {
    fn sum<I: Iterator<Item = &'a Self>>(items: I) -> Self {
        items.copied().sum()
    }
}

impl<D: Times<E>, E> Mul<Quantity<E>> for Quantity<D> {
    type Output = D::Output;
    #[inline]
    fn mul(self, other: Quantity<E>) -> D::Output {
        Outcome::from_base(self.base * other.base)
    }
}

impl<D: Per<E>, E> Div<Quantity<E>> for Quantity<D> {
    type Output = D::Output;
    #[inline]
    fn div(self, other: Quantity<E>) -> D::Output {
        Outcome::from_base(self.base / other.base)
    }
}

impl<D: Inverse> Div<Quantity<D>> for f64 {
    type Output = Quantity<D::Output>;
    #[inline]
    fn div(self, other: Quantity<D>) -> Quantity<D::Output> {
        Quantity::from_base(self / other.base)
    }
}

/// Counts as quantities of what they count.
macro_rules! counted {
    ($($quantity:ty),*) => {$(
        impl From<u64> for $quantity {
            #[inline]
            fn from(count: u64) -> Self {
                Quantity::from_base(count as f64)
            }
        }
    )*};
}

counted!(crate::Params, crate::Tokens);

/// Scaling by plain numbers and by counts, from either side.
macro_rules! scaling {
    ($($number:ty),*) => {$(
        impl<D> Mul<$number> for Quantity<D> {
            type Output = Self;
            #[inline]
            fn mul(self, factor: $number) -> Self {
                Quantity::from_base(self.base * factor as f64)
            }
        }

        impl<D> Mul<Quantity<D>> for $number {
            type Output = Quantity<D>;
            #[inline]
            fn mul(self, quantity: Quantity<D>) -> Quantity<D> {
                quantity * self
            }
        }

        impl<D> Div<$number> for Quantity<D> {
            type Output = Self;
            #[inline]
            fn div(self, divisor: $number) -> Self {
                Quantity::from_base(self.base / divisor as f64)
            }
        }
    )*};
}

scaling!(f64, u64);
