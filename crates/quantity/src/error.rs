//! Why a text is no quantity, or not the one that is needed.

use std::fmt;

use crate::{Exponents, NamedDimension};

/// What is wrong with a quantity or a unit.
///
/// The message names what was written, what is needed and, where there is one, the nearest right
/// spelling.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantityError(Box<Cause>);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// No number at the front of the text.
    NoNumber { text: String },
    /// `nan` or an infinity where a number is needed.
    NotFinite { text: String },
    /// `1,5`: a comma means different things to different people.
    Comma { text: String },
    /// A unit that is not in the vocabulary.
    UnknownUnit { name: String, nearest: Option<String> },
    /// A unit expression that cannot be read.
    Malformed { unit: String, why: &'static str },
    /// A quantity of another dimension.
    WrongDimension { found: String, dimension: Exponents, needed: NamedDimension, number: String },
    /// A bare number where a unit is needed.
    MissingUnit { found: String, needed: NamedDimension },
    /// A quantity with a unit where a plain number is needed.
    NotPlain { found: String, dimension: Exponents },
}

impl From<Cause> for QuantityError {
    fn from(cause: Cause) -> Self {
        QuantityError(Box::new(cause))
    }
}

impl std::error::Error for QuantityError {}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Cause::NoNumber { text } => write!(
                f,
                "`{text}` does not begin with a number; write a number and a unit, such as \"0.3 ms\""
            ),
            Cause::NotFinite { text } => write!(f, "`{text}` is not a finite number"),
            Cause::Comma { text } => {
                write!(f, "`{text}` has a comma; write `.` before decimals and `_` between thousands")
            }
            Cause::UnknownUnit { name, nearest: Some(nearest) } => {
                write!(f, "`{name}` is not a unit; did you mean `{nearest}`?")
            }
            Cause::UnknownUnit { name, nearest: None } => write!(f, "`{name}` is not a unit"),
            Cause::Malformed { unit, why } => write!(f, "the unit `{unit}` cannot be read: {why}"),
            Cause::WrongDimension { found, dimension, needed, number } => write!(
                f,
                "`{found}` is {dimension}, but {} {} is needed, such as \"{number} {}\"",
                article(needed.name),
                needed.name,
                needed.unit
            ),
            Cause::MissingUnit { found, needed } => write!(
                f,
                "`{found}` has no unit, but {} {} is needed, such as \"{found} {}\"",
                article(needed.name),
                needed.name,
                needed.unit
            ),
            Cause::NotPlain { found, dimension } => {
                write!(f, "`{found}` is {dimension}, but a plain number is needed")
            }
        }
    }
}

fn article(name: &str) -> &'static str {
    if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

/// The candidate that `given` most likely meant, if one is near enough to say so.
///
/// ```
/// use mlsysim_quantity::nearest;
///
/// assert_eq!(nearest("allreduce_tmie", ["allreduce_time", "layers"]), Some("allreduce_time"));
/// assert_eq!(nearest("colour", ["allreduce_time", "layers"]), None);
/// ```
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = given.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let other = candidate.to_lowercase();
            // A slip of the case alone is nearer than any slip of a letter.
            let score = if other == lower { 1.0 } else { 0.99 * strsim::jaro_winkler(&lower, &other) };
            (score, candidate)
        })
        .filter(|(score, _)| *score > 0.84)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
