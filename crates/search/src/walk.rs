//! `Walk`: the layouts of some ways of dividing a layer, priced one after the other.

use std::sync::atomic::Ordering;

use mlsysim_models::predict::{Hops, Pricing, Sending, Stage, StepTerms, TrainingClass, TrainingManner};
use mlsysim_models::transformer::{
    Accounting, Division, Layout, Memory, Recompute, Schedule, StageHeld, Step, Transformer,
};
use mlsysim_quantity::{Bytes, Time};

use crate::axis::ORDERS;
use crate::ranks::{Ranks, divisors};
use crate::shared::{AllHeld, Around, Known, Shared, Sharing, sharings};
use crate::staging::{Run, Staging};
use crate::{Axis, Candidate, Found, Front, Outcome, Ranking, Search, TrainingPlan};

/// What one thread has seen.
pub(crate) struct Walk<'s> {
    search: &'s Search<'s>,
    prunes: bool,
    ranking: Ranking,
    front: Front,
    legal: u64,
    priced: u64,
    fitting: u64,
    smallest: Option<Outcome>,
    capacity: Bytes,
    has_combinations: bool,
}

/// The stages of some ranks, with what is priced of them once it is needed.
struct Staged<'s> {
    staging: &'s Staging,
    dp: u64,
    order: u8,
    /// The place of the hops between its stages.
    hops: usize,
    sharings: Vec<Sharing>,
    schedules: Vec<u8>,
    shared: Option<Vec<Shared>>,
}

impl Staged<'_> {
    /// How many layouts of these stages are legal.
    fn layouts(&self, chosen: &Chosen, plan: &TrainingPlan, has_combinations: bool) -> u64 {
        if !has_combinations {
            return (self.sharings.len() * self.schedules.len()) as u64;
        }
        let pairs = self.sharings.iter().flat_map(|sharing| {
            self.schedules.iter().map(move |schedule| chosen.candidate(self, *sharing, *schedule))
        });
        pairs.filter(|candidate| !plan.forbids(candidate)).count() as u64
    }
}

impl<'s> Walk<'s> {
    pub fn new(search: &'s Search<'s>, prunes: bool) -> Self {
        Walk {
            search,
            prunes,
            ranking: Ranking::new(search.plan.goal, search.plan.top),
            front: Front::new(search.plan.pareto.clone()),
            legal: 0,
            priced: 0,
            fitting: 0,
            smallest: None,
            capacity: search.plan.machine.device.memory.capacity - search.plan.reserve,
            has_combinations: search.plan.has_combinations(),
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
            smallest: self.smallest,
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
        if let Some(outcome) = other.smallest {
            self.see_smallest(outcome);
        }
        self
    }

    /// All layouts that divide layers as `ranks` do.
    pub fn ranks(&mut self, ranks: &Ranks) {
        let plan = self.search.plan;
        let model: &Transformer = &plan.model;
        let layout = ranks.layout();
        let Ok(division) = Division::new(model, &layout) else { return };
        let machine = &self.search.machines[ranks.devices_at];
        let (mut options, hops) = self.options(ranks, &division);
        let mut sizes: Vec<u64> =
            options.iter().flat_map(|option| divisors(plan.batch / option.dp)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.retain(|size| plan.allows(Axis::MicroBatch, *size));
        for (precision, practice) in self.search.practices.iter().enumerate() {
            if !plan.allows(Axis::Precision, precision as u64) {
                continue;
            }
            let priced =
                plan.calibrations().and_then(|all| Pricing::new(machine, practice, all.kernels.kernels()));
            let Ok(pricing) = priced else {
                continue;
            };
            options.iter_mut().for_each(|option| option.shared = None);
            let mut known = Known::new();
            for micro_batch in sizes.iter().copied() {
                for (recompute, again) in Recompute::ALL.iter().enumerate() {
                    if !plan.allows(Axis::Recompute, recompute as u64) {
                        continue;
                    }
                    if self.search.progress.stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let step = Step {
                        micro_batch,
                        recompute: *again,
                        gradients: plan.gradients.clone(),
                        ..Step::training(layout.dp * micro_batch, plan.sequence)
                    };
                    let Ok(accounting) = Accounting::new(&division, &step) else { continue };
                    let chosen =
                        Chosen { ranks, micro_batch, recompute: recompute as u8, precision: precision as u8 };
                    self.chosen(&chosen, (&accounting, &pricing), (&mut options, &hops), &mut known);
                }
            }
        }
    }

    /// The stages that `ranks` may have, with what those send to each other.
    fn options(&self, ranks: &Ranks, division: &Division) -> (Vec<Staged<'s>>, Vec<Hops>) {
        let plan = self.search.plan;
        let (mut options, mut hops): (Vec<Staged>, Vec<Hops>) = (Vec::new(), Vec::new());
        for order in (0..ORDERS.len() as u8).filter(|order| plan.allows(Axis::Order, (*order).into())) {
            let mut last: Option<(u64, Vec<Sharing>)> = None;
            for staging in &self.search.stagings {
                let Some(dp) = ranks.replicas(plan, staging.pp) else { continue };
                // Of one stage, or of one replica, any order is the same.
                if order > 0 && (staging.pp == 1 || dp == 1) {
                    continue;
                }
                let layout =
                    Layout { pp: staging.pp, dp, order: crate::candidate::order(order), ..ranks.layout() };
                if last.as_ref().is_none_or(|(pp, _)| *pp != staging.pp) {
                    last = Some((staging.pp, sharings(plan, &layout)));
                    let step = Step::training(plan.batch, plan.sequence);
                    let division = division.relaid(&layout);
                    // Any step will do: only how often stages send is told.
                    let step = Step { micro_batch: plan.batch / dp, ..step };
                    let Ok(accounting) = Accounting::new(&division, &step) else {
                        last = None;
                        continue;
                    };
                    hops.push(Hops::new(&accounting, &self.search.machines[ranks.devices_at]));
                }
                // Without a pipeline passes have no order, and chunks have one of their own.
                let orders = if staging.pp > 1 && staging.vpp == 1 { Schedule::ALL.len() } else { 1 };
                let schedules =
                    (0..orders as u8).filter(|order| plan.allows(Axis::Schedule, (*order).into()));
                let schedules: Vec<u8> = schedules.collect();
                let sharings = last.as_ref().map_or(Vec::new(), |(_, sharings)| sharings.clone());
                if !sharings.is_empty() && !schedules.is_empty() {
                    let at = hops.len() - 1;
                    options.push(Staged { staging, dp, order, hops: at, sharings, schedules, shared: None });
                }
            }
        }
        (options, hops)
    }

    /// All stages and sharings of layers that are told by `accounting`.
    fn chosen(
        &mut self,
        chosen: &Chosen,
        (accounting, pricing): (&Accounting, &Pricing),
        (options, hops): (&mut [Staged<'s>], &[Hops]),
        known: &mut Known,
    ) {
        let plan = self.search.plan;
        let whole = |option: &Staged| micro_batches(plan, option, chosen.micro_batch);
        let layouts = |option: &Staged| option.layouts(chosen, plan, self.has_combinations);
        let count: u64 = options.iter().filter(|option| whole(option).is_some()).map(layouts).sum();
        if count == 0 {
            return;
        }
        let Ok(terms) = StepTerms::new(accounting, pricing) else { return };
        self.legal += count;
        self.search.progress.layouts.fetch_add(count, Ordering::Relaxed);
        let coefficients = self.search.coefficients;
        let weights = TrainingClass::of(pricing).weights(&coefficients);
        if self.prunes && self.is_beaten(self.least_passes(chosen, &terms, pricing), chosen.ranks.devices) {
            return;
        }
        let Ok(held) = AllHeld::new(accounting, &plan.policy) else { return };
        let mut sent: Option<(usize, Sending)> = None;
        let mut stages: Vec<Stage> = Vec::with_capacity(8);
        for option in options {
            let Some(micro_batches) = whole(option) else { continue };
            let staging = option.staging;
            let manner =
                TrainingManner { weights, coefficients, chunks: staging.vpp as f64, is_sharded: false };
            let sending = match sent {
                Some((at, sending)) if at == option.hops => sending,
                _ => {
                    let layout = Layout { pp: staging.pp, ..accounting.division.layout.clone() };
                    let division = accounting.division.relaid(&layout);
                    let staged = Accounting { division: &division, ..accounting.clone() };
                    let Ok(sending) = hops[option.hops].price(&staged, pricing) else { continue };
                    sent = Some((option.hops, sending));
                    sending
                }
            };
            stages.clear();
            let mut least = sending.least(staging.vpp);
            for run in &staging.runs {
                let (is_first, is_last) = (run.first == 0, run.first + 1 == staging.pp);
                let term = terms.stage(run.layers.iter().copied(), is_first, is_last);
                if is_last {
                    let sent = least;
                    least = term.least;
                    least.add(1.0, &sent);
                }
                let launched = pricing.launched(plan.model.kinds(), run.layers.iter().copied());
                stages.push(Stage { spent: term.spent, count: run.count, launched });
            }
            let passing = manner.passing(&stages, &sending.spent(staging.vpp));
            if self.prunes {
                let least = manner.spans(&passing, micro_batches as f64, Time::ZERO, Time::ZERO);
                if self.is_beaten(least.sum(), chosen.ranks.devices) {
                    continue;
                }
            }
            if option.shared.is_none() {
                let order = crate::candidate::order(option.order);
                let around = Around { plan, ranks: chosen.ranks, staging, dp: option.dp, order };
                let shared = around.shared(&option.sharings, pricing, &weights, &held, known);
                let Ok(shared) = shared else { continue };
                option.shared = Some(shared);
            }
            let works = works(&held, option, micro_batches, plan);
            let Some(shared) = &option.shared else { continue };
            for shared in shared {
                let replicas = micro_batches as f64 * shared.each + shared.once;
                let manner = TrainingManner { is_sharded: shared.sharing.zero == 3, ..manner };
                let time =
                    manner.spans(&passing, micro_batches as f64, replicas, shared.replicas.update).sum();
                let bound = shared.replicas.least(micro_batches as f64, &least).time(pricing);
                let time = time.max(bound);
                for (schedule, work) in option.schedules.iter().copied().zip(&works) {
                    let candidate = chosen.candidate(option, shared.sharing, schedule);
                    if self.has_combinations && plan.forbids(&candidate) {
                        continue;
                    }
                    let totals = work.iter().zip(&shared.states);
                    let totals =
                        totals.map(|(work, state)| Memory::total_with_work(*state, *work, &plan.policy));
                    let memory = totals.fold(Bytes::ZERO, Bytes::max);
                    self.see(Outcome { candidate, time, memory });
                }
            }
        }
    }

    /// What the passes of any stages of such layers take at the least: their time and the overlap are
    /// norms of what is spent, so that no cut into stages makes their sum less, and the slowest stage
    /// takes no less than the mean.
    fn least_passes(&self, chosen: &Chosen, terms: &StepTerms, pricing: &Pricing) -> Time {
        let plan = self.search.plan;
        let Ranks { devices, tp, cp, .. } = *chosen.ranks;
        let kinds = plan.model.kinds();
        let layers = || (0..kinds.len()).map(|kind| plan.model.layers_of(kind, &(0..u64::MAX)));
        let spent = terms.stage(layers(), true, true).spent;
        let launched = pricing.launched(kinds, layers());
        let stage = Stage { spent, count: 1, launched };
        let coefficients = self.search.coefficients;
        let weights = TrainingClass::of(pricing).weights(&coefficients);
        let manner = TrainingManner { weights, coefficients, chunks: f64::INFINITY, is_sharded: false };
        let [.., whole] = manner.stage(&stage);
        let times = plan.batch as f64 * (tp * cp) as f64 / (devices as f64 * chosen.micro_batch as f64);
        times * whole + Time::from_base(1e-3 * coefficients.step)
    }

    /// Whether a step that takes `least` at the least, but for rounding, cannot be among the best.
    fn is_beaten(&self, least: Time, devices: u64) -> bool {
        const ROUNDING: f64 = 1.0 - 1e-9;
        self.search.plan.goal.value(ROUNDING * least, devices) > self.threshold()
    }

    /// What no layout may be above to be among the best.
    fn threshold(&self) -> f64 {
        let others = f64::from_bits(self.search.progress.threshold.load(Ordering::Relaxed));
        self.ranking.threshold().min(others)
    }

    fn see(&mut self, outcome: Outcome) {
        self.priced += 1;
        if self.smallest.is_none_or(|smallest| outcome.memory <= smallest.memory) {
            self.see_smallest(outcome);
        }
        if outcome.memory > self.capacity {
            return;
        }
        self.fitting += 1;
        self.front.offer(outcome);
        let before = self.ranking.threshold();
        self.ranking.offer(outcome);
        let now = self.ranking.threshold();
        if now < before {
            // Times are positive, so that their bits are in their order.
            self.search.progress.threshold.fetch_min(now.to_bits(), Ordering::Relaxed);
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

/// What a rank of each run of stages works with, for each order of passes: activations, scores of the
/// vocabulary, and the backward pass of one operation.
fn works(held: &AllHeld, option: &Staged, micro_batches: u64, plan: &TrainingPlan) -> Vec<Vec<[Bytes; 3]>> {
    let staging = option.staging;
    let layout = Layout { pp: staging.pp, vpp: staging.vpp, ..Layout::whole() };
    let stages = |run: &Run| (run.first, held.stage(run, staging.pp, &plan.policy));
    let stages: Vec<(u64, StageHeld)> = staging.runs.iter().map(stages).collect();
    let of_order = |order: &u8| {
        let schedule = Schedule::ALL[usize::from(*order)];
        let each = stages.iter().map(|(first, stage)| {
            let in_flight = layout.in_flight(*first, micro_batches, schedule);
            let logits = if first + 1 == staging.pp { held.logits } else { Bytes::ZERO };
            [stage.activations(in_flight), logits, stage.working]
        });
        each.collect()
    };
    option.schedules.iter().map(of_order).collect()
}

/// What is chosen beside stages and sharings.
struct Chosen<'a> {
    ranks: &'a Ranks,
    micro_batch: u64,
    recompute: u8,
    precision: u8,
}

impl Chosen<'_> {
    fn candidate(&self, option: &Staged, sharing: Sharing, schedule: u8) -> Candidate {
        let ranks = self.ranks;
        Candidate {
            devices: ranks.devices as u32,
            tp: ranks.tp as u32,
            sp: ranks.sp,
            pp: option.staging.pp as u32,
            vpp: option.staging.vpp as u32,
            dp: option.dp as u32,
            zero: sharing.zero,
            shard: sharing.shard,
            ep: ranks.ep as u32,
            etp: ranks.etp as u32,
            cp: ranks.cp as u32,
            cp_by: ranks.cp_by,
            micro_batch: self.micro_batch as u32,
            recompute: self.recompute,
            precision: self.precision,
            schedule,
            order: option.order,
        }
    }
}

/// The micro-batches of a replica, if they come out even; chunks are interleaved over whole rounds of
/// the stages (Megatron-LM, `get_forward_backward_func` with interleaving).
fn micro_batches(plan: &TrainingPlan, option: &Staged, micro_batch: u64) -> Option<u64> {
    let own = plan.batch / option.dp;
    let micro_batches = own.is_multiple_of(micro_batch).then(|| own / micro_batch)?;
    let is_whole = option.staging.vpp == 1 || micro_batches.is_multiple_of(option.staging.pp);
    is_whole.then_some(micro_batches)
}
