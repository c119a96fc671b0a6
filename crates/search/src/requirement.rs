//! `Requirement`: what a plan has to keep, such as `step_time < 12 s`.

use mlsysim_quantity::{DynQuantity, Unit, nearest};
use mlsysim_scenario::{Error, Result, listed};

use crate::{Run, Told};

/// What a plan has to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// As it was written.
    pub written: String,
    figure: &'static Figure,
    at_most: bool,
    is_strict: bool,
    /// In base units.
    limit: f64,
    unit: Unit,
}

/// A figure that may be required.
#[derive(Debug, PartialEq)]
struct Figure {
    name: &'static str,
    /// A unit of its dimension; empty for a plain number.
    unit: &'static str,
}

/// The figures of a step, and those of a whole run.
const FIGURES: [Figure; 11] = [
    Figure { name: "step_time", unit: "s" },
    Figure { name: "step_time.high", unit: "s" },
    Figure { name: "tokens_per_second", unit: "token/s" },
    Figure { name: "mfu", unit: "" },
    Figure { name: "memory.total", unit: "GiB" },
    Figure { name: "memory.free", unit: "GiB" },
    Figure { name: "devices", unit: "" },
    Figure { name: "run.time", unit: "day" },
    Figure { name: "run.cost", unit: "USD" },
    Figure { name: "run.energy", unit: "kWh" },
    Figure { name: "run.device_hours", unit: "" },
];

/// What became of a requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The requirement, as it was written.
    pub written: String,
    /// Whether it is met.
    pub is_met: bool,
    /// What the plan has, in the unit of the requirement.
    pub value: String,
    /// By how much it is missed, or by how much more than met, in that unit.
    pub by: String,
}

impl Requirement {
    /// Reads `step_time < 12 s`.
    ///
    /// ```
    /// use mlsysim_search::Requirement;
    ///
    /// assert!(Requirement::read("memory.free >= 5 GiB").is_ok());
    /// let error = Requirement::read("step_time < 12 GiB").unwrap_err();
    /// assert_eq!(error.to_string(), "require: `step_time` is a time, such as `1 s`, but `12 GiB` was given");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The figure does not exist, or the limit has no unit of its dimension. The field is `require`.
    pub fn read(text: &str) -> Result<Self> {
        let refused = |message: String| Error::input("require", message);
        let Some(at) = text.find(['<', '>']) else {
            return Err(refused(format!("`{text}` has no `<` or `>`; write `step_time < 12 s`")));
        };
        let (name, rest) = (text[..at].trim(), &text[at..]);
        let figure = FIGURES.iter().find(|figure| figure.name == name).ok_or_else(|| {
            let names = || FIGURES.iter().map(|figure| figure.name);
            let hint = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", listed(names())),
            };
            refused(format!("there is no figure `{name}`; {hint}"))
        })?;
        let at_most = rest.starts_with('<');
        let limit = rest[1..].trim_start_matches('=').trim();
        let is_strict = !rest[1..].starts_with('=');
        let known = |unit: &str| Unit::parse(unit).map_err(|error| refused(error.to_string()));
        let is = if figure.unit.is_empty() {
            "a plain number".to_string()
        } else {
            format!("{}, such as `1 {}`", measured(figure.unit), figure.unit)
        };
        let wrong = || refused(format!("`{name}` is {is}, but `{limit}` was given"));
        let (base, unit) = match limit.parse::<f64>() {
            Ok(number) if figure.unit.is_empty() => (number, known("")?),
            Ok(_) => return Err(wrong()),
            Err(_) => {
                let given: DynQuantity = limit.parse().map_err(|_| wrong())?;
                if given.dimension() != known(figure.unit)?.dimension() {
                    return Err(wrong());
                }
                (given.base(), given.unit().clone())
            }
        };
        if !base.is_finite() {
            return Err(wrong());
        }
        Ok(Requirement { written: text.trim().to_string(), figure, at_most, is_strict, limit: base, unit })
    }

    /// Whether it is about a whole run.
    pub fn is_of_run(&self) -> bool {
        self.figure.name.starts_with("run.")
    }

    /// The least of the memory that has to be free, where that is what is required.
    pub fn reserve(&self) -> Option<f64> {
        (self.figure.name == "memory.free" && !self.at_most).then_some(self.limit)
    }

    /// Whether `told` keeps it, and a whole run of it.
    ///
    /// # Errors
    ///
    /// It is about a run, and there is none.
    pub fn kept(&self, told: &Told, tokens_of_step: u64, run: Option<&Run>) -> Result<Kept> {
        let time = &told.prediction.total;
        let of_run = |of: fn(&Run) -> Option<f64>| {
            run.and_then(of).ok_or_else(|| {
                let message = format!("`{}` is about a whole run; state its `tokens`", self.figure.name);
                Error::input("require", message)
            })
        };
        let value = match self.figure.name {
            "step_time" => time.time.base(),
            "step_time.high" => time.high.base(),
            "tokens_per_second" => tokens_of_step as f64 / time.time.base(),
            "mfu" => told.utilization,
            "memory.total" => told.fit.memory.total().base(),
            "memory.free" => told.fit.free().base(),
            "devices" => f64::from(told.outcome.candidate.devices),
            "run.time" => of_run(|run| Some(run.wall_clock.base()))?,
            "run.cost" => of_run(|run| Some(run.cost.base()))?,
            "run.energy" => of_run(|run| run.energy.map(|energy| energy.base()))?,
            _ => of_run(|run| Some(run.device_hours))?,
        };
        let is_met = match (self.at_most, self.is_strict) {
            (true, true) => value < self.limit,
            (true, false) => value <= self.limit,
            (false, true) => value > self.limit,
            (false, false) => value >= self.limit,
        };
        let shown = |base: f64| {
            let number = mlsysim_quantity::format_brief(self.unit.from_base(base));
            format!("{number} {}", self.unit).trim_end().to_string()
        };
        Ok(Kept {
            written: self.written.clone(),
            is_met,
            value: shown(value),
            by: shown((value - self.limit).abs()),
        })
    }
}

/// What a unit measures, with its article.
fn measured(unit: &str) -> &'static str {
    match unit {
        "s" | "day" => "a time",
        "GiB" => "a size of memory",
        "token/s" => "a rate",
        "USD" => "an amount of money",
        _ => "an amount of energy",
    }
}
