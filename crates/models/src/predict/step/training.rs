//! `TrainingQuestion`: a step of training of a layout on a machine.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Derivation, Result};

use super::AttentionKernel;
use super::{Passes, Pricing, Spent};
use crate::physics::kernel_time::{launched_time, partly_overlapped};
use crate::predict::coefficient::coefficients;
use crate::predict::{Beyond, DeviceFamily, ProductPrecision, Question};
use crate::transformer::{Accounting, Group, Rates};

coefficients! {
    /// What a step of training takes of the kernels and the collectives that it is made of.
    pub struct TrainingCoefficients {
        /// Products in 16 bits, in what they take alone, where threads copy.
        synchronous_products: "" = 1.1,
        /// Products in 16 bits, in what they take alone, where copies are asynchronous.
        asynchronous_products: "" = 1.2,
        /// Products in 8 bits, in what they take alone.
        eight_products: "" = 1.2,
        /// Products in 4 bits, in what they take alone.
        four_products: "" = 1.2,
        /// Products of experts, in those of dense layers.
        experts: "" = 1.3,
        /// Fused attention, in what it takes alone.
        attention: "" = 1.2,
        /// How often attention that is not fused moves its scores.
        scores: "" = 11.0,
        /// How often functions of each number move what they read and write.
        moves: "" = 1.5,
        /// Collectives within domains, in what they take alone.
        links: "" = 1.0,
        /// Collectives between domains, in what they take alone.
        network: "" = 1.3,
        /// The share of what replicas exchange that computing does not hide.
        exposed: "" = 0.67,
        /// What the host takes to launch a layer with experts, of one micro-batch, all passes together.
        routed_host: "ms" = 5.0,
        /// What each step takes beside.
        step: "ms" = 45.0,
    }
}

/// How far computing and the exchange of shared weights overlap, as an exponent.
const SHARDED_OVERLAP: f64 = 2.5;

/// A stage, with what it takes of one micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    /// What it takes of a micro-batch, all passes together.
    pub spent: Spent,
    /// How many stages are like it.
    pub count: u64,
    /// How many of its layers have experts.
    pub routed: u64,
    /// What it sends to its neighbours of a micro-batch.
    pub sent: Spent,
}

/// A step of training of a layout on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingQuestion {
    stages: Vec<Stage>,
    micro_batches: f64,
    chunks: f64,
    /// What replicas exchange in a step.
    replicas: Spent,
    is_sharded: bool,
    update: Time,
    family: DeviceFamily,
    precision: ProductPrecision,
    is_unfused: bool,
    has_experts: bool,
    at_full_rates: Time,
    bound: Time,
    beyond: Beyond,
}

/// What Adam reads and writes of a parameter: the gradient, both moments and the master copy in 32 bits,
/// and the weight in 16 bits.
const UPDATED: f64 = 4.0 + 3.0 * 8.0 + 2.0;

impl TrainingQuestion {
    /// The step that `accounting` accounts for, priced by `pricing`.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn new(accounting: &Accounting, pricing: &Pricing) -> Result<Self> {
        let (division, load) = (accounting.division, &accounting.load);
        let (layout, model) = (division.layout, division.model);
        let kinds = model.kinds();
        let layers: Vec<Passes> =
            kinds.iter().map(|layer| pricing.layer(accounting, layer)).collect::<Result<_>>()?;
        let ends = pricing.ends(accounting)?.map(summed);
        let mut stages: Vec<Stage> = Vec::with_capacity(3);
        for at in 0..layout.pp {
            let (mut spent, mut sent, mut routed) = (Spent::default(), Spent::default(), 0);
            for (index, passes) in layers.iter().enumerate() {
                let count: u64 = division.chunks(at).map(|range| model.layers_of(index, &range)).sum();
                spent += count as f64 * summed(*passes);
                routed += if kinds[index].is_routed() && !pricing.practice.graphs { count } else { 0 };
            }
            if accounting.is_first(at) {
                spent += ends[0];
            }
            if accounting.is_last(at) {
                spent += ends[1];
            }
            let mut refused = Ok(());
            accounting.traffic().pipeline(at, &mut |exchange| match pricing.exchange(&exchange, None) {
                Ok(piece) => sent += exchange.times.product() * Spent::of(&piece, &pricing.kernels),
                Err(error) => refused = Err(error),
            });
            refused?;
            match stages.last_mut() {
                Some(last) if last.spent == spent && last.sent == sent => last.count += 1,
                _ => stages.push(Stage { spent, count: 1, routed, sent }),
            }
        }
        let account = accounting.account(accounting.fullest_stage())?;
        let mut replicas = Spent::default();
        let mut refused = Ok(());
        for (part, parameters) in account.parameters.entries() {
            accounting.traffic().replicas(part, parameters, &mut |exchange| match pricing
                .exchange(&exchange, None)
            {
                Ok(piece) => replicas += exchange.times.product() * Spent::of(&piece, &pricing.kernels),
                Err(error) => refused = Err(error),
            });
        }
        refused?;
        let shard = match layout.zero {
            0 => 1,
            _ => layout.shard.unwrap_or(layout.replicas()),
        };
        let updated = Bytes::from_base(UPDATED * account.total_parameters() as f64 / shard as f64);
        let last = accounting.account(layout.pp - 1)?;
        let rates = Rates { peak: pricing.peak, memory: pricing.memory };
        let bound = accounting.bound_at(&last, pricing.machine, rates)?;
        Ok(TrainingQuestion {
            stages,
            micro_batches: load.micro_batches as f64,
            chunks: layout.vpp as f64,
            replicas,
            is_sharded: layout.zero == 3,
            update: updated / pricing.memory,
            family: pricing.products.family(),
            precision: pricing.products.precision(),
            is_unfused: pricing.practice.attention == AttentionKernel::Unfused,
            has_experts: model.routing.is_some(),
            at_full_rates: bound.time(),
            bound: bound.time(),
            beyond: pricing.beyond.clone(),
        })
    }

    /// What products take, in what they take alone.
    fn products(&self, of: &TrainingCoefficients) -> f64 {
        match (self.precision, self.family) {
            (ProductPrecision::Half, DeviceFamily::Synchronous) => of.synchronous_products,
            (ProductPrecision::Half, DeviceFamily::Asynchronous) => of.asynchronous_products,
            (ProductPrecision::Eight | ProductPrecision::BlockEight, _) => of.eight_products,
            (ProductPrecision::Four, _) => of.four_products,
        }
    }

    /// What computing takes of `spent`.
    fn computing(&self, spent: &Spent, of: &TrainingCoefficients) -> Time {
        let wide = match self.family {
            DeviceFamily::Synchronous => of.synchronous_products,
            DeviceFamily::Asynchronous => of.asynchronous_products,
        };
        let products = self.products(of) * (spent.products + spent.narrow + of.experts * spent.experts);
        let attention =
            if self.is_unfused { of.scores * spent.scores } else { of.attention * spent.attention };
        products + wide * spent.wide + attention + of.moves * spent.moves
    }

    /// What exchanges of `group` take of `spent`.
    fn exchanging(spent: &Spent, group: Group, of: &TrainingCoefficients) -> Time {
        let at = group as usize;
        of.links * spent.links[at] + of.network * spent.network[at]
    }

    /// What a stage takes of a micro-batch.
    fn stage(&self, stage: &Stage, of: &TrainingCoefficients) -> Time {
        let spent = &stage.spent;
        let blocking = [Group::Tensor, Group::ExpertTensor];
        let hidden = [Group::Context];
        let blocking =
            blocking.iter().fold(Time::ZERO, |sum, group| sum + Self::exchanging(spent, *group, of));
        let hidden = hidden.iter().fold(Time::ZERO, |sum, group| sum + Self::exchanging(spent, *group, of));
        let host = Time::from_base(1e-3 * of.routed_host * stage.routed as f64);
        let experts = Self::exchanging(spent, Group::Expert, of);
        let computing = self.computing(spent, of) + blocking + of.exposed.min(1.0) * hidden;
        let both = if self.chunks > 1.0 {
            partly_overlapped(computing, experts, SHARDED_OVERLAP)
        } else {
            computing + experts
        };
        launched_time(host, both)
    }
}

/// What all passes take together.
fn summed(passes: Passes) -> Spent {
    passes.into_iter().fold(Spent::default(), |sum, spent| sum + spent)
}

impl Question for TrainingQuestion {
    type Of = TrainingCoefficients;

    fn time(&self, of: &TrainingCoefficients) -> Time {
        let (mut most, mut all, mut filling) = (Time::ZERO, Time::ZERO, Time::ZERO);
        for stage in &self.stages {
            let time = self.stage(stage, of);
            let sent = Self::exchanging(&stage.sent, Group::Pipeline, of);
            filling += stage.count as f64 * sent;
            most = most.max(time);
            all += stage.count as f64 * time;
        }
        // The slowest stage is never idle; the others fill and drain around it.
        let passing = self.micro_batches * most + (all - most) / self.chunks + filling;
        let replicas = Self::exchanging(&self.replicas, Group::Data, of)
            + Self::exchanging(&self.replicas, Group::ExpertData, of);
        let both = if self.is_sharded {
            partly_overlapped(passing, replicas, SHARDED_OVERLAP)
        } else {
            passing + of.exposed.min(1.0) * replicas
        };
        both + self.update + Time::from_base(1e-3 * of.step)
    }

    fn bound(&self) -> Time {
        self.bound
    }

    fn speed_of_light(&self) -> Time {
        self.at_full_rates
    }

    fn binds(&self, _of: &TrainingCoefficients) -> &'static str {
        "arithmetic"
    }

    fn derivation(&self, of: &TrainingCoefficients) -> Derivation {
        crate::predict::explain::computed("model", self.time(of), "The time by the model.", "", Vec::new())
    }

    fn regime(&self) -> &'static str {
        if self.has_experts { "training step, MoE" } else { "training step, dense" }
    }

    fn beyond(&self) -> &Beyond {
        &self.beyond
    }
}
