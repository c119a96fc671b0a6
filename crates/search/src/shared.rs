//! `Shared`: what layouts of the same ranks and stages share, whatever else is chosen: the exchanges of
//! replicas, the update, and the state that each rank holds.

use mlsysim_models::predict::{Pricing, Replicas, Updated};
use mlsysim_models::transformer::{
    Accounting, Division, Held, Layout, MemoryPolicy, Order, StageHeld, Step, divisors,
};
use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Define, Result};

use crate::ranks::Ranks;
use crate::staging::{Run, Staging};
use crate::{Axis, TrainingPlan};

/// What replicas share: the stage of ZeRO and over how many of them, 0 for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sharing {
    pub zero: u8,
    pub shard: u32,
}

/// What replicas of `layout`, with one stage or several, may share.
pub(crate) fn sharings(plan: &TrainingPlan, layout: &Layout) -> Vec<Sharing> {
    let mut found = Vec::new();
    let replicas = layout.replicas();
    let is_legal = |zero: u64, shard: Option<u64>| Layout { zero, shard, ..layout.clone() }.checked().is_ok();
    for zero in (0..=3u64).filter(|zero| plan.allows(Axis::Zero, *zero)) {
        if zero == 0 || replicas == 1 {
            // One replica has nothing to share.
            if zero == 0 && plan.allows(Axis::Shard, replicas) && is_legal(0, None) {
                found.push(Sharing { zero: 0, shard: 0 });
            }
            continue;
        }
        for shard in divisors(replicas).into_iter().skip(1).filter(|shard| plan.allows(Axis::Shard, *shard)) {
            let stated = Some(shard).filter(|shard| *shard < replicas);
            if is_legal(zero, stated) {
                found.push(Sharing { zero: zero as u8, shard: stated.unwrap_or(0) as u32 });
            }
        }
    }
    found
}

/// The part of a price that a sharing decides.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub sharing: Sharing,
    pub replicas: Replicas,
    /// What replicas exchange for each micro-batch, and once.
    pub each: Time,
    pub once: Time,
    /// What a rank of each run of stages holds, without what it works with.
    pub states: Vec<Bytes>,
}

/// What replicas exchange of what is updated, for each sharing, by their number and their order.
pub(crate) type Known = Vec<(u64, Order, Updated, Vec<Replicas>)>;

/// What is known of `ranks` in `staging`.
pub(crate) struct Around<'a> {
    pub plan: &'a TrainingPlan,
    pub ranks: &'a Ranks,
    pub staging: &'a Staging,
    pub dp: u64,
    pub order: Order,
}

impl Around<'_> {
    /// Each of `sharings` priced, with what layers and ends hold.
    pub fn shared(
        &self,
        sharings: &[Sharing],
        pricing: &Pricing,
        held: &AllHeld,
        known: &mut Known,
    ) -> Result<Vec<Shared>> {
        let Around { plan, ranks, staging, dp, order } = self;
        let whole = Layout {
            pp: staging.pp,
            vpp: staging.vpp,
            stages: staging.stages.clone(),
            dp: *dp,
            order: *order,
            ..ranks.layout()
        };
        // Of no account here, but a step has to divide.
        let step = Step {
            micro_batch: plan.batch / dp,
            gradients: plan.gradients.clone(),
            ..Step::training(plan.batch, plan.sequence)
        };
        let division = Division::new(&plan.model, &whole)?;
        let accounting = Accounting::new(&division, &step)?;
        let updated = Updated::new(&accounting, pricing)?;
        let stages: Vec<StageHeld> =
            staging.runs.iter().map(|run| held.stage(run, staging.pp, &plan.policy)).collect();
        let layouts: Vec<Layout> = sharings
            .iter()
            .map(|sharing| Layout {
                zero: sharing.zero.into(),
                shard: (sharing.shard > 0).then_some(sharing.shard.into()),
                stages: None,
                ..whole.clone()
            })
            .collect();
        // Other chunks often leave the same layers to a stage.
        let alike = |(dp, order, of, _): &(u64, Order, Updated, Vec<Replicas>)| {
            *dp == self.dp && *order == self.order && *of == updated
        };
        let at = match known.iter().position(alike) {
            Some(at) => at,
            None => {
                let priced = layouts.iter().map(|layout| {
                    let division = division.relaid(layout);
                    let accounting = Accounting { division: &division, ..accounting.clone() };
                    Replicas::new(&accounting, pricing, &updated)
                });
                let priced = priced.collect::<Result<_>>()?;
                known.push((*dp, *order, updated, priced));
                known.len() - 1
            }
        };
        let each = sharings.iter().zip(&layouts).zip(&known[at].3);
        let shared = each.map(|((sharing, layout), replicas)| {
            let state = |(run, stage): (&Run, &StageHeld)| {
                let kinds = held.layers.iter().zip(&run.layers).filter(|(_, count)| **count > 0);
                let kinds = kinds.map(|(held, count)| (held.parameters, *count));
                stage.state(kinds, layout, &accounting.elements, &plan.policy).total()
            };
            Shared {
                sharing: *sharing,
                each: replicas.each.replicas(),
                once: replicas.once.replicas(),
                states: staging.runs.iter().zip(&stages).map(state).collect(),
                replicas: replicas.clone(),
            }
        });
        Ok(shared.collect())
    }
}

/// What each kind of layer holds on a rank, and each end of the model.
#[derive(Clone, Debug)]
pub(crate) struct AllHeld {
    pub layers: Vec<Held>,
    /// Where both ends are on the same stage, and where they are not.
    pub ends: [[Held; 2]; 2],
    /// The activations between layers.
    pub between: Bytes,
    pub logits: Bytes,
    /// Which part of the layers is computed again.
    pub again: f64,
}

impl AllHeld {
    pub fn new(accounting: &Accounting, policy: &MemoryPolicy) -> Result<Self> {
        let kinds = accounting.division.model.kinds();
        Ok(AllHeld {
            layers: kinds.iter().map(|layer| accounting.layer_held(layer, policy)).collect(),
            ends: [false, true].map(|away| accounting.ends_held(policy, away)),
            between: accounting.between_layers(),
            logits: accounting.logits_held(policy),
            again: accounting.computed_again(0, policy)?,
        })
    }

    /// What a stage of `run` holds, of `pp` stages.
    pub fn stage(&self, run: &Run, pp: u64, policy: &MemoryPolicy) -> StageHeld {
        let (is_first, is_last) = (run.first == 0, run.first + 1 == pp);
        let [first, last] = &self.ends[usize::from(pp > 1)];
        let mut stage = StageHeld::default();
        if is_first {
            stage.add_end(first);
        }
        for (held, count) in self.layers.iter().zip(&run.layers).filter(|(_, count)| **count > 0) {
            stage.add_layers(held, *count, self.again, self.between);
        }
        if is_last {
            stage.add_end(last);
        }
        if policy.stage_outputs && !is_last {
            stage.kept += self.between;
        }
        stage
    }
}
