//! `Ranks`: how a layer is divided among ranks, and which layouts of a plan divide it so.

use std::collections::BTreeMap;

use mlsysim_models::transformer::{ContextExchange, Division, Layout, Step, divisors};
use mlsysim_scenario::{Error, Result};

use crate::staging::Staging;
use crate::{Axis, TrainingPlan};

/// How a layer is divided among ranks: all that its time depends on beside the micro-batch, what is
/// computed again and the precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// The place of the number of devices in the plan's list.
    pub devices_at: usize,
    pub devices: u64,
    pub tp: u64,
    pub sp: bool,
    pub cp: u64,
    pub cp_by: u8,
    pub ep: u64,
    /// 0 where there are no experts.
    pub etp: u64,
}

impl Ranks {
    /// A layout of these ranks with one stage and as few replicas as can be.
    pub fn layout(&self) -> Layout {
        Layout {
            tp: self.tp,
            sp: self.sp,
            cp: self.cp,
            cp_by: ContextExchange::ALL[usize::from(self.cp_by)],
            dp: self.ep * self.etp.max(1),
            ep: self.ep,
            etp: (self.etp > 0).then_some(self.etp),
            ..Layout::whole()
        }
    }

    /// How many replicas there are in a pipeline of `pp` stages, if they come out even.
    pub fn replicas(&self, plan: &TrainingPlan, pp: u64) -> Option<u64> {
        let each = self.tp * self.cp * pp;
        let dp = self.devices.is_multiple_of(each).then(|| self.devices / each)?;
        let stage_ranks = self.tp * self.cp * dp;
        let is_legal = stage_ranks.is_multiple_of(self.ep * self.etp.max(1))
            && plan.batch.is_multiple_of(dp)
            && plan.allows(Axis::Dp, dp);
        is_legal.then_some(dp)
    }
}

/// All ways in which a plan's layers may be divided, those within a domain first.
///
/// # Errors
///
/// There is none; the message says what stands in the way of most.
pub(crate) fn all(plan: &TrainingPlan, stagings: &[Staging]) -> Result<Vec<Ranks>> {
    let mut found = Vec::new();
    let mut refusals: BTreeMap<String, (usize, Error)> = BTreeMap::new();
    let experts = plan.model.routing.map(|routing| u64::from(routing.experts));
    for (devices_at, devices) in plan.devices.iter().copied().enumerate() {
        let of_tp = divisors(devices).into_iter().filter(|tp| plan.allows(Axis::Tp, *tp));
        for tp in of_tp {
            let of_sp = [false, true]
                .into_iter()
                .filter(|sp| plan.allows(Axis::Sp, u64::from(*sp)) && (tp > 1 || !sp));
            let of_sp: Vec<bool> = of_sp.collect();
            for cp in divisors(devices / tp).into_iter().filter(|cp| plan.allows(Axis::Cp, *cp)) {
                let ways = if cp > 1 { ContextExchange::ALL.len() as u8 } else { 1 };
                for cp_by in (0..ways).filter(|by| plan.allows(Axis::CpBy, u64::from(*by))) {
                    for (ep, etp) in expert_degrees(plan, experts, tp, devices) {
                        for sp in of_sp.iter().copied() {
                            let ranks = Ranks { devices_at, devices, tp, sp, cp, cp_by, ep, etp };
                            match is_legal(plan, &ranks, stagings) {
                                Ok(()) => found.push(ranks),
                                Err(error) => {
                                    let key = error.field().unwrap_or_default().to_string();
                                    refusals.entry(key).or_insert((0, error)).0 += 1;
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    if found.is_empty() {
        // What no degree could mend says more than what most of them break.
        let is_axis = |error: &Error| Axis::ALL.iter().any(|axis| Some(axis.name()) == error.field());
        let most = refusals.into_values().max_by_key(|(count, error)| (!is_axis(error), *count));
        return Err(most.map_or_else(
            || Error::input("devices", "no degree divides them as `fix` and `forbid` want"),
            |(_, error)| error,
        ));
    }
    // Good ones first: what crosses no network, and fewer ranks for a sequence.
    let domain = plan.machine.domain;
    found.sort_by_key(|ranks| (ranks.tp * ranks.cp > domain, ranks.cp, ranks.tp.abs_diff(domain)));
    Ok(found)
}

/// The groups of ranks for the experts, and the ranks of each: none for a model without experts.
fn expert_degrees(plan: &TrainingPlan, experts: Option<u64>, tp: u64, devices: u64) -> Vec<(u64, u64)> {
    let Some(experts) = experts else {
        return if plan.allows(Axis::Ep, 1) { vec![(1, 0)] } else { Vec::new() };
    };
    let of_ep = divisors(experts).into_iter().filter(|ep| plan.allows(Axis::Ep, *ep));
    let pairs = of_ep.flat_map(|ep| {
        let of_etp = divisors(tp).into_iter().filter(|etp| plan.allows(Axis::Etp, *etp));
        of_etp.map(move |etp| (ep, etp))
    });
    pairs.filter(|(ep, etp)| devices.is_multiple_of(ep * etp)).collect()
}

/// Whether the model, the batch and a number of stages allow it.
fn is_legal(plan: &TrainingPlan, ranks: &Ranks, stagings: &[Staging]) -> Result<()> {
    let layout = ranks.layout();
    let division = Division::new(&plan.model, &layout)?;
    // One micro-batch for each replica, of the largest power of two that its sequences divide by, which
    // sequence parallelism needs least of.
    let step = Step { micro_batch: 1, ..Step::training(layout.dp, plan.sequence) };
    if let Err(error) = mlsysim_models::transformer::Load::new(&division, &step) {
        // More sequences in a micro-batch may divide by what one does not.
        if error.field() != Some("sp") {
            return Err(error);
        }
    }
    match stagings.iter().any(|staging| ranks.replicas(plan, staging.pp).is_some()) {
        true => Ok(()),
        false => Err(Error::input(
            "batch",
            format!(
                "`{}` sequences and {} devices leave no number of replicas for tp {}, cp {} and any pp that is allowed",
                plan.batch, ranks.devices, ranks.tp, ranks.cp
            ),
        )),
    }
}
