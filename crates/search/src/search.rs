//! `Search`: all layouts of a plan, priced from terms that many of them share.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mlsysim_models::machine::Machine;
use mlsysim_models::predict::{Practice, Pricing, TrainingCoefficients, TrainingQuestion};
use mlsysim_models::transformer::Schedule;
use mlsysim_scenario::{Error, Result};
use rayon::prelude::*;

use crate::limits::{Figures, Limits};
use crate::ranking::ranked;
use crate::ranks::{self, Ranks};
use crate::run::RunTerms;
use crate::seen::Seen;
use crate::staging::Staging;
use crate::walk::Walk;
use crate::{Axis, Candidate, Outcome, TrainingPlan, refusal};

/// A search among the layouts of a plan.
pub struct Search<'a> {
    pub(crate) plan: &'a TrainingPlan,
    pub(crate) machines: Vec<Machine>,
    pub(crate) practices: Vec<Practice>,
    /// For each number of devices those of each precision, where passes are in orders that the calibration
    /// knows and where not.
    limits: Vec<Vec<[Limits; 2]>>,
    pub(crate) stagings: Vec<Staging>,
    ranks: Vec<Ranks>,
    pub(crate) coefficients: TrainingCoefficients,
    pub(crate) progress: Progress,
    /// How many layouts are ranked: more than are told, as some of them are told as one.
    pub(crate) ranked: usize,
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
    /// What the best of all threads are up to, as bits of a number.
    pub(crate) threshold: AtomicU64,
    /// What the nearest of all threads misses of what is required, likewise.
    pub(crate) nearest: AtomicU64,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best that fit and keep all that is required, best first: more than are told where some of them
    /// differ in their chunks alone, see [`apart`](crate::apart).
    pub best: Vec<Outcome>,
    /// Those that nothing beats in the figures of the plan.
    pub front: Vec<Outcome>,
    /// How many layouts are legal.
    pub legal: u64,
    /// How many of them were priced.
    pub priced: u64,
    /// How many of those fit.
    pub fitting: u64,
    /// How many of those keep all that is required.
    pub keeping: u64,
    /// That which holds least, whether it fits or not.
    pub smallest: Option<Outcome>,
    /// Where nothing that fits keeps all that is required, that which misses least: its largest miss, as a
    /// share of the limit, is the smallest.
    pub nearest: Option<Outcome>,
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
        let search = Self::of(plan).map_err(|error| refusal::refused(plan, error))?;
        let mut is_empty = true;
        search.legal(&mut |_| {
            is_empty = false;
            ControlFlow::Break(())
        });
        match is_empty {
            false => Ok(search),
            true => {
                let error = Error::input("batch", "no legal layout has whole micro-batches");
                Err(refusal::refused(plan, error))
            }
        }
    }

    /// The search itself, which may have no legal layout.
    pub(crate) fn of(plan: &'a TrainingPlan) -> Result<Self> {
        let machines: Vec<Machine> = plan.devices.iter().map(|devices| plan.machine_of(*devices)).collect();
        let practices = plan.practices()?;
        let stagings = stagings(plan);
        let ranks = ranks::all(plan, &stagings)?;
        let coefficients = plan.calibrations()?.steps.training.coefficients;
        let limits = limits(plan, &machines, &practices)?;
        let progress = Progress { all: AtomicU64::new(ranks.len() as u64), ..Progress::default() };
        let of_stages = |pp| stagings.iter().filter(|staging: &&Staging| staging.pp == pp).count();
        let variants = stagings.iter().map(|staging| of_stages(staging.pp)).max().unwrap_or(1);
        let ranked = ranked(plan.top, variants);
        Ok(Search { plan, machines, practices, limits, stagings, ranks, coefficients, progress, ranked })
    }

    /// How far it has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Every legal layout to `visit`, until that breaks off.
    pub(crate) fn legal(&self, visit: &mut impl FnMut(&Candidate) -> ControlFlow<()>) {
        let walk = Walk::new(self, false);
        let _ = self.ranks.iter().try_for_each(|ranks| walk.legal(ranks, visit));
    }

    /// What is required of layouts in a precision, on the number of devices at a place of the plan's list.
    pub(crate) fn limits_of(&self, devices_at: usize, precision: u8) -> &[Limits; 2] {
        &self.limits[devices_at][usize::from(precision)]
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
        for least in [&self.progress.threshold, &self.progress.nearest] {
            least.store(f64::INFINITY.to_bits(), Ordering::Relaxed);
        }
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
        let seen = walks.map(|walk| walk.seen).reduce(|| Seen::new(self), Seen::merged);
        seen.found(!self.progress.stop.load(Ordering::Relaxed))
    }
}

/// What is required of layouts, for each machine those of each practice.
fn limits(
    plan: &TrainingPlan,
    machines: &[Machine],
    practices: &[Practice],
) -> Result<Vec<Vec<[Limits; 2]>>> {
    let terms = RunTerms::new(plan)?;
    let of = |machine: &Machine, devices: u64, practice: &Practice| -> Result<[Limits; 2]> {
        let pricing = Pricing::stated(machine, practice, plan.calibrations()?.kernels.kernels())?;
        let figures = Figures::new(plan, devices, pricing.products.peak(), terms.as_ref())?;
        let training = &plan.calibrations()?.steps.training;
        Ok([Schedule::OneForwardOneBackward, Schedule::ZeroBubbleH1].map(|schedule| {
            // Any number of stages but one, which knows no order.
            let beyond = TrainingQuestion::beyond_of(&pricing, schedule, 2);
            let band = training.band(TrainingQuestion::regime_of(&plan.model), &beyond);
            Limits::new(&plan.require, &figures, band.high)
        }))
    };
    let each = machines.iter().zip(&plan.devices).map(|(machine, devices)| {
        practices.iter().map(|practice| of(machine, *devices, practice)).collect::<Result<_>>()
    });
    each.collect()
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
