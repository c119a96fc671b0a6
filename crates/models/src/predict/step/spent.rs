//! `Spent`: what the pieces of a step take by the calibrations of kernels, by what they are.

use mlsysim_quantity::Time;

use super::{Cost, KernelCoefficients, Piece};
use crate::predict::{CollectiveLibrary, CollectiveQuestion, Question};
use crate::transformer::{Group, Part};

/// What pieces take, by what they are; each sum may be weighed by a coefficient of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Products in the precision of layers.
    pub products: Time,
    /// Products of routed experts.
    pub experts: Time,
    /// Products that stay in 16 bits.
    pub wide: Time,
    /// Fused attention.
    pub attention: Time,
    /// The scores of attention, moved once at the bandwidth of the memory.
    pub scores: Time,
    /// What only moves numbers, once at the bandwidth of the memory.
    pub moves: Time,
    /// Collectives of each group within domains.
    pub links: [Time; Group::ALL.len()],
    /// Of those of the ranks that share a layer, the part that is by kernels of an engine's own.
    pub own: Time,
    /// Collectives of each group between domains.
    pub network: [Time; Group::ALL.len()],
}

impl Spent {
    /// What `piece` takes once by `kernels`.
    pub fn of(piece: &Piece, kernels: &KernelCoefficients) -> Self {
        let mut spent = Spent::default();
        spent.take(piece, kernels, 1.0);
        spent
    }

    /// Adds what `piece` takes so many `times` by `kernels`.
    pub fn take(&mut self, piece: &Piece, kernels: &KernelCoefficients, times: f64) {
        match &piece.cost {
            Cost::Product { question, is_wide } => {
                let time = times * question.predicted(&kernels.product);
                match is_wide {
                    _ if piece.part == Part::Experts => self.experts += time,
                    true => self.wide += time,
                    false => self.products += time,
                }
            }
            Cost::Attention { question, scores } => {
                self.attention += times * question.predicted(&kernels.attention);
                self.scores += times * *scores;
            }
            Cost::Moves(time) => self.moves += times * *time,
            Cost::Exchange(group, question) => self.exchange(*group, question, kernels, times),
        }
    }

    /// Adds what a collective of `group` takes so many `times`.
    pub(super) fn exchange(
        &mut self,
        group: Group,
        question: &CollectiveQuestion,
        kernels: &KernelCoefficients,
        times: f64,
    ) {
        let [within, between] = question.times(&kernels.collective);
        if question.library() != CollectiveLibrary::Nccl {
            self.own += times * within;
        }
        self.links[group as usize] += times * within;
        self.network[group as usize] += times * between;
    }

    /// What `piece` takes once at its bound; what only moves numbers may find them on the chip.
    pub fn least(piece: &Piece) -> Self {
        let mut spent = Spent::default();
        match &piece.cost {
            Cost::Product { question, .. } => spent.products = question.bound(),
            Cost::Attention { question, .. } => spent.attention = question.bound(),
            Cost::Moves(_) => {}
            Cost::Exchange(group, question) => spent.links[*group as usize] = question.bound(),
        }
        spent
    }

    /// What exchanges of `group` take.
    pub fn exchanging(&self, group: Group) -> Time {
        self.links[group as usize] + self.network[group as usize]
    }

    /// What its exchanges take longest on.
    pub(super) fn crosses(&self) -> &'static str {
        let sum = |of: &[Time]| of.iter().fold(Time::ZERO, |sum, each| sum + *each);
        if sum(&self.network) > sum(&self.links) { "network" } else { "links" }
    }

    /// What replicas exchange.
    pub fn replicas(&self) -> Time {
        self.exchanging(Group::Data) + self.exchanging(Group::ExpertData)
    }

    /// This and `times` of `other`.
    pub fn add(&mut self, times: f64, other: &Spent) {
        self.products += times * other.products;
        self.experts += times * other.experts;
        self.wide += times * other.wide;
        self.attention += times * other.attention;
        self.scores += times * other.scores;
        self.moves += times * other.moves;
        self.own += times * other.own;
        for group in 0..Group::ALL.len() {
            self.links[group] += times * other.links[group];
            self.network[group] += times * other.network[group];
        }
    }
}
