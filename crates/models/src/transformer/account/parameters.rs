//! `Parameters`: what a rank has of each kind of layer and of each end, of which stages are made.

use std::borrow::Borrow;
use std::cmp::Reverse;

use super::Accounting;
use crate::transformer::{Operation, PerPart};

/// The parameters that a rank has of each kind of layer, and of each end of the model, by part.
pub(crate) struct Parameters<'a> {
    accounting: &'a Accounting<'a>,
    layers: Vec<PerPart<u64>>,
    ends: [PerPart<u64>; 2],
}

impl Accounting<'_> {
    /// The parameters of which those of each stage are made, before replicas share them.
    pub(crate) fn parameters(&self) -> Parameters<'_> {
        let model = self.division.model;
        let layers = model.kinds().iter().map(|layer| self.parameters_of(layer.operations()));
        let ends = [self.parameters_of(&model.embedding), self.parameters_of(self.head_operations())];
        Parameters { accounting: self, layers: layers.collect(), ends }
    }

    /// The stage whose ranks have most parameters, the first of them where several have as many.
    pub fn fullest_stage(&self) -> u64 {
        self.parameters().fullest_stage()
    }

    fn parameters_of(&self, operations: impl IntoIterator<Item: Borrow<Operation>>) -> PerPart<u64> {
        let mut parameters = PerPart::default();
        for operation in operations {
            let operation: &Operation = operation.borrow();
            parameters[operation.part] += operation.parameters(&self.division.shares);
        }
        parameters
    }
}

impl Parameters<'_> {
    /// Those of a rank of `stage`.
    pub fn of(&self, stage: u64) -> PerPart<u64> {
        let Parameters { accounting, layers, ends: [embedding, head] } = self;
        let mut sum = PerPart::default();
        for (layer, count) in layers.iter().zip(accounting.division.layers_of(stage)) {
            sum.add(count, layer);
        }
        sum.add(accounting.is_first(stage).into(), embedding);
        sum.add(accounting.is_last(stage).into(), head);
        sum
    }

    /// The stage whose ranks have most, the first of them where several have as many.
    pub fn fullest_stage(&self) -> u64 {
        let runs = self.accounting.division.runs();
        let held = runs.map(|(stage, _)| (self.of(stage).values().sum::<u64>(), Reverse(stage)));
        held.max().map_or(0, |(_, Reverse(stage))| stage)
    }
}
