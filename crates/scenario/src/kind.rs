//! `Kind`: what kind of number a value is.

use std::fmt;

/// What kind of number a value is.
///
/// In this order a derived value is of the last kind among its equation's and its inputs', save that
/// a bound of stated inputs is a bound (see [`of_inputs`](Kind::of_inputs)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Counted: parameters, FLOPs, bytes.
    Exact,
    /// An end that nothing passes if the inputs hold: no time is shorter, no count larger.
    Bound,
    /// An input that somebody gave, or what follows from one.
    Stated,
    /// Measured.
    Measured,
    /// Physics with calibrated coefficients.
    Fitted,
}

impl Kind {
    /// The kind of a number whose equation makes `self` of exact inputs, from inputs of the kind
    /// `inputs`.
    ///
    /// A bound stays one where its inputs are stated, a vendor's peak rate say. What is computed
    /// from a bound by an equation that is none is only stated.
    pub fn of_inputs(self, inputs: Kind) -> Kind {
        match (self, inputs) {
            (Kind::Bound, Kind::Exact | Kind::Bound | Kind::Stated) => Kind::Bound,
            (own, Kind::Bound) => own.max(Kind::Stated),
            (own, inputs) => own.max(inputs),
        }
    }

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
