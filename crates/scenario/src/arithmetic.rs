//! What equations do with numbers: rounding to counts, the ends of a list, and conditions.

use mlsysim_quantity::Quantity;

use crate::{Error, Map, Result};

/// Counts are exact in an `f64` up to here.
pub(crate) const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

/// A few roundings, relative: how far a quotient may be from the whole number that it is.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

/// Computed numbers rounded to counts.
pub trait Counting {
    /// The least whole number that is not below.
    ///
    /// A number that is whole but for a few roundings counts as whole: 57 over 0.57 × 100 is 1.
    ///
    /// # Errors
    ///
    /// The number is negative, not finite or too large to count.
    fn rounded_up(self) -> Result<u64>;

    /// The greatest whole number that is not above, with the same allowance for rounding.
    ///
    /// # Errors
    ///
    /// As for [`rounded_up`](Counting::rounded_up).
    fn rounded_down(self) -> Result<u64>;

    /// The number as a count; a fraction below a whole number is left out.
    ///
    /// # Errors
    ///
    /// As for [`rounded_up`](Counting::rounded_up).
    fn counted(self) -> Result<u64>;

    /// The number as a whole one, which may be negative; its fraction is left out.
    ///
    /// # Errors
    ///
    /// The number is not finite or too large to count.
    fn whole(self) -> Result<i64>;
}

impl Counting for f64 {
    fn rounded_up(self) -> Result<u64> {
        (self * (1.0 - ROUNDINGS)).ceil().counted()
    }

    fn rounded_down(self) -> Result<u64> {
        (self * (1.0 + ROUNDINGS)).floor().counted()
    }

    fn counted(self) -> Result<u64> {
        if (0.0..=LARGEST_COUNT).contains(&self) {
            Ok(self as u64)
        } else if self.is_nan() {
            Err(Error::absent("undefined for these inputs: the equation divides zero by zero"))
        } else if self < 0.0 {
            Err(Error::absent(format!("{self} counts nothing")))
        } else {
            Err(beyond())
        }
    }

    fn whole(self) -> Result<i64> {
        let size = self.abs().counted()? as i64;
        Ok(if self < 0.0 { -size } else { size })
    }
}

/// Products of counts.
pub trait CountProduct {
    /// The product of two counts.
    ///
    /// # Errors
    ///
    /// The product is larger than what can be counted exactly.
    fn times(self, other: u64) -> Result<u64>;

    /// The count multiplied by itself, `exponent` times in all.
    ///
    /// # Errors
    ///
    /// The power is larger than what can be counted exactly.
    fn to_the(self, exponent: u64) -> Result<u64>;
}

impl CountProduct for u64 {
    fn times(self, other: u64) -> Result<u64> {
        match self.checked_mul(other) {
            Some(product) if product as f64 <= LARGEST_COUNT => Ok(product),
            _ => Err(beyond()),
        }
    }

    fn to_the(self, exponent: u64) -> Result<u64> {
        let power = u32::try_from(exponent).ok().and_then(|exponent| self.checked_pow(exponent));
        // Nothing and one stay what they are, however high the power.
        let power = power.or_else(|| (self <= 1).then_some(self));
        power.filter(|power| *power as f64 <= LARGEST_COUNT).ok_or_else(beyond)
    }
}

fn beyond() -> Error {
    Error::absent("without bound for these inputs, or beyond what can be counted exactly")
}

/// The largest and the smallest entry of a list.
pub trait Extremes {
    /// The type of an entry.
    type Entry;

    /// The largest entry.
    ///
    /// # Errors
    ///
    /// The list is empty.
    fn largest(&self) -> Result<Self::Entry>;

    /// The smallest entry.
    ///
    /// # Errors
    ///
    /// The list is empty.
    fn smallest(&self) -> Result<Self::Entry>;
}

impl<T: Copy + PartialOrd> Extremes for [T] {
    type Entry = T;

    fn largest(&self) -> Result<T> {
        extreme(self, |found, entry| entry > found)
    }

    fn smallest(&self) -> Result<T> {
        extreme(self, |found, entry| entry < found)
    }
}

fn extreme<T: Copy>(list: &[T], better: impl Fn(&T, &T) -> bool) -> Result<T> {
    let pick = |found: T, entry: &T| if better(&found, entry) { *entry } else { found };
    let (first, rest) = list.split_first().ok_or_else(|| Error::absent("undefined for an empty list"))?;
    Ok(rest.iter().fold(*first, pick))
}

/// The sum over two maps of the products of what stands under the same key.
pub trait SumProduct<V> {
    /// The type of the sum.
    type Output;

    /// Each entry times the one of `other` under its key, all added up.
    fn sum_product(&self, other: &Map<V>) -> Self::Output;
}

impl SumProduct<f64> for Map<u64> {
    type Output = f64;

    fn sum_product(&self, other: &Map<f64>) -> f64 {
        let factor = |key| other.get(key).copied().unwrap_or(0.0);
        // From positive zero: `f64`'s own sum of nothing is −0.
        self.iter().fold(0.0, |sum, (key, count)| sum + *count as f64 * factor(key))
    }
}

impl<D> SumProduct<Quantity<D>> for Map<u64> {
    type Output = Quantity<D>;

    fn sum_product(&self, other: &Map<Quantity<D>>) -> Quantity<D> {
        let factor = |key| other.get(key).copied().unwrap_or(Quantity::ZERO);
        self.iter().map(|(key, count)| *count * factor(key)).sum()
    }
}

/// Equations that hold under a condition.
pub trait Provided: Sized {
    /// The value where the condition holds.
    ///
    /// # Errors
    ///
    /// The condition does not hold; `otherwise` says why there is no value then.
    fn provided(self, holds: bool, otherwise: &str) -> Result<Self>;
}

impl<T> Provided for T {
    fn provided(self, holds: bool, otherwise: &str) -> Result<Self> {
        if holds { Ok(self) } else { Err(Error::absent(otherwise)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_whole_but_for_roundings() {
        assert_eq!((57.0 / (0.57 * 100.0)).rounded_up(), Ok(1));
        assert_eq!((0.7 / 0.1).rounded_down(), Ok(7));
        assert_eq!(1.0001.rounded_up(), Ok(2));
        assert_eq!(0.0.rounded_up(), Ok(0));
        for undefined in [f64::NAN, f64::INFINITY, -1.5, 1e300] {
            assert!(undefined.rounded_up().is_err() && undefined.rounded_down().is_err());
        }
    }

    #[test]
    fn extremes_of_nothing_are_absent() {
        assert_eq!([2, 7, 5].largest(), Ok(7));
        assert_eq!([2.0, 1.0].smallest(), Ok(1.0));
        assert!(<[u64]>::largest(&[]).is_err());
    }
}
