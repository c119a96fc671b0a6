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
    NoNumber { text: String, unit: String },
    /// `nan` or an infinity where a number is needed.
    NotFinite { text: String },
    /// `1,5`: a comma means different things to different people.
    Comma { text: String },
    /// A unit that is not in the vocabulary.
    UnknownUnit { name: String, nearest: Option<String> },
    /// A spelling that some read as bits and others as bytes.
    BitsOrBytes { name: String, bits: String, bytes: String },
    /// A unit expression that cannot be read.
    Malformed { unit: String, why: &'static str },
    /// A quantity of another dimension.
    WrongDimension {
        found: String,
        dimension: Exponents,
        needed: NamedDimension,
        number: String,
        unit: String,
    },
    /// A bare number where a unit is needed.
    MissingUnit { found: String, needed: NamedDimension, unit: String },
    /// A quantity with a unit where a plain number is needed.
    NotPlain { found: String, dimension: Exponents },
}

impl From<Cause> for QuantityError {
    fn from(cause: Cause) -> Self {
        QuantityError(Box::new(cause))
    }
}

impl QuantityError {
    /// The same error with `unit` in its example, where one is given and the error has an example.
    #[must_use]
    pub fn suggesting(mut self, unit: &str) -> Self {
        if let (
            false,
            Cause::WrongDimension { unit: example, .. }
            | Cause::MissingUnit { unit: example, .. }
            | Cause::NoNumber { unit: example, .. },
        ) = (unit.is_empty(), &mut *self.0)
        {
            *example = unit.to_string();
        }
        self
    }
}

impl std::error::Error for QuantityError {}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Cause::NoNumber { text, unit } => {
                match text.as_str() {
                    "" => f.write_str("an empty text is no quantity")?,
                    text => write!(f, "`{text}` does not begin with a number")?,
                }
                let example = if unit.is_empty() { "0.3 ms".to_string() } else { format!("1 {unit}") };
                write!(f, "; write a number and a unit, such as \"{example}\"")
            }
            Cause::NotFinite { text } => write!(f, "`{text}` is not a finite number"),
            Cause::Comma { text } => {
                write!(f, "`{text}` has a comma; write `.` before decimals and `_` between thousands")
            }
            Cause::UnknownUnit { name, nearest: Some(nearest) } => {
                write!(f, "`{name}` is not a unit; did you mean `{nearest}`?")
            }
            Cause::UnknownUnit { name, nearest: None } => write!(f, "`{name}` is not a unit"),
            Cause::BitsOrBytes { name, bits, bytes } => {
                write!(f, "`{name}` may mean bits or bytes; write `{bits}` or `{bytes}`")
            }
            Cause::Malformed { unit, why } => write!(f, "the unit `{unit}` cannot be read: {why}"),
            Cause::WrongDimension { found, dimension, needed, number, unit } => write!(
                f,
                "`{found}` is {dimension}, but {} {} is needed, such as \"{number} {unit}\"",
                article(needed.name),
                needed.name,
            ),
            Cause::MissingUnit { found, needed, unit } => write!(
                f,
                "`{found}` has no unit, but {} {} is needed, such as \"{found} {unit}\"",
                article(needed.name),
                needed.name,
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

/// The candidate that `given` most likely meant, if one is near enough to say so; of equally near
/// ones the first.
///
/// ```
/// use mlsysim_quantity::nearest;
///
/// assert_eq!(nearest("allreduce_tmie", ["allreduce_time", "layers"]), Some("allreduce_time"));
/// assert_eq!(nearest("colour", ["allreduce_time", "layers"]), None);
/// ```
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = given.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let other = candidate.to_lowercase();
        // A slip of the case alone is nearer than any slip of a letter. In short names the likeness
        // misses two letters that changed places.
        let score = match strsim::osa_distance(&lower, &other) {
            0 => 1.0,
            1 if lower.len() > 2 => 0.98_f64.max(0.99 * strsim::jaro_winkler(&lower, &other)),
            _ => 0.99 * strsim::jaro_winkler(&lower, &other),
        };
        if score > best.map_or(0.84, |(best, _)| best) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
