//! `Question`: the options of `mlsysim account` as a model, a layout and a step.

use mlsysim::machine::{Figures, Machine, Wiring};
use mlsysim::transformer::{Layout, MemoryPolicy, Step, Transformer};
use mlsysim::{Error, Map, Value};

use crate::arguments::{AccountOptions, MachineOptions, MemoryOptions, StepOptions, memory_as_written};
use crate::configuration;
use crate::output::Failure;

/// What is to be accounted for.
pub struct Question {
    pub model: Transformer,
    pub layout: Layout,
    pub step: Step,
    pub stage: Option<u64>,
    /// What it runs on, and how the memory of that is used.
    pub placement: Option<(Machine, MemoryPolicy)>,
}

impl Question {
    /// Reads the options.
    pub fn read(options: &AccountOptions) -> Result<Self, Failure> {
        let model = configuration::named(&options.model)?;
        let stage = whole("stage", options.stage.as_deref())?;
        let (layout, step) = step(&options.step, &model)?;
        let placement = placement(&options.machine, &options.memory)?;
        Ok(Question { model, layout, step, stage, placement })
    }
}

/// The layout and the step.
pub fn step(options: &StepOptions, model: &Transformer) -> Result<(Layout, Step), Error> {
    let layout = Layout::parse(&options.layout)?;
    if let Some(devices) = whole("devices", options.devices.as_deref())? {
        layout.on_devices(devices)?;
    }
    let step = Step::with_defaults(inputs(options)?, model, &layout);
    Ok((layout, step.map_err(|error| as_written(error, options))?))
}

/// The machine and the memory policy, where a system is named.
pub fn placement(
    machine: &MachineOptions,
    memory: &MemoryOptions,
) -> Result<Option<(Machine, MemoryPolicy)>, Error> {
    let Some(system) = &machine.on else {
        return match memory.given().next() {
            None => Ok(None),
            Some(name) => {
                let message =
                    "it is about the memory of devices; say which with `--on`, such as `--on DGX_H100`";
                Err(Error::input(name, message))
            }
        };
    };
    let nodes = whole("nodes", machine.nodes.as_deref())?;
    let wiring = Wiring::parse(machine.wiring.as_deref().unwrap_or_default())?;
    let figures = Figures::parse(&machine.state.join(","))?;
    let machine = Machine::stated(system, nodes, machine.fabric.as_deref(), &wiring, &figures)?;
    Ok(Some((machine, memory.policy()?)))
}

/// The inputs of the step by their names in its definition.
fn inputs(options: &StepOptions) -> Result<Map<Value>, Error> {
    let mut inputs = Map::new();
    let mut give = |name: &str, value: Value| {
        inputs.insert(name.into(), value);
    };
    let read = |text: &String| Value::from_argument(text);
    let mut context = options.context.as_ref().map(read);
    if let Some(tokens) = &options.prefill {
        give("phase", Value::text("prefill"));
        give("sequence", read(tokens));
    }
    if let Some(decode) = &options.decode {
        let (batch, cached) = match decode.split_once('@') {
            Some((batch, cached)) => (batch, Some(Value::from_argument(cached))),
            None => (decode.as_str(), None),
        };
        context = match (cached, context) {
            (Some(_), Some(context)) => {
                let message =
                    format!("`{decode}` and --context `{context}` both say how many tokens are cached");
                return Err(Error::input("decode", message));
            }
            (None, None) => {
                let message = format!(
                    "how many tokens are cached is needed too, as in `{decode}@8192`, but `{decode}` was given"
                );
                return Err(Error::input("decode", message));
            }
            (cached, context) => cached.or(context),
        };
        give("phase", Value::text("decode"));
        give("batch", Value::from_argument(batch));
    }
    let numbers =
        [("batch", &options.batch), ("sequence", &options.seq), ("micro_batch", &options.micro_batch)];
    for (name, text) in numbers {
        text.as_ref().into_iter().for_each(|text| give(name, read(text)));
    }
    context.into_iter().for_each(|context| give("context", context));
    let names = [
        ("recompute", &options.recompute),
        ("precision", &options.precision),
        ("gradients", &options.gradients),
        ("kv_precision", &options.kv_precision),
    ];
    for (name, text) in names {
        text.as_ref().into_iter().for_each(|text| give(name, Value::text(text)));
    }
    Ok(inputs)
}

/// `error` about the option that the user wrote, where it is about an input of the step.
pub fn as_written(error: Error, options: &StepOptions) -> Error {
    let written = match error.field() {
        Some("sequence") if options.prefill.is_some() => "prefill",
        Some("sequence") => "seq",
        Some("batch" | "context") if options.decode.as_ref().is_some_and(|decode| decode.contains('@')) => {
            "decode"
        }
        Some("batch") if options.decode.is_some() => "decode",
        Some("micro_batch") => "micro-batch",
        Some("kv_precision") => "kv-precision",
        _ => return memory_as_written(error),
    };
    error.about(written)
}

/// The whole number that `text` is.
pub fn whole(name: &str, text: Option<&str>) -> Result<Option<u64>, Error> {
    text.map(|text| Value::from_argument(text).needed_whole(name)).transpose()
}
