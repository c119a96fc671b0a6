//! `Range`: what an input may be, stated in its definition and checked when it is built.

use std::fmt;

/// The numbers that an input allows; for maps and lists, those of each element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lower end.
    pub lower: Option<Bound>,
    /// The upper end.
    pub upper: Option<Bound>,
    /// Whether a map, list or text must hold something.
    pub nonempty: bool,
    /// Whether an infinite value is meant to be possible.
    pub infinite: bool,
}

/// One end of a range, in base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The number at the end.
    pub at: f64,
    /// Whether the number itself is allowed.
    pub inclusive: bool,
}

impl Range {
    /// Any finite value.
    pub const ANY: Range = Range { lower: None, upper: None, nonempty: false, infinite: false };

    /// Whether `value` is allowed.
    pub fn contains(&self, value: f64) -> bool {
        let above = self.lower.is_none_or(|bound| value > bound.at || (bound.inclusive && value == bound.at));
        let below = self.upper.is_none_or(|bound| value < bound.at || (bound.inclusive && value == bound.at));
        above && below && (value.is_finite() || (self.infinite && !value.is_nan()))
    }

    /// The range in words, with `unit` behind the numbers: "above 0 and at most 1".
    ///
    /// Empty where any finite value is allowed.
    pub fn phrase(&self, unit: &str) -> String {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let mut words = Vec::new();
        if let Some(Bound { at, inclusive }) = self.lower {
            words.push(format!("{} {at}{unit}", if inclusive { "at least" } else { "above" }));
        }
        if let Some(Bound { at, inclusive }) = self.upper {
            words.push(format!("{} {at}{unit}", if inclusive { "at most" } else { "below" }));
        }
        words.join(" and ")
    }
}

/// The range in interval notation: `(0, 1]`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lower {
            Some(Bound { at, inclusive: true }) => write!(f, "[{at}, ")?,
            Some(Bound { at, inclusive: false }) => write!(f, "({at}, ")?,
            None => f.write_str("(−∞, ")?,
        }
        match self.upper {
            Some(Bound { at, inclusive: true }) => write!(f, "{at}]"),
            Some(Bound { at, inclusive: false }) => write!(f, "{at})"),
            None if self.infinite => f.write_str("∞]"),
            None => f.write_str("∞)"),
        }
    }
}
