//! `Error`: why a scenario was refused or an output does not exist.

use std::fmt;

/// What kind of answer an error is; programs decide by this, not by the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input is wrong: missing, misspelt, of the wrong type or out of its range.
    Input,
    /// A name that the catalogue or the registry does not know.
    Unknown,
    /// An output that this instance does not have, because an optional input is unset or the
    /// arithmetic is undefined.
    Absent,
    /// A text that cannot be read: malformed JSON or TOML.
    Malformed,
}

/// Why a scenario was refused or an output does not exist.
///
/// [`field`](Error::field) names the input as its author wrote it; the message says what was
/// given, what is allowed and, for a slip, the nearest right spelling.
///
/// ```
/// use mlsysim_scenario::{Error, ErrorKind};
///
/// let error = Error::input("tp_size", "a whole number of at least 1 is needed, but `0` was given");
/// assert_eq!(error.kind(), ErrorKind::Input);
/// assert_eq!(error.field(), Some("tp_size"));
/// assert!(error.to_string().starts_with("tp_size: a whole number"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: ErrorKind,
    field: Option<String>,
    message: String,
    place: Option<(usize, usize)>,
}

/// The result of everything here that can be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(kind: ErrorKind, field: Option<String>, message: String) -> Self {
        Error(Box::new(Inner { kind, field, message, place: None }))
    }

    /// An input that is wrong.
    pub fn input(field: impl Into<String>, message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Input, Some(field.into()), message.into())
    }

    /// An input that is wrong, seen from inside; [`within`](Error::within) gives it its place.
    pub fn unplaced(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Input, None, message.into())
    }

    /// A name that nothing here has.
    pub fn unknown(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Unknown, None, message.into())
    }

    /// An output that this instance does not have.
    pub fn absent(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Absent, None, message.into())
    }

    /// A text that cannot be read.
    pub fn malformed(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Malformed, None, message.into())
    }

    /// What kind of answer this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The input at fault, as its author wrote it, with the way into it: `links.NVLink`.
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// The message without the field.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The same error seen from an enclosing input: `NVLink` within `links` is `links.NVLink`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.0.field = Some(match self.0.field.take() {
            Some(inner) if inner.starts_with('[') => format!("{outer}{inner}"),
            Some(inner) => format!("{outer}.{inner}"),
            None => outer.to_string(),
        });
        self
    }

    /// The same error with its place in a text: line and column, from 1.
    #[must_use]
    pub fn at(mut self, line: usize, column: usize) -> Self {
        self.0.place = Some((line, column));
        self
    }

    /// The line and column in the text that was read, from 1.
    pub fn place(&self) -> Option<(usize, usize)> {
        self.0.place
    }

    /// The same error about another input, where the one at fault is the user's own.
    #[must_use]
    pub fn about(mut self, field: &str) -> Self {
        self.0.field = Some(field.to_string());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.0.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        match &self.0.field {
            Some(field) => write!(f, "{field}: {}", self.0.message),
            None => f.write_str(&self.0.message),
        }
    }
}

impl std::error::Error for Error {}

/// "did you mean `x`?" where a candidate is near, else the list of what there is.
pub fn suggestion<'a>(given: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> String {
    match mlsysim_quantity::nearest(given, candidates.clone()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => {
            let verb = if candidates.clone().nth(1).is_some() { "are" } else { "is" };
            format!("there {verb} {}", listed(candidates))
        }
    }
}

/// "`a`, `b` and `c`", or "nothing".
pub fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// How many names a message lists before it leaves some out.
const MOST_LISTED: usize = 16;

/// The same of names that may be many: "`1`, `2`, … and `64`" leaves out those before the last.
pub fn listed_in_part(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if rest.len() >= MOST_LISTED => {
            let first: Vec<String> = rest[..MOST_LISTED - 1].iter().map(|name| format!("`{name}`")).collect();
            format!("{}, … and `{last}`", first.join(", "))
        }
        _ => listed(names.iter().map(String::as_str)),
    }
}
