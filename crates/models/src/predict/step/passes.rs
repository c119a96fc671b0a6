//! What a layer and the ends of a model take in each pass of one micro-batch.

use mlsysim_scenario::Result;

use super::{Cost, Piece, Pricing, Spent};
use crate::transformer::{Accounting, Exchange, Layer, Operation, Pass};

/// How often a piece happens in each pass, in the order of [`Pass::ALL`].
pub type Times = [f64; Pass::ALL.len()];

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

/// What stands in a stage.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A layer.
    Layer(&'a Layer),
    /// What makes the first activations of tokens.
    Embedding,
    /// What scores the vocabulary.
    Head,
}

impl Pricing<'_> {
    /// What `place` takes in all passes of one micro-batch together, its exchanges included.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn spent_at(&self, accounting: &Accounting, place: Place) -> Result<Spent> {
        let mut sum = Spent::default();
        self.pieces(accounting, place, &mut |piece, times| {
            sum.take(piece, &self.kernels, times.iter().sum());
        })?;
        Ok(sum)
    }

    /// The pieces of `place`, each with how often it happens in each pass of one micro-batch, to `visit`.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn pieces(
        &self,
        accounting: &Accounting,
        place: Place,
        visit: &mut impl FnMut(&Piece, Times),
    ) -> Result<()> {
        let model = accounting.division.model;
        let mut operations = |operations: &mut dyn Iterator<Item = &Operation>, in_layer: bool| {
            operations.for_each(|operation| self.visit(accounting, operation, in_layer, visit));
        };
        match place {
            Place::Layer(layer) => operations(&mut layer.operations(), true),
            Place::Embedding => operations(&mut model.embedding.iter(), false),
            Place::Head => operations(&mut model.head.iter(), false),
        }
        let mut priced = Ok(());
        let mut exchanges = |exchange: Exchange| match self.exchange(&exchange, model.routing) {
            Ok(piece) => {
                let mut times = Times::default();
                times[exchange.pass.unwrap_or(Pass::Forward) as usize] = exchange.times.product();
                visit(&piece, times);
            }
            Err(error) => priced = Err(error),
        };
        let traffic = accounting.traffic();
        match place {
            Place::Layer(layer) => {
                layer.blocks.iter().for_each(|block| traffic.block(block, &mut exchanges));
            }
            Place::Embedding => traffic.embedding(&mut exchanges),
            Place::Head => traffic.head(&mut exchanges),
        }
        priced
    }

    fn visit(
        &self,
        accounting: &Accounting,
        operation: &Operation,
        in_layer: bool,
        visit: &mut impl FnMut(&Piece, Times),
    ) {
        let Accounting { division, step, load, elements } = accounting;
        let piece = self.operation(operation, &division.shares, load, step.phase, elements);
        let Some(piece) = piece else { return };
        let times = [Pass::Forward, Pass::Backward, Pass::Recompute].map(|pass| match pass {
            _ if !accounting.happens(operation, pass, in_layer) => 0.0,
            Pass::Backward => backward(&piece),
            Pass::Forward | Pass::Recompute => 1.0,
        });
        visit(&piece, times);
    }

    /// How many of the layers of a stage the host launches, and how many of them have experts.
    pub fn launched(&self, kinds: &[Layer], layers: impl Iterator<Item = u64>) -> [u64; 2] {
        let mut launched = [0, 0];
        for (kind, count) in kinds.iter().zip(layers).filter(|_| !self.practice.graphs) {
            launched[0] += count;
            launched[1] += if kind.is_routed() { count } else { 0 };
        }
        launched
    }
}
