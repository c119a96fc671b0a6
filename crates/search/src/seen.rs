//! `Seen`: what one thread has seen of a search: the best, the front, and what comes nearest where
//! nothing is good enough.

use std::sync::atomic::Ordering;

use mlsysim_quantity::{Bytes, Time};

use crate::limits::Limits;
use crate::{Found, Front, Outcome, Ranking, Search};

/// What one thread has seen.
pub(crate) struct Seen<'s> {
    search: &'s Search<'s>,
    ranking: Ranking,
    front: Front,
    pub legal: u64,
    priced: u64,
    fitting: u64,
    keeping: u64,
    smallest: Option<Outcome>,
    /// What fits and misses least of what is required, with the share that it misses.
    nearest: Option<(f64, Outcome)>,
    /// What the nearest misses, or 0 where something keeps all.
    least: f64,
    capacity: Bytes,
}

impl<'s> Seen<'s> {
    pub fn new(search: &'s Search<'s>) -> Self {
        let plan = search.plan;
        Seen {
            search,
            ranking: Ranking::new(plan.goal, search.ranked),
            front: Front::new(plan.pareto.clone()),
            legal: 0,
            priced: 0,
            fitting: 0,
            keeping: 0,
            smallest: None,
            nearest: None,
            least: f64::INFINITY,
            capacity: plan.machine.device.memory.capacity,
        }
    }

    /// What was found.
    pub fn found(self, is_complete: bool) -> Found {
        Found {
            best: self.ranking.into_best(),
            front: self.front.into_members(),
            legal: self.legal,
            priced: self.priced,
            fitting: self.fitting,
            keeping: self.keeping,
            smallest: self.smallest,
            nearest: self.nearest.map(|(_, outcome)| outcome).filter(|_| self.keeping == 0),
            is_complete,
        }
    }

    /// What both have seen.
    pub fn merged(mut self, other: Self) -> Self {
        self.ranking.merge(other.ranking);
        self.front.merge(other.front);
        self.legal += other.legal;
        self.priced += other.priced;
        self.fitting += other.fitting;
        self.keeping += other.keeping;
        if let Some(outcome) = other.smallest {
            self.see_smallest(outcome);
        }
        if let Some((miss, outcome)) = other.nearest {
            self.see_nearest(miss, outcome);
        }
        self
    }

    /// Whether a step that takes `least` at the least, but for rounding, can be neither among the best nor
    /// what comes nearest to what is required.
    pub fn is_beaten(&self, least: Time, devices: u64, limits: &[Limits; 2]) -> bool {
        const ROUNDING: f64 = 1.0 - 1e-9;
        let (least, progress) = (ROUNDING * least, &self.search.progress);
        let shared = |bits: u64| f64::from_bits(bits);
        let threshold = self.ranking.threshold().min(shared(progress.threshold.load(Ordering::Relaxed)));
        let nearest = shared(progress.nearest.load(Ordering::Relaxed));
        self.search.plan.goal.value(least, devices) > threshold
            || limits.iter().all(|each| each.least_miss(least) > nearest)
    }

    pub fn see(&mut self, outcome: Outcome, limits: &[Limits; 2]) {
        self.priced += 1;
        if self.smallest.is_none_or(|smallest| outcome.memory <= smallest.memory) {
            self.see_smallest(outcome);
        }
        if outcome.memory > self.capacity {
            return;
        }
        self.fitting += 1;
        let miss = limits[usize::from(outcome.candidate.schedule().puts_off() > 0)].miss(&outcome);
        if miss < self.least {
            self.least = miss;
            // Misses and times are not negative, so that their bits are in their order.
            self.search.progress.nearest.fetch_min(miss.to_bits(), Ordering::Relaxed);
        }
        if miss > 0.0 {
            self.see_nearest(miss, outcome);
            return;
        }
        self.keeping += 1;
        self.front.offer(outcome);
        let before = self.ranking.threshold();
        self.ranking.offer(outcome);
        let now = self.ranking.threshold();
        if now < before {
            self.search.progress.threshold.fetch_min(now.to_bits(), Ordering::Relaxed);
        }
    }

    fn see_nearest(&mut self, miss: f64, outcome: Outcome) {
        let is_nearer = self.nearest.is_none_or(|(least, nearest)| {
            miss < least || miss == least && outcome.is_before(&nearest, &self.search.plan.goal)
        });
        if is_nearer && self.keeping == 0 {
            self.nearest = Some((miss, outcome));
        }
    }

    fn see_smallest(&mut self, outcome: Outcome) {
        let key = |outcome: &Outcome| (outcome.memory.base(), outcome.time.base());
        let is_smaller = self.smallest.is_none_or(|smallest| {
            let (own, known) = (key(&outcome), key(&smallest));
            own < known || own == known && outcome.candidate < smallest.candidate
        });
        if is_smaller {
            self.smallest = Some(outcome);
        }
    }
}
