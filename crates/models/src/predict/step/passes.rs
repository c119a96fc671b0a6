//! What a layer and the ends of a model take in each pass of one micro-batch.

use mlsysim_scenario::Result;

use super::{Cost, Piece, Pricing, Spent};
use crate::transformer::{Accounting, Exchange, Layer, Operation, Pass};

/// What something takes in each pass, in the order of [`Pass::ALL`].
pub type Passes = [Spent; Pass::ALL.len()];

/// Products of the backward pass of fused attention for each of the two of the forward pass: scores are
/// made again, and four gradients follow.
///
/// Source: Dao (2023), FlashAttention-2, section 4.1, arXiv:2307.08691.
const ATTENTION_BACKWARD: f64 = 2.5;

/// What the backward pass takes of a piece, in forward ones.
fn backward(piece: &Piece) -> f64 {
    match piece.cost {
        Cost::Attention { .. } => ATTENTION_BACKWARD,
        _ => Pass::Backward.products(),
    }
}

impl Pricing<'_> {
    /// What `layer` takes in each pass of one micro-batch, its exchanges included.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn layer(&self, accounting: &Accounting, layer: &Layer) -> Result<Passes> {
        let mut passes = Passes::default();
        layer.operations().for_each(|operation| self.add(accounting, operation, true, &mut passes));
        let mut priced = Ok(());
        for block in &layer.blocks {
            accounting.traffic().block(block, &mut |exchange| {
                if let Err(error) = self.add_exchange(accounting, &exchange, &mut passes) {
                    priced = Err(error);
                }
            });
        }
        priced.map(|()| passes)
    }

    /// What the embedding takes, and what the head takes, in each pass of one micro-batch.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn ends(&self, accounting: &Accounting) -> Result<[Passes; 2]> {
        let model = accounting.division.model;
        let mut ends = [Passes::default(); 2];
        let [first, last] = &mut ends;
        model.embedding.iter().for_each(|operation| self.add(accounting, operation, false, first));
        model.head.iter().for_each(|operation| self.add(accounting, operation, false, last));
        let mut priced = Ok(());
        let traffic = accounting.traffic();
        for (is_first, passes) in [(true, first), (false, last)] {
            let mut visit = |exchange: Exchange| {
                if let Err(error) = self.add_exchange(accounting, &exchange, passes) {
                    priced = Err(error);
                }
            };
            if is_first { traffic.embedding(&mut visit) } else { traffic.head(&mut visit) }
        }
        priced.map(|()| ends)
    }

    fn add(&self, accounting: &Accounting, operation: &Operation, in_layer: bool, passes: &mut Passes) {
        let Accounting { division, step, load, elements } = accounting;
        let Some(piece) = self.operation(operation, &division.shares, load, step.phase, elements) else {
            return;
        };
        let spent = Spent::of(&piece, &self.kernels);
        for (pass, sum) in Pass::ALL.iter().zip(passes) {
            if accounting.happens(operation, *pass, in_layer) {
                let times = if *pass == Pass::Backward { backward(&piece) } else { 1.0 };
                *sum += times * spent;
            }
        }
    }

    fn add_exchange(&self, accounting: &Accounting, exchange: &Exchange, passes: &mut Passes) -> Result<()> {
        let piece = self.exchange(exchange, accounting.division.model.routing)?;
        let pass = exchange.pass.unwrap_or(Pass::Forward) as usize;
        passes[pass] += exchange.times.product() * Spent::of(&piece, &self.kernels);
        Ok(())
    }
}
