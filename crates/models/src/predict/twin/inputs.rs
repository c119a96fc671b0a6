//! The inputs of cases that are times, and what is predicted in their place.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Case, Error, Result, Value};

use super::layer::{self, Phase};
use super::{Implied, TwinInput};
use crate::machine::{Collective, Machine};
use crate::predict::{
    CalibrationSet, CollectiveQuestion, Engine, Forecast, Prediction, Terms, Workload, serve,
};
use crate::transformer::{Accounting, Division, Layout, MemoryPolicy, Step};

/// The inputs that are predicted.
pub(super) const NAMES: [&str; 8] = [
    "serial_layer_times",
    "allreduce_time",
    "compute_time",
    "backward_per_layer",
    "time_per_bucket",
    "node_step_time",
    "fleet_step_time",
    "baseline_step",
];

/// The numbers of activations are of 16 bits.
const ACTIVATION: f64 = 2.0;

/// AllReduces of a layer in a forward pass; training has as many in the backward pass.
const FORWARD_REDUCES: u64 = 2;

/// Whether `case` has any input that is predicted.
pub(super) fn has_any(case: &Case) -> bool {
    case.item().description().fields.iter().any(|field| NAMES.contains(&field.name))
}

/// Every input of `case` that is a time and is known, with its prediction.
pub(super) fn of(case: &Case, implied: &Implied) -> Vec<TwinInput> {
    let mut inputs = Vec::new();
    for (index, field) in case.item().description().fields.iter().enumerate() {
        if !NAMES.contains(&field.name) {
            continue;
        }
        let mut tell = |name: String, stated: &Value| {
            if let Value::Quantity(stated) = stated {
                let (what, predicted) = predicted(case, implied, &name);
                inputs.push(TwinInput { name, stated: Time::from_base(stated.base()), predicted, what });
            }
        };
        match case.item().field(index) {
            Value::Map(entries) => {
                entries.iter().for_each(|(key, value)| tell(format!("{}.{key}", field.name), value));
            }
            value => tell(field.name.to_string(), &value),
        }
    }
    inputs
}

/// What is predicted in place of the input called `name`, in words, and how long that takes.
fn predicted(case: &Case, implied: &Implied, name: &str) -> (String, Result<Prediction>) {
    let (batch, sequence, tp) = (implied.batch, implied.sequence, implied.tp);
    let tokens = format!("{batch} × {sequence} tokens");
    let (field, key) = name.split_once('.').unwrap_or((name, ""));
    let found = |found: Result<Option<Prediction>>| {
        found.and_then(|found| found.ok_or_else(|| Error::absent("the model has no such part")))
    };
    match field {
        "serial_layer_times" => match phase(key) {
            Some(phase) => (
                format!("the kernels of {key} in a forward pass of {tokens} on one device"),
                found(layer::layer(implied, 1, Some(phase), false)),
            ),
            None => {
                let reason = "`attention` and `feed-forward` are the phases of a layer that are predicted";
                (format!("the phase `{key}` of a layer"), Err(Error::absent(reason)))
            }
        },
        "allreduce_time" => {
            let payload = ACTIVATION * batch as f64 * sequence as f64 * f64::from(implied.model.hidden);
            (
                format!("an AllReduce of the activations of {tokens} among {tp} devices"),
                reduce(implied, payload, tp, &implied.machine),
            )
        }
        "compute_time" => {
            // A step whose collectives are not counted is one of training.
            let both = count(case, "collectives_per_layer").is_none_or(|reduces| reduces > FORWARD_REDUCES);
            let passes = if both { "forward and backward" } else { "forward" };
            let layers = f64::from(implied.model.layers());
            let all = |each: Prediction| layer::together(vec![(layers, each)]);
            (
                format!("the kernels of all layers, {passes}, of {tokens} on each of {tp} devices"),
                found(layer::layer(implied, tp, None, both).map(|each| each.and_then(all))),
            )
        }
        "backward_per_layer" => (
            format!("the kernels of a layer, forward and backward less forward, of {tokens}"),
            found(backward(implied)),
        ),
        "time_per_bucket" => {
            let payload = quantity(case, "bucket_size").unwrap_or(0.0);
            let devices = count(case, "n_devices").unwrap_or(tp);
            (
                format!("an AllReduce of {payload} bytes among {devices} devices"),
                reduce(implied, payload, devices, &implied.machine),
            )
        }
        "node_step_time" => (
            format!("a step of training of {tokens}, its layers over the {tp} devices of a server"),
            step(implied, 1, sequence),
        ),
        "baseline_step" => (
            format!("a decode step of {batch} sequences with {sequence} cached tokens on {tp} devices"),
            decode(implied),
        ),
        _ => fleet(case, implied),
    }
}

/// The step of a fleet: as many replicas as it has servers, each with its part of the tokens.
fn fleet(case: &Case, implied: &Implied) -> (String, Result<Prediction>) {
    let devices = count(case, "fleet_devices").unwrap_or(implied.tp);
    let replicas = (devices / implied.tp).max(1);
    let tokens = count(case, "fleet_tokens").unwrap_or(implied.sequence * replicas);
    let each = (tokens as f64 / replicas as f64).round() as u64;
    (
        format!("a step of training of {replicas} replicas with {each} tokens each, rounded to whole ones"),
        step(implied, replicas, each),
    )
}

/// A step of training of one sequence for each replica, with the framework's own share.
fn step(implied: &Implied, replicas: u64, sequence: u64) -> Result<Prediction> {
    let layout = Layout { tp: implied.tp, dp: replicas, ..Layout::whole() };
    let division = Division::new(&implied.model, &layout)?;
    let step = Step::training(replicas, sequence);
    let accounting = Accounting::new(&division, &step)?;
    let machine = joined(&implied.machine, layout.devices())?;
    let policy = MemoryPolicy::default();
    let engine = Engine { practice: implied.practice.clone(), ..Engine::default() };
    let shipped = CalibrationSet::shipped()?;
    let forecast = Forecast::new(&accounting, &machine, &policy, &engine, Terms::default(), shipped)?;
    Ok(forecast.predicted.total.clone())
}

/// A decode step of an engine.
fn decode(implied: &Implied) -> Result<Prediction> {
    let layout = Layout { tp: implied.tp, ..Layout::whole() };
    let engine = Engine { practice: implied.practice.clone(), ..Engine::default() };
    let workload = Workload::DecodeStep { batch: implied.batch, context: implied.sequence };
    Ok(serve(&implied.model, &layout, &implied.machine, &engine, workload)?.total)
}

/// The machine, which has to have a network where it has fewer than `devices`.
fn joined(machine: &Machine, devices: u64) -> Result<Machine> {
    if devices <= machine.devices() {
        return Ok(machine.clone());
    }
    let domains = devices.div_ceil(machine.domain);
    match machine.network {
        Some(_) => Ok(Machine { domains, ..machine.clone() }),
        None => Err(Error::input(
            "on",
            format!(
                "`{devices}` devices are {domains} of {}, and no network between them is stated; give a \
                 cluster, such as `--on Training_512_H100`, or `--nodes {domains} --fabric InfiniBand_NDR`",
                machine.name
            ),
        )),
    }
}

fn reduce(implied: &Implied, payload: f64, ranks: u64, machine: &Machine) -> Result<Prediction> {
    let machine = joined(machine, ranks)?;
    let reach = machine.reach(ranks, 1);
    let library = implied.practice.library;
    let payload = Bytes::from_base(payload);
    layer::exchange(&CollectiveQuestion::new(Collective::AllReduce, payload, reach, &machine, library)?)
}

/// What the backward pass of a layer takes on one device: both passes, less the forward one.
fn backward(implied: &Implied) -> Result<Option<Prediction>> {
    let (both, forward) = (layer::layer(implied, 1, None, true)?, layer::layer(implied, 1, None, false)?);
    Ok(both.zip(forward).map(|(both, forward)| Prediction {
        time: both.time - forward.time,
        low: both.low - forward.low,
        high: both.high - forward.high,
        bound: both.bound - forward.bound,
        ..both
    }))
}

/// The half of a layer that a phase's name means.
fn phase(key: &str) -> Option<Phase> {
    let plain: String = key.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.as_str() {
        "attention" | "attn" => Some(Phase::Attention),
        "feedforward" | "ffn" | "mlp" | "experts" | "moe" => Some(Phase::FeedForward),
        _ => None,
    }
}

fn quantity(case: &Case, name: &str) -> Option<f64> {
    let (index, _) = case.item().description().field(name)?;
    match case.item().field(index) {
        Value::Quantity(quantity) => Some(quantity.base()),
        _ => None,
    }
}

fn count(case: &Case, name: &str) -> Option<u64> {
    let (index, _) = case.item().description().field(name)?;
    match case.item().field(index) {
        Value::Integer(count) => u64::try_from(count).ok().filter(|count| *count > 0),
        _ => None,
    }
}
