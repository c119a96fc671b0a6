//! `Question`: the options of `mlsysim plan`, or a plan file, as a plan.

use std::path::Path;

use mlsysim::quantity::{DynQuantity, Price};
use mlsysim::search::{Condition, Figure, Goal, PlanFile, Requirement, TrainingPlan, machine, region};
use mlsysim::{Error, Name};

use crate::arguments::PlanOptions;
use crate::configuration;
use crate::output::Failure;

/// More tokens than this nobody trains on, and figures of a run could not be counted.
const MOST_TOKENS: f64 = 1e18;

/// The longest plan file that is read.
const LONGEST: u64 = 1 << 20;

/// What is to be planned.
pub struct Question {
    pub title: Option<String>,
    pub plan: TrainingPlan,
    /// The key of the region where it stands.
    pub region: Option<String>,
}

/// The first option that a plan file says too.
fn beside(options: &PlanOptions) -> Option<&'static str> {
    let given = [
        ("model", options.model.is_some()),
        ("on", options.on.is_some()),
        ("devices", options.devices.is_some()),
        ("fabric", options.fabric.is_some()),
        ("batch", options.batch.is_some()),
        ("seq", options.seq.is_some()),
        ("tokens", options.tokens.is_some()),
        ("goal", options.goal.is_some()),
        ("fix", !options.fix.is_empty()),
        ("forbid", !options.forbid.is_empty()),
        ("top", options.top.is_some()),
        ("pareto", options.pareto.is_some()),
        ("require", !options.require.is_empty()),
        ("precision", options.precision.is_some()),
        ("gradients", options.gradients.is_some()),
        ("price", options.price.is_some()),
        ("region", options.region.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

impl Question {
    /// Reads the options, or the file that they name.
    pub fn read(options: &PlanOptions) -> Result<Self, Failure> {
        if options.what == "train" { Self::stated(options) } else { Self::file(options) }
    }

    fn stated(options: &PlanOptions) -> Result<Self, Failure> {
        let needed = |name: &str, value: &Option<String>, example: &str| {
            value
                .clone()
                .ok_or_else(|| Error::input(name, format!("it is needed, as in `--{name} {example}`")))
        };
        let model = configuration::named(&needed("model", &options.model, "Llama3_70B")?)?;
        let on = needed("on", &options.on, "Training_512_H100")?;
        let devices = options.devices.as_deref().map(counts).transpose()?;
        let machine = machine(&on, devices.as_deref(), options.fabric.as_deref())?;
        let count = |name: &str, text: &str| whole(name, text);
        let batch = count("batch", &needed("batch", &options.batch, "512")?)?;
        let sequence = count("seq", &needed("seq", &options.seq, "4096")?)?;
        let all = machine.devices();
        let mut plan = TrainingPlan::new(model, machine, all, batch, sequence);
        if let Some(devices) = devices {
            plan.devices = devices;
        }
        plan.precisions = options
            .precision
            .as_deref()
            .unwrap_or("bf16")
            .split(',')
            .map(|name| Name::from(name.trim()))
            .collect();
        plan.gradients = Name::from(options.gradients.as_deref().unwrap_or("fp32"));
        if options.memory.schedule.is_some() {
            let message = "a plan chooses the order of passes; write `--fix schedule=gpipe` for one of them";
            return Err(Error::input("schedule", message).into());
        }
        if options.memory.recompute_layers.is_some() {
            let message = "a plan computes all layers of a stage again, or none; leave it out";
            return Err(Error::input("recompute-layers", message).into());
        }
        plan.policy = options.memory.policy()?;
        plan.goal = Goal::read(options.goal.as_deref().unwrap_or("time"))?;
        plan.top = count("top", options.top.as_deref().unwrap_or("5"))? as usize;
        plan.pareto = options.pareto.as_deref().map_or(Ok(Vec::new()), Figure::read)?;
        for text in &options.fix {
            plan.fix.extend(Condition::read("fix", text, &plan.precisions)?);
        }
        for text in &options.forbid {
            plan.forbid.push(Condition::read("forbid", text, &plan.precisions)?);
        }
        plan.tokens_of_run = options.tokens.as_deref().map(tokens).transpose()?;
        plan.price = options.price.as_deref().map(price).transpose()?;
        plan.require =
            options.require.iter().map(|text| Requirement::read(text)).collect::<Result<_, _>>()?;
        let region = options.region.as_deref().map(region).transpose()?;
        for (name, is_given) in [("price", plan.price.is_some()), ("region", region.is_some())] {
            if is_given && plan.tokens_of_run.is_none() {
                let message = "it is about a whole run; state its `tokens` too, as in `--tokens 300e9`";
                return Err(Error::input(name, message).into());
            }
        }
        Ok(Question { title: None, plan, region })
    }

    fn file(options: &PlanOptions) -> Result<Self, Failure> {
        let name = options.what.as_str();
        let path = Path::new(name);
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        if !is_yaml && path.extension().is_none_or(|extension| extension != "toml") {
            return Err(Failure::Refused(format!(
                "`{name}` is neither `train` nor a plan file, whose name ends with `.toml` or `.yaml`"
            )));
        }
        if let Some(option) = beside(options) {
            let message = format!("`{name}` says all of a plan; change it there, and leave the option out");
            return Err(Error::input(option, message).into());
        }
        let failed = |error: std::io::Error| Failure::Refused(format!("{name}: {error}"));
        let length = std::fs::metadata(path).map_err(failed)?.len();
        if length > LONGEST {
            return Err(Failure::Refused(format!(
                "{name}: a plan has a few kilobytes, but this file has {length}"
            )));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let in_file = |error: Error| {
            let place = error.place().map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
            let field = error.field().map_or(String::new(), |field| format!("{field}: "));
            Failure::Refused(format!("{name}{place}: {field}{}", error.message()))
        };
        let file = if is_yaml { PlanFile::from_yaml(&text) } else { PlanFile::from_toml(&text) };
        let file = file.map_err(in_file)?;
        let model = configuration::named(&file.model)?;
        let region = file.system.region.as_deref().map(region).transpose().map_err(in_file)?;
        let title = file.title.as_ref().map(|title| title.to_string());
        Ok(Question { title, plan: file.plan(model).map_err(in_file)?, region })
    }
}

fn counts(text: &str) -> Result<Vec<u64>, Error> {
    text.split(',').map(|each| whole("devices", each)).collect()
}

fn whole(name: &str, text: &str) -> Result<u64, Error> {
    match text.trim().parse::<u64>() {
        Ok(count) if (1..=1 << 30).contains(&count) => Ok(count),
        _ => Err(Error::input(
            name,
            format!("a whole number from 1 to {} is needed, but `{text}` was given", 1u64 << 30),
        )),
    }
}

fn tokens(text: &str) -> Result<f64, Error> {
    let number = text.trim().parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= MOST_TOKENS);
    number.ok_or_else(|| {
        Error::input(
            "tokens",
            format!("a number above 0 and up to 1e18 is needed, such as `300e9`, but `{text}` was given"),
        )
    })
}

fn price(text: &str) -> Result<Price, Error> {
    let refused = |why: &str| {
        let message =
            format!("a price of an hour above 0 is needed, such as `2.5 USD/h`, but `{text}` {why}");
        Error::input("price", message)
    };
    if text.trim().parse::<f64>().is_ok() {
        return Err(refused("has no unit"));
    }
    let given: DynQuantity = text.parse().map_err(|_| refused("is none"))?;
    let price = Price::try_from(&given).map_err(|_| refused("is none"))?;
    if price.base() > 0.0 { Ok(price) } else { Err(refused("is not above 0")) }
}
