//! `Walk`: the layouts of some ways of dividing a layer, priced one after the other.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use mlsysim_models::predict::{Hops, Pricing, Sending, Stage, StepTerms, TrainingClass, TrainingManner};
use mlsysim_models::transformer::{
    Accounting, Division, Layout, Memory, Recompute, Schedule, Step, Transformer, divisors,
};
use mlsysim_quantity::{Bytes, Time};

use crate::axis::ORDERS;
use crate::ranks::Ranks;
use crate::seen::Seen;
use crate::shared::{AllHeld, Around, Known, Sharing, sharings};
use crate::staged::{Chosen, Staged, micro_batches, works};
use crate::{Axis, Candidate, Outcome, Search};

/// One thread's way through the layouts, and what it has seen.
pub(crate) struct Walk<'s> {
    search: &'s Search<'s>,
    prunes: bool,
    pub seen: Seen<'s>,
    has_combinations: bool,
}

impl<'s> Walk<'s> {
    pub fn new(search: &'s Search<'s>, prunes: bool) -> Self {
        let has_combinations = search.plan.has_combinations();
        Walk { search, prunes, seen: Seen::new(search), has_combinations }
    }

    /// All layouts that divide layers as `ranks` do.
    pub fn ranks(&mut self, ranks: &Ranks) {
        let plan = self.search.plan;
        let model: &Transformer = &plan.model;
        let layout = ranks.layout();
        let Ok(division) = Division::new(model, &layout) else { return };
        let machine = &self.search.machines[ranks.devices_at];
        let (mut options, hops) = self.options(ranks, &division);
        let sizes = self.sizes(&options);
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
                    let step = self.step(&layout, micro_batch, *again);
                    let Ok(accounting) = Accounting::new(&division, &step) else { continue };
                    let chosen =
                        Chosen { ranks, micro_batch, recompute: recompute as u8, precision: precision as u8 };
                    self.chosen(&chosen, (&accounting, &pricing), (&mut options, &hops), &mut known);
                }
            }
        }
    }

    /// The sizes of micro-batches that some of the stages may have.
    fn sizes(&self, options: &[Staged]) -> Vec<u64> {
        let plan = self.search.plan;
        let mut sizes: Vec<u64> =
            options.iter().flat_map(|option| divisors(plan.batch / option.dp)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.retain(|size| plan.allows(Axis::MicroBatch, *size));
        sizes
    }

    /// One micro-batch for each replica.
    fn step(&self, layout: &Layout, micro_batch: u64, recompute: Recompute) -> Step {
        let plan = self.search.plan;
        let step = Step::training(layout.dp * micro_batch, plan.sequence);
        Step { micro_batch, recompute, gradients: plan.gradients.clone(), ..step }
    }

    /// Every legal layout that divides layers as `ranks` do, to `visit`, without a price.
    pub fn legal(
        &self,
        ranks: &Ranks,
        visit: &mut impl FnMut(&Candidate) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (plan, layout) = (self.search.plan, ranks.layout());
        let Ok(division) = Division::new(&plan.model, &layout) else { return ControlFlow::Continue(()) };
        let (options, _) = self.options(ranks, &division);
        let allowed = |axis, count: usize| (0..count as u8).filter(move |at| plan.allows(axis, (*at).into()));
        for micro_batch in self.sizes(&options) {
            for recompute in allowed(Axis::Recompute, Recompute::ALL.len()) {
                let step = self.step(&layout, micro_batch, Recompute::ALL[usize::from(recompute)]);
                if Accounting::new(&division, &step).is_err() {
                    continue;
                }
                for precision in allowed(Axis::Precision, plan.precisions.len()) {
                    let chosen = Chosen { ranks, micro_batch, recompute, precision };
                    let whole = options.iter().filter(|one| micro_batches(plan, one, micro_batch).is_some());
                    whole
                        .flat_map(|option| option.candidates(&chosen, plan))
                        .try_for_each(|one| visit(&one))?;
                }
            }
        }
        ControlFlow::Continue(())
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
                let sharings = last.as_ref().map_or(Vec::new(), |(_, sharings)| sharings.clone());
                if !hops.is_empty() {
                    let at = hops.len() - 1;
                    let staged = Staged::new(plan, staging, dp, order, at, sharings);
                    options.extend((!staged.is_empty()).then_some(staged));
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
        self.seen.legal += count;
        self.search.progress.layouts.fetch_add(count, Ordering::Relaxed);
        let coefficients = self.search.coefficients;
        let weights = TrainingClass::of(pricing).weights(&coefficients);
        let (devices, limits) =
            (chosen.ranks.devices, self.search.limits_of(chosen.ranks.devices_at, chosen.precision));
        if self.prunes && self.seen.is_beaten(self.least_passes(chosen, &terms, pricing), devices, limits) {
            return;
        }
        let Ok(held) = AllHeld::new(accounting, &plan.policy) else { return };
        let mut sent: Option<(usize, Sending)> = None;
        let mut stages: Vec<Stage> = Vec::with_capacity(8);
        for option in options {
            let Some(micro_batches) = whole(option) else { continue };
            let staging = option.staging;
            let orders = || option.schedules(chosen.recompute);
            // The order that leaves the least idle, as far as time is bounded from below.
            let Some((_, schedule)) = orders().max_by_key(|(_, schedule)| schedule.puts_off()) else {
                continue;
            };
            let chunks = staging.vpp as f64;
            let manner = TrainingManner { weights, coefficients, chunks, is_sharded: false, schedule };
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
                if self.seen.is_beaten(least.sum(), devices, limits) {
                    continue;
                }
            }
            if option.shared.is_none() {
                let order = crate::candidate::order(option.order);
                let around = Around { plan, ranks: chosen.ranks, staging, dp: option.dp, order };
                let shared = around.shared(&option.sharings, pricing, &held, known);
                let Ok(shared) = shared else { continue };
                option.shared = Some(shared);
            }
            let works = works(&held, option, chosen, micro_batches, plan);
            let Some(shared) = &option.shared else { continue };
            for shared in shared {
                let replicas = micro_batches as f64 * shared.each + shared.once;
                let bound = shared.replicas.least(micro_batches as f64, &least).time(pricing);
                let bound = bound.max(sending.bound(staging.vpp, micro_batches as f64));
                let is_sharded = shared.sharing.zero == 3;
                // Orders that put off as many passes take as long.
                let mut known: Option<(u64, Time)> = None;
                for ((place, schedule), work) in option.schedules(chosen.recompute).zip(&works) {
                    let time = match known.filter(|(put_off, _)| *put_off == schedule.puts_off()) {
                        Some((_, time)) => time,
                        None => {
                            let manner = TrainingManner { is_sharded, schedule, ..manner };
                            let times = micro_batches as f64;
                            let spans = manner.spans(&passing, times, replicas, shared.replicas.update);
                            spans.sum().max(bound)
                        }
                    };
                    known = Some((schedule.puts_off(), time));
                    let candidate = chosen.candidate(option, shared.sharing, place);
                    if self.has_combinations && plan.forbids(&candidate) {
                        continue;
                    }
                    let totals = work.iter().zip(&shared.states);
                    let totals =
                        totals.map(|(work, state)| Memory::total_with_work(*state, *work, &plan.policy));
                    let memory = totals.fold(Bytes::ZERO, Bytes::max);
                    self.seen.see(Outcome { candidate, time, memory }, limits);
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
        let manner = TrainingManner {
            weights,
            coefficients,
            chunks: f64::INFINITY,
            is_sharded: false,
            schedule: Schedule::OneForwardOneBackward,
        };
        let [.., whole] = manner.stage(&stage);
        let times = plan.batch as f64 * (tp * cp) as f64 / (devices as f64 * chosen.micro_batch as f64);
        times * whole + Time::from_base(1e-3 * coefficients.step)
    }
}
