//! `StepTerms`: what layers and ends take of one micro-batch, which many layouts share.

use mlsysim_quantity::{Bytes, Flops, Time};
use mlsysim_scenario::Result;

use super::{Place, Pricing, Replicas, Spent};
use crate::machine::CollectiveBound;
use crate::transformer::{Accounting, Block, Exchange};

/// What a part of a model takes of one micro-batch, all passes together, and at the least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Term {
    /// What it takes by the calibrations of kernels.
    pub spent: Spent,
    /// What it cannot do without.
    pub least: Least,
}

/// What a rank computes, reads and sends at the least: the parts of a bound, before they are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Least {
    /// Arithmetic.
    pub flops: Flops,
    /// What is read of memory: weights and the cache.
    pub read: Bytes,
    /// What links within domains take.
    pub links: Time,
    /// What the network takes.
    pub network: Time,
}

impl Least {
    /// This and `times` of `other`.
    pub fn add(&mut self, times: f64, other: &Least) {
        self.flops += times * other.flops;
        self.read += times * other.read;
        self.links += times * other.links;
        self.network += times * other.network;
    }

    /// The least time: everything overlaps, and what takes longest decides.
    pub fn time(&self, pricing: &Pricing) -> Time {
        let computing = (self.flops / pricing.products.peak()).max(self.read / pricing.bandwidth());
        computing.max(self.links).max(self.network)
    }
}

impl Term {
    /// This and `times` of `other`.
    pub fn add(&mut self, times: f64, other: &Term) {
        self.spent.add(times, &other.spent);
        self.least.add(times, &other.least);
    }
}

/// What each kind of layer, and each end of the model, takes of one micro-batch.
///
/// That depends on the degrees that divide a layer (`tp`, `sp`, `cp`, `ep`, `etp`), on the micro-batch,
/// on what is computed again and on the precision, and neither on stages nor on replicas.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTerms {
    /// Each kind of layer.
    pub layers: Vec<Term>,
    /// The embedding and the head.
    pub ends: [Term; 2],
}

impl StepTerms {
    /// The terms of the layers and ends of `accounting`, priced by `pricing`.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn new(accounting: &Accounting, pricing: &Pricing) -> Result<Self> {
        let model = accounting.division.model;
        // Kinds of layers have blocks in common, such as the attention before experts and before a dense
        // network.
        let mut blocks: Vec<(&Block, Term)> = Vec::with_capacity(4);
        let mut layers = Vec::with_capacity(model.kinds().len());
        for layer in model.kinds() {
            let mut term = Term::default();
            for block in &layer.blocks {
                let at = match blocks.iter().position(|(known, _)| *known == block) {
                    Some(at) => at,
                    None => {
                        blocks.push((block, Term::of(accounting, pricing, Place::Block(block))?));
                        blocks.len() - 1
                    }
                };
                term.add(1.0, &blocks[at].1);
            }
            layers.push(term);
        }
        let end = |place| Term::of(accounting, pricing, place);
        Ok(StepTerms { layers, ends: [end(Place::Embedding)?, end(Place::Head)?] })
    }

    /// The stage with `count` layers of each kind, and the ends that it has.
    pub fn stage(&self, layers: impl Iterator<Item = u64>, is_first: bool, is_last: bool) -> Term {
        let mut stage = Term::default();
        for (term, count) in self.layers.iter().zip(layers).filter(|(_, count)| *count > 0) {
            stage.add(count as f64, term);
        }
        for (end, _) in self.ends.iter().zip([is_first, is_last]).filter(|(_, has)| *has) {
            stage.add(1.0, end);
        }
        stage
    }
}

impl Replicas {
    /// The least of a step whose last stage does at least `stage` of each micro-batch.
    pub fn least(&self, micro_batches: f64, stage: &Least) -> Least {
        let mut least = Least::default();
        least.add(micro_batches, stage);
        least.add(micro_batches, &self.least_each);
        least.add(1.0, &self.least_once);
        least
    }
}

impl Term {
    /// What `place` takes of one micro-batch, all passes together; exchanges that are alike are priced once.
    fn of(accounting: &Accounting, pricing: &Pricing, place: Place) -> Result<Term> {
        let model = accounting.division.model;
        let Term { mut spent, mut least } = Term::default();
        pricing.kernels_of(accounting, place, &mut |piece, times| {
            spent.take(piece, &pricing.kernels, times.iter().sum());
        });
        least.operations(accounting, place);
        let mut exchanges: Vec<(Exchange, f64)> = Vec::new();
        place.exchanges(accounting, &mut |exchange| {
            let times = exchange.times.product();
            match exchanges.iter_mut().find(|(known, _)| known.costs_as(&exchange)) {
                Some((_, sum)) => *sum += times,
                None => exchanges.push((exchange, times)),
            }
        });
        for (exchange, times) in &exchanges {
            let question = pricing.collective(exchange, model.routing)?;
            spent.exchange(exchange.group, &question, &pricing.kernels, *times);
            least.collective(*times, question.least());
        }
        Ok(Term { spent, least })
    }
}

impl Least {
    fn operations(&mut self, accounting: &Accounting, place: Place) {
        let passes = accounting.reading_passes();
        for operation in place.operations(accounting.division.model) {
            self.flops += accounting.all_flops_of(operation, place.is_in_layer());
            let [weights, cache] = accounting.read_by(operation);
            self.read += passes * weights + cache;
        }
    }

    /// Adds so many `times` the `bound` of a collective.
    pub(super) fn collective(&mut self, times: f64, bound: CollectiveBound) {
        self.links += times * bound.on_links;
        self.network += times * bound.on_network;
    }

    /// Adds what an exchange takes at the least.
    pub(super) fn exchange(
        &mut self,
        exchange: &Exchange,
        accounting: &Accounting,
        pricing: &Pricing,
    ) -> Result<()> {
        let bound = exchange.bound(pricing.machine, accounting.division.model.routing)?;
        self.collective(exchange.times.product(), bound);
        Ok(())
    }
}
