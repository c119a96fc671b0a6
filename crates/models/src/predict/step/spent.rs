//! `Spent`: what the pieces of a step take by the calibrations of kernels, by what they are.

use std::ops::{Add, AddAssign, Mul};

use mlsysim_quantity::Time;

use super::{Cost, KernelCoefficients, Piece};
use crate::predict::{CollectiveLibrary, Question};
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
            Cost::Exchange(group, question) => {
                let [within, between] = question.times(&kernels.collective);
                if question.library() != CollectiveLibrary::Nccl {
                    self.own += times * within;
                }
                self.links[*group as usize] += times * within;
                self.network[*group as usize] += times * between;
            }
        }
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

    /// What replicas exchange.
    pub fn replicas(&self) -> Time {
        self.exchanging(Group::Data) + self.exchanging(Group::ExpertData)
    }

    fn with(self, other: Self, each: impl Fn(Time, Time) -> Time) -> Self {
        let all = |own: [Time; 7], others: [Time; 7]| std::array::from_fn(|at| each(own[at], others[at]));
        Spent {
            products: each(self.products, other.products),
            experts: each(self.experts, other.experts),
            wide: each(self.wide, other.wide),
            attention: each(self.attention, other.attention),
            scores: each(self.scores, other.scores),
            moves: each(self.moves, other.moves),
            own: each(self.own, other.own),
            links: all(self.links, other.links),
            network: all(self.network, other.network),
        }
    }
}

impl Add for Spent {
    type Output = Spent;

    fn add(self, other: Spent) -> Spent {
        self.with(other, |own, others| own + others)
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        *self = *self + other;
    }
}

impl Mul<Spent> for f64 {
    type Output = Spent;

    fn mul(self, spent: Spent) -> Spent {
        spent.with(spent, |own, _| self * own)
    }
}
