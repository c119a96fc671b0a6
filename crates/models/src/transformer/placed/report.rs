//! A placed step as one value, for JSON and Python.

use std::sync::Arc;

use mlsysim_quantity::{DynQuantity, Unit};
use mlsysim_scenario::{Kind, Map, Object, Result, Value, constant};

use super::{Lack, Placed, PlacedGroup};
use crate::transformer::explain::{count, table};
use crate::transformer::{Account, Fit, MemoryPart, PlacedLine, Resource};

impl Placed<'_> {
    /// The report of `account`, with the machine, what a rank of the fullest stage holds, the groups,
    /// the bound of the step, and whether it fits; each exchange with its link and its least time.
    ///
    /// # Errors
    ///
    /// The model has weights whose arithmetic is not modelled.
    pub fn report(&self, account: &Account) -> Result<Value> {
        let report = self.accounting.report(account)?;
        let Value::Map(mut report) = report else { return Ok(report) };
        report.insert("exchanges".into(), self.exchanges(account, report.get("exchanges"))?);
        report.insert("machine".into(), self.machine_table());
        report.insert("memory".into(), self.memory_table());
        let groups: Vec<Value> = self.groups(account)?.iter().map(group).collect();
        report.insert("groups".into(), Value::List(groups));
        report.insert("bound".into(), self.bound_table()?);
        report.insert("fit".into(), self.fit_table());
        Ok(Value::Map(report))
    }

    /// The rows of exchanges, with the link that each crosses and its least time, once and in a step.
    fn exchanges(&self, account: &Account, rows: Option<&Value>) -> Result<Value> {
        let mut rows = match rows {
            Some(Value::List(rows)) => rows.clone(),
            _ => Vec::new(),
        };
        let routing = self.accounting.division.model.routing;
        for (row, exchange) in rows.iter_mut().zip(self.accounting.merged_exchanges(account)) {
            let least = exchange.bound(self.machine, routing)?;
            if let Value::Map(row) = row {
                row.insert("link".into(), Value::text(least.link().name()));
                row.insert("least_time".into(), constant(&least.time()));
                let times = exchange.times.product();
                row.insert("least_time_in_step".into(), constant(&(times * least.time())));
            }
        }
        Ok(Value::List(rows))
    }

    pub(crate) fn machine_table(&self) -> Value {
        let machine = self.machine;
        let rate = |rate| constant(&rate);
        let mut told = table([
            ("name", Value::text(&machine.name)),
            ("device", Value::text(&machine.device.name)),
            ("devices", count(machine.devices())),
            ("domain", count(machine.domain)),
            ("domains", count(machine.domains)),
            ("link", rate(machine.link)),
            ("peer_to_peer", Value::Bool(machine.peer_to_peer)),
            ("host_memory", machine.host_memory.map_or(Value::Null, rate)),
            ("link_share", rate(machine.link_share())),
            ("in_switch_reduction", Value::Bool(machine.in_switch_reduction)),
            ("network", machine.network.map_or(Value::Null, rate)),
            ("network_share", machine.network_share().map_or(Value::Null, rate)),
            ("oversubscription", Value::Number(machine.oversubscription)),
            ("rail_domains", machine.rail_domains.map_or(Value::Null, count)),
            ("in_network_reduction", Value::Bool(machine.in_network_reduction)),
            ("peak", constant(&self.rates.peak)),
            ("memory_bandwidth", constant(&self.rates.memory)),
            ("capacity", constant(&machine.device.memory.capacity)),
        ]);
        if let Some(figures) = &machine.figures {
            let stated = figures.stated().into_iter().map(|(name, value)| (name.into(), value));
            told.insert("stated".into(), Value::Map(stated.collect()));
        }
        Value::Map(told)
    }

    /// What a rank of the fullest stage holds.
    pub(crate) fn memory_table(&self) -> Value {
        memory(&self.fit)
    }

    fn bound_table(&self) -> Result<Value> {
        let mut bound = table([("stage", count(self.slowest))]);
        for resource in Resource::ALL {
            bound.insert(resource.name().into(), constant(&self.bound.of(*resource)));
        }
        bound.insert("time".into(), constant(&self.bound.time()));
        bound.insert("binds".into(), Value::text(self.bound.binds()));
        let rate = |tokens| match Unit::parse("token/s") {
            Ok(unit) => Value::Quantity(DynQuantity::new(tokens, unit)),
            Err(_) => Value::Number(tokens),
        };
        bound.insert("tokens_per_second".into(), self.tokens_per_second().map_or(Value::Null, rate));
        if let Some(share) = self.utilization()? {
            bound.insert("model_flops_utilization".into(), Value::Number(share));
        }
        bound.insert("kind".into(), Value::text(Kind::Bound.to_string()));
        Ok(Value::Map(bound))
    }

    pub(crate) fn fit_table(&self) -> Value {
        let lacks = self.lacks();
        let lacking = |lack: &Lack| match lack {
            Lack::Devices(devices) => count(*devices),
            Lack::Memory(bytes) => constant(bytes),
        };
        let nearest = self.nearest().map(|nearest| {
            let changes = nearest.changes.iter().map(Value::text).collect();
            Value::Map(table([
                ("layout", Value::text(nearest.layout.written())),
                ("step", Value::Object(Object::new(Arc::new(nearest.step)))),
                ("changes", Value::List(changes)),
                ("free", constant(&nearest.fit.free())),
            ]))
        });
        Value::Map(table([
            ("fits", Value::Bool(lacks.is_empty())),
            ("binds", lacks.first().map_or(Value::Null, |lack| Value::text(lack.name()))),
            ("lacking", lacks.first().map_or(Value::Null, lacking)),
            ("nearest", nearest.unwrap_or(Value::Null)),
        ]))
    }
}

/// What a rank of the fullest stage holds, with the kind of each figure.
fn memory(fit: &Fit) -> Value {
    let mut held = table([("stage", count(fit.stage))]);
    let mut kinds = Map::new();
    for part in MemoryPart::ALL {
        held.insert(part.name().into(), constant(&fit.memory.of(*part)));
        kinds.insert(part.name().into(), Value::text(PlacedLine::Memory(Some(*part)).kind().to_string()));
    }
    for (name, bytes) in [("total", fit.memory.total()), ("capacity", fit.capacity), ("free", fit.free())] {
        held.insert(name.into(), constant(&bytes));
        kinds.insert(name.into(), Value::text(Kind::Stated.to_string()));
    }
    held.insert("kinds".into(), Value::Map(kinds));
    Value::Map(held)
}

fn group(placed: &PlacedGroup) -> Value {
    Value::Map(table([
        ("group", Value::text(placed.group.name())),
        ("ranks", count(placed.reach.ranks)),
        ("stride", count(placed.stride)),
        ("per_domain", count(placed.reach.per_domain)),
        ("domains", count(placed.reach.domains)),
        ("link", Value::text(placed.link.name())),
        ("sharing", placed.sharing.map_or(Value::Null, count)),
        ("domains_reached", placed.reached.map_or(Value::Null, Value::Number)),
        ("sent", constant(&placed.sent)),
        ("on_links", constant(&placed.on_links)),
        ("on_network", constant(&placed.on_network)),
    ]))
}
