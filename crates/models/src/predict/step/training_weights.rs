//! `TrainingCoefficients`, and how they weigh what kernels and collectives of a step take.

use mlsysim_quantity::Time;

use super::training::OVERLAP;
use super::{AttentionKernel, Pricing, Spent};
use crate::physics::kernel_time::partly_overlapped;
use crate::predict::coefficient::coefficients;
use crate::predict::{DeviceFamily, ProductPrecision};
use crate::transformer::Group;

coefficients! {
    /// What a step of training takes of the kernels and the collectives that it is made of.
    pub struct TrainingCoefficients in "training" {
        /// Products in 16 bits, in what they take alone, where threads copy.
        synchronous_products: "" = 1.1,
        /// Products in 16 bits, in what they take alone, where copies are asynchronous.
        asynchronous_products: "" = 1.2,
        /// Products in 8 bits, in what they take alone.
        eight_products: "" = 1.2,
        /// Products in 4 bits, in what they take alone.
        four_products: "" = 1.2,
        /// Fused attention, in what it takes alone.
        attention: "" = 1.2,
        /// How often attention that is not fused moves its scores.
        scores: "" = 11.0,
        /// The share of what replicas exchange that computing does not hide.
        exposed: "" = 0.67,
        /// What launching the kernels of a layer takes of one micro-batch, all passes together.
        host: "ms" = 1.0,
        /// What it takes beside where the layer has experts.
        routed_host: "ms" = 5.0,
        /// What each step takes beside.
        step: "ms" = 45.0,
    }
}

/// What decides which coefficients weigh a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingClass {
    family: DeviceFamily,
    precision: ProductPrecision,
    is_unfused: bool,
    overlaps: bool,
}

/// How often a step takes what its kernels take alone.
///
/// Collectives, and functions of each number, take what they take alone: steps tell too little of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingWeights {
    products: f64,
    wide: f64,
    attention: f64,
    scores: f64,
    /// The share of what computing may hide that it does not.
    pub exposed: f64,
    /// Whether products run beside the exchanges of their layer.
    overlaps: bool,
}

impl TrainingClass {
    /// The class of steps that `pricing` prices.
    pub fn of(pricing: &Pricing) -> Self {
        TrainingClass {
            family: pricing.products.family(),
            precision: pricing.products.precision(),
            is_unfused: pricing.practice.attention == AttentionKernel::Unfused,
            overlaps: pricing.practice.overlaps,
        }
    }

    /// The name of the coefficient of products; those that stay in 16 bits have one of their own.
    pub fn products(self, is_wide: bool) -> &'static str {
        match (self.precision, self.family) {
            (ProductPrecision::Half, DeviceFamily::Synchronous) => "synchronous_products",
            (ProductPrecision::Half, DeviceFamily::Asynchronous) => "asynchronous_products",
            _ if is_wide => TrainingClass { precision: ProductPrecision::Half, ..self }.products(false),
            (ProductPrecision::Eight | ProductPrecision::BlockEight, _) => "eight_products",
            (ProductPrecision::Four, _) => "four_products",
        }
    }

    /// Whether attention writes its scores to memory.
    pub fn is_unfused(self) -> bool {
        self.is_unfused
    }

    /// What `of` weighs such a step with.
    pub fn weights(self, of: &TrainingCoefficients) -> TrainingWeights {
        let wide = match self.family {
            DeviceFamily::Synchronous => of.synchronous_products,
            DeviceFamily::Asynchronous => of.asynchronous_products,
        };
        let products = match self.precision {
            ProductPrecision::Half => wide,
            ProductPrecision::Eight | ProductPrecision::BlockEight => of.eight_products,
            ProductPrecision::Four => of.four_products,
        };
        let [attention, scores] = if self.is_unfused { [0.0, of.scores] } else { [of.attention, 0.0] };
        let exposed = of.exposed.min(1.0);
        TrainingWeights { products, wide, attention, scores, exposed, overlaps: self.overlaps }
    }
}

impl TrainingWeights {
    /// The weights of a step in which everything runs at its bound and all that may be hidden is.
    pub const LEAST: TrainingWeights = TrainingWeights {
        products: 1.0,
        wide: 1.0,
        attention: 1.0,
        scores: 0.0,
        exposed: 0.0,
        overlaps: false,
    };

    /// What computing takes.
    pub fn computing(&self, spent: &Spent) -> Time {
        self.products * (spent.products + spent.experts)
            + self.wide * spent.wide
            + self.attention * spent.attention
            + self.scores * spent.scores
            + spent.moves
    }

    /// What computing takes with the exchanges of what is `spent` over tp, which it waits for or runs beside.
    pub fn beside(&self, spent: &Spent) -> Time {
        let (computing, exchanged) = (self.computing(spent), spent.exchanging(Group::Tensor));
        match self.overlaps {
            true => partly_overlapped(computing, exchanged, OVERLAP),
            false => computing + exchanged,
        }
    }

    /// That with the exchanges of the ranks that share an expert, which it waits for.
    pub fn waiting(&self, spent: &Spent) -> Time {
        self.beside(spent) + spent.exchanging(Group::ExpertTensor)
    }

    /// Whether products run beside the exchanges of their layer.
    pub fn overlaps(&self) -> bool {
        self.overlaps
    }

    /// What the gradients of the weights of layers take, of what is `spent` on a micro-batch whose layers
    /// are not computed again: one product of three, beside those forward and of the gradients of inputs.
    /// Those of the vocabulary are not put off, as its scores would have to be kept.
    pub fn gradients(&self, spent: &Spent) -> Time {
        self.products * (spent.products + spent.experts) / 3.0
    }
}
