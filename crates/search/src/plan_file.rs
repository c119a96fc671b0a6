//! `PlanFile`: a plan as a file in TOML or YAML states it.

use std::sync::Arc;

use mlsysim_models::machine::{Figures, Machine, Wiring};
use mlsysim_models::transformer::{MemoryPolicy, Transformer};
use mlsysim_quantity::Price;
use mlsysim_registry::Document;
use mlsysim_scenario::{Define, Error, Map, Name, Record, Result, Value};

use crate::plan_options::with_lists;
use crate::{Condition, Figure, Goal, Requirement, TrainingPlan};

/// A plan as a file states it.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct PlanFile {
    /// What the plan is for, in the words of its author.
    pub title: Option<Name>,
    /// A model of the registry, such as `Llama3_70B`, or the path of a configuration file, relative to the
    /// folder of this one.
    pub model: Name,
    /// What it runs on.
    pub system: Arc<PlanSystem>,
    /// What is trained.
    pub training: Arc<PlanTraining>,
    /// What may be chosen, and what is best.
    pub search: Option<Arc<PlanSearch>>,
    /// How memory is used.
    pub memory: Option<Arc<MemoryPolicy>>,
    /// What the plan has to keep, such as `step_time < 12 s` or `memory.free > 5 GiB`.
    pub require: Option<Vec<Name>>,
}

/// What a plan runs on.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct PlanSystem {
    /// A cluster of the registry (`Training_512_H100`) or a server (`DGX_H100`).
    pub on: Name,
    /// How many devices are used; a list tries each number, and all are used if left out.
    #[range(>= 1, <= 1073741824)]
    pub devices: Option<Vec<u64>>,
    /// The network between servers, such as `InfiniBand_NDR`.
    pub fabric: Option<Name>,
    /// What a device costs an hour, where that is not the registry's.
    #[range(> 0)]
    #[unit(USD/h)]
    pub price: Option<Price>,
    /// Where the system stands: a grid of the registry, such as `US_Avg`.
    pub region: Option<Name>,
    /// Figures of the devices, the links and the network, where the registry has others or none:
    /// `memory.capacity = "96 GiB"`.
    pub state: Option<Arc<Figures>>,
}

/// What is trained.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct PlanTraining {
    /// How many sequences a step has, in all replicas together.
    #[range(>= 1, <= 1073741824)]
    pub batch: u64,
    /// How many tokens a sequence has.
    #[range(>= 1, <= 1073741824)]
    pub sequence: u64,
    /// How many tokens the whole run has.
    #[range(> 0, <= 1e18)]
    pub tokens: Option<f64>,
    /// The precisions of matrix products that may be chosen.
    pub precision: Option<Vec<Name>>,
    /// The precision in which gradients are held and exchanged.
    #[default("fp32")]
    pub gradients: Name,
}

/// What may be chosen, and what is best.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct PlanSearch {
    /// What has to hold: `tp=8`, `pp<=4`, `sp`.
    pub fix: Option<Vec<Name>>,
    /// What must not be: `tp>8`, or together `zero=3,pp>1`.
    pub forbid: Option<Vec<Name>>,
    /// What is best: `time`, `cost`, `energy`, or weights of them.
    #[default("time")]
    pub goal: Name,
    /// How many layouts are told.
    #[default(5)]
    #[range(>= 1, <= 1000)]
    pub top: u64,
    /// In which figures the front is told: `time,memory,cost`.
    pub pareto: Option<Name>,
}

impl PlanFile {
    /// Reads a plan in TOML; where a list is taken, a single value is one of its own.
    ///
    /// ```
    /// use mlsysim_search::PlanFile;
    ///
    /// let text = "model = \"Llama3_8B\"\n[system]\non = \"DGX_H100\"\n[training]\nbach = 64\nsequence = 8192";
    /// let error = PlanFile::from_toml(text).unwrap_err();
    /// assert_eq!(error.place(), Some((5, 1)));
    /// assert!(error.to_string().contains("did you mean `batch`?"));
    /// let text = text.replace("bach", "batch").replace("[training]", "devices = 4\n[training]");
    /// assert_eq!(PlanFile::from_toml(&text)?.system.devices, Some(vec![4]));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is no TOML, or a field is misspelt, missing or out of its range; with line and column.
    pub fn from_toml(text: &str) -> Result<Self> {
        let document = Document::read(text)?;
        Self::from_inputs(with_lists(document.sections().clone())).map_err(|error| {
            let field = error.field().unwrap_or_default().to_string();
            document.locate(error, &field)
        })
    }

    /// Reads a plan in YAML.
    ///
    /// # Errors
    ///
    /// The text is no YAML, or a field is misspelt, missing or out of its range.
    pub fn from_yaml(text: &str) -> Result<Self> {
        let json: serde_json::Value = serde_saphyr::from_str(text)
            .map_err(|error| Error::malformed(format!("this is no YAML: {error}")))?;
        match value(&json) {
            Value::Map(inputs) => Self::from_inputs(with_lists(inputs)),
            _ => Err(Error::malformed("a plan is a map with `model`, `system` and `training`")),
        }
    }

    /// The plan for `model` on the machine that the file names.
    ///
    /// # Errors
    ///
    /// A name, a condition or a requirement means nothing; the field is that of the file.
    pub fn plan(&self, model: Transformer) -> Result<TrainingPlan> {
        let system = &self.system;
        let figures = system.state.as_deref().cloned().unwrap_or_default();
        let machine = machine(&system.on, system.devices.as_deref(), system.fabric.as_deref(), &figures)?;
        let training = &self.training;
        let all = machine.devices();
        let mut plan = TrainingPlan::new(model, machine, all, training.batch, training.sequence);
        if let Some(devices) = &system.devices {
            plan.devices.clone_from(devices);
        }
        if let Some(precisions) = &training.precision {
            plan.precisions.clone_from(precisions);
        }
        plan.gradients = training.gradients.clone();
        if let Some(policy) = &self.memory {
            plan.policy = MemoryPolicy::clone(policy);
        }
        if let Some(search) = &self.search {
            for text in search.fix.iter().flatten() {
                plan.fix.extend(Condition::read("fix", text, &plan.precisions)?);
            }
            for text in search.forbid.iter().flatten() {
                plan.forbid.push(Condition::read("forbid", text, &plan.precisions)?);
            }
            plan.goal = Goal::read(&search.goal)?;
            plan.top = search.top as usize;
            plan.pareto = search.pareto.as_deref().map_or(Ok(Vec::new()), Figure::read)?;
        }
        plan.tokens_of_run = training.tokens;
        plan.price = system.price;
        plan.require =
            self.require.iter().flatten().map(|text| Requirement::read(text)).collect::<Result<_>>()?;
        Ok(plan)
    }
}

/// The system called `on` with as many servers as the largest number of `devices` needs, and with
/// `figures` in place of the registry's.
///
/// # Errors
///
/// There is no such system or network, or several servers have none.
pub fn machine(
    on: &str,
    devices: Option<&[u64]>,
    fabric: Option<&str>,
    figures: &Figures,
) -> Result<Machine> {
    let most = devices.and_then(|devices| devices.iter().copied().max());
    let of = |nodes| Machine::stated(on, nodes, fabric, &Wiring::default(), figures);
    let alone = of(None)?;
    match most {
        // A server by its name: as many of them as the devices fill. Clusters say how many they have.
        Some(most) if alone.domains == 1 && most > alone.domain => of(Some(most.div_ceil(alone.domain))),
        _ => Ok(alone),
    }
}

/// A value of JSON as one of ours.
fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::text(text),
        serde_json::Value::Array(items) => Value::List(items.iter().map(value).collect()),
        serde_json::Value::Object(fields) => {
            let fields = fields.iter().map(|(key, json)| (Name::from(key.as_str()), value(json)));
            Value::Map(fields.collect::<Map<Value>>())
        }
    }
}
