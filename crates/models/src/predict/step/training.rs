//! `TrainingQuestion`: a step of training of a layout on a machine.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Derivation, Error, Result};

use super::training_weights::{TrainingClass, TrainingWeights};
use super::{Place, Pricing, Spent, TrainingCoefficients};
use crate::physics::kernel_time::{launched_time, partly_overlapped};
use crate::predict::{Beyond, Question};
use crate::transformer::{Accounting, Group, Rates};

/// How far computing and the exchange of shared weights overlap, as an exponent.
pub(super) const SHARDED_OVERLAP: f64 = 2.5;

/// A stage, with what it takes of one micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    /// What it takes of a micro-batch, all passes together.
    pub spent: Spent,
    /// How many stages are like it.
    pub count: u64,
    /// How many layers the host launches, and how many of them have experts.
    pub launched: [u64; 2],
    /// What it sends to its neighbours of a micro-batch.
    pub sent: Spent,
}

/// A step of training of a layout on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingQuestion {
    pub(super) stages: Vec<Stage>,
    pub(super) micro_batches: f64,
    pub(super) chunks: f64,
    /// What replicas exchange in a step.
    pub(super) replicas: Spent,
    pub(super) is_sharded: bool,
    pub(super) update: Time,
    pub(super) class: TrainingClass,
    pub(super) has_experts: bool,
    pub(super) at_full_rates: Time,
    pub(super) bound: Time,
    pub(super) beyond: Beyond,
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
        let layers: Vec<Spent> = kinds
            .iter()
            .map(|layer| pricing.spent_at(accounting, Place::Layer(layer)))
            .collect::<Result<_>>()?;
        let embedding = pricing.spent_at(accounting, Place::Embedding)?;
        let head = pricing.spent_at(accounting, Place::Head)?;
        let mut stages: Vec<Stage> = Vec::with_capacity(3);
        let mut send: Option<Spent> = None;
        for at in 0..layout.pp {
            let (mut spent, mut sent, mut launched) = (Spent::default(), Spent::default(), [0, 0]);
            for (index, alone) in layers.iter().enumerate() {
                let count: u64 = division.chunks(at).map(|range| model.layers_of(index, &range)).sum();
                spent += count as f64 * *alone;
                if !pricing.practice.graphs {
                    launched[0] += count;
                    launched[1] += if kinds[index].is_routed() { count } else { 0 };
                }
            }
            if accounting.is_first(at) {
                spent += embedding;
            }
            if accounting.is_last(at) {
                spent += head;
            }
            let mut refused = Ok(());
            accounting.traffic().pipeline(at, &mut |exchange| {
                // Every send of a pipeline is like the others, and is priced once.
                let priced = send.map_or_else(
                    || Ok(Spent::of(&pricing.exchange(&exchange, None)?, &pricing.kernels)),
                    Ok::<Spent, Error>,
                );
                match priced {
                    Ok(once) => {
                        send = Some(once);
                        sent += exchange.times.product() * once;
                    }
                    Err(error) => refused = Err(error),
                }
            });
            refused?;
            match stages.last_mut() {
                Some(last) if last.spent == spent && last.sent == sent => last.count += 1,
                _ => stages.push(Stage { spent, count: 1, launched, sent }),
            }
        }
        let fullest = accounting.fullest_stage();
        let account = accounting.account(fullest)?;
        let mut replicas = Spent::default();
        let mut refused = Ok(());
        for (part, parameters) in account.parameters.entries() {
            accounting.traffic().replicas(part, parameters, &mut |exchange| match pricing
                .exchange(&exchange, None)
            {
                Ok(piece) => replicas.take(&piece, &pricing.kernels, exchange.times.product()),
                Err(error) => refused = Err(error),
            });
        }
        refused?;
        let shard = match layout.zero {
            0 => 1,
            _ => layout.shard.unwrap_or(layout.replicas()),
        };
        let updated = Bytes::from_base(UPDATED * account.total_parameters() as f64 / shard as f64);
        let last = if fullest + 1 == layout.pp { account } else { accounting.account(layout.pp - 1)? };
        let rates = Rates { peak: pricing.peak, memory: pricing.memory };
        let bound = accounting.bound_at(&last, pricing.machine, rates)?;
        Ok(TrainingQuestion {
            stages,
            micro_batches: load.micro_batches as f64,
            chunks: layout.vpp as f64,
            replicas,
            is_sharded: layout.zero == 3,
            update: updated / pricing.memory,
            class: TrainingClass::of(pricing),
            has_experts: model.routing.is_some(),
            at_full_rates: bound.time(),
            bound: bound.time(),
            beyond: pricing.beyond.clone(),
        })
    }

    /// What a step takes, part after part.
    pub(super) fn spans(&self, of: &TrainingCoefficients) -> TrainingSpans {
        let weights = self.class.weights(of);
        let mut spans = TrainingSpans::default();
        for (index, stage) in self.stages.iter().enumerate() {
            let [computing, exposed, whole] = self.stage(stage, &weights, of);
            if whole > spans.stage {
                (spans.slowest, spans.stage) = (index, whole);
                (spans.computing, spans.with_experts) = (computing, exposed);
            }
            spans.all += stage.count as f64 * whole;
            spans.sending += stage.count as f64 * weights.exchanging(&stage.sent, Group::Pipeline);
        }
        // The slowest stage is never idle; the others fill and drain around it.
        spans.passing = self.micro_batches * spans.stage;
        spans.filling = spans.sending + (spans.all - spans.stage) / self.chunks;
        spans.exchanged = weights.exchanging(&self.replicas, Group::Data)
            + weights.exchanging(&self.replicas, Group::ExpertData);
        let busy = spans.passing + spans.filling;
        spans.replicas = if self.is_sharded {
            partly_overlapped(busy, spans.exchanged, SHARDED_OVERLAP) - busy
        } else {
            weights.exposed * spans.exchanged
        };
        spans.update = self.update;
        spans.beside = Time::from_base(1e-3 * of.step);
        spans
    }

    /// What a stage takes of a micro-batch: computing with the exchanges that it waits for, that with
    /// what experts exchange, and that with what the host does not keep up with.
    fn stage(&self, stage: &Stage, weights: &TrainingWeights, of: &TrainingCoefficients) -> [Time; 3] {
        let spent = &stage.spent;
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
        let host = Time::from_base(1e-3 * (of.host * layers + of.routed_host * routed));
        [computing, with_experts, launched_time(host, with_experts)]
    }

    /// The number of the first stage that is like the one at `index` of those that differ.
    pub(super) fn number_of(&self, index: usize) -> u64 {
        self.stages.iter().take(index).map(|stage| stage.count).sum()
    }
}

/// What a step of training takes, part after part; times of a micro-batch are those of the slowest
/// stage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TrainingSpans {
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

impl TrainingSpans {
    /// The parts that a step is the sum of.
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
        self.at_full_rates
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
