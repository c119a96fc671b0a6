//! What one operation works with while it runs: the one of a stage that needs most.

use mlsysim_quantity::Bytes;

use crate::transformer::{Accounting, Extent, Operation, Part, Work};

impl Accounting<'_> {
    /// What a forward pass works with where nothing is kept: what one layer hands to the next, and
    /// what one operation reads and writes, weights apart.
    pub(super) fn forward_working(&self, stage: u64) -> Bytes {
        self.between_layers() + self.most(stage, |operation| self.forward_bytes_of(operation))
    }

    /// The operation whose backward pass works with most, and with how much.
    pub(crate) fn widest_backward(&self, stage: u64) -> Option<(Operation, Bytes)> {
        self.widest(stage, |operation| self.backward_bytes(operation))
    }

    /// The operation whose forward pass reads and writes most, and how much.
    pub(crate) fn widest_forward(&self, stage: u64) -> Option<(Operation, Bytes)> {
        self.widest(stage, |operation| self.forward_bytes_of(operation))
    }

    fn most(&self, stage: u64, bytes: impl Fn(&Operation) -> Bytes) -> Bytes {
        let mut most = Bytes::ZERO;
        self.operations(stage, |operation, _, _| {
            let own = bytes(operation);
            most = if own > most { own } else { most };
        });
        most
    }

    fn widest(&self, stage: u64, bytes: impl Fn(&Operation) -> Bytes) -> Option<(Operation, Bytes)> {
        let mut widest: Option<(Operation, Bytes)> = None;
        self.operations(stage, |operation, _, _| {
            let own = bytes(operation);
            if own > widest.map_or(Bytes::ZERO, |(_, most)| most) {
                widest = Some((*operation, own));
            }
        });
        widest
    }

    /// Gradients of what an operation wrote, of what it read and of its weights, the latter until they
    /// are added to those of other micro-batches.
    pub(crate) fn backward_bytes(&self, operation: &Operation) -> Bytes {
        let shares = &self.division.shares;
        let of = |extent: &Extent| extent.on(shares) as f64;
        let (moved, experts) = match &operation.work {
            // The gradient of scores is told with them.
            Work::Linear { inputs, .. } if operation.part == Part::Head => (of(inputs), 1.0),
            Work::Linear { inputs, outputs, .. } | Work::Elementwise { inputs, outputs, .. } => {
                (of(inputs) + of(outputs), 1.0)
            }
            // Experts follow each other, each with its part of the tokens.
            Work::Expert { experts, inputs, outputs, .. } => (of(inputs) + of(outputs), of(experts)),
            Work::LookUp { width, .. } => (of(width), 1.0),
            _ => (0.0, 1.0),
        };
        let weights = operation.parameters(shares) as f64;
        ((self.load.of(operation) * moved + weights) / experts) * self.elements.activation
    }

    /// What a forward pass of an operation reads and writes, where it is told here.
    pub(crate) fn forward_bytes_of(&self, operation: &Operation) -> Bytes {
        let of = |extent: &Extent| extent.on(&self.division.shares) as f64;
        let numbers = match &operation.work {
            // Its scores are told with the logits.
            Work::Linear { .. } if operation.part == Part::Head => 0.0,
            Work::Linear { inputs, outputs, .. }
            | Work::Expert { inputs, outputs, .. }
            | Work::Elementwise { inputs, outputs, .. } => {
                self.load.of(operation) * (of(inputs) + of(outputs))
            }
            _ => 0.0,
        };
        numbers * self.elements.activation
    }
}
