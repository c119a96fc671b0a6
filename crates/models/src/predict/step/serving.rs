//! `ServingQuestion`: a decode step, a prefill, a static batch or the iterations of an engine under
//! load, as sums of what kernels and collectives take.

use std::sync::Arc;

use mlsysim_quantity::Time;
use mlsysim_scenario::{Derivation, choices};

use super::Spent;
use crate::physics::kernel_time::launched_time;
use crate::predict::coefficient::coefficients;
use crate::predict::explain::{at_full_rate, coefficients as named, computed, counted};
use crate::predict::{Beyond, Question};
use crate::transformer::Group;

coefficients! {
    /// What engines take beyond their kernels.
    pub struct ServingCoefficients {
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
        /// What ranks wait for each other before an AllReduce in an engine with graphs.
        wait: "µs" = 7.0,
        /// An AllReduce by an engine's own kernel, in what it takes alone.
        own_reduce: "" = 1.4,
        /// An AllReduce by NCCL in a graph, in what it takes alone.
        graph_reduce: "" = 1.0,
        /// An AllReduce by NCCL that the host launches, in what it takes alone.
        launched_reduce: "" = 1.7,
    }
}

/// How often scores of 16 bits are moved where attention is not fused: products, mask, softmax in 32 bits
/// and its result, each written and read.
const SCORE_MOVES: f64 = 11.0;

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

/// Iterations that are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iterations {
    /// How many of them there are in what is predicted.
    pub times: f64,
    /// What one takes by the calibrations of kernels.
    pub spent: Spent,
    /// The layers that one passes.
    pub layers: f64,
    /// The sequences that a scheduler looks after in one; none where there is no scheduler at work.
    pub scheduled: f64,
}

/// Serving, as it is predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct ServingQuestion {
    pub(super) class: ServingClass,
    pub(super) regime: &'static str,
    pub(super) iterations: [Iterations; 2],
    /// The same by kernels that were fitted without the device's family.
    pub(super) unseen: Option<Arc<[Iterations; 2]>>,
    /// Whether weights are 4-bit integers, unpacked within each product.
    pub(super) is_packed: bool,
    pub(super) bound: Time,
    pub(super) binds: &'static str,
    pub(super) beyond: Beyond,
}

/// What is taken by what, as the coefficients weigh it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weighed {
    /// Matrix products.
    pub products: Time,
    /// Attention, its scores included.
    pub attention: Time,
    /// Passes over activations.
    pub passes: Time,
    /// Collectives within domains and between them.
    pub exchanges: Time,
    /// What layers and iterations take beside their kernels.
    pub host: Time,
    /// Whether the host hides behind the device, or the device behind the host.
    pub is_launched: bool,
}

impl Weighed {
    pub(super) fn device(&self) -> Time {
        self.products + self.attention + self.passes + self.exchanges
    }

    pub(super) fn time(&self) -> Time {
        if self.is_launched { launched_time(self.host, self.device()) } else { self.device() + self.host }
    }
}

fn micro(count: f64) -> Time {
    Time::from_base(1e-6 * count)
}

impl ServingQuestion {
    #[doc(hidden)]
    pub fn dump(&self) -> String {
        let mut text = format!("{:?},{},{:?},{:e}", self.class, self.is_packed, self.regime, self.bound.base());
        for each in &self.iterations {
            let s = &each.spent;
            let other: f64 = s.links.iter().skip(1).map(|t| t.base()).sum::<f64>() + s.network.iter().map(|t| t.base()).sum::<f64>();
            text.push_str(&format!(",{:e},{},{:e},{:e},{:e},{:e},{:e},{:e},{},{:e},{:e},{:e},{:e},{}", each.times, each.layers, s.products.base(), s.narrow.base(), s.wide.base(), s.attention.base(), s.scores.base(), s.moves.base(), s.exchanges, s.links[0].base(), other, s.experts.base(), s.own.base(), each.scheduled));
        }
        text
    }

    pub(super) fn weighed(&self, each: &Iterations, of: &ServingCoefficients) -> Weighed {
        let (compute, host, wait, reduce) = match self.class {
            ServingClass::Graphs => {
                let host = of.graphs_step + of.sequence * each.scheduled;
                (of.graphs_compute, host, of.wait, of.graph_reduce)
            }
            ServingClass::Compiled => (of.graphs_compute, 0.0, 0.0, 1.0),
            ServingClass::Launched => {
                (of.launched_compute, each.layers * of.launched_layer, 0.0, of.launched_reduce)
            }
            ServingClass::Eager => {
                (of.eager_compute, each.layers * of.eager_layer, 0.0, of.launched_reduce)
            }
        };
        let spent = &each.spent;
        let mut exchanges = micro(wait * spent.exchanges) + of.own_reduce * spent.own;
        for (at, (within, between)) in spent.links.iter().zip(&spent.network).enumerate() {
            exchanges += *between;
            exchanges += if at == Group::Tensor as usize { reduce * (*within - spent.own) } else { *within };
        }
        let packed = if self.is_packed { of.integers } else { 1.0 };
        let products = packed * (spent.products + spent.narrow) + of.experts * spent.experts + spent.wide;
        Weighed {
            products: compute * products,
            attention: compute * spent.attention + SCORE_MOVES * spent.scores,
            passes: spent.moves,
            exchanges,
            host: micro(host),
            is_launched: self.class == ServingClass::Eager,
        }
    }

    fn weighed_all(&self, of: &ServingCoefficients) -> impl Iterator<Item = (f64, Weighed)> {
        self.iterations
            .iter()
            .filter(|each| each.times > 0.0)
            .map(|each| (each.times, self.weighed(each, of)))
    }
}

impl Question for ServingQuestion {
    type Of = ServingCoefficients;

    fn time(&self, of: &ServingCoefficients) -> Time {
        self.weighed_all(of).fold(Time::ZERO, |sum, (times, each)| sum + times * each.time())
    }

    fn bound(&self) -> Time {
        self.bound
    }

    fn speed_of_light(&self) -> Time {
        self.bound
    }

    fn binds(&self, of: &ServingCoefficients) -> &'static str {
        let mut sums = [Time::ZERO; 3];
        for (times, each) in self.weighed_all(of) {
            let shares = [each.products + each.attention + each.passes, each.exchanges, each.host];
            for (sum, share) in sums.iter_mut().zip(shares) {
                *sum += times * share;
            }
        }
        match sums {
            [device, links, host] if host > device.max(links) => "host",
            [device, links, _] if links > device => "links",
            _ => self.binds,
        }
    }

    fn derivation(&self, of: &ServingCoefficients) -> Derivation {
        let mut parts = Vec::new();
        for (index, (times, each)) in self.weighed_all(of).enumerate() {
            let shown = |label: &str, time: Time, meaning| computed(label, time, meaning, "", Vec::new());
            let told = vec![
                shown("products", each.products, "Matrix products."),
                shown("attention", each.attention, "Attention."),
                shown("passes", each.passes, "Passes over activations."),
                shown("exchanges", each.exchanges, "Collectives."),
                shown("host", each.host, "What layers and iterations take beside their kernels."),
            ];
            let equation = if each.is_launched {
                "launched_time(host, products + attention + passes + exchanges)"
            } else {
                "products + attention + passes + exchanges + host"
            };
            let name = if index == 0 { "first_iteration" } else { "second_iteration" };
            let mut iteration = computed(name, each.time(), "One iteration of a kind.", equation, told);
            iteration.parts.push(counted("times", times, "How many of them there are."));
            parts.push(iteration);
        }
        parts.extend(named(&["graphs_compute"], of));
        parts.push(at_full_rate("bound", self.bound, "The least time that is possible."));
        computed("model", self.time(of), "The time by the model.", "", parts)
    }

    fn regime(&self) -> &'static str {
        self.regime
    }

    fn beyond(&self) -> &Beyond {
        &self.beyond
    }

    fn as_unseen(&self) -> Self {
        match &self.unseen {
            Some(unseen) => ServingQuestion { iterations: **unseen, ..self.clone() },
            None => self.clone(),
        }
    }
}
