//! `PartTime`: a predicted time as a tree of parts that it is the sum of.

use mlsysim_quantity::Time;
use mlsysim_scenario::Kind;

use super::{Categories, Category};
use crate::predict::Prediction;

/// A part of a predicted time, and the parts that it is the sum of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct PartTime {
    /// What it is.
    pub name: String,
    /// How long it takes.
    pub time: Time,
    /// What kind of number that is.
    pub kind: Kind,
    /// What it takes at the bound; nothing where the bound says nothing of it.
    pub bound: Option<Time>,
    /// What takes most of it.
    pub binds: &'static str,
    /// What it is spent on.
    pub categories: Categories,
    /// What it is the sum of; empty where it is told no further.
    pub parts: Vec<PartTime>,
}

impl PartTime {
    /// A fitted part that is told no further, without a bound.
    pub fn new(name: impl Into<String>, time: Time, binds: &'static str) -> Self {
        let categories = Categories::of(Category::Other, time);
        PartTime {
            name: name.into(),
            time,
            kind: Kind::Fitted,
            bound: None,
            binds,
            categories,
            parts: Vec::new(),
        }
    }

    /// The same, spent on `categories`.
    #[must_use]
    pub fn on(self, categories: Categories) -> Self {
        PartTime { categories, ..self }
    }

    /// So many times as much of everything but the bound.
    pub(super) fn scale(&mut self, factor: f64) {
        self.time = factor * self.time;
        self.categories = self.categories.times(factor);
    }

    /// The same with its bound.
    #[must_use]
    pub fn over(self, bound: Time) -> Self {
        PartTime { bound: Some(bound), ..self }
    }

    /// The sum of `parts`; what takes most of the longest of them takes most of it.
    pub fn sum(name: impl Into<String>, parts: Vec<PartTime>) -> Self {
        let total = |of: fn(&PartTime) -> Time| parts.iter().map(of).fold(Time::ZERO, |sum, time| sum + time);
        let time = total(|part| part.time);
        let bound = parts.iter().any(|part| part.bound.is_some());
        let bound = bound.then(|| total(|part| part.bound.unwrap_or(Time::ZERO)));
        let longest = parts.iter().max_by(|one, other| one.time.base().total_cmp(&other.time.base()));
        let binds = longest.map_or("nothing", |part| part.binds);
        let categories = parts.iter().fold(Categories::default(), |sum, part| sum.plus(part.categories));
        PartTime { name: name.into(), time, kind: Kind::Fitted, bound, binds, categories, parts }
    }

    /// What share of its bound it reaches: 1 where nothing can be faster; nothing where it has no bound.
    pub fn share_of_bound(&self) -> Option<f64> {
        let bound = self.bound?;
        Some(if self.time == Time::ZERO { 1.0 } else { bound / self.time })
    }

    /// The part at `path` below this one, such as `["passes", "attention"]`; spaces may be written as
    /// underscores, and commas left out.
    pub fn at(&self, path: &[&str]) -> Option<&PartTime> {
        match path {
            [] => Some(self),
            [first, rest @ ..] => self.parts.iter().find(|part| part.key() == key(first))?.at(rest),
        }
    }

    /// Its name as a step of a path: `exchange_over_tp`.
    pub fn key(&self) -> String {
        key(&self.name)
    }

    /// Every part below this one with its path, such as `passes.attention.query`, in the order of the
    /// tree.
    pub fn paths(&self) -> Vec<(String, &PartTime)> {
        let mut found = Vec::new();
        for part in &self.parts {
            let key = part.key();
            let below = part.paths().into_iter().map(|(path, below)| (format!("{key}.{path}"), below));
            found.extend([(key.clone(), part)].into_iter().chain(below.collect::<Vec<_>>()));
        }
        found
    }

    /// Adds `part` to what the part called `name` is the sum of, which is made where there is none.
    pub(super) fn add_within(parts: &mut Vec<PartTime>, name: String, part: PartTime) {
        match parts.iter_mut().find(|known| known.name == name) {
            Some(known) => PartTime::add(&mut known.parts, part),
            None => parts.push(PartTime::sum(name, vec![part])),
        }
    }

    /// Adds `part` to the one of its name, which is made where there is none.
    pub(super) fn add(parts: &mut Vec<PartTime>, part: PartTime) {
        match parts.iter_mut().find(|known| known.name == part.name) {
            Some(known) => {
                known.time += part.time;
                known.categories = known.categories.plus(part.categories);
                known.bound = match (known.bound, part.bound) {
                    (Some(one), Some(other)) => Some(one + other),
                    (one, other) => one.or(other),
                };
            }
            None => parts.push(part),
        }
    }
}

/// A name as a step of a path.
fn key(name: &str) -> String {
    name.replace(',', "").replace(' ', "_")
}

/// A predicted step: the time with its band, and the parts that it is the sum of.
#[derive(Clone, Debug, PartialEq)]
pub struct StepPrediction {
    /// The time, its band and its bound.
    pub total: Prediction,
    /// What it is the sum of.
    pub parts: PartTime,
}

impl StepPrediction {
    /// A prediction with the parts of its model, and what is left to the bound where that is longer.
    pub fn new(total: Prediction, name: &str, mut parts: Vec<PartTime>) -> Self {
        let sum = parts.iter().fold(Time::ZERO, |sum, part| sum + part.time);
        // Only beyond what rounding leaves.
        if total.time > sum * (1.0 + 1e-9) {
            parts.push(PartTime::new("up to the bound", total.time - sum, "the bound"));
        }
        let parts = PartTime { bound: Some(total.bound), binds: total.binds, ..PartTime::sum(name, parts) };
        StepPrediction { total, parts }
    }
}
