//! `Kind`: what kind of number a value is.

use std::fmt;

/// What kind of number a value is.
///
/// In this order a derived value is of the last kind among its equation's and its inputs'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Counted: parameters, FLOPs, bytes.
    Exact,
    /// The speed of light: nothing can be faster.
    Bound,
    /// An input that somebody gave, or what follows from one.
    Stated,
    /// Measured.
    Measured,
    /// Physics with calibrated coefficients.
    Fitted,
}

impl Kind {
    /// The word for the kind.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::Bound => "bound",
            Kind::Stated => "stated",
            Kind::Measured => "measured",
            Kind::Fitted => "fitted",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
