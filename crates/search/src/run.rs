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

impl TrainingPlan {
    /// A run of `tokens` at the predicted time of `told`; `price` is what a device costs an hour, where
    /// that is not the registry's.
    ///
    /// # Errors
    ///
    /// The tokens are none.
    pub fn run(&self, told: &Told, tokens: f64, price: Option<Price>) -> Result<Run> {
        if !(tokens.is_finite() && tokens > 0.0) {
            return Err(Error::input(
                "tokens",
                format!("a number above 0 is needed, but `{tokens}` was given"),
            ));
        }
        let devices = u64::from(told.outcome.candidate.devices);
        let servers = devices.div_ceil(self.machine.domain);
        let steps = (tokens / self.tokens() as f64).ceil();
        let working = steps * told.prediction.total.time;
        let node: Arc<ReliabilityComponent> = record(NODE)?;
        let recovery: Arc<RecoveryProfile> = record(RECOVERY)?;
        let hour = Time::from_base(3600.0);
        let between_failures = node.mttf_hours / servers as f64 * hour;
        let checkpoint = Bytes::from_base(SAVED * self.model.counts().total as f64);
        let rate = Bandwidth::from_base(1e9 * recovery.checkpoint_write_bw_gbs);
        let saving = checkpoint / rate;
        let seconds = recovery.detection_time_s
            + recovery.reschedule_time_s
            + recovery.restart_time_s
            + recovery.warmup_time_s;
        // A checkpoint is read back as fast as it was written.
        let restart = Time::from_base(seconds) + saving;
        let interval = checkpoint_interval(saving, between_failures);
        let wall_clock = time_with_failures(working, interval, saving, restart, between_failures);
        let stated = price.is_some();
        let price = match price {
            Some(price) => price,
            None => quantity(PRICE)?,
        };
        let device_hours = devices as f64 * (wall_clock / hour);
        let power = self.machine.device.tdp.or(self.machine.device.tdp_max);
        let energy = power.map(|power: Power| devices as f64 * power * wall_clock);
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
        if !stated {
            let (path, below) = PRICE.split_at("Infrastructure.Pricing.Cloud".len());
            let value = library().value(PRICE)?.to_string();
            assumptions.push(assumption("price of a device", value, path, below.trim_start_matches('.'))?);
        }
        Ok(Run {
            steps: steps as u64,
            working,
            checkpoint,
            saving,
            between_failures,
            restart,
            interval,
            wall_clock,
            device_hours,
            cost: devices as f64 * price * wall_clock,
            energy,
            regions: energy.map_or(Ok(Vec::new()), regions)?,
            assumptions,
        })
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

/// The region called `name`.
///
/// # Errors
///
/// There is none; the message names the nearest. The field is `region`.
pub fn region<'a>(run: &'a Run, name: &str) -> Result<&'a Region> {
    let found = run.regions.iter().find(|region| region.key == name || region.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = run.regions.iter().map(|region| region.key.as_str()).collect();
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
