//! `Staged`: the stages that some ranks may have, with what is chosen beside them.

use mlsysim_models::transformer::{Layout, Recompute, Schedule, StageHeld};
use mlsysim_quantity::Bytes;

use crate::ranks::Ranks;
use crate::shared::{AllHeld, Shared, Sharing};
use crate::staging::{Run, Staging};
use crate::{Candidate, TrainingPlan};

/// The stages of some ranks, with what is priced of them once it is needed.
pub(crate) struct Staged<'s> {
    pub staging: &'s Staging,
    pub dp: u64,
    pub order: u8,
    /// The place of the hops between its stages.
    pub hops: usize,
    pub sharings: Vec<Sharing>,
    /// The orders of passes, by their places.
    schedules: Vec<u8>,
    pub shared: Option<Vec<Shared>>,
}

impl<'s> Staged<'s> {
    /// `dp` replicas of `staging` in an order of groups, with what they may share.
    pub fn new(
        plan: &TrainingPlan,
        staging: &'s Staging,
        dp: u64,
        order: u8,
        hops: usize,
        sharings: Vec<Sharing>,
    ) -> Self {
        // Without a pipeline passes have no order, and chunks have one of their own.
        let orders = if staging.pp > 1 && staging.vpp == 1 { Schedule::ALL.len() } else { 1 };
        let schedules = (0..orders as u8).filter(|order| plan.allows_schedule(*order)).collect();
        Staged { staging, dp, order, hops, sharings, schedules, shared: None }
    }

    /// Whether there is any layout of these stages.
    pub fn is_empty(&self) -> bool {
        self.sharings.is_empty() || self.schedules.is_empty()
    }

    /// The orders of passes that there may be where so much is computed again, with their places.
    pub fn schedules(&self, recompute: u8) -> impl Iterator<Item = (u8, Schedule)> {
        let again = Recompute::ALL[usize::from(recompute)];
        let all = self.schedules.iter().map(|place| (*place, Schedule::ALL[usize::from(*place)]));
        all.filter(move |(_, schedule)| schedule.suits([self.staging.pp, self.staging.vpp], again).is_ok())
    }

    /// The legal layouts of these stages.
    pub fn candidates<'a>(
        &'a self,
        chosen: &'a Chosen,
        plan: &'a TrainingPlan,
    ) -> impl Iterator<Item = Candidate> + 'a {
        let pairs = self.sharings.iter().flat_map(move |sharing| {
            let schedules = self.schedules(chosen.recompute);
            schedules.map(move |(schedule, _)| chosen.candidate(self, *sharing, schedule))
        });
        pairs.filter(|candidate| !plan.forbids(candidate))
    }

    /// How many there are.
    pub fn layouts(&self, chosen: &Chosen, plan: &TrainingPlan, has_combinations: bool) -> u64 {
        match has_combinations {
            true => self.candidates(chosen, plan).count() as u64,
            false => (self.sharings.len() * self.schedules(chosen.recompute).count()) as u64,
        }
    }
}

/// What a rank of each run of stages works with, for each order of passes: activations, scores of the
/// vocabulary, and the backward pass of one operation.
pub(crate) fn works(
    held: &AllHeld,
    option: &Staged,
    chosen: &Chosen,
    micro_batches: u64,
    plan: &TrainingPlan,
) -> Vec<Vec<[Bytes; 3]>> {
    let staging = option.staging;
    let layout = Layout { pp: staging.pp, vpp: staging.vpp, ..Layout::whole() };
    let stages = |run: &Run| (run.first, held.stage(run, staging.pp, &plan.policy));
    let stages: Vec<(u64, StageHeld)> = staging.runs.iter().map(stages).collect();
    let of_order = |(_, schedule): (u8, Schedule)| {
        let each = stages.iter().map(|(first, stage)| {
            let in_flight = layout.in_flight(*first, micro_batches, schedule);
            let logits = if first + 1 == staging.pp { held.logits } else { Bytes::ZERO };
            [stage.activations(in_flight), logits, stage.working]
        });
        each.collect()
    };
    option.schedules(chosen.recompute).map(of_order).collect()
}

/// What is chosen beside stages and sharings.
pub(crate) struct Chosen<'a> {
    pub ranks: &'a Ranks,
    pub micro_batch: u64,
    pub recompute: u8,
    pub precision: u8,
}

impl Chosen<'_> {
    pub fn candidate(&self, option: &Staged, sharing: Sharing, schedule: u8) -> Candidate {
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
pub(crate) fn micro_batches(plan: &TrainingPlan, option: &Staged, micro_batch: u64) -> Option<u64> {
    let own = plan.batch / option.dp;
    let micro_batches = own.is_multiple_of(micro_batch).then(|| own / micro_batch)?;
    let is_whole = option.staging.vpp == 1 || micro_batches.is_multiple_of(option.staging.pp);
    is_whole.then_some(micro_batches)
}
