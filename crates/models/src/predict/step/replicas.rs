//! `Replicas`: what replicas exchange and update once a step, and of each micro-batch.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::Result;

use super::terms::Least;
use super::{Pricing, Spent};
use crate::transformer::{Accounting, Exchange, PerPart};

/// What a step updates of the stages of a layout, whatever replicas share of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Updated {
    /// The parameters of a rank of the stage that has most.
    pub fullest: PerPart<u64>,
    /// Those of the last stage.
    pub last: PerPart<u64>,
    /// What ranks of the last stage exchange once of what they have in common beside, at the least.
    pub common: Least,
}

/// What replicas exchange, and what each of them updates.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicas {
    /// What they exchange for each micro-batch.
    pub each: Spent,
    /// What they exchange once a step.
    pub once: Spent,
    /// What those of the last stage exchange for each micro-batch, at the least.
    pub least_each: Least,
    /// What those of the last stage exchange once a step, at the least.
    pub least_once: Least,
    /// What updating the weights takes.
    pub update: Time,
}

/// What Adam reads and writes of a parameter: the gradient, both moments and the master copy in 32 bits,
/// and the weight in 16 bits.
const UPDATED: f64 = 4.0 + 3.0 * 8.0 + 2.0;

impl Updated {
    /// What a step of `accounting` updates.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn new(accounting: &Accounting, pricing: &Pricing) -> Result<Self> {
        let layout = accounting.division.layout;
        let last = layout.pp - 1;
        let mut summed: PerPart<u64> = PerPart::default();
        if layout.tp > 1 {
            accounting.operations(last, |operation, layers, _| {
                if accounting.adds_gradients(operation) {
                    summed[operation.part] +=
                        layers * operation.undivided_parameters(&accounting.division.shares);
                }
            });
        }
        let mut common = Least::default();
        let mut priced = Ok(());
        let mut visit = |exchange: Exchange| {
            if let Err(error) = common.exchange(&exchange, accounting, pricing) {
                priced = Err(error);
            }
        };
        let traffic = accounting.traffic();
        for (part, parameters) in summed.entries() {
            traffic.replicated(part, parameters, &mut visit);
        }
        if layout.tp > 1 {
            for (layer, layers) in accounting.kinds(last) {
                traffic.shared_heads(layer, layers, &mut visit);
            }
        }
        if accounting.copies_table(last) || accounting.division.model.tied && accounting.is_first(last) {
            traffic.tied(accounting.table(), &mut visit);
        }
        let parameters = accounting.parameters();
        priced.map(|()| Updated {
            fullest: parameters.of(parameters.fullest_stage()),
            last: parameters.of(last),
            common,
        })
    }
}

impl Replicas {
    /// What the replicas of `accounting` exchange of what is `updated`.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn new(accounting: &Accounting, pricing: &Pricing, updated: &Updated) -> Result<Self> {
        let layout = accounting.division.layout;
        let mut replicas = Replicas {
            each: Spent::default(),
            once: Spent::default(),
            least_each: Least::default(),
            least_once: updated.common,
            update: Time::ZERO,
        };
        let traffic = accounting.traffic();
        let mut priced = Ok(());
        for (part, parameters) in updated.fullest.entries() {
            traffic.replicas(part, parameters, &mut |exchange| match pricing.collective(&exchange, None) {
                Ok(question) => {
                    let sum = if is_each(&exchange) { &mut replicas.each } else { &mut replicas.once };
                    sum.exchange(exchange.group, &question, &pricing.kernels, 1.0);
                }
                Err(error) => priced = Err(error),
            });
        }
        for (part, parameters) in updated.last.entries() {
            traffic.replicas(part, parameters, &mut |exchange| match exchange.bound(pricing.machine, None) {
                Ok(bound) => {
                    let sum =
                        if is_each(&exchange) { &mut replicas.least_each } else { &mut replicas.least_once };
                    sum.collective(1.0, bound);
                }
                Err(error) => priced = Err(error),
            });
        }
        let shard = match layout.zero {
            0 => 1,
            _ => layout.shard.unwrap_or(layout.replicas()),
        };
        let parameters: u64 = updated.fullest.values().sum();
        let bytes = Bytes::from_base(UPDATED * parameters as f64 / shard as f64);
        replicas.update = bytes / pricing.bandwidth();
        priced.map(|()| replicas)
    }
}

/// Whether replicas exchange this for each micro-batch.
fn is_each(exchange: &Exchange) -> bool {
    exchange.times.iter().any(|(name, _)| name == "micro_batches")
}
