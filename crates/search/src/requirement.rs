//! `Requirement`: what a plan has to keep, such as `step_time < 12 s`.

use mlsysim_quantity::{DynQuantity, Unit, nearest};
use mlsysim_scenario::{Error, Result, listed};

/// What a plan has to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// As it was written.
    pub written: String,
    pub(crate) figure: &'static Required,
    pub(crate) at_most: bool,
    is_strict: bool,
    /// In base units.
    pub(crate) limit: f64,
    unit: Unit,
}

/// A figure that may be required.
#[derive(Debug, PartialEq)]
pub(crate) struct Required {
    pub name: &'static str,
    /// A unit of its dimension; empty for a plain number.
    unit: &'static str,
    pub subject: Subject,
    /// Whether it is that of the slow end of the interval of the time.
    pub is_slow_end: bool,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    StepTime,
    Rate,
    Utilization,
    Memory,
    Free,
    Devices,
    RunTime,
    RunCost,
    RunEnergy,
    DeviceHours,
}

impl Subject {
    /// Whether the time of a step decides it.
    pub fn is_of_time(self) -> bool {
        !matches!(self, Subject::Memory | Subject::Free | Subject::Devices)
    }

    /// Whether it is about a whole run.
    pub fn is_of_run(self) -> bool {
        use Subject::{DeviceHours, RunCost, RunEnergy, RunTime};
        matches!(self, RunTime | RunCost | RunEnergy | DeviceHours)
    }

    /// Whether it grows with the time of a step, with the memory that a device holds, or with devices.
    pub fn grows(self) -> bool {
        !matches!(self, Subject::Rate | Subject::Utilization | Subject::Free)
    }
}

const fn figure(name: &'static str, unit: &'static str, subject: Subject) -> Required {
    Required { name, unit, subject, is_slow_end: false }
}

const fn slow_end(name: &'static str, unit: &'static str, subject: Subject) -> Required {
    Required { name, unit, subject, is_slow_end: true }
}

/// The figures of a step, those of a whole run, and what they are at the slow end of the interval.
const FIGURES: [Required; 17] = [
    figure("step_time", "s", Subject::StepTime),
    figure("tokens_per_second", "token/s", Subject::Rate),
    figure("mfu", "", Subject::Utilization),
    figure("memory.total", "GiB", Subject::Memory),
    figure("memory.free", "GiB", Subject::Free),
    figure("devices", "", Subject::Devices),
    figure("run.time", "day", Subject::RunTime),
    figure("run.cost", "USD", Subject::RunCost),
    figure("run.energy", "kWh", Subject::RunEnergy),
    figure("run.device_hours", "", Subject::DeviceHours),
    slow_end("step_time.high", "s", Subject::StepTime),
    slow_end("tokens_per_second.low", "token/s", Subject::Rate),
    slow_end("mfu.low", "", Subject::Utilization),
    slow_end("run.time.high", "day", Subject::RunTime),
    slow_end("run.cost.high", "USD", Subject::RunCost),
    slow_end("run.energy.high", "kWh", Subject::RunEnergy),
    slow_end("run.device_hours.high", "", Subject::DeviceHours),
];

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
        self.figure.subject.is_of_run()
    }

    /// Whether it is about the energy of a run, which not every device states.
    pub(crate) fn is_of_energy(&self) -> bool {
        self.figure.subject == Subject::RunEnergy
    }

    /// Whether a figure of `value`, in base units, keeps it.
    pub(crate) fn is_met(&self, value: f64) -> bool {
        match (self.at_most, self.is_strict) {
            (true, true) => value < self.limit,
            (true, false) => value <= self.limit,
            (false, true) => value > self.limit,
            (false, false) => value >= self.limit,
        }
    }

    /// A figure in the unit of the limit.
    pub(crate) fn shown(&self, base: f64) -> String {
        let number = mlsysim_quantity::format_brief(self.unit.from_base(base));
        format!("{number} {}", self.unit).trim_end().to_string()
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
