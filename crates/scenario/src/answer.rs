//! `Answer`: every output of a scenario, evaluated.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{Argument, Item, Map, Name, Note, Result, Value};

/// Every output of a scenario, evaluated, with what is remarkable about them.
///
/// Serialises as `{"id", "type", "outputs", "notes"}`; an output that does not exist for the
/// instance stands as `{"error": …}` under its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the caller calls the case.
    pub id: serde_json::Value,
    /// The scenario's type.
    pub scenario: &'static str,
    /// Each output by its name or the label of its call.
    pub outputs: Map<Result<Value>>,
    /// What is remarkable.
    pub notes: Vec<Note>,
}

impl Answer {
    /// Evaluates every output of `item`, methods of one key for each key, and then `calls`.
    ///
    /// A call is a label that begins with a method's name, and the arguments.
    pub fn new(id: serde_json::Value, item: &dyn Item, calls: &Map<Vec<Value>>) -> Self {
        let description = item.description();
        let mut outputs = Map::with_capacity(description.outputs().len() + calls.len());
        for (index, output) in description.results() {
            match output.arguments {
                [] if output.is_method() => {
                    outputs.insert(format!("{}()", output.name).into(), item.output(index, &[]));
                }
                [] => {
                    outputs.insert(output.shared_name(), item.output(index, &[]));
                }
                [argument] => {
                    for key in keys(item, argument) {
                        // A call of the same keeps the label that its caller wrote.
                        let label = || format!("{}({key})", output.name).into();
                        let same = |(label, given): &(&Name, &Vec<Value>)| {
                            method(label) == output.name && given.iter().eq([&key])
                        };
                        let label = calls.iter().find(same).map_or_else(label, |(label, _)| label.clone());
                        outputs.insert(label, item.output(index, &[key]));
                    }
                }
                _ => {}
            }
        }
        for (label, arguments) in calls {
            outputs.insert(label.clone(), call(item, label, arguments));
        }
        Answer { id, scenario: description.name, outputs, notes: item.notes() }
    }
}

/// Calls the method whose name `label` begins with.
fn call(item: &dyn Item, label: &str, arguments: &[Value]) -> Result<Value> {
    let name = method(label);
    let description = item.description();
    match description.output(name).filter(|(_, output)| !output.step) {
        Some((index, output)) => {
            output.takes(arguments)?;
            item.output(index, arguments)
        }
        None => Err(description.unknown_output(name)),
    }
}

/// The name of the method that the label of a call begins with.
fn method(label: &str) -> &str {
    label.split('(').next().unwrap_or(label).trim()
}

/// What an argument takes that is a key of an input: the keys of a map, the entries of a list.
pub(crate) fn keys(item: &dyn Item, argument: &Argument) -> Vec<Value> {
    let field = argument.keys.and_then(|input| item.description().field(input));
    match field.map(|(index, _)| item.field(index)) {
        Some(Value::Map(map)) => map.into_keys().map(Value::Text).collect(),
        Some(Value::List(items)) => items,
        _ => Vec::new(),
    }
}

impl Answer {
    /// Why what the scenario describes cannot be done, if it cannot.
    pub fn infeasible(&self) -> Option<&str> {
        self.notes.iter().find(|note| note.infeasible).map(|note| note.text.as_str())
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("type", self.scenario)?;
        map.serialize_entry("outputs", &Outputs(&self.outputs))?;
        if !self.notes.is_empty() {
            map.serialize_entry("notes", &self.notes)?;
        }
        map.end()
    }
}

struct Outputs<'a>(&'a Map<Result<Value>>);

impl Serialize for Outputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, output) in self.0 {
            match output {
                Ok(value) => map.serialize_entry(&**name, value)?,
                Err(error) => map.serialize_entry(&**name, &Failed { error })?,
            }
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Failed<'a> {
    error: &'a crate::Error,
}

/// `{"outputs": […], "note": …}`.
impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("outputs", self.outputs)?;
        map.serialize_entry("note", &self.text)?;
        if self.infeasible {
            map.serialize_entry("infeasible", &true)?;
        }
        map.end()
    }
}
