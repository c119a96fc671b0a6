//! A forecast as one value, for JSON and Python.

use mlsysim_quantity::{DynQuantity, Time, Unit};
use mlsysim_scenario::{Kind, Map, Name, Result, Value, constant};

use super::{Forecast, INTERVAL};
use crate::predict::{PartTime, Workload};
use crate::transformer::explain::{count, table};
use crate::transformer::{Convention, Phase};

impl Forecast<'_> {
    /// Everything that is predicted of the step, and what follows from it: the time with its interval,
    /// the parts that it is the sum of, the rates, the estimates, what a rank holds and whether it fits.
    ///
    /// # Errors
    ///
    /// The model has weights whose arithmetic is not modelled.
    pub fn report(&self) -> Result<Value> {
        let placed = &self.placed;
        let accounting = placed.accounting;
        let total = &self.predicted.total;
        let mut report = placed.summary();
        let settings = self.engine.settings(self.workload.is_none()).into_iter();
        report.insert(
            "practice".into(),
            Value::Map(settings.map(|(name, value)| (Name::from(name), value)).collect()),
        );
        report.extend(table([
            ("time", constant(&total.time)),
            ("low", constant(&total.low)),
            ("high", constant(&total.high)),
            ("interval", Value::Number(INTERVAL)),
            ("kind", Value::text(total.kind.to_string())),
            ("bound", constant(&total.bound)),
            ("share_of_bound", Value::Number(total.share_of_bound())),
            ("binds", Value::text(total.binds)),
            ("regime", Value::text(total.regime)),
            ("reasons", Value::List(total.reasons.iter().map(Value::text).collect())),
            ("parts", self.part(&self.predicted.parts, String::new())),
            ("tokens_per_second", self.rates()),
            ("decode_tokens_per_second", self.decode_tokens_per_second().map_or(Value::Null, rate)),
        ]));
        if let Some(workload) = self.workload {
            report.insert("workload".into(), told(workload));
        }
        if accounting.step.phase == Phase::Training {
            let mut shares = table([("peak", constant(&self.peak))]);
            for convention in Convention::ALL {
                let share = self.utilization(*convention)?.map_or(Value::Null, Value::Number);
                shares.insert(convention.name().into(), share);
            }
            report.insert("utilization".into(), Value::Map(shares));
        }
        report.insert("energy".into(), self.energy_table());
        report.insert("cost".into(), self.cost_table());
        report.extend(placed.verdicts());
        Ok(Value::Map(report))
    }

    fn rates(&self) -> Value {
        self.tokens_per_second().map_or(Value::Null, |[predicted, low, high]| {
            Value::Map(table([("predicted", rate(predicted)), ("low", rate(low)), ("high", rate(high))]))
        })
    }

    /// A part with those that it is the sum of.
    fn part(&self, part: &PartTime, path: String) -> Value {
        let below = |part: &PartTime| match path.as_str() {
            "" => part.key(),
            path => format!("{path}.{}", part.key()),
        };
        let parts = part.parts.iter().map(|part| self.part(part, below(part))).collect();
        Value::Map(table([
            ("name", Value::text(&part.name)),
            ("path", Value::text(&path)),
            ("time", constant(&part.time)),
            ("share", Value::Number(self.share(part))),
            ("kind", Value::text(part.kind.to_string())),
            ("binds", Value::text(part.binds)),
            ("bound", part.bound.map_or(Value::Null, |bound| constant(&bound))),
            ("share_of_bound", part.share_of_bound().map_or(Value::Null, Value::Number)),
            ("parts", Value::List(parts)),
        ]))
    }

    /// What share of the time a part takes.
    pub fn share(&self, part: &PartTime) -> f64 {
        let total = self.predicted.parts.time;
        if total == Time::ZERO { 0.0 } else { part.time / total }
    }

    fn energy_table(&self) -> Value {
        let told = self.energy().and_then(|energy| Ok((energy, self.power()?)));
        let assumption = "an estimate: every device draws its power for the whole time; hosts, switches and \
                          cooling are left out";
        match told {
            Ok((energy, power)) => Value::Map(table([
                ("energy", constant(&energy)),
                ("power", constant(&power)),
                ("power_from", Value::text(self.power_from())),
                ("kind", Value::text(Kind::Fitted.to_string())),
                ("assumption", Value::text(assumption)),
            ])),
            Err(reason) => {
                Value::Map(table([("energy", Value::Null), ("reason", Value::text(reason.message()))]))
            }
        }
    }

    /// Where the power of a device is from.
    pub fn power_from(&self) -> &'static str {
        match self.terms.power {
            Some(_) => "stated",
            None => "the thermal design power of the device",
        }
    }

    fn cost_table(&self) -> Value {
        match (self.cost(), self.terms.price) {
            (Some(cost), Some(price)) => {
                Value::Map(table([("cost", constant(&cost)), ("price", constant(&price))]))
            }
            _ => Value::Null,
        }
    }
}

/// So many tokens a second.
fn rate(tokens: f64) -> Value {
    match Unit::parse("token/s") {
        Ok(unit) => Value::Quantity(DynQuantity::new(tokens, unit)),
        Err(_) => Value::Number(tokens),
    }
}

/// What is served.
fn told(workload: Workload) -> Value {
    let (kind, counts) = match workload {
        Workload::DecodeStep { batch, context } => {
            ("decode step", vec![("batch", batch), ("context", context)])
        }
        Workload::Prefill { batch, prompt, context } => {
            ("prefill", vec![("batch", batch), ("prompt", prompt), ("context", context)])
        }
        Workload::StaticBatch { batch, prompt, answer } => {
            ("static batch", vec![("batch", batch), ("prompt", prompt), ("answer", answer)])
        }
        Workload::Load { prompt, answer, requests } => {
            let mut counts = vec![("prompt", prompt), ("answer", answer)];
            counts.extend(requests.map(|requests| ("requests", requests)));
            ("maximum load", counts)
        }
        Workload::LoadedStep { prompt, answer, requests, .. } => {
            ("step under load", vec![("prompt", prompt), ("answer", answer), ("requests", requests)])
        }
    };
    let mut told = table([("kind", Value::text(kind))]);
    told.extend(counts.into_iter().map(|(name, number)| (Name::from(name), count(number))));
    Value::Map(told)
}

/// The tables of a placed step that a forecast tells too.
impl crate::transformer::Placed<'_> {
    /// The model, the layout, the step and the machine.
    fn summary(&self) -> Map<Value> {
        let mut told = self.accounting.asked();
        told.insert("machine".into(), self.machine_table());
        told
    }

    /// What a rank of the fullest stage holds, whether it fits, and what the reader should know.
    fn verdicts(&self) -> Map<Value> {
        let accounting = self.accounting;
        let notes = accounting.division.model.notes.iter().cloned().chain(accounting.division.notes());
        table([
            ("memory", self.memory_table()),
            ("fit", self.fit_table()),
            ("notes", Value::List(notes.map(Value::text).collect())),
        ])
    }
}
