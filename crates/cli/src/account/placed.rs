//! The tables of a step on a machine: memory, groups, the bound, and whether it fits.

use mlsysim::machine::Machine;
use mlsysim::quantity::format_brief;
use mlsysim::scenario::Kind;
use mlsysim::transformer::{Alternative, Lack, MemoryPart, Phase, Placed, PlacedLine, Resource, Step};
use mlsysim::{Result, Value};

use super::tables::listed;
use crate::arguments::Format;
use crate::numbers::{counted, duration, gibibytes, grouped, prefixed, shown};
use crate::output::{Table, cells};

/// The machine in a line.
pub fn machine(machine: &Machine) -> String {
    let switches = |add: bool| format!("switches {} up", if add { "add" } else { "do not add" });
    let rate = |rate: mlsysim::quantity::Bandwidth| prefixed(rate.base(), "B/s");
    let mut text = format!(
        "{}: {} ({}) in domains of {}; links carry {} one way, {}",
        machine.name,
        counted(machine.devices(), "device"),
        machine.device.name,
        machine.domain,
        rate(machine.link),
        switches(machine.in_switch_reduction),
    );
    if let Some(memory) = machine.host_memory {
        let share = rate(machine.link_share());
        text.push_str(&format!(
            "; without peer-to-peer a device gets {share} of the {} of its host's memory",
            rate(memory)
        ));
    }
    text.push_str(&match machine.network {
        Some(network) => format!(
            "; the network carries {} of a device, {}, oversubscribed {} to 1",
            rate(network),
            switches(machine.in_network_reduction),
            format_brief(machine.oversubscription),
        ),
        None => "; no network".to_string(),
    });
    if let Some(domains) = machine.rail_domains {
        text.push_str(&format!(", on rails through {}", counted(domains, "domain")));
    }
    if let Some(figures) = &machine.figures {
        let stated = figures.stated();
        let stated: Vec<String> = stated.iter().map(|(name, value)| format!("{name} {value}")).collect();
        text.push_str(&format!("; stated by the user: {}", stated.join(", ")));
    }
    text
}

/// What a rank of the fullest stage holds, by part.
pub fn memory(placed: &Placed<'_>) -> Table {
    let mut table = Table::new(&["part", "memory", "bytes", "kind"]);
    let mut row = |name: &str, bytes: f64, kind: Kind| {
        table.row([name.to_string(), gibibytes(bytes), grouped(bytes.round() as i64), kind.to_string()]);
    };
    for part in MemoryPart::ALL {
        let bytes = placed.fit.memory.of(*part).base();
        if bytes > 0.0 {
            row(part.name(), bytes, PlacedLine::Memory(Some(*part)).kind());
        }
    }
    row("total", placed.fit.memory.total().base(), PlacedLine::Memory(None).kind());
    row("capacity", placed.fit.capacity.base(), Kind::Stated);
    row("free", placed.fit.free().base(), Kind::Stated);
    table
}

/// The groups with the link that each crosses, of the rows of a report.
pub fn groups(report: &mlsysim::Map<Value>) -> Option<Table> {
    let columns = ["group", "ranks", "per_domain", "domains", "link", "sharing", "domains_reached"];
    let rates = ["sent", "on_links", "on_network"];
    let headings = [
        "group",
        "ranks",
        "in a domain",
        "domains",
        "link",
        "sharing the network",
        "domains reached",
        "sent",
        "on links",
        "on network",
    ];
    let mut rows: Vec<Vec<String>> = listed(report, "groups")
        .map(|row| {
            let cell = |key: &&str| match row.get(*key) {
                None | Some(Value::Null) => "-".to_string(),
                Some(value) => shown(value),
            };
            columns.iter().chain(&rates).map(cell).collect()
        })
        .collect();
    // Only where tokens are sent to experts does a column say how many domains they reach.
    let reached = rows.iter().any(|row| row[6] != "-");
    let mut headings = headings.to_vec();
    if !reached {
        headings.remove(6);
        rows.iter_mut().for_each(|row| drop(row.remove(6)));
    }
    let mut table = Table::new(&headings);
    let some = !rows.is_empty();
    rows.into_iter().for_each(|row| table.row(row));
    some.then_some(table)
}

/// The least time of the step, and what follows from it.
pub fn bound(placed: &Placed<'_>) -> Result<Table> {
    let mut table = Table::new(&["what", "value", "kind"]);
    let mut row = |name: &str, value: String| table.row([name.to_string(), value, Kind::Bound.to_string()]);
    for resource in Resource::ALL {
        row(resource.name(), duration(placed.bound.of(*resource).base()));
    }
    let time = duration(placed.bound.time().base());
    row("step, at least", format!("{time}, bound by {}", placed.bound.binds()));
    if let Some(rate) = placed.tokens_per_second() {
        row("tokens/s, at most", format_brief(rate));
    }
    if let Some(share) = placed.utilization()? {
        row("MFU (masked), at most", format!("{:.1} %", 100.0 * share));
    }
    Ok(table)
}

/// Every line of the step on the machine, whole, for programs.
pub fn lines(placed: &Placed<'_>) -> Table {
    let mut table = Table::new(&["line", "value", "unit", "kind"]);
    let mut row = |name: String, value: &Value, kind: Kind| {
        let (number, unit) = cells(value, Format::Csv);
        table.row([name, number, unit, kind.to_string()]);
    };
    for line in PlacedLine::all() {
        row(line.name(), &placed.value(line), line.kind());
        if line == PlacedLine::Memory(None) {
            let constant = mlsysim::scenario::constant;
            row("memory.capacity".to_string(), &constant(&placed.fit.capacity), Kind::Stated);
            row("memory.free".to_string(), &constant(&placed.fit.free()), Kind::Stated);
        }
    }
    table
}

/// Whether it fits, and if not, by how much it does not and what would.
pub fn verdict(placed: &Placed<'_>) -> Vec<String> {
    let fit = &placed.fit;
    let layout = placed.accounting.division.layout;
    let mut said: Vec<String> = placed
        .lacks()
        .iter()
        .map(|lack| match lack {
            Lack::Devices(missing) => format!(
                "infeasible: devices bind: the layout has {}, {missing} more than the {} of {}",
                counted(layout.devices(), "device"),
                placed.machine.devices(),
                placed.machine.name,
            ),
            Lack::Memory(missing) => format!(
                "infeasible: memory binds: a rank of stage {} holds {}, {} more than the {} of {}",
                fit.stage,
                gibibytes(fit.memory.total().base()),
                gibibytes(missing.base()),
                gibibytes(fit.capacity.base()),
                placed.machine.device.name,
            ),
        })
        .collect();
    if said.is_empty() {
        let free = gibibytes(fit.free().base());
        return vec![format!("It fits: {free} are free on a device of the fullest stage, {}.", fit.stage)];
    }
    said.push(match placed.nearest() {
        Some(nearest) => format!("the nearest that fits: {}", alternative(placed.accounting.step, &nearest)),
        None => "nothing near fits: no other degrees, stage of ZeRO, recomputation, batch or micro-batch on \
                 this machine do"
            .to_string(),
    });
    said
}

/// An alternative as options to paste, with its changes and what it leaves free.
fn alternative(step: &Step, nearest: &Alternative) -> String {
    let mut options = format!("--layout {}", nearest.layout.written());
    let (batch, all) = (nearest.step.batch, nearest.step.batch == nearest.step.micro_batch);
    if nearest.step.micro_batch != step.micro_batch && !all {
        options.push_str(&format!(" --micro-batch {}", nearest.step.micro_batch));
    }
    if nearest.step.recompute != step.recompute {
        options.push_str(&format!(" --recompute {}", nearest.step.recompute.name()));
    }
    if batch != step.batch {
        options.push_str(&match step.phase {
            Phase::Decode => format!(" --decode {batch}@{}", step.context),
            _ => format!(" --batch {batch}"),
        });
    }
    let free = gibibytes(nearest.fit.free().base());
    format!("{options} ({}; {free} free)", nearest.changes.join(", "))
}
