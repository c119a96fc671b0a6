//! How each part of what is predicted of serving comes about, down to its kernels and collectives.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Derivation, Kind, Result};

use super::serving_weights::ServingWeights;
use super::training_explain::summed;
use super::training_lines::unknown;
use super::training_parts::part_name;
use super::{Cost, Iterations, PartTime, Piece, Pricing, Served, ServingCoefficients, Spent};
use super::{ServingClass, StepPrediction, Workload};
use crate::predict::explain::{at_full_rate, coefficients as named, computed, counted};
use crate::predict::{Calibration, Calibrations, CollectiveLibrary};
use crate::transformer::{Group, Part};

/// The pieces of iterations that are alike, with what they are told by.
struct Told<'a> {
    calibration: &'a Calibration<ServingCoefficients>,
    kernels: &'a Calibrations,
    each: Iterations,
    pieces: super::Pieces,
    pricing: &'a Pricing<'a>,
    weights: ServingWeights,
    class: ServingClass,
    is_packed: bool,
}

impl Calibration<ServingCoefficients> {
    /// How the part at `path` of what is `predicted` of `workload` comes about, such as
    /// `prefill.attention.query`; all of it where `path` is empty.
    ///
    /// # Errors
    ///
    /// There is no such part; the message names the nearest. A group spans domains and the machine has
    /// no network.
    pub fn explain_part(
        &self,
        predicted: &StepPrediction,
        path: &str,
        served: &Served,
        workload: Workload,
        kernels: &Calibrations,
    ) -> Result<Derivation> {
        let pricing = Pricing::new(served.machine, &served.engine.practice, kernels.kernels())?;
        let question = served.question(workload, kernels.kernels(), None)?;
        if path.is_empty() {
            return Ok(self.explain(&question));
        }
        let steps: Vec<&str> = path.split('.').collect();
        let Some(part) = predicted.parts.at(&steps) else { return Err(unknown(predicted, path)) };
        let weights = question.weights(&self.coefficients);
        let (flows, _) = served.flows(workload)?;
        let mut both = question.iterations.iter().zip(&flows).filter(|(each, _)| each.times > 0.0);
        let meant = both.find(|(each, _)| PartTime::new(each.name, Time::ZERO, "").key() == steps[0]);
        let Some((each, (_, flow))) = meant else {
            let bound = at_full_rate("bound", predicted.total.bound, "The least time that is possible.");
            let told = computed(path, part.time, "What is left to the bound.", "bound - model", vec![bound]);
            return Ok(told);
        };
        let pieces = pricing.iteration(served.model, served.layout, *flow)?;
        let told = Told {
            calibration: self,
            kernels,
            each: *each,
            pieces,
            pricing: &pricing,
            weights,
            class: question.class,
            is_packed: question.is_packed,
        };
        let mut derived = match steps.len() {
            2 if part.parts.is_empty() => told.beside(part),
            1 | 2 => told.sum(part),
            _ => told.leaf(steps[1], part),
        };
        derived.label = path.to_string();
        Ok(self.sourced(derived))
    }
}

impl Told<'_> {
    /// A part that is the sum of others, each told in turn.
    fn sum(&self, part: &PartTime) -> Derivation {
        let told = |below: &PartTime| {
            let derived = match below.parts.is_empty() {
                true if below.key() == "beside" => self.beside(below),
                true => self.leaf(&part.key(), below),
                false => self.sum(below),
            };
            Derivation { label: below.key(), ..derived }
        };
        let parts: Vec<Derivation> = part.parts.iter().map(told).collect();
        computed(&part.name, part.time, "The sum of its parts.", summed(&parts), parts)
    }

    /// What the host takes beside.
    fn beside(&self, part: &PartTime) -> Derivation {
        let device = self.weights.device(&self.each.spent);
        let parts = vec![
            self.times(),
            computed(
                "whole",
                self.each.time(&self.weights),
                "One, with the host.",
                "",
                self.named(self.hosting()),
            ),
            computed("device", device, "One, without it.", "", Vec::new()),
        ];
        let meaning = "What the host takes beside the device.";
        computed(&part.name, part.time, meaning, "times × (whole - device)", parts)
    }

    fn times(&self) -> Derivation {
        counted("times", self.each.times, "How many such iterations there are, or what share of one.")
    }

    /// The coefficients of these names.
    fn named(&self, names: &[&str]) -> Vec<Derivation> {
        named(names, &self.calibration.coefficients)
    }

    /// The names of the coefficients that weigh `piece`.
    fn weighing(&self, piece: &Piece) -> Vec<&'static str> {
        let compute = match self.class {
            ServingClass::Graphs | ServingClass::Compiled => "graphs_compute",
            ServingClass::Launched => "launched_compute",
            ServingClass::Eager => "eager_compute",
        };
        match &piece.cost {
            Cost::Product { .. } if piece.part == Part::Experts => vec![compute, "experts"],
            Cost::Product { is_wide: false, .. } if self.is_packed => match self.class {
                ServingClass::Launched => vec![compute, "launched_integers"],
                _ => vec![compute, "integers"],
            },
            Cost::Product { .. } | Cost::Attention { .. } => vec![compute],
            Cost::Moves(_) => Vec::new(),
            Cost::Exchange(Group::Tensor, question) => match (question.library(), self.class) {
                (CollectiveLibrary::Nccl, ServingClass::Graphs) => vec!["graph_reduce"],
                (CollectiveLibrary::Nccl, ServingClass::Compiled) => Vec::new(),
                (CollectiveLibrary::Nccl, _) => vec!["launched_reduce"],
                _ => vec!["own_reduce"],
            },
            Cost::Exchange(..) => Vec::new(),
        }
    }

    /// The names of the coefficients of what the host takes.
    fn hosting(&self) -> &'static [&'static str] {
        match self.class {
            ServingClass::Graphs => &["graphs_step", "sequence"],
            ServingClass::Launched => &["launched_layer"],
            ServingClass::Compiled => &[],
            ServingClass::Eager => &["eager_layer"],
        }
    }

    /// The kernels or collectives of one name in the group `within`.
    fn leaf(&self, within: &str, part: &PartTime) -> Derivation {
        let is_meant = |piece: &Piece| {
            PartTime::new(part_name(piece), Time::ZERO, "").key() == within && piece.what == part.name
        };
        let lines: Vec<&(Piece, f64)> = self.pieces.iter().filter(|(piece, _)| is_meant(piece)).collect();
        match lines.as_slice() {
            [(piece, number)] => self.line(&part.name, piece, *number),
            several => {
                let told = several.iter().enumerate();
                let parts: Vec<Derivation> = told
                    .map(|(index, (piece, number))| self.line(&format!("kind_{}", index + 1), piece, *number))
                    .collect();
                let meaning = "The same in several kinds of layers.";
                computed(&part.name, part.time, meaning, summed(&parts), parts)
            }
        }
    }

    /// One kernel or collective.
    fn line(&self, label: &str, piece: &Piece, number: f64) -> Derivation {
        let once = self.weights.device(&Spent::of(piece, &self.pricing.kernels));
        let derived = match &piece.cost {
            Cost::Product { question, .. } => self.kernels.product.explain(question),
            Cost::Attention { question, .. } => self.kernels.attention.explain(question),
            Cost::Exchange(_, question) => self.kernels.collective.explain(question),
            Cost::Moves(time) => at_full_rate("alone", *time, "What it reads and writes, at the bandwidth."),
        };
        let alone = match &derived.value {
            Ok(mlsysim_scenario::Value::Quantity(quantity)) => quantity.base(),
            _ => 0.0,
        };
        let mut parts = vec![self.times(), counted("number", number, "How many of them an iteration has.")];
        let time = self.each.times * number * once;
        if alone > 0.0 {
            let meaning = "What the coefficients of the engine make of it.";
            let weight = counted("weight", once.base() / alone, meaning);
            parts.push(Derivation { kind: Kind::Fitted, parts: self.named(&self.weighing(piece)), ..weight });
            parts.push(Derivation { label: "alone".to_string(), ..derived });
            return computed(label, time, piece.what, "times × number × weight × alone", parts);
        }
        parts.push(computed("once", once, "One of them.", "", self.named(&self.weighing(piece))));
        computed(label, time, piece.what, "times × number × once", parts)
    }
}
