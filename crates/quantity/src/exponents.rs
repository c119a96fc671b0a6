//! `Exponents`: a dimension at run time, as powers of the base dimensions.

use std::fmt;

/// How many base dimensions there are.
pub(crate) const BASES: usize = 11;

/// The base dimensions in the order of the table, with light behind them for the units of lamps.
pub(crate) const BASE_NAMES: [&str; BASES] = [
    "time",
    "information",
    "flop",
    "parameter",
    "token",
    "money",
    "length",
    "mass",
    "temperature",
    "current",
    "luminosity",
];

const TOKEN: usize = 4;
const PARAMETER: usize = 3;

/// Powers of the base dimensions, in halves so that `Hz⁰⋅⁵` has one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Exponents([i8; BASES]);

impl Exponents {
    /// No dimension: a plain number.
    pub const NONE: Exponents = Exponents([0; BASES]);

    /// Whole powers of the first base dimensions.
    pub const fn whole<const N: usize>(powers: [i8; N]) -> Self {
        let mut halves = [0; BASES];
        let mut index = 0;
        while index < N {
            halves[index] = 2 * powers[index];
            index += 1;
        }
        Exponents(halves)
    }

    /// The base dimension of that name, such as `time`.
    pub(crate) fn base(name: &str) -> Option<Self> {
        let index = BASE_NAMES.iter().position(|base| *base == name)?;
        let mut halves = [0; BASES];
        halves[index] = 2;
        Some(Exponents(halves))
    }

    /// This dimension times another one raised to `halves` / 2, or nothing if that overflows or
    /// leaves the half-integers.
    pub(crate) fn times(self, other: Exponents, halves: i8) -> Option<Self> {
        let mut sum = self.0;
        for (total, power) in sum.iter_mut().zip(other.0) {
            let product = i16::from(power) * i16::from(halves);
            if product % 2 != 0 {
                return None;
            }
            *total = i8::try_from(i16::from(*total) + product / 2).ok()?;
        }
        Some(Exponents(sum))
    }

    /// Whether this is a plain number.
    pub fn is_none(self) -> bool {
        self == Exponents::NONE
    }

    /// The base dimensions that take part, by name, each with its power.
    pub fn powers(self) -> impl Iterator<Item = (&'static str, f64)> {
        let taking_part = BASE_NAMES.into_iter().zip(self.0).filter(|(_, halves)| *halves != 0);
        taking_part.map(|(name, halves)| (name, f64::from(halves) / 2.0))
    }

    /// The same dimension with tokens and parameters taken as plain counts.
    ///
    /// At the edges a count may come without its unit: `1/s` for tokens a second, `B` for bytes
    /// per parameter. Bytes, FLOPs, money and time never may.
    pub fn without_counts(self) -> Self {
        let mut powers = self.0;
        powers[TOKEN] = 0;
        powers[PARAMETER] = 0;
        Exponents(powers)
    }
}

/// The named dimension if there is one, else the powers: `time⁻²`.
impl fmt::Display for Exponents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("a plain number");
        }
        if let Some(row) = crate::dimension::ALL.iter().find(|row| row.exponents == *self) {
            return f.write_str(row.name);
        }
        let mut first = true;
        for (name, halves) in BASE_NAMES.iter().zip(self.0).filter(|(_, halves)| *halves != 0) {
            if !first {
                f.write_str("·")?;
            }
            first = false;
            write!(f, "{name}{}", crate::spelling::superscript(halves))?;
        }
        Ok(())
    }
}
