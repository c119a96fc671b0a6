//! `Categories`: a predicted time by what tensor parallelism does to it.

use mlsysim_quantity::Time;
use mlsysim_scenario::choices;

use super::{Cost, Piece};
use crate::transformer::{Group, Part};

choices! {
    /// What a part of a predicted time is spent on.
    pub enum Category {
        /// Matrix products, without what the ranks of a tensor-parallel group each do of the same.
        Products = "products",
        /// Attention, likewise.
        Attention = "attention",
        /// Norms, element-wise passes, look-ups, and what several ranks do alike: the router, projections
        /// that nothing divides, and keys and values of which there are fewer heads than ranks.
        Unsplit = "not split",
        /// What exchanges of the tensor-parallel group would take without a byte.
        Latency = "exchange latency",
        /// The rest of what they take.
        Bandwidth = "exchange bandwidth",
        /// What the host takes, and launches.
        Host = "launches and host",
        /// Other exchanges, the fill of a pipeline, the update, and what is left to the bound.
        Other = "other",
    }
}

/// A time by category, as a whole and in layers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Categories {
    /// All of it, in the order of [`Category::ALL`].
    pub whole: [Time; 7],
    /// What of it is spent in layers, without the embedding and the head.
    pub layers: [Time; 7],
}

impl Categories {
    /// All of `time` in one category, outside layers.
    pub fn of(category: Category, time: Time) -> Self {
        let mut all = Categories::default();
        all.whole[category as usize] = time;
        all
    }

    /// A `time` that `piece` takes, of which `empty` is left without a payload, if it exchanges any.
    pub(super) fn of_piece(piece: &Piece, time: Time, empty: impl FnOnce() -> Time) -> Self {
        let shares = match &piece.cost {
            Cost::Product { .. } => {
                [(Category::Products, 1.0 - piece.repeated), (Category::Unsplit, piece.repeated)]
            }
            Cost::Attention { .. } => {
                [(Category::Attention, 1.0 - piece.repeated), (Category::Unsplit, piece.repeated)]
            }
            Cost::Moves(_) => [(Category::Unsplit, 1.0), (Category::Other, 0.0)],
            Cost::Exchange(Group::Tensor, _) => {
                let latency = if time > Time::ZERO { (empty() / time).clamp(0.0, 1.0) } else { 0.0 };
                [(Category::Latency, latency), (Category::Bandwidth, 1.0 - latency)]
            }
            Cost::Exchange(..) => [(Category::Other, 1.0), (Category::Unsplit, 0.0)],
        };
        let mut all = Categories::default();
        for (category, share) in shares {
            all.whole[category as usize] += share * time;
        }
        if !matches!(piece.part, Part::Embedding | Part::Head) {
            all.layers = all.whole;
        }
        all
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let both = |one: [Time; 7], other: [Time; 7]| std::array::from_fn(|at| one[at] + other[at]);
        Categories { whole: both(self.whole, other.whole), layers: both(self.layers, other.layers) }
    }

    /// So many times all of it.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Categories {
            whole: self.whole.map(|time| factor * time),
            layers: self.layers.map(|time| factor * time),
        }
    }
}
