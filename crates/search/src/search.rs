//! `Search`: all layouts of a plan, priced from terms that many of them share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mlsysim_models::machine::Machine;
use mlsysim_models::predict::{Practice, Pricing, TrainingCoefficients};
use mlsysim_scenario::Result;
use rayon::prelude::*;

use crate::ranks::{self, Ranks};
use crate::staging::Staging;
use crate::walk::Walk;
use crate::{Axis, Outcome, TrainingPlan};

/// A search among the layouts of a plan.
pub struct Search<'a> {
    pub(crate) plan: &'a TrainingPlan,
    pub(crate) machines: Vec<Machine>,
    pub(crate) practices: Vec<Practice>,
    pub(crate) stagings: Vec<Staging>,
    ranks: Vec<Ranks>,
    pub(crate) coefficients: TrainingCoefficients,
    pub(crate) progress: Progress,
}

/// How far a search has come, for whoever watches it from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// How much there is to do.
    pub all: AtomicU64,
    /// How much of that is done.
    pub done: AtomicU64,
    /// How many layouts were priced, or passed over because they cannot be the best.
    pub layouts: AtomicU64,
    /// Set to end the search with the best so far.
    pub stop: Arc<AtomicBool>,
    pub(crate) threshold: AtomicU64,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best that fit, best first.
    pub best: Vec<Outcome>,
    /// Those that nothing beats in the figures of the plan.
    pub front: Vec<Outcome>,
    /// How many layouts are legal.
    pub legal: u64,
    /// How many of them were priced.
    pub priced: u64,
    /// How many of those fit.
    pub fitting: u64,
    /// That which holds least, whether it fits or not.
    pub smallest: Option<Outcome>,
    /// Whether the search came to its end.
    pub is_complete: bool,
}

impl<'a> Search<'a> {
    /// A search among the layouts of `plan`.
    ///
    /// # Errors
    ///
    /// The plan contradicts itself, or no layout of it is legal; the message says what stands in the way.
    pub fn new(plan: &'a TrainingPlan) -> Result<Self> {
        plan.check()?;
        let machines: Vec<Machine> = plan.devices.iter().map(|devices| plan.machine_of(*devices)).collect();
        let practices = plan.practices();
        for practice in &practices {
            Pricing::new(&plan.machine, practice, plan.calibrations()?.kernels.kernels())?;
        }
        let stagings = stagings(plan);
        let ranks = ranks::all(plan, &stagings)?;
        let coefficients = plan.calibrations()?.steps.training.coefficients;
        let progress = Progress { all: AtomicU64::new(ranks.len() as u64), ..Progress::default() };
        Ok(Search { plan, machines, practices, stagings, ranks, coefficients, progress })
    }

    /// How far it has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Prices every layout.
    pub fn exhaustive(&self) -> Found {
        self.run(false)
    }

    /// Prices every layout that could be among the best: those whose passes alone take longer are passed
    /// over. The best are the same as those of [`exhaustive`](Search::exhaustive). A front needs all.
    pub fn pruned(&self) -> Found {
        self.run(self.plan.pareto.is_empty())
    }

    fn run(&self, prunes: bool) -> Found {
        self.progress.done.store(0, Ordering::Relaxed);
        self.progress.layouts.store(0, Ordering::Relaxed);
        self.progress.threshold.store(f64::INFINITY.to_bits(), Ordering::Relaxed);
        let walks = self.ranks.par_iter().fold(
            || Walk::new(self, prunes),
            |mut walk, ranks| {
                if !self.progress.stop.load(Ordering::Relaxed) {
                    walk.ranks(ranks);
                    self.progress.done.fetch_add(1, Ordering::Relaxed);
                }
                walk
            },
        );
        let walk = walks.reduce(|| Walk::new(self, prunes), Walk::merged);
        walk.found(!self.progress.stop.load(Ordering::Relaxed))
    }
}

/// Every number of stages and chunks that the layers allow and the plan too.
fn stagings(plan: &TrainingPlan) -> Vec<Staging> {
    let layers = u64::from(plan.model.layers());
    let most = plan.devices.iter().copied().max().unwrap_or(1).min(layers);
    let of_pp = (1..=most).filter(|pp| {
        plan.allows(Axis::Pp, *pp) && plan.devices.iter().any(|devices| devices.is_multiple_of(*pp))
    });
    let pairs = of_pp.flat_map(|pp| (1..=layers / pp).map(move |vpp| (pp, vpp)));
    let pairs = pairs.filter(|(_, vpp)| plan.allows(Axis::Vpp, *vpp));
    pairs.filter_map(|(pp, vpp)| Staging::new(&plan.model, pp, vpp)).collect()
}
