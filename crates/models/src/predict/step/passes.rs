//! What a layer and the ends of a model take in each pass of one micro-batch.

use mlsysim_scenario::Result;

use super::{Cost, Piece, Pricing};
use crate::transformer::{Accounting, Block, Exchange, Layer, Operation, Pass, Transformer};

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
    /// A block of a layer.
    Block(&'a Block),
    /// What makes the first activations of tokens.
    Embedding,
    /// What scores the vocabulary.
    Head,
}

impl<'a> Place<'a> {
    fn blocks(self) -> &'a [Block] {
        match self {
            Place::Layer(layer) => &layer.blocks,
            Place::Block(block) => std::slice::from_ref(block),
            Place::Embedding | Place::Head => &[],
        }
    }

    /// Whether it stands in a layer, which may be computed again.
    pub(super) fn is_in_layer(self) -> bool {
        matches!(self, Place::Layer(_) | Place::Block(_))
    }

    /// Its operations in `model`.
    pub(super) fn operations(self, model: &'a Transformer) -> impl Iterator<Item = &'a Operation> {
        let end: &[Operation] = match self {
            Place::Embedding => &model.embedding,
            Place::Head => &model.head,
            Place::Layer(_) | Place::Block(_) => &[],
        };
        self.blocks().iter().flat_map(|block| &block.operations).chain(end)
    }

    /// Its exchanges for one micro-batch of `accounting`, to `visit`.
    pub(super) fn exchanges(self, accounting: &Accounting, visit: &mut impl FnMut(Exchange)) {
        let traffic = accounting.traffic();
        match self {
            Place::Embedding => traffic.embedding(visit),
            Place::Head => traffic.head(visit),
            Place::Layer(_) | Place::Block(_) => {
                self.blocks().iter().for_each(|block| traffic.block(block, visit));
            }
        }
    }
}

impl Pricing<'_> {
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
        self.kernels_of(accounting, place, visit);
        let mut priced = Ok(());
        place.exchanges(accounting, &mut |exchange| match self
            .exchange(&exchange, accounting.division.model.routing)
        {
            Ok(piece) => {
                let mut times = Times::default();
                times[exchange.pass.unwrap_or(Pass::Forward) as usize] = exchange.times.product();
                visit(&piece, times);
            }
            Err(error) => priced = Err(error),
        });
        priced
    }

    /// The kernels of `place`, each with how often it happens in each pass of one micro-batch, to `visit`.
    pub(super) fn kernels_of(
        &self,
        accounting: &Accounting,
        place: Place,
        visit: &mut impl FnMut(&Piece, Times),
    ) {
        let Accounting { division, step, load, elements } = accounting;
        for operation in place.operations(division.model) {
            let piece = self.operation(operation, &division.shares, load, step.phase, elements);
            let Some(piece) = piece else { continue };
            let times = [Pass::Forward, Pass::Backward, Pass::Recompute].map(|pass| match pass {
                _ if !accounting.happens(operation, pass, place.is_in_layer()) => 0.0,
                Pass::Backward => backward(&piece),
                Pass::Forward | Pass::Recompute => 1.0,
            });
            visit(&piece, times);
        }
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
