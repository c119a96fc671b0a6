//! `ServingCoefficients`: what engines take beyond their kernels, and how they weigh what pieces take.

use mlsysim_quantity::Time;
use mlsysim_scenario::choices;

use super::Spent;
use crate::predict::coefficient::coefficients;
use crate::transformer::Group;

coefficients! {
    /// What engines take beyond their kernels.
    pub struct ServingCoefficients in "serving" {
        /// Products and attention of an engine with graphs, in what they take alone.
        graphs_compute: "" = 1.05,
        /// What an iteration of an engine with graphs takes beside its kernels.
        graphs_step: "µs" = 500.0,
        /// What an engine under load takes for each sequence of an iteration.
        sequence: "µs" = 2.0,
        /// Products and attention of an engine that launches its kernels, in what they take alone.
        launched_compute: "" = 1.0,
        /// What a layer takes beside its kernels where an engine launches them.
        launched_layer: "µs" = 20.0,
        /// Products and attention of eager PyTorch, in what they take alone.
        eager_compute: "" = 1.2,
        /// What the host takes for a layer in eager PyTorch.
        eager_layer: "µs" = 500.0,
        /// Products of experts, in those of dense layers.
        experts: "" = 1.2,
        /// Products of weights in 4-bit integers, in what their bytes take.
        integers: "" = 1.1,
        /// The same by kernels of an engine that launches them, which read two bytes at once.
        launched_integers: "" = 2.0,
        /// An AllReduce by an engine's own kernel, in what it takes alone.
        own_reduce: "" = 1.4,
        /// An AllReduce by NCCL in an engine with graphs, in what it takes alone.
        graph_reduce: "" = 1.0,
        /// An AllReduce by NCCL that the host launches, in what it takes alone.
        launched_reduce: "" = 1.7,
    }
}

choices! {
    /// What runs the kernels of a step.
    pub enum ServingClass {
        /// An engine whose kernels are in graphs, such as TensorRT-LLM or vLLM.
        Graphs = "graphs",
        /// An engine whose host launches each kernel from compiled code, as those of 2022.
        Launched = "launched",
        /// PyTorch compiled into graphs, without a scheduler.
        Compiled = "compiled",
        /// PyTorch whose host launches each kernel from Python.
        Eager = "eager",
    }
}

/// How often scores of 16 bits are moved where attention is not fused: written by a product, read and
/// written in 32 bits by the softmax, and read again.
///
/// 22 bytes for each score, as unfused layers of 16-bit training move.
const SCORE_MOVES: f64 = 11.0;

/// How an engine weighs what the pieces of an iteration take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ServingWeights {
    compute: f64,
    packed: f64,
    experts: f64,
    scores: f64,
    moves: f64,
    own: f64,
    reduce: f64,
    /// What the host takes for each layer.
    pub layer: Time,
    /// What the host takes for each iteration.
    pub step: Time,
    /// What the host takes for each sequence that it schedules.
    pub sequence: Time,
    /// Whether the device works while the host launches.
    pub is_launched: bool,
}

impl ServingWeights {
    /// Those of the full rates of the machine.
    pub const LEAST: ServingWeights = ServingWeights {
        compute: 1.0,
        packed: 1.0,
        experts: 1.0,
        scores: 0.0,
        moves: 0.0,
        own: 1.0,
        reduce: 1.0,
        layer: Time::ZERO,
        step: Time::ZERO,
        sequence: Time::ZERO,
        is_launched: false,
    };

    /// Those of `class`, where weights are 4-bit integers or not.
    pub fn new(class: ServingClass, is_packed: bool, of: &ServingCoefficients) -> ServingWeights {
        let micro = |count: f64| Time::from_base(1e-6 * count);
        let common = ServingWeights {
            packed: match class {
                _ if !is_packed => 1.0,
                ServingClass::Launched => of.launched_integers,
                _ => of.integers,
            },
            experts: of.experts,
            scores: SCORE_MOVES,
            moves: 1.0,
            own: of.own_reduce,
            ..ServingWeights::LEAST
        };
        match class {
            ServingClass::Graphs => ServingWeights {
                compute: of.graphs_compute,
                reduce: of.graph_reduce,
                step: micro(of.graphs_step),
                sequence: micro(of.sequence),
                ..common
            },
            ServingClass::Compiled => ServingWeights { compute: of.graphs_compute, ..common },
            ServingClass::Launched => ServingWeights {
                compute: of.launched_compute,
                reduce: of.launched_reduce,
                layer: micro(of.launched_layer),
                ..common
            },
            ServingClass::Eager => ServingWeights {
                compute: of.eager_compute,
                reduce: of.launched_reduce,
                layer: micro(of.eager_layer),
                is_launched: true,
                ..common
            },
        }
    }

    /// What products, attention and passes over activations take of `spent`.
    pub fn computing(&self, spent: &Spent) -> [Time; 3] {
        let products = self.packed * spent.products + self.experts * spent.experts + spent.wide;
        [
            self.compute * products,
            self.compute * spent.attention + self.scores * spent.scores,
            self.moves * spent.moves,
        ]
    }

    /// What exchanges take of `spent`.
    pub fn exchanging(&self, spent: &Spent) -> Time {
        let mut sum = self.own * spent.own;
        for (at, (within, between)) in spent.links.iter().zip(&spent.network).enumerate() {
            let by_nccl = *within - spent.own;
            sum += if at == Group::Tensor as usize { self.reduce * by_nccl } else { *within };
            sum += *between;
        }
        sum
    }

    /// All that the device takes of `spent`.
    pub fn device(&self, spent: &Spent) -> Time {
        let [products, attention, passes] = self.computing(spent);
        products + attention + passes + self.exchanging(spent)
    }
}
