//! An account as one value, for JSON and Python.

use mlsysim_scenario::{Map, Name, Object, Result, Value, constant};
use std::sync::Arc;

use super::tree::{count, number};
use crate::transformer::{
    Account, Accounting, Convention, Counts, Division, Line, Mask, Operation, Phase, Transformer, Work,
};

impl Transformer {
    /// What is counted of the model alone: `model_type`, `parameters` by part with their `total`
    /// and those `active` for a token, `kv_bytes_per_token` at two bytes a number, and `notes`.
    pub fn summary(&self) -> Value {
        let counts = self.counts();
        let mut parameters = table([("total", count(counts.total)), ("active", count(counts.active))]);
        parameters.extend(parts(&counts));
        Value::Map(table([
            ("model_type", Value::text(&self.model_type)),
            ("parameters", Value::Map(parameters)),
            ("kv_bytes_per_token", number(counts.kv_bytes_per_token_16_bit().base())),
            ("layers", count(u64::from(self.layers()))),
            ("hidden", count(u64::from(self.hidden))),
            ("vocabulary", count(u64::from(self.vocabulary))),
            ("tied", Value::Bool(self.tied)),
            ("notes", texts(&self.notes)),
        ]))
    }
}

fn parts(counts: &Counts) -> Map<Value> {
    counts.parts.entries().map(|(part, parameters)| (part.name().into(), count(parameters))).collect()
}

impl Accounting<'_> {
    /// Everything that an account tells: its lines as nested tables, the operations and exchanges
    /// that they sum up, and notes.
    ///
    /// # Errors
    ///
    /// The model has weights whose arithmetic is not modelled.
    pub fn report(&self, account: &Account) -> Result<Value> {
        let model = self.division.model;
        let mut report = self.asked();
        report.extend(table([
            ("stage", count(account.stage)),
            ("layers", count(account.layers)),
            ("micro_batches", count(self.load.micro_batches)),
            ("cached_per_token", count(account.cached_per_token)),
        ]));
        for line in Line::all() {
            let name = line.name();
            let steps: Vec<&str> = name.split('.').collect();
            insert(&mut report, &steps, line.value(account));
        }
        report.insert("operations".into(), Value::List(self.operation_rows(account)));
        report.insert("exchanges".into(), Value::List(self.exchange_rows(account)));
        if self.step.phase == Phase::Training {
            report.insert("training_flops_per_token".into(), self.conventions()?);
        }
        let notes: Vec<String> = model.notes.iter().cloned().chain(self.division.notes()).collect();
        report.insert("notes".into(), texts(&notes));
        Ok(Value::Map(report))
    }

    /// What is accounted for: the model, the layout with its devices, and the step.
    pub(crate) fn asked(&self) -> Map<Value> {
        let Division { model, layout, .. } = *self.division;
        table([
            ("model", Value::text(&model.name)),
            ("model_type", Value::text(&model.model_type)),
            ("layout", Value::Object(Object::new(Arc::new(layout.clone())))),
            ("step", Value::Object(Object::new(Arc::new(self.step.clone())))),
            ("devices", count(layout.devices())),
        ])
    }

    /// The arithmetic of training a token of the whole model, by each convention.
    pub fn conventions(&self) -> Result<Value> {
        let (sequence, recompute) = (self.step.sequence, self.step.recompute);
        let mut conventions = Map::new();
        for convention in Convention::ALL {
            let flops = self.division.model.training_flops(*convention, sequence, recompute)?;
            conventions.insert(convention.name().into(), constant(&flops));
        }
        Ok(Value::Map(conventions))
    }

    fn operation_rows(&self, account: &Account) -> Vec<Value> {
        let mut rows = Vec::new();
        self.operations(account.stage, |operation, layers, in_layer| {
            let [forward, backward, recompute] = self.flops_of(operation, in_layer);
            let every = (layers * self.load.micro_batches) as f64;
            rows.push(Value::Map(table([
                ("name", Value::text(operation.name)),
                ("part", Value::text(operation.part.name())),
                ("layers", count(layers)),
                ("shape", Value::text(self.shape(operation))),
                ("parameters", count(layers * operation.parameters(&self.division.shares))),
                ("forward", constant(&(every * forward))),
                ("backward", constant(&(every * backward))),
                ("recompute", constant(&(every * recompute))),
            ])));
        });
        rows
    }

    fn exchange_rows(&self, account: &Account) -> Vec<Value> {
        let row = |exchange: &crate::transformer::Exchange| {
            Value::Map(table([
                ("what", Value::text(exchange.what)),
                ("part", Value::text(exchange.part.name())),
                ("pass", Value::text(exchange.pass.map_or("update", crate::transformer::Pass::name))),
                ("group", Value::text(exchange.group.name())),
                ("ranks", count(exchange.ranks)),
                ("collective", Value::text(exchange.collective.name())),
                ("payload", constant(&exchange.payload_bytes())),
                ("times", number(exchange.times.product())),
                ("sent", constant(&exchange.sent())),
            ]))
        };
        self.merged_exchanges(account).iter().map(row).collect()
    }

    /// The shape of an operation on the rank: `8192 × 1024`, or the heads and widths of attention.
    pub fn shape(&self, operation: &Operation) -> String {
        let on = |extent: &crate::transformer::Extent| extent.on(&self.division.shares);
        match &operation.work {
            Work::Linear { inputs, outputs, .. } => format!("{} × {}", on(inputs), on(outputs)),
            Work::Expert { experts, inputs, outputs, .. } => {
                format!("{} of {} × {}", on(experts), on(inputs), on(outputs))
            }
            Work::LookUp { rows, width } => format!("{} × {}", on(rows), on(width)),
            Work::Norm { weights, .. } => on(weights).to_string(),
            Work::Attention { heads, mask, .. } => {
                let widths = match operation.attended_widths(self.step.phase) {
                    (key, value) if key == value => key.to_string(),
                    (key, value) => format!("{key} and {value}"),
                };
                format!("{} heads of {widths}, {}", on(heads), masked(*mask))
            }
            Work::Elementwise { inputs, outputs, .. } => format!("{} to {}", on(inputs), on(outputs)),
            Work::Weights { count, width } => (on(count) * on(width)).to_string(),
        }
    }
}

/// A mask in a word or two.
fn masked(mask: Mask) -> String {
    match mask {
        Mask::Full => "full".to_string(),
        Mask::Causal => "causal".to_string(),
        Mask::Window(width) => format!("window {width}"),
        Mask::Chunk(length) => format!("chunks of {length}"),
        Mask::Chosen(width) => format!("best {width}"),
    }
}

pub(crate) fn table<const N: usize>(entries: [(&str, Value); N]) -> Map<Value> {
    entries.into_iter().map(|(name, value)| (Name::from(name), value)).collect()
}

fn texts(texts: &[String]) -> Value {
    Value::List(texts.iter().map(Value::text).collect())
}

/// Puts `value` at the end of `steps`, making tables on the way.
fn insert(map: &mut Map<Value>, steps: &[&str], value: Value) {
    match steps {
        [] => {}
        [last] => {
            map.insert((*last).into(), value);
        }
        [first, rest @ ..] => {
            let below = map.entry((*first).into()).or_insert_with(|| Value::Map(Map::new()));
            if let Value::Map(below) = below {
                insert(below, rest, value);
            }
        }
    }
}
