//! `Ranking`: the best of millions of layouts, and `Front`: those that nothing beats in everything.

use mlsysim_quantity::{Bytes, Time, nearest};
use mlsysim_scenario::{Error, Result, choices, listed};

use crate::{Candidate, Goal};

/// A layout with its price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The layout.
    pub candidate: Candidate,
    /// What a step takes.
    pub time: Time,
    /// What a device of the fullest stage holds.
    pub memory: Bytes,
}

impl Outcome {
    /// Whether this comes before `other`: by the goal, then by memory, then in the order of layouts, so
    /// that any search finds the same.
    pub(crate) fn is_before(&self, other: &Outcome, goal: &Goal) -> bool {
        let key = |outcome: &Outcome| {
            (goal.value(outcome.time, outcome.candidate.devices.into()), outcome.memory.base())
        };
        let (own, others) = (key(self), key(other));
        own < others || own == others && self.candidate < other.candidate
    }
}

/// The best layouts so far, best first; of those with the same time on as many devices the one that
/// holds least.
#[derive(Clone, Debug)]
pub struct Ranking {
    goal: Goal,
    most: usize,
    best: Vec<Outcome>,
}

impl Ranking {
    /// A ranking of at most `most` layouts.
    pub fn new(goal: Goal, most: usize) -> Self {
        Ranking { goal, most: most.max(1), best: Vec::with_capacity(most.clamp(1, 1024) + 1) }
    }

    /// Adds a layout, if it is among the best.
    pub fn offer(&mut self, outcome: Outcome) {
        if let Some(last) = self.best.last().filter(|_| self.best.len() >= self.most)
            && !outcome.is_before(last, &self.goal)
        {
            return;
        }
        let alike = |known: &Outcome| {
            known.time == outcome.time && known.candidate.devices == outcome.candidate.devices
        };
        if let Some(at) = self.best.iter().position(alike) {
            if !outcome.is_before(&self.best[at], &self.goal) {
                return;
            }
            self.best.remove(at);
        }
        let at = self.best.partition_point(|known| known.is_before(&outcome, &self.goal));
        self.best.insert(at, outcome);
        self.best.truncate(self.most);
    }

    /// What a layout must not be above to be among the best: infinite until there are enough.
    pub fn threshold(&self) -> f64 {
        match self.best.last() {
            Some(last) if self.best.len() >= self.most => {
                self.goal.value(last.time, last.candidate.devices.into())
            }
            _ => f64::INFINITY,
        }
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: Ranking) {
        other.best.into_iter().for_each(|outcome| self.offer(outcome));
    }

    /// The best, first.
    pub fn into_best(self) -> Vec<Outcome> {
        self.best
    }
}

/// The share within which layouts that differ in their chunks alone are told as one.
const NEAR: f64 = 0.01;

/// The most layouts that are ranked so that some of them may be told as one.
const MOST_RANKED: usize = 1024;

/// How many layouts are ranked where `told` of them are told, and each may have as many variants that
/// differ in their chunks alone.
pub(crate) fn ranked(told: usize, variants: usize) -> usize {
    told.max(told.saturating_mul(variants.max(1)).min(MOST_RANKED))
}

/// Of layouts with the best first, the first `most` that take a hundredth longer at least than any
/// before them that differs in its chunks alone, and how many others there are near to those.
///
/// Stages with one chunk more or less are layouts that nobody can tell apart.
pub fn apart(best: &[Outcome], most: usize) -> (Vec<Outcome>, usize) {
    let (mut told, mut near): (Vec<Outcome>, usize) = (Vec::new(), 0);
    let key = |outcome: &Outcome| Candidate { vpp: 0, ..outcome.candidate };
    for outcome in best {
        let is_near = |known: &Outcome| {
            key(known) == key(outcome) && outcome.time.base() < (1.0 + NEAR) * known.time.base()
        };
        match told.iter().any(is_near) {
            true => near += 1,
            false if told.len() < most.max(1) => told.push(*outcome),
            false => {}
        }
    }
    (told, near)
}

choices! {
    /// What layouts of a front are compared in.
    pub enum Figure {
        /// The time of a step.
        Time = "time",
        /// What the fullest device holds.
        Memory = "memory",
        /// What a step costs: devices and time.
        Cost = "cost",
    }
}

impl Figure {
    /// Reads `time,memory,cost`, or some of them.
    ///
    /// # Errors
    ///
    /// One does not exist, or stands there twice. The field is `pareto`.
    pub fn read(text: &str) -> Result<Vec<Figure>> {
        let mut figures: Vec<Figure> = Vec::new();
        for item in text.split(',').map(str::trim) {
            let names = || Figure::ALL.iter().map(|figure| figure.name());
            let Some(figure) = Figure::ALL.iter().find(|figure| figure.name() == item) else {
                let hint = match nearest(item, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", listed(names())),
                };
                return Err(Error::input("pareto", format!("there is no figure `{item}`; {hint}")));
            };
            if figures.iter().any(|known| known.name() == item) {
                return Err(Error::input("pareto", format!("`{item}` stands there twice")));
            }
            figures.push(*figure);
        }
        Ok(figures)
    }

    fn of(self, outcome: &Outcome) -> f64 {
        match self {
            Figure::Time => outcome.time.base(),
            Figure::Memory => outcome.memory.base(),
            Figure::Cost => outcome.time.base() * f64::from(outcome.candidate.devices),
        }
    }
}

/// The layouts that no other beats in every figure.
#[derive(Clone, Debug, Default)]
pub struct Front {
    figures: Vec<Figure>,
    members: Vec<Outcome>,
}

impl Front {
    /// A front in `figures`.
    pub fn new(figures: Vec<Figure>) -> Self {
        Front { figures, members: Vec::new() }
    }

    /// Whether one is as good as another in every figure; of those that are alike in all, the first in
    /// the order of layouts is.
    fn covers(&self, one: &Outcome, other: &Outcome) -> bool {
        let mut alike = true;
        for figure in &self.figures {
            let (own, others) = (figure.of(one), figure.of(other));
            if own > others {
                return false;
            }
            alike &= own == others;
        }
        !alike || one.candidate <= other.candidate
    }

    /// Adds a layout, if nothing beats it.
    pub fn offer(&mut self, outcome: Outcome) {
        if self.figures.is_empty() {
            return;
        }
        if let Some(at) = self.members.iter().position(|member| self.covers(member, &outcome)) {
            // What beat this one is likely to beat the next.
            self.members.swap(0, at);
            return;
        }
        let mut members = std::mem::take(&mut self.members);
        members.retain(|member| !self.covers(&outcome, member));
        members.push(outcome);
        self.members = members;
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: Front) {
        other.members.into_iter().for_each(|outcome| self.offer(outcome));
    }

    /// The members, by time.
    pub fn into_members(mut self) -> Vec<Outcome> {
        self.members.sort_by(|one, other| {
            one.time.base().total_cmp(&other.time.base()).then(one.candidate.cmp(&other.candidate))
        });
        self.members
    }
}

/// The share by which members of a front that is told differ at the least.
const APART: f64 = 0.01;

/// Of the members of a front, by time, those that differ from all before them in one of `figures` by a
/// share at least, and that share: a hundredth, or as many times twice that as leave no more than `most`.
///
/// Stages with one chunk more or less make hundreds of members that nobody can tell apart.
pub fn thinned(members: &[Outcome], figures: &[Figure], most: usize) -> (Vec<Outcome>, f64) {
    let mut apart = APART;
    loop {
        let mut kept: Vec<Outcome> = Vec::new();
        for member in members {
            let differs = |known: &Outcome| {
                figures.iter().any(|figure| {
                    let (own, other) = (figure.of(member), figure.of(known));
                    (own - other).abs() >= apart * own.min(other)
                })
            };
            if kept.iter().all(differs) {
                kept.push(*member);
            }
        }
        if kept.len() <= most.max(1) {
            return (kept, apart);
        }
        apart *= 2.0;
    }
}
