//! `StepTerms`: what layers and ends take of one micro-batch, which many layouts share.

use mlsysim_quantity::{Bytes, Flops, Time};
use mlsysim_scenario::Result;

use super::{Place, Pricing, Replicas, Spent};
use crate::transformer::{Accounting, Exchange, Layer, Operation};

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
        self.spent += times * other.spent;
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
        let traffic = accounting.traffic();
        let mut layers = Vec::with_capacity(model.kinds().len());
        for layer in model.kinds() {
            let spent = pricing.spent_at(accounting, Place::Layer(layer))?;
            let mut term = Term { spent, least: Least::default() };
            term.least.operations(accounting, layer.operations(), true);
            let mut priced = Ok(());
            for block in &layer.blocks {
                traffic.block(block, &mut |exchange| {
                    if let Err(error) = term.least.exchange(&exchange, accounting, pricing) {
                        priced = Err(error);
                    }
                });
            }
            priced?;
            layers.push(term);
        }
        let end = |place| -> Result<Term> {
            Ok(Term { spent: pricing.spent_at(accounting, place)?, ..Term::default() })
        };
        let mut ends = [end(Place::Embedding)?, end(Place::Head)?];
        let mut priced = Ok(());
        for (is_first, term) in [true, false].into_iter().zip(&mut ends) {
            let operations = if is_first { &model.embedding } else { &model.head };
            term.least.operations(accounting, operations.iter(), false);
            let mut visit = |exchange: Exchange| {
                if let Err(error) = term.least.exchange(&exchange, accounting, pricing) {
                    priced = Err(error);
                }
            };
            if is_first { traffic.embedding(&mut visit) } else { traffic.head(&mut visit) }
        }
        priced.map(|()| StepTerms { layers, ends })
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

impl Least {
    fn operations<'o>(
        &mut self,
        accounting: &Accounting,
        operations: impl Iterator<Item = &'o Operation>,
        in_layer: bool,
    ) {
        let passes = accounting.reading_passes();
        for operation in operations {
            for flops in accounting.flops_of(operation, in_layer) {
                self.flops += flops;
            }
            let moved = accounting.moved_by(operation);
            self.read += passes * moved.weights + moved.cache;
        }
    }

    /// Adds what an exchange takes at the least.
    pub(super) fn exchange(
        &mut self,
        exchange: &Exchange,
        accounting: &Accounting,
        pricing: &Pricing,
    ) -> Result<()> {
        let bound = exchange.bound(pricing.machine, accounting.division.model.routing)?;
        let times = exchange.times.product();
        self.links += times * bound.on_links;
        self.network += times * bound.on_network;
        Ok(())
    }
}

/// How many layers of each kind a stage has.
pub(super) fn layers_of_stage<'a>(accounting: &'a Accounting, stage: u64) -> impl Iterator<Item = u64> + 'a {
    let division = accounting.division;
    let kinds: &[Layer] = division.model.kinds();
    (0..kinds.len())
        .map(move |kind| division.chunks(stage).map(|range| division.model.layers_of(kind, &range)).sum())
}
