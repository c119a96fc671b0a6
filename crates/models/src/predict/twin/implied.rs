//! `Implied`: the model, the machine and the tokens that the inputs of a case imply.

use std::sync::Arc;

use mlsysim_registry::{HardwareNode, Node, Workload};
use mlsysim_scenario::{Case, Error, Library, Result, Value};

use crate::library;
use crate::machine::Machine;
use crate::predict::Practice;
use crate::transformer::Transformer;

/// What a user says in place of what a case implies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// The model.
    pub model: Option<Transformer>,
    /// The machine.
    pub machine: Option<Machine>,
    /// How many sequences pass at once.
    pub batch: Option<u64>,
    /// How many tokens each has.
    pub sequence: Option<u64>,
    /// What the framework does of its own choice.
    pub practice: Practice,
}

/// What the inputs of a case imply.
#[derive(Clone, Debug)]
pub struct Implied {
    /// The model.
    pub model: Transformer,
    /// The machine.
    pub machine: Machine,
    /// How many devices share a layer.
    pub tp: u64,
    /// How many sequences pass at once.
    pub batch: u64,
    /// How many tokens each has.
    pub sequence: u64,
    /// What the framework does of its own choice.
    pub practice: Practice,
    told: Vec<(&'static str, String)>,
}

/// The inputs that say how many devices share a layer.
const DEGREES: [&str; 2] = ["tp_size", "node_devices"];

/// The inputs that say how many tokens pass at once, all sequences together.
const TOKENS: [&str; 2] = ["tokens", "node_tokens"];

impl Implied {
    /// What the inputs of `case` imply, where nothing else is `asked`.
    pub(super) fn of(case: &Case, asked: &Asked) -> Result<Implied> {
        let mut told = Vec::new();
        let mut references = Vec::new();
        case.written().iter().for_each(|(name, value)| refer(name, value, &mut references));
        let model = match &asked.model {
            Some(model) => {
                told.push(("model", format!("{}, given", model.name)));
                model.clone()
            }
            None => {
                let (path, workload, input) = found::<Workload>(&references)
                    .ok_or_else(|| lacking("model", "a model", "MODEL, such as `Llama2_70B`"))?;
                told.push(("model", format!("{path}, as `{input}` refers to it")));
                Transformer::of(&workload)?
            }
        };
        let machine = machine(asked, &references, &mut told)?;
        let tp = DEGREES.iter().find_map(|name| count(case, name)).unwrap_or(1);
        told.push(("tp", tp.to_string()));
        let per_sequence = count(case, "seq_len").or(count(case, "sequence"));
        let tokens = TOKENS.iter().find_map(|name| count(case, name));
        let (batch, sequence, from) = match (asked.batch, asked.sequence, tokens) {
            (None, None, Some(tokens)) => (1, tokens, "stated in all"),
            (batch, sequence, _) => {
                let context = model.context.unwrap_or(USUAL);
                let is_given = batch.is_some() || sequence.is_some();
                let batch = batch.or(count(case, "microbatch")).unwrap_or(1);
                let from = match (is_given, per_sequence) {
                    (true, _) => "given",
                    (_, Some(_)) => "stated",
                    (_, None) => "the context of the model, since none are stated",
                };
                (batch, sequence.or(per_sequence).unwrap_or(context), from)
            }
        };
        told.push(("tokens", format!("{batch} × {sequence}, {from}")));
        Ok(Implied { model, machine, tp, batch, sequence, practice: asked.practice.clone(), told })
    }

    /// What is implied, and where that stands.
    pub(super) fn told(&self) -> Vec<(&'static str, String)> {
        self.told.clone()
    }
}

/// The tokens of a sequence where neither a case nor its model says how many.
const USUAL: u64 = 4096;

/// The registry's paths that `value` refers to, each with the input that does.
fn refer(input: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Reference(path) => found.push((path.to_string(), input.to_string())),
        Value::Map(map) => map.values().for_each(|value| refer(input, value, found)),
        _ => {}
    }
}

/// The first entry of a type that a path of `references` leads to or through, with its path and the
/// input that refers to it.
fn found<T: mlsysim_scenario::Item>(references: &[(String, String)]) -> Option<(String, Arc<T>, String)> {
    references.iter().find_map(|(path, input)| {
        let ends = path.match_indices('.').map(|(end, _)| end).chain([path.len()]);
        ends.filter_map(|end| path.get(..end)).find_map(|start| match library().value(start) {
            Ok(Value::Object(object)) => Some((start.to_string(), object.downcast::<T>()?, input.clone())),
            _ => None,
        })
    })
}

/// The machine that is given, or the server that an input refers to, or the first server with the
/// device that one refers to.
fn machine(
    asked: &Asked,
    references: &[(String, String)],
    told: &mut Vec<(&'static str, String)>,
) -> Result<Machine> {
    if let Some(machine) = &asked.machine {
        told.push(("machine", format!("{}, given", machine.name)));
        return Ok(machine.clone());
    }
    if let Some((path, node, input)) = found::<Node>(references) {
        told.push(("machine", format!("{path}, as `{input}` refers to it")));
        return Ok(Machine::of_node(&node));
    }
    if let Some((path, device, input)) = found::<HardwareNode>(references) {
        for server in library().paths("Systems.Nodes") {
            let Ok(Value::Object(object)) = library().value(server) else { continue };
            if let Some(node) = object.downcast::<Node>().filter(|node| node.accelerator == device) {
                told.push((
                    "machine",
                    format!("{server}, a server with the {path} that `{input}` refers to"),
                ));
                return Ok(Machine::of_node(&node));
            }
        }
    }
    Err(lacking("on", "a machine", "`--on`, such as `--on DGX_H100`"))
}

fn lacking(field: &str, what: &str, how: &str) -> Error {
    Error::input(field, format!("no input of the case refers to {what}; give {how}"))
}

/// The count that the input called `name` is.
fn count(case: &Case, name: &str) -> Option<u64> {
    let (index, _) = case.item().description().field(name)?;
    match case.item().field(index) {
        Value::Integer(count) => u64::try_from(count).ok().filter(|count| *count > 0),
        Value::Number(number) if number >= 1.0 => Some(number.round() as u64),
        _ => None,
    }
}
