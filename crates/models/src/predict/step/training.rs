//! `TrainingQuestion`: a step of training of a layout on a machine.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Derivation, Result};

use super::terms::layers_of_stage;
use super::{Hops, Least, Pricing, Replicas, Spent, StepTerms, Updated};
use super::{TrainingClass, TrainingCoefficients, TrainingWeights};
use crate::physics::kernel_time::{launched_time, partly_overlapped};
use crate::predict::{Beyond, Question};
use crate::transformer::{Accounting, Group, Layer};

/// How far computing and the exchange of shared weights overlap, as an exponent.
pub(super) const SHARDED_OVERLAP: f64 = 2.5;

/// Stages that are alike, with what each takes of one micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// What it takes of a micro-batch, all passes together.
    pub spent: Spent,
    /// How many stages are like it.
    pub count: u64,
    /// How many layers the host launches, and how many of them have experts.
    pub launched: [u64; 2],
}

/// What decides how the parts of a step come together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingManner {
    /// How coefficients weigh what is spent.
    pub weights: TrainingWeights,
    /// The coefficients.
    pub coefficients: TrainingCoefficients,
    /// How many chunks of layers a stage has.
    pub chunks: f64,
    /// Whether replicas share the weights.
    pub is_sharded: bool,
}

/// A step of training of a layout on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingQuestion {
    pub(super) stages: Vec<Stage>,
    pub(super) sent: Spent,
    pub(super) micro_batches: f64,
    pub(super) chunks: f64,
    pub(super) replicas: Replicas,
    pub(super) is_sharded: bool,
    pub(super) class: TrainingClass,
    pub(super) has_experts: bool,
    pub(super) bound: Time,
    pub(super) beyond: Beyond,
}

impl TrainingQuestion {
    /// The step that `accounting` accounts for, priced by `pricing`.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn new(accounting: &Accounting, pricing: &Pricing) -> Result<Self> {
        let (division, layout) = (accounting.division, accounting.division.layout);
        let terms = StepTerms::new(accounting, pricing)?;
        let replicas = Replicas::new(accounting, pricing, &Updated::new(accounting, pricing)?)?;
        let mut stages: Vec<Stage> = Vec::with_capacity(4);
        let mut least = Least::default();
        for at in 0..layout.pp {
            if division.is_as_before(at)
                && let Some(before) = stages.last_mut()
            {
                before.count += 1;
                continue;
            }
            let layers = || layers_of_stage(accounting, at);
            let term = terms.stage(layers(), accounting.is_first(at), accounting.is_last(at));
            if accounting.is_last(at) {
                least = term.least;
            }
            let launched = pricing.launched(division.model.kinds(), layers());
            stages.push(Stage { spent: term.spent, count: 1, launched });
        }
        let sending = Hops::new(accounting, pricing.machine).price(accounting, pricing)?;
        least.add(1.0, &sending.least(layout.vpp));
        let micro_batches = accounting.load.micro_batches as f64;
        Ok(TrainingQuestion {
            stages,
            sent: sending.spent(layout.vpp),
            micro_batches,
            chunks: layout.vpp as f64,
            bound: replicas.least(micro_batches, &least).time(pricing),
            replicas,
            is_sharded: layout.zero == 3,
            class: TrainingClass::of(pricing),
            has_experts: division.model.routing.is_some(),
            beyond: pricing.products.beyond().clone(),
        })
    }

    /// How the parts of the step come together.
    pub(super) fn manner(&self, of: &TrainingCoefficients) -> TrainingManner {
        let (weights, chunks, is_sharded) = (self.class.weights(of), self.chunks, self.is_sharded);
        TrainingManner { weights, coefficients: *of, chunks, is_sharded }
    }

    /// What a step takes, part after part.
    pub(super) fn spans(&self, of: &TrainingCoefficients) -> TrainingSpans {
        let manner = self.manner(of);
        let replicas = self.micro_batches * manner.weights.replicas(&self.replicas.each)
            + manner.weights.replicas(&self.replicas.once);
        manner.spans(
            &manner.passing(&self.stages, &self.sent),
            self.micro_batches,
            replicas,
            self.replicas.update,
        )
    }

    /// The number of the first stage that is like the one at `index` of those that differ.
    pub(super) fn number_of(&self, index: usize) -> u64 {
        self.stages.iter().take(index).map(|stage| stage.count).sum()
    }
}

/// What the stages of a pipeline take of one micro-batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Passing {
    /// Which of the stages that differ is slowest.
    pub slowest: usize,
    /// Computing of the slowest, with the exchanges that it waits for.
    pub computing: Time,
    /// That with what experts exchange.
    pub with_experts: Time,
    /// That with what the host does not keep up with.
    pub stage: Time,
    /// All stages together.
    pub all: Time,
    /// What they send to each other.
    pub sending: Time,
}

/// What a step of training takes, part after part; times of a micro-batch are those of the slowest
/// stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrainingSpans {
    /// Which of the stages that differ is slowest.
    pub slowest: usize,
    /// Computing of a micro-batch, with the exchanges that it waits for.
    pub computing: Time,
    /// That with what experts exchange.
    pub with_experts: Time,
    /// That with what the host does not keep up with.
    pub stage: Time,
    /// The slowest stage, of all micro-batches.
    pub passing: Time,
    /// What all stages take of a micro-batch, one after the other.
    pub all: Time,
    /// What neighbours send each other while the pipeline fills.
    pub sending: Time,
    /// What the pipeline takes to fill and to drain.
    pub filling: Time,
    /// What replicas exchange, hidden or not.
    pub exchanged: Time,
    /// What replicas exchange and computing does not hide.
    pub replicas: Time,
    /// The update of the weights.
    pub update: Time,
    /// What each step takes beside.
    pub beside: Time,
}

impl Pricing<'_> {
    /// How many of the layers of a stage the host launches, and how many of them have experts.
    pub fn launched(&self, kinds: &[Layer], layers: impl Iterator<Item = u64>) -> [u64; 2] {
        let mut launched = [0, 0];
        for (kind, count) in kinds.iter().zip(layers).filter(|_| !self.practice.graphs) {
            launched[0] += count;
            launched[1] += if kind.is_routed() { count } else { 0 };
        }
        launched
    }
}

impl TrainingManner {
    /// What a stage takes of a micro-batch: computing with the exchanges that it waits for, that with
    /// what experts exchange, and that with what the host does not keep up with.
    pub fn stage(&self, stage: &Stage) -> [Time; 3] {
        let (spent, weights) = (&stage.spent, &self.weights);
        let waiting =
            weights.exchanging(spent, Group::Tensor) + weights.exchanging(spent, Group::ExpertTensor);
        let hidden = weights.exchanging(spent, Group::Context);
        let computing = weights.computing(spent) + waiting + weights.exposed * hidden;
        let experts = weights.exchanging(spent, Group::Expert);
        // Chunks of a stage give it another micro-batch to work on meanwhile.
        let with_experts = if self.chunks > 1.0 {
            partly_overlapped(computing, experts, SHARDED_OVERLAP)
        } else {
            computing + experts
        };
        let [layers, routed] = stage.launched.map(|count| count as f64);
        let of = &self.coefficients;
        let host = Time::from_base(1e-3 * (of.host * layers + of.routed_host * routed));
        [computing, with_experts, launched_time(host, with_experts)]
    }

    /// What stages take of a micro-batch together, which send each other what is `sent`.
    pub fn passing<'a>(&self, stages: impl IntoIterator<Item = &'a Stage>, sent: &Spent) -> Passing {
        let sending = self.weights.exchanging(sent, Group::Pipeline);
        let mut passing = Passing { sending, ..Passing::default() };
        for (index, stage) in stages.into_iter().enumerate() {
            let [computing, with_experts, whole] = self.stage(stage);
            if whole > passing.stage {
                (passing.slowest, passing.stage) = (index, whole);
                (passing.computing, passing.with_experts) = (computing, with_experts);
            }
            passing.all += stage.count as f64 * whole;
        }
        passing
    }

    /// What a step takes of `micro_batches`, of what `replicas` exchange and of the update of weights.
    pub fn spans(
        &self,
        of_stages: &Passing,
        micro_batches: f64,
        replicas: Time,
        update: Time,
    ) -> TrainingSpans {
        let &Passing { slowest, computing, with_experts, stage, all, sending } = of_stages;
        let (passing, filling) = busy(stage, all, sending, self.chunks, micro_batches);
        let busy = passing + filling;
        let exchanged = replicas;
        let replicas = if self.is_sharded {
            partly_overlapped(busy, exchanged, SHARDED_OVERLAP) - busy
        } else {
            self.weights.exposed * exchanged
        };
        let beside = Time::from_base(1e-3 * self.coefficients.step);
        TrainingSpans {
            slowest,
            computing,
            with_experts,
            stage,
            passing,
            all,
            sending,
            filling,
            exchanged,
            replicas,
            update,
            beside,
        }
    }
}

/// How long a pipeline is at work: the passes of its slowest stage, which is never idle, and what it takes
/// the others to fill and to drain around it, chunk by chunk.
pub(super) fn busy(slowest: Time, all: Time, sending: Time, chunks: f64, micro_batches: f64) -> (Time, Time) {
    (micro_batches * slowest, sending + (all - slowest) / chunks)
}

impl TrainingSpans {
    /// The time of the step, which is the sum of its parts.
    pub fn sum(&self) -> Time {
        self.passing + self.filling + self.replicas + self.update + self.beside
    }
}

impl Question for TrainingQuestion {
    type Of = TrainingCoefficients;

    fn time(&self, of: &TrainingCoefficients) -> Time {
        self.spans(of).sum()
    }

    fn bound(&self) -> Time {
        self.bound
    }

    fn speed_of_light(&self) -> Time {
        self.bound
    }

    fn binds(&self, of: &TrainingCoefficients) -> &'static str {
        let (spans, weights) = (self.spans(of), self.class.weights(of));
        let computing =
            self.stages.get(spans.slowest).map_or(Time::ZERO, |stage| weights.computing(&stage.spent));
        let times = [
            ("computing", self.micro_batches * computing),
            ("exchanges of layers", self.micro_batches * (spans.with_experts - computing)),
            ("the host", self.micro_batches * (spans.stage - spans.with_experts)),
            ("the pipeline", spans.filling),
            ("exchanges of replicas", spans.replicas),
            ("the update", spans.update),
            ("what each step takes beside", spans.beside),
        ];
        times
            .into_iter()
            .max_by(|(_, one), (_, other)| one.base().total_cmp(&other.base()))
            .map_or("", |(name, _)| name)
    }

    fn derivation(&self, of: &TrainingCoefficients) -> Derivation {
        self.derived(of)
    }

    fn regime(&self) -> &'static str {
        if self.has_experts { "training step, MoE" } else { "training step, dense" }
    }

    fn beyond(&self) -> &Beyond {
        &self.beyond
    }
}
