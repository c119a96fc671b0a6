//! `Run`: a whole training of many steps: its time with failures and checkpoints, its cost, its energy
//! and its carbon.

use std::sync::Arc;

use mlsysim_models::library;
use mlsysim_models::physics::checkpointing::{checkpoint_interval, time_with_failures};
use mlsysim_quantity::{Bandwidth, Bytes, Energy, Mass, Money, Power, Price, Time};
use mlsysim_registry::{RecoveryProfile, ReliabilityComponent};
use mlsysim_scenario::{Error, Item, Library, Object, Origin, Result, Value};

use crate::{Told, TrainingPlan};

/// Where the registry has what a run needs beside the machine.
const NODE: &str = "Systems.Reliability.DgxNodeComposite";
const RECOVERY: &str = "Systems.Reliability.Recovery";
const PRICE: &str = "Infrastructure.Pricing.Cloud.GpuTrainingPerHour.rate";
const GRIDS: &str = "Infrastructure.Grids";

/// What a checkpoint has of each parameter: the weight in 16 bits, and the master copy and both moments
/// of Adam in 32 bits.
const SAVED: f64 = 2.0 + 3.0 * 4.0;

/// A whole training.
#[derive(Clone, Debug)]
pub struct Run {
    /// How many steps it has.
    pub steps: u64,
    /// What they take together, without failures.
    pub working: Time,
    /// What a checkpoint holds.
    pub checkpoint: Bytes,
    /// What saving one takes.
    pub saving: Time,
    /// The mean time between failures of any of the servers.
    pub between_failures: Time,
    /// What passes between a failure and the first step after it.
    pub restart: Time,
    /// The time between checkpoints that loses least.
    pub interval: Time,
    /// What the run takes with checkpoints and failures.
    pub wall_clock: Time,
    /// The hours of all devices together.
    pub device_hours: f64,
    /// What they cost.
    pub cost: Money,
    /// What the devices draw at most; nothing where that is not stated.
    pub energy: Option<Energy>,
    /// What that emits in each region: its name, with the facility's overhead.
    pub regions: Vec<Region>,
    /// What is assumed, each with its source.
    pub assumptions: Vec<Assumption>,
}

/// What a run emits in a region.
#[derive(Clone, Debug)]
pub struct Region {
    /// The key in the registry.
    pub key: String,
    /// What it is called.
    pub name: String,
    /// The energy with that of the facility.
    pub energy: Energy,
    /// The carbon dioxide.
    pub carbon: Mass,
}

/// A figure that a run assumes.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// What it is.
    pub what: String,
    /// Its value.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// What runs of a plan share, whatever their layout.
pub(crate) struct RunTerms {
    steps: f64,
    checkpoint: Bytes,
    saving: Time,
    restart: Time,
    /// The mean time between failures of one server, and how many devices that has.
    of_server: Time,
    domain: u64,
    price: Price,
    power: Option<Power>,
    assumptions: Vec<Assumption>,
}

/// What a run takes at one time of a step.
pub(crate) struct RunSpans {
    pub working: Time,
    pub between_failures: Time,
    pub interval: Time,
    pub wall_clock: Time,
    pub device_hours: f64,
    pub cost: Money,
    pub energy: Option<Energy>,
}

const HOUR: Time = Time::from_base(3600.0);

impl RunTerms {
    /// What runs of `plan` share; nothing where it states no tokens.
    ///
    /// # Errors
    ///
    /// The registry lacks what a run needs.
    pub fn new(plan: &TrainingPlan) -> Result<Option<Self>> {
        let Some(tokens) = plan.tokens_of_run else { return Ok(None) };
        let node: Arc<ReliabilityComponent> = record(NODE)?;
        let recovery: Arc<RecoveryProfile> = record(RECOVERY)?;
        let checkpoint = Bytes::from_base(SAVED * plan.model.counts().total as f64);
        let saving = checkpoint / Bandwidth::from_base(1e9 * recovery.checkpoint_write_bw_gbs);
        let seconds = recovery.detection_time_s
            + recovery.reschedule_time_s
            + recovery.restart_time_s
            + recovery.warmup_time_s;
        let mut assumptions = vec![
            assumption(
                "mean time to failure of a server",
                format!("{} h", node.mttf_hours),
                NODE,
                "mttf_hours",
            )?,
            assumption(
                "from a failure to the next step, reading back beside",
                format!("{seconds} s"),
                RECOVERY,
                "restart_time_s",
            )?,
            assumption(
                "rate at which checkpoints are written",
                format!("{} GB/s", recovery.checkpoint_write_bw_gbs),
                RECOVERY,
                "checkpoint_write_bw_gbs",
            )?,
        ];
        let price = match plan.price {
            Some(price) => price,
            None => {
                let (path, below) = PRICE.split_at("Infrastructure.Pricing.Cloud".len());
                let value = library().value(PRICE)?.to_string();
                let below = below.trim_start_matches('.');
                assumptions.push(assumption("price of a device", value, path, below)?);
                quantity(PRICE)?
            }
        };
        let device = &plan.machine.device;
        Ok(Some(RunTerms {
            steps: (tokens / plan.tokens() as f64).ceil(),
            checkpoint,
            saving,
            // A checkpoint is read back as fast as it was written.
            restart: Time::from_base(seconds) + saving,
            of_server: node.mttf_hours * HOUR,
            domain: plan.machine.domain,
            price,
            power: device.tdp.or(device.tdp_max),
            assumptions,
        }))
    }

    /// What a run takes on `devices` whose steps take `step` each.
    pub fn spans(&self, devices: u64, step: Time) -> RunSpans {
        let working = self.steps * step;
        let between_failures = self.of_server / devices.div_ceil(self.domain) as f64;
        let interval = checkpoint_interval(self.saving, between_failures);
        let wall_clock = time_with_failures(working, interval, self.saving, self.restart, between_failures);
        let devices = devices as f64;
        RunSpans {
            working,
            between_failures,
            interval,
            wall_clock,
            device_hours: devices * (wall_clock / HOUR),
            cost: devices * self.price * wall_clock,
            energy: self.power.map(|power| devices * power * wall_clock),
        }
    }
}

impl TrainingPlan {
    /// A whole run at the predicted time of `told`; nothing where the plan states no tokens of it.
    ///
    /// # Errors
    ///
    /// The registry lacks what a run needs.
    pub fn run(&self, told: &Told) -> Result<Option<Run>> {
        let Some(terms) = RunTerms::new(self)? else { return Ok(None) };
        let spans = terms.spans(told.outcome.candidate.devices.into(), told.prediction.total.time);
        Ok(Some(Run {
            steps: terms.steps as u64,
            working: spans.working,
            checkpoint: terms.checkpoint,
            saving: terms.saving,
            between_failures: spans.between_failures,
            restart: terms.restart,
            interval: spans.interval,
            wall_clock: spans.wall_clock,
            device_hours: spans.device_hours,
            cost: spans.cost,
            energy: spans.energy,
            regions: spans.energy.map_or(Ok(Vec::new()), regions)?,
            assumptions: terms.assumptions,
        }))
    }
}

/// What `energy` of devices emits in each region that the registry has, least first.
fn regions(energy: Energy) -> Result<Vec<Region>> {
    let Value::Map(grids) = library().value(GRIDS)? else { return Ok(Vec::new()) };
    let mut regions: Vec<Region> = Vec::new();
    for (key, grid) in &grids {
        let Value::Map(grid) = grid else { continue };
        let number = |name: &str| match grid.get(name) {
            Some(Value::Number(number)) => Some(*number),
            Some(Value::Integer(number)) => Some(*number as f64),
            _ => None,
        };
        let (Some(grams), Some(overhead)) = (number("carbon_intensity_g_kwh"), number("pue")) else {
            continue;
        };
        let name = grid.get("name").map_or_else(|| key.to_string(), Value::to_string);
        let energy = overhead * energy;
        let carbon = Mass::from_base(energy.base() / 3.6e6 * grams / 1e3);
        regions.push(Region { key: key.to_string(), name, energy, carbon });
    }
    regions.sort_by(|one, other| one.carbon.base().total_cmp(&other.carbon.base()));
    Ok(regions)
}

/// The key of the region called `name`, by its key or by what it is called.
///
/// ```
/// assert_eq!(mlsysim_search::region("US_Avg")?, "US_Avg");
/// let error = mlsysim_search::region("US_Avrg").unwrap_err();
/// assert_eq!(error.to_string(), "region: no region is called `US_Avrg`; did you mean `US_Avg`?");
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// There is none; the message names the nearest. The field is `region`.
pub fn region(name: &str) -> Result<String> {
    let regions = regions(Energy::ZERO)?;
    let found = regions.iter().find(|region| region.key == name || region.name == name);
    found.map(|region| region.key.clone()).ok_or_else(|| {
        let names: Vec<&str> = regions.iter().map(|region| region.key.as_str()).collect();
        let hint = match mlsysim_quantity::nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", mlsysim_scenario::listed(names.into_iter())),
        };
        Error::input("region", format!("no region is called `{name}`; {hint}"))
    })
}

fn assumption(what: &str, value: String, path: &str, below: &str) -> Result<Assumption> {
    Ok(Assumption { what: what.to_string(), value, origin: library().entry(path)?.origin(below) })
}

fn record<T: Item>(path: &str) -> Result<Arc<T>> {
    match library().value(path)? {
        Value::Object(object) => downcast(&object, path),
        _ => Err(Error::unknown(format!("{path} is no record"))),
    }
}

fn downcast<T: Item>(object: &Object, path: &str) -> Result<Arc<T>> {
    object.downcast::<T>().ok_or_else(|| Error::unknown(format!("{path} is of another type")))
}

fn quantity(path: &str) -> Result<Price> {
    match library().value(path)? {
        Value::Quantity(quantity) => Ok(Price::from_base(quantity.base())),
        _ => Err(Error::unknown(format!("{path} is no quantity"))),
    }
}
