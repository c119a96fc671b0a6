//! `Twin`: the times that a scenario states, predicted from the model and the machine that it implies.
//!
//! * `implied` finds the model, the machine and the tokens in the inputs of a case;
//! * `inputs` knows which inputs are times, by their names, and predicts them;
//! * `layer` prices the kernels of layers;
//! * `degrees` varies the degree of tensor parallelism of a case and of its twin.

mod degrees;
mod implied;
mod inputs;
mod layer;

use mlsysim_quantity::Time;
use mlsysim_scenario::{Case, Error, Library, Map, Name, Result, Value};

use super::Prediction;
use crate::transformer::explain::table;
pub use degrees::{PredictedDegree, StatedDegree, StatedDegrees};
pub use implied::{Asked, Implied};

/// An input that states a time, with what is predicted in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinInput {
    /// The input: `allreduce_time`, or `serial_layer_times.attention`.
    pub name: String,
    /// What the case states.
    pub stated: Time,
    /// What is predicted, or why nothing is.
    pub predicted: Result<Prediction>,
    /// What was predicted, in words.
    pub what: String,
}

/// An output of a case, as it follows from what is stated and from what is predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinOutput {
    /// The output, or a figure of it: `speedup`, `result.step_time`.
    pub name: String,
    /// From what the case states.
    pub stated: Value,
    /// From what is predicted.
    pub predicted: Value,
}

/// A case and its predicted twin, side by side.
///
/// ```
/// use mlsysim_models::{library, predict::{Asked, Twin}};
///
/// let case = library().case("Llama2_70BPrefillTensorParallel8")?;
/// let twin = Twin::of(&case, &Asked::default())?;
/// let reduce = twin.inputs.iter().find(|input| input.name == "allreduce_time").ok_or("no such input")?;
/// let predicted = reduce.predicted.as_ref().map_err(|error| error.to_string())?;
/// // It is stated a little shorter than nine in ten would be, though not shorter than is possible.
/// assert!(predicted.bound < reduce.stated && reduce.stated < predicted.low);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Twin {
    /// What the case implies: what it is, and where that stands.
    pub implied: Vec<(&'static str, String)>,
    /// The times that it states.
    pub inputs: Vec<TwinInput>,
    /// What follows from them.
    pub outputs: Vec<TwinOutput>,
}

impl Twin {
    /// The twin of `case`, in which what is `asked` takes the place of what the case implies.
    ///
    /// # Errors
    ///
    /// The case states no time that a model, a machine and a layout imply, or they are not known.
    pub fn of(case: &Case, asked: &Asked) -> Result<Twin> {
        if !inputs::has_any(case) {
            let kind = case.item().description().name;
            let known = mlsysim_scenario::listed(inputs::NAMES.iter().copied());
            return Err(Error::input(
                "scenario",
                format!("`{kind}` states no time that a model and a machine imply; such inputs are {known}"),
            ));
        }
        let implied = Implied::of(case, asked)?;
        let inputs = inputs::of(case, &implied);
        // Of stated and predicted times together nothing follows that either says.
        let all = inputs.iter().all(|input| input.predicted.is_ok());
        let outputs = if all { outputs(case, &inputs)? } else { Vec::new() };
        Ok(Twin { implied: implied.told(), inputs, outputs })
    }

    /// Everything that the twin tells, as one value.
    pub fn report(&self) -> Value {
        let time = |time: Time| mlsysim_scenario::constant(&time);
        let input = |input: &TwinInput| {
            let mut row = table([
                ("input", Value::text(&input.name)),
                ("what", Value::text(&input.what)),
                ("stated", time(input.stated)),
            ]);
            row.extend(match &input.predicted {
                Ok(predicted) => table([
                    ("predicted", time(predicted.time)),
                    ("low", time(predicted.low)),
                    ("high", time(predicted.high)),
                    ("bound", time(predicted.bound)),
                    ("kind", Value::text(predicted.kind.to_string())),
                    ("binds", Value::text(predicted.binds)),
                    ("regime", Value::text(predicted.regime)),
                    ("reasons", Value::List(predicted.reasons.iter().map(Value::text).collect())),
                ]),
                Err(error) => table([("predicted", Value::Null), ("reason", Value::text(error.to_string()))]),
            });
            Value::Map(row)
        };
        let output = |output: &TwinOutput| {
            Value::Map(table([
                ("output", Value::text(&output.name)),
                ("stated", output.stated.clone()),
                ("predicted", output.predicted.clone()),
            ]))
        };
        let implied = self.implied.iter().map(|(what, said)| (Name::from(*what), Value::text(said)));
        Value::Map(table([
            ("implied", Value::Map(implied.collect())),
            ("inputs", Value::List(self.inputs.iter().map(input).collect())),
            ("outputs", Value::List(self.outputs.iter().map(output).collect())),
        ]))
    }
}

/// The case with the predicted times in the place of those that it states, each as `of` reads it.
fn predicted_case(case: &Case, inputs: &[TwinInput], of: fn(&Prediction) -> Time) -> Result<Case> {
    let mut changes: Map<Value> = Map::new();
    for input in inputs {
        let Ok(predicted) = &input.predicted else { continue };
        let seconds = mlsysim_scenario::constant(&of(predicted));
        match input.name.split_once('.') {
            None => drop(changes.insert(Name::from(input.name.as_str()), seconds)),
            Some((field, key)) => {
                let written = case.written().get(field).cloned().unwrap_or(Value::Null);
                let entry = changes.entry(field.into()).or_insert(written);
                if let Value::Map(entries) = entry {
                    entries.insert(key.into(), seconds);
                }
            }
        }
    }
    case.variant(changes, crate::library() as &dyn Library)
}

/// Every output of the case that is a number, from its own inputs and from the predicted ones.
fn outputs(case: &Case, inputs: &[TwinInput]) -> Result<Vec<TwinOutput>> {
    let variant = predicted_case(case, inputs, |predicted| predicted.time)?;
    let described = case.item().description().results();
    let named = described.filter(|(_, output)| output.arguments.is_empty()).map(|(_, output)| output.name);
    let mut both = Vec::new();
    for name in named {
        let (Ok(stated), Ok(predicted)) = (case.output(name, &[]), variant.output(name, &[])) else {
            continue;
        };
        compare(name.to_string(), stated, predicted, &mut both);
    }
    Ok(both)
}

/// Adds the numbers of an output that differ, those of a result by its figures.
fn compare(name: String, stated: Value, predicted: Value, both: &mut Vec<TwinOutput>) {
    match (stated, predicted) {
        (Value::Object(one), Value::Object(other)) => {
            for (index, field) in one.description().fields.iter().enumerate() {
                let [stated, predicted] = [&one, &other].map(|object| object.item().field(index));
                compare(format!("{name}.{}", field.name), stated, predicted, both);
            }
        }
        (stated @ (Value::Quantity(_) | Value::Number(_)), predicted) if stated != predicted => {
            both.push(TwinOutput { name, stated, predicted });
        }
        _ => {}
    }
}
