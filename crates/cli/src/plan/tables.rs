//! The tables of a plan: layouts, parts of the time, memory, what is compared, and the whole run.

use mlsysim::Error;
use mlsysim::quantity::{Time, format_brief, format_number};
use mlsysim::search::{Comparison, Planned, Run, Told, TrainingPlan};
use mlsysim::transformer::{Layout, MemoryPart, PlacedLine};

use crate::numbers::{duration, gibibytes, grouped};
use crate::output::Table;

/// A row for each layout, for people: devices and precisions where several may be chosen.
pub fn layouts(told: &[Told], plan: &TrainingPlan) -> Table {
    let more = [(plan.devices.len() > 1, "devices"), (plan.precisions.len() > 1, "precision")];
    let more = more.into_iter().filter(|(is_open, _)| *is_open).map(|(_, name)| name);
    let more: Vec<&'static str> = more.collect();
    let mut headings = vec!["#", "step", "low", "high", "tokens/s", "MFU", "memory"];
    headings.extend(&more);
    headings.extend(["layout", "micro", "recompute", "order"]);
    let mut table = Table::new(&headings);
    for (index, told) in told.iter().enumerate() {
        let (total, candidate) = (&told.prediction.total, &told.outcome.candidate);
        let rate = plan.tokens() as f64 / total.time.base();
        let mut row = vec![
            (index + 1).to_string(),
            short(total.time),
            short(total.low),
            short(total.high),
            grouped(rate.round() as i64),
            percent(told.utilization),
            format!("{:.1} GiB", told.fit.memory.total().base() / GIB),
        ];
        row.extend(more.iter().map(|name| match *name {
            "devices" => grouped(candidate.devices.into()),
            _ => told.precision.to_string(),
        }));
        row.extend([
            brief(told),
            candidate.micro_batch.to_string(),
            told.step.recompute.name().to_string(),
            order(told),
        ]);
        table.row(row);
    }
    table
}

/// The columns of each layout, for programs.
const COLUMNS: [&str; 13] = [
    "rank",
    "step_s",
    "low_s",
    "high_s",
    "tokens_per_s",
    "mfu",
    "memory_bytes",
    "layout",
    "micro_batch",
    "recompute",
    "schedule",
    "precision",
    "devices",
];

/// Those of a whole run of it.
const RUN_COLUMNS: [&str; 4] = ["wall_clock_s", "device_hours", "cost_usd", "energy_j"];

/// What is required and what of it a layout misses, each as it was written.
const REQUIREMENT_COLUMNS: [&str; 2] = ["met", "missed"];

/// A row for each layout, for programs, in base units: with the whole run of it where one is planned, and
/// what that emits where a region is stated; with which requirements it meets, where there are some.
pub fn rows(planned: &Planned) -> Result<Table, Error> {
    let (plan, region) = (&planned.question.plan, &planned.question.region);
    let mut headings = COLUMNS.to_vec();
    if planned.run.is_some() {
        headings.extend(RUN_COLUMNS);
        headings.extend(region.as_ref().map(|_| "carbon_kg"));
    }
    // All that are ranked keep what is required; where none does, the nearest alone is shown.
    let written = |is_met: bool| {
        let some = planned.kept.iter().filter(|kept| kept.is_met == is_met);
        some.map(|kept| kept.written.as_str()).collect::<Vec<_>>().join("; ")
    };
    let requirements = [true, false].map(written);
    let is_required = !planned.kept.is_empty();
    headings.extend(REQUIREMENT_COLUMNS.into_iter().filter(|_| is_required));
    let mut table = Table::new(&headings);
    for (index, told) in shown(planned).iter().enumerate() {
        let total = &told.prediction.total;
        let numbers = [
            total.time.base(),
            total.low.base(),
            total.high.base(),
            plan.tokens() as f64 / total.time.base(),
            told.utilization,
            told.fit.memory.total().base(),
        ];
        let mut row = vec![(index + 1).to_string()];
        row.extend(numbers.map(format_number));
        row.extend([
            told.written(),
            told.outcome.candidate.micro_batch.to_string(),
            told.step.recompute.name().to_string(),
            order(told),
            told.precision.to_string(),
            told.outcome.candidate.devices.to_string(),
        ]);
        if let Some(run) = plan.run(told)? {
            let energy = run.energy.map_or(String::new(), |energy| format_number(energy.base()));
            let numbers = [run.wall_clock.base(), run.device_hours, run.cost.base()];
            row.extend(numbers.map(format_number));
            row.push(energy);
            row.extend(region.as_ref().map(|key| {
                let carbon = run.regions.iter().find(|region| region.key == *key);
                carbon.map_or(String::new(), |region| format_number(region.carbon.base()))
            }));
        }
        row.extend(requirements.iter().filter(|_| is_required).cloned());
        table.row(row);
    }
    Ok(table)
}

/// The layouts that are shown: the best, or what comes nearest.
pub fn shown(planned: &Planned) -> &[Told] {
    if planned.keeps() { &planned.best } else { planned.nearest.as_slice() }
}

/// The layout without the list of its stages, which may be long.
pub fn brief(told: &Told) -> String {
    let even = Layout { stages: None, ..told.layout.clone() };
    if told.layout.stages.is_some() { format!("{},stages=…", even.written()) } else { even.written() }
}

const GIB: f64 = 1_073_741_824.0;

/// The order of passes; chunks are interleaved, and without a pipeline there is none.
pub fn order(told: &Told) -> String {
    match (told.layout.pp, told.layout.vpp) {
        (1, _) => "-".to_string(),
        (_, 1) => told.policy.schedule.name().to_string(),
        _ => "interleaved".to_string(),
    }
}

/// Where the time of a step goes.
pub fn times(told: &Told) -> Table {
    let mut table = Table::new(&["part", "time", "share", "least", "what takes most of it"]);
    let whole = told.prediction.total.time;
    let mut parts = told.parts();
    parts.sort_by(|one, other| other.time.base().total_cmp(&one.time.base()));
    for part in parts {
        let least = part.bound.map_or(String::new(), short);
        let binds = part.binds.to_string();
        table.row([part.name.clone(), short(part.time), percent(part.time / whole), least, binds]);
    }
    let total = &told.prediction.total;
    table.row(["step".to_string(), short(whole), percent(1.0), short(total.bound), total.binds.to_string()]);
    table
}

/// What a rank of the fullest stage holds.
pub fn memory(told: &Told) -> Table {
    let mut table = Table::new(&["part", "memory", "share", "kind"]);
    let capacity = told.fit.capacity.base();
    let mut row = |name: &str, bytes: f64, kind: String| {
        table.row([name.to_string(), gibibytes(bytes), percent(bytes / capacity), kind]);
    };
    for part in MemoryPart::ALL {
        let bytes = told.fit.memory.of(*part).base();
        if bytes > 0.0 {
            row(part.name(), bytes, PlacedLine::Memory(Some(*part)).kind().to_string());
        }
    }
    row("free", told.fit.free().base(), "stated".to_string());
    row("capacity", capacity, "stated".to_string());
    table
}

/// In which parts two layouts differ.
pub fn comparison(comparison: &Comparison) -> Table {
    let mut table = Table::new(&["part", "first", "second", "difference"]);
    for (name, first, second) in &comparison.parts {
        let differs = second.base() - first.base();
        let sign = if differs < 0.0 { "-" } else { "+" };
        let differs = format!("{sign}{}", short(Time::from_base(differs.abs())));
        table.row([name.clone(), short(*first), short(*second), differs]);
    }
    table
}

/// The whole run.
pub fn run(run: &Run, region: Option<&str>) -> Table {
    let mut table = Table::new(&["what", "value"]);
    let mut row = |what: &str, value: String| table.row([what.to_string(), value]);
    row("steps", grouped(run.steps as i64));
    row("time without failures", days(run.working));
    row("checkpoint", gibibytes(run.checkpoint.base()));
    row("time to save one", duration(run.saving.base()));
    row("time between checkpoints", minutes(run.interval));
    row("time between failures", hours(run.between_failures));
    row("wall-clock time", days(run.wall_clock));
    row("goodput", percent(run.working / run.wall_clock));
    row("device hours", grouped(run.device_hours.round() as i64));
    row("cost", format!("{} USD", grouped(run.cost.base().round() as i64)));
    match run.energy {
        Some(energy) => {
            row("energy of the devices, at most", format!("{} MWh", format_brief(mega(energy.base()))))
        }
        None => row("energy", "not stated: the registry has no power of the device".to_string()),
    }
    let chosen = |key: &str| region.is_none_or(|region| region == key);
    for region in run.regions.iter().filter(|told| chosen(&told.key)) {
        let tons = region.carbon.base() / 1e3;
        row(&format!("carbon, {}", region.key), format!("{} t CO2", format_brief(tons)));
    }
    table
}

/// Joules as megawatt hours, to three digits.
fn mega(joules: f64) -> f64 {
    format!("{:.2e}", joules / 3.6e9).parse().unwrap_or(joules / 3.6e9)
}

/// A time to four digits.
pub fn short(time: Time) -> String {
    let rounded: f64 = format!("{:.3e}", time.base()).parse().unwrap_or(time.base());
    duration(rounded)
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn minutes(time: Time) -> String {
    format!("{:.1} min", time.base() / 60.0)
}

fn hours(time: Time) -> String {
    format!("{:.2} h", time.base() / 3600.0)
}

pub fn days(time: Time) -> String {
    format!("{:.2} days", time.base() / 86400.0)
}
