//! One line of `eval`: a JSON object in, a JSON object out.

use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

use crate::json::TWICE;
use crate::{Answer, Case, Error, Inputs, Library, Map, Result, Value};

/// What a line of `eval` comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Every output of the scenario.
    Answer(Answer),
    /// The line was refused.
    Refused {
        /// The line's own `id`, or null where the line cannot be read.
        id: Json,
        /// The line's number, from 1, where the line cannot be read.
        line: Option<usize>,
        /// Why.
        error: Error,
    },
}

/// The keys of a line that mean something; others are ignored.
#[derive(Deserialize)]
struct Request {
    #[serde(default)]
    id: Json,
    #[serde(rename = "type", default)]
    kind: Option<Value>,
    #[serde(default)]
    inputs: Option<Value>,
    #[serde(default)]
    calls: Option<Value>,
}

impl Line {
    /// Evaluates one line, the `number`-th of its text.
    ///
    /// ```
    /// use mlsysim_scenario::{Line, NoLibrary};
    ///
    /// let line = Line::evaluate(r#"{"id": 1, "type": "Nothing", "inputs": {}}"#, 1, &NoLibrary);
    /// assert!(line.is_refused());
    /// assert_eq!(
    ///     serde_json::to_string(&line)?,
    ///     r#"{"id":1,"error":{"field":"type","message":"there is no scenario type `Nothing`"}}"#,
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn evaluate(text: &str, number: usize, library: &dyn Library) -> Line {
        if !text.trim_start().starts_with('{') {
            return Line::unreadable(number, "a JSON object is needed");
        }
        let request: Request = match serde_json::from_str(text) {
            Ok(request) => request,
            Err(error) => return unreadable(text, number, &error),
        };
        let id = request.id.clone();
        match answer(request, library) {
            Ok(answer) => Line::Answer(answer),
            Err(error) => Line::Refused { id, line: None, error },
        }
    }

    /// The refusal of the `number`-th line, which cannot be read at all.
    pub fn unreadable(number: usize, why: &str) -> Line {
        let error = Error::malformed(format!("line {number}: {why}"));
        Line::Refused { id: Json::Null, line: Some(number), error }
    }

    /// Whether the line was refused.
    pub fn is_refused(&self) -> bool {
        matches!(self, Line::Refused { .. })
    }
}

fn answer(request: Request, library: &dyn Library) -> Result<Answer> {
    let kind = match request.kind {
        Some(Value::Text(kind)) => kind,
        Some(other) => {
            return Err(Error::input("type", format!("a scenario type is needed, but `{other}` was given")));
        }
        None => {
            return Err(Error::input(
                "type",
                "a line needs the scenario's type, such as \"TensorParallelSpeedup\"",
            ));
        }
    };
    let Some(description) = library.description(&kind).filter(|found| found.group().is_some()) else {
        return Err(Error::input("type", library.unknown_type(&kind)));
    };
    let inputs = match request.inputs {
        Some(Value::Map(inputs)) => inputs,
        Some(other) => {
            return Err(Error::input("inputs", format!("an object is needed, but `{other}` was given")));
        }
        None => Map::new(),
    };
    // Most lines have no calls, and then nobody needs the inputs as they were written.
    let calls = calls(request.calls)?;
    if calls.is_empty() {
        let object = (description.build)(&mut Inputs::new(description, inputs, library)?)?;
        return Ok(Answer::new(request.id, &**object.item(), &calls));
    }
    Ok(Case::new(description, inputs, library)?.answer(request.id, &calls))
}

/// The arguments of each call by its label.
fn calls(written: Option<Value>) -> Result<Map<Vec<Value>>> {
    let refuse = |given: &Value| {
        let example = r#"{"sharded(attention)": ["attention"]}"#;
        Error::input(
            "calls",
            format!("lists of arguments by name are needed, such as {example}, but `{given}` was given"),
        )
    };
    match written.unwrap_or(Value::Null) {
        Value::Null => Ok(Map::new()),
        Value::Map(calls) => calls
            .into_iter()
            .map(|(label, arguments)| match arguments {
                Value::List(arguments) => Ok((label, arguments)),
                other => Err(refuse(&other)),
            })
            .collect(),
        other => Err(refuse(&other)),
    }
}

/// A line that is no JSON, or JSON of the wrong shape.
fn unreadable(text: &str, number: usize, error: &serde_json::Error) -> Line {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let id = serde_json::from_str::<Json>(text).ok().and_then(|json| json.get("id").cloned());
    match id {
        Some(id) => {
            // The reader of values says which key stands twice.
            let twice = message.strip_suffix(TWICE).map(|key| key.trim_matches('`'));
            let error = twice.map_or_else(|| Error::malformed(message), |key| Error::input(key, message));
            Line::Refused { id, line: Some(number), error }
        }
        None => {
            let message = format!("line {number}, column {}: {message}", error.column());
            Line::Refused { id: Json::Null, line: Some(number), error: Error::malformed(message) }
        }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Line::Answer(answer) => answer.serialize(serializer),
            Line::Refused { id, line, error } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("id", id)?;
                if let Some(line) = line {
                    map.serialize_entry("line", line)?;
                }
                map.serialize_entry("error", &Refusal(error))?;
                map.end()
            }
        }
    }
}

/// `{"field": …, "message": …}`.
struct Refusal<'a>(&'a Error);

impl Serialize for Refusal<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("field", &self.0.field())?;
        map.serialize_entry("message", self.0.message())?;
        map.end()
    }
}
