//! `ServingQuestion`: a decode step, a prefill, a static batch or the iterations of an engine under
//! load, as sums of what kernels and collectives take.

use std::sync::Arc;

use mlsysim_quantity::Time;
use mlsysim_scenario::Derivation;

use super::serving_weights::ServingWeights;
use super::{ServingClass, ServingCoefficients, Spent};
use crate::physics::kernel_time::launched_time;
use crate::predict::explain::{coefficients as named, computed, counted};
use crate::predict::{Beyond, Coefficients, Question};

/// Iterations that are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iterations {
    /// What they are, such as `decode steps`.
    pub name: &'static str,
    /// How many of them there are in what is predicted; a part of one where it is a mean.
    pub times: f64,
    /// What one takes by the calibrations of kernels.
    pub spent: Spent,
    /// The layers that one passes.
    pub layers: f64,
    /// The stages that one passes, each with a host of its own.
    pub stages: f64,
    /// The sequences that a scheduler looks after in one; none where there is no scheduler at work.
    pub scheduled: f64,
}

/// Serving, as it is predicted: iterations of at most two kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct ServingQuestion {
    pub(super) class: ServingClass,
    pub(super) regime: &'static str,
    pub(super) iterations: [Iterations; 2],
    // The same by kernels that were fitted without the device's family.
    pub(super) unseen: Option<Arc<[Iterations; 2]>>,
    // Whether weights are 4-bit integers, unpacked within each product.
    pub(super) is_packed: bool,
    pub(super) bound: Time,
    pub(super) binds: &'static str,
    pub(super) beyond: Beyond,
}

impl Iterations {
    /// What the host takes for one.
    pub(super) fn host(&self, weights: &ServingWeights) -> Time {
        self.stages * weights.step + self.layers * weights.layer + self.scheduled * weights.sequence
    }

    /// What one takes.
    pub(super) fn time(&self, weights: &ServingWeights) -> Time {
        let (host, device) = (self.host(weights), weights.device(&self.spent));
        if weights.is_launched { launched_time(host, device) } else { device + host }
    }
}

impl ServingQuestion {
    /// The same by an engine that nobody knows, so that its band is the wider one.
    #[must_use]
    pub fn by_unknown(self, framework: &str) -> Self {
        ServingQuestion { beyond: self.beyond.by_unknown(framework), ..self }
    }

    pub(super) fn weights(&self, of: &ServingCoefficients) -> ServingWeights {
        ServingWeights::new(self.class, self.is_packed, of)
    }

    /// The kinds of iterations that there are.
    pub fn kinds(&self) -> impl Iterator<Item = &Iterations> {
        self.iterations.iter().filter(|each| each.times > 0.0)
    }
}

impl Question for ServingQuestion {
    type Of = ServingCoefficients;

    fn time(&self, of: &ServingCoefficients) -> Time {
        let weights = self.weights(of);
        self.kinds().fold(Time::ZERO, |sum, each| sum + each.times * each.time(&weights))
    }

    fn bound(&self) -> Time {
        self.bound
    }

    fn speed_of_light(&self) -> Time {
        self.bound
    }

    fn binds(&self, of: &ServingCoefficients) -> &'static str {
        let weights = self.weights(of);
        let sum = |time: &dyn Fn(&Iterations) -> Time| {
            self.kinds().fold(Time::ZERO, |sum, each| sum + each.times * time(each))
        };
        let (device, links, host) = (
            sum(&|each| weights.device(&each.spent)),
            sum(&|each| weights.exchanging(&each.spent)),
            sum(&|each| each.host(&weights)),
        );
        match () {
            () if host > device => "the host",
            () if links * 2.0 > device => "links",
            () => self.binds,
        }
    }

    fn derivation(&self, of: &ServingCoefficients) -> Derivation {
        let weights = self.weights(of);
        let told = |label: &str, time: Time, meaning| computed(label, time, meaning, "", Vec::new());
        let mut names = Vec::new();
        let mut parts = Vec::new();
        for each in self.kinds() {
            let [products, attention, passes] = weights.computing(&each.spent);
            let equation = if weights.is_launched {
                "launched_time(host, products + attention + passes + exchanges)"
            } else {
                "products + attention + passes + exchanges + host"
            };
            let inner = vec![
                told("products", products, "Matrix products, weighed by the class of the engine."),
                told("attention", attention, "Attention, likewise."),
                told("passes", passes, "Passes over activations, at the bandwidth of the memory."),
                told("exchanges", weights.exchanging(&each.spent), "Collectives."),
                told("host", each.host(&weights), "What the host takes beside."),
            ];
            let label = each.name.replace([' ', ','], "_");
            names.push(format!("{label}_number × {label}"));
            parts.push(counted(&format!("{label}_number"), each.times, "How many there are."));
            parts.push(computed(&label, each.time(&weights), "One of them.", equation, inner));
        }
        let all: Vec<&str> = ServingCoefficients::ALL.iter().map(|each| each.name).collect();
        let mut derived =
            computed("model", self.time(of), "The time by the model.", names.join(" + "), parts);
        derived.parts.extend(named(&all, of));
        derived
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
