//! `Floor`: measured times against the least times that are possible, which none of them may beat.

use std::collections::HashMap;

use mlsysim_scenario::Result;

use super::table::{Exclusion, Reason, Table};
use super::{CollectiveRow, KernelRow, KnownModels, MeasuredMachine, MeasuredMachines, ServingRow, Shape};
use super::{TrainingRow, precision};
use crate::machine::{Link, Machine};
use crate::transformer::{Accounting, Convention, Division, Layout, Rates, Step, Transformer};

/// A measured time and the least that is possible.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The row.
    pub id: String,
    /// What it is told under, such as `training step, H100`.
    pub class: String,
    /// What was measured, in seconds.
    pub measured: f64,
    /// The least that is possible, in seconds.
    pub bound: f64,
    /// What binds.
    pub binds: &'static str,
}

impl Comparison {
    /// How many times the bound the measurement is; below one, something is wrong.
    pub fn ratio(&self) -> f64 {
        self.measured / self.bound
    }

    /// Whether the measurement beats the bound, by more than what printing it rounds away.
    pub fn is_violation(&self) -> bool {
        self.measured < self.bound * (1.0 - ROUNDED)
    }
}

/// Tables print three digits or more.
const ROUNDED: f64 = 0.001;

/// What became of a row: what it was held against, or why it was left out.
pub type Outcome = std::result::Result<Vec<Comparison>, Reason>;

/// What measured rows are held against bounds with.
#[derive(Clone, Debug)]
pub struct Floor {
    machines: MeasuredMachines,
    models: KnownModels,
    excluded: HashMap<String, Reason>,
    known: HashMap<Shape, std::result::Result<Transformer, Reason>>,
}

impl Floor {
    /// With machines and models from their TOML texts, and exclusions from their table.
    ///
    /// # Errors
    ///
    /// One of the texts is malformed, or names what the registry lacks.
    pub fn read(machines: &str, models: &str, exclusions: &str) -> Result<Self> {
        let excluded = Table::<Exclusion>::read(exclusions)?.rows.into_iter();
        let excluded = excluded.filter(|row| !row.is_for_the_floor()).map(|row| (row.row_id, row.reason));
        Ok(Floor {
            machines: MeasuredMachines::read(machines)?,
            models: KnownModels::read(models)?,
            excluded: excluded.collect(),
            known: HashMap::new(),
        })
    }

    fn is_kept(&self, id: &str) -> std::result::Result<(), Reason> {
        self.excluded.get(id).map_or(Ok(()), |reason| Err(format!("excluded: {reason}")))
    }

    fn model(&mut self, shape: &Shape) -> std::result::Result<Transformer, Reason> {
        let models = &self.models;
        self.known.entry(shape.clone()).or_insert_with(|| models.model(shape)).clone()
    }

    /// A collective against the best algorithm at the full rate of its links.
    ///
    /// # Errors
    ///
    /// Why the row is left out.
    pub fn collective(&self, row: &CollectiveRow) -> Outcome {
        self.is_kept(&row.id)?;
        let collective = row.collective()?;
        let (measured, machine) = self.machines.of(&row.placed)?;
        let (payload, seconds) = row.payload_and_seconds()?;
        let reach = row.reach(machine);
        let bound = machine.collective_bound(collective, payload, reach);
        let bound = bound.map_err(|_| "network not published".to_string())?;
        if bound.link() == Link::Nothing {
            return Err("nothing is sent".to_string());
        }
        Ok(vec![Comparison {
            id: row.id.clone(),
            class: format!("{}, {}", measured.class, collective.name()),
            measured: seconds,
            bound: bound.time().base(),
            binds: bound.link().name(),
        }])
    }

    /// A kernel against the peak and the memory of its device.
    ///
    /// # Errors
    ///
    /// Why the row is left out.
    pub fn kernel(&self, row: &KernelRow) -> Outcome {
        self.is_kept(&row.id)?;
        let (measured, machine) = self.machines.of(&row.placed)?;
        let kernel = row.kernel.clone()?;
        let peak = peak(machine, row.peak.clone()?)?;
        let seconds = row.seconds.filter(|time| *time > 0.0).ok_or("no time published")?;
        let bound = kernel.bound(peak.peak, &machine.device.memory);
        if bound.time().base() <= 0.0 {
            return Err("all of it fits in the level-2 cache, and there is no arithmetic".to_string());
        }
        Ok(vec![Comparison {
            id: row.id.clone(),
            class: format!("{}, {}", row.class, measured.device_class()),
            measured: seconds,
            bound: bound.time().base(),
            binds: bound.binds(),
        }])
    }

    /// A step of training against what binds it: everything where the layout is published, else its
    /// arithmetic, and where not even the model is known, the peak alone.
    ///
    /// # Errors
    ///
    /// Why the row is left out.
    pub fn training(&mut self, row: &TrainingRow) -> Outcome {
        self.is_kept(&row.id)?;
        if row.task == "LoRA" {
            return Err("adapters (LoRA) not modelled".to_string());
        }
        let (measured, machine) = self.machines.of(&row.placed)?;
        let device = measured.device_class().to_string();
        let rates = peak(machine, precision::known(&row.precision)?.peak)?;
        let machine = machine.clone();
        let compared = |basis: &str, measured: f64, bound: f64, binds: &'static str| {
            let class = format!("training, {basis}, {device}");
            vec![Comparison { id: row.id.clone(), class, measured, bound, binds }]
        };
        let model = match self.model(&row.shape) {
            Ok(model) => model,
            Err(reason) => {
                let tflops = row.tflops_per_gpu.filter(|rate| *rate > 0.0).ok_or(reason)?;
                return Ok(compared("peak", 1.0, tflops * 1e12 / rates.peak.base(), "arithmetic"));
            }
        };
        if let (Ok(layout), Ok(step), Some(seconds)) = (row.layout(), row.step(), row.step_seconds())
            && let Ok((bound, binds)) = least_step(&model, &layout, &step, &machine, rates)
        {
            return Ok(compared("step", seconds, bound, binds));
        }
        let sequence = row.seq_len.ok_or("sequence not published")?;
        let devices =
            row.n_gpus.filter(|devices| *devices > 0).ok_or("number of devices not published")? as f64;
        let per_token = model.training_flops(Convention::Masked, sequence, row.recomputed());
        let per_token = per_token.map_err(|error| error.to_string())?.base();
        let tokens = row.global_batch.map(|batch| batch as f64 * sequence as f64);
        let token_seconds = match (row.tokens_per_s, tokens.zip(row.iteration_s)) {
            (Some(rate), _) if rate > 0.0 => 1.0 / rate,
            (_, Some((tokens, seconds))) => seconds / tokens,
            _ => {
                let tflops = row.tflops_per_gpu.filter(|rate| *rate > 0.0).ok_or("no time published")?;
                return Ok(compared("peak", 1.0, tflops * 1e12 / rates.peak.base(), "arithmetic"));
            }
        };
        let bound = per_token / rates.peak.base() / devices;
        Ok(compared("arithmetic", token_seconds, bound, "arithmetic"))
    }

    /// The parts of a static batch that are published against what binds each.
    ///
    /// # Errors
    ///
    /// Why the row is left out.
    pub fn serving(&mut self, row: &ServingRow) -> Outcome {
        self.is_kept(&row.id)?;
        let (prefill, decode) = (row.prefill()?, row.decode()?);
        let (measured, machine) = self.machines.of(&row.placed)?;
        let device = measured.device_class().to_string();
        let rates = peak(machine, precision::known(&row.weight_precision)?.peak)?;
        let machine = machine.clone();
        let layout = row.layout()?;
        let model = self.model(&row.shape)?;
        let least = |step: &Step| least_step(&model, &layout, step, &machine, rates);
        let (first, first_binds) = least(&prefill)?;
        let (each, each_binds) = least(&decode)?;
        let mut compared = Vec::new();
        let mut hold = |what: &str, ms: Option<f64>, bound: f64, binds: &'static str| {
            if let Some(ms) = ms.filter(|ms| *ms > 0.0) {
                let class = format!("{what}, {device}");
                compared.push(Comparison { id: row.id.clone(), class, measured: ms / 1e3, bound, binds });
            }
        };
        hold("prefill", row.prefill_ms.or(row.ttft_ms), first, first_binds);
        hold("decode step", row.tpot_ms, each, each_binds);
        if let (Some(answer), Some(batch)) = (row.output_len.filter(|tokens| *tokens > 0), row.batch) {
            let whole = first + (answer - 1) as f64 * each;
            let from_rate = row.output_tokens_per_s.filter(|rate| *rate > 0.0);
            let from_rate = from_rate.map(|rate| 1e3 * (batch * answer) as f64 / rate);
            // A rate that is printed beside the time of a token is that time again, without the prefill.
            let from_rate = from_rate.filter(|_| row.tpot_ms.is_none());
            hold("whole batch", row.e2e_ms.or(from_rate), whole, each_binds);
        }
        if compared.is_empty() { Err("no time published".to_string()) } else { Ok(compared) }
    }
}

impl MeasuredMachine {
    /// The first word of the class, which names the device.
    pub fn device_class(&self) -> &str {
        self.class.split(", ").next().unwrap_or(&self.class)
    }
}

fn peak(machine: &Machine, key: &str) -> std::result::Result<Rates, Reason> {
    let device = &machine.device;
    let peak = device.compute.peak(key).map_err(|_| format!("{} states no peak for {key}", device.name))?;
    Ok(Rates { peak, memory: device.memory.bandwidth })
}

/// The least time of a step, in seconds, and what binds it: that of the stage which takes longest.
fn least_step(
    model: &Transformer,
    layout: &Layout,
    step: &Step,
    machine: &Machine,
    rates: Rates,
) -> std::result::Result<(f64, &'static str), Reason> {
    let mut machine = machine.clone();
    machine.domains = layout.devices().div_ceil(machine.domain).max(1);
    // Nothing between domains is faster than what joins the devices within one.
    machine.network = machine.network.or(Some(machine.link));
    let told = |error: mlsysim_scenario::Error| error.to_string();
    let division = Division::new(model, layout).map_err(told)?;
    let accounting = Accounting::new(&division, step).map_err(told)?;
    let mut slowest = (0.0, "nothing");
    for stage in 0..layout.pp {
        let account = accounting.account(stage).map_err(told)?;
        let bound = accounting.bound_at(&account, &machine, rates).map_err(told)?;
        if bound.time().base() > slowest.0 {
            slowest = (bound.time().base(), bound.binds());
        }
    }
    Ok(slowest)
}
