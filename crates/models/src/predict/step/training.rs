//! `TrainingQuestion`: a step of training of a layout on a machine.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Derivation, Result};

use super::{Hops, Least, Passing, Pricing, Replicas, Spent, StepTerms, TrainingSpans, Updated};
use super::{TrainingClass, TrainingCoefficients, TrainingWeights};
use crate::physics::kernel_time::partly_overlapped;
use crate::predict::{Beyond, Question};
use crate::transformer::{Accounting, Group, Schedule, Transformer};

/// How far computing and what may run beside it overlap, as an exponent.
pub(super) const OVERLAP: f64 = 3.0;

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
    /// The order of a pipeline's passes.
    pub schedule: Schedule,
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
    pub(super) schedule: Schedule,
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
    /// A group spans domains and the machine has no network, or the order of passes does not suit the
    /// layout.
    pub fn new(accounting: &Accounting, pricing: &Pricing) -> Result<Self> {
        let (division, layout) = (accounting.division, accounting.division.layout);
        let schedule = pricing.schedule;
        schedule.suits([layout.pp, layout.vpp], accounting.step.recompute)?;
        let terms = StepTerms::new(accounting, pricing)?;
        let replicas = Replicas::new(accounting, pricing, &Updated::new(accounting, pricing)?)?;
        let mut stages: Vec<Stage> = Vec::with_capacity(4);
        let mut least = Least::default();
        for (at, count) in division.runs() {
            let layers = || division.layers_of(at);
            let term = terms.stage(layers(), accounting.is_first(at), accounting.is_last(at));
            if accounting.is_last(at) {
                least = term.least;
            }
            let launched = pricing.launched(division.model.kinds(), layers());
            stages.push(Stage { spent: term.spent, count, launched });
        }
        let sending = Hops::new(accounting, pricing.machine).price(accounting, pricing)?;
        least.add(1.0, &sending.least(layout.vpp));
        let micro_batches = accounting.load.micro_batches as f64;
        Ok(TrainingQuestion {
            stages,
            sent: sending.spent(layout.vpp),
            micro_batches,
            chunks: layout.vpp as f64,
            bound: replicas
                .least(micro_batches, &least)
                .time(pricing)
                .max(sending.bound(layout.vpp, micro_batches)),
            replicas,
            is_sharded: layout.zero == 3,
            schedule,
            class: TrainingClass::of(pricing),
            has_experts: division.model.routing.is_some(),
            beyond: Self::beyond_of(pricing, schedule, layout.pp),
        })
    }

    /// The regime of a model, whose errors make the band of its steps.
    pub fn regime_of(model: &Transformer) -> &'static str {
        regime(model.routing.is_some())
    }

    /// What the calibration lacks of steps that `pricing` prices, in that order of passes through `pp`
    /// stages: no published step that it was fitted on puts off passes of weights.
    pub fn beyond_of(pricing: &Pricing, schedule: Schedule, pp: u64) -> Beyond {
        let known = pricing.products.beyond();
        if pp == 1 || schedule.puts_off() == 0 {
            return known.clone();
        }
        let synchronous = match schedule {
            Schedule::ZeroBubbleH2 => ", and stages do not wait for each other before they update weights",
            _ => "",
        };
        known.and(format!(
            "no step in the calibration runs the schedule {}; its bubble is that of its paper{synchronous}",
            schedule.name()
        ))
    }

    /// The same by a framework that nobody knows, so that its band is the wider one.
    #[must_use]
    pub fn by_unknown(self, framework: &str) -> Self {
        TrainingQuestion { beyond: self.beyond.by_unknown(framework), ..self }
    }

    /// How the parts of the step come together.
    pub(super) fn manner(&self, of: &TrainingCoefficients) -> TrainingManner {
        let (weights, chunks) = (self.class.weights(of), self.chunks);
        let (is_sharded, schedule) = (self.is_sharded, self.schedule);
        TrainingManner { weights, coefficients: *of, chunks, is_sharded, schedule }
    }

    /// What a step takes, part after part.
    pub(super) fn spans(&self, of: &TrainingCoefficients) -> TrainingSpans {
        let manner = self.manner(of);
        let replicas = self.micro_batches * self.replicas.each.replicas() + self.replicas.once.replicas();
        let passing = manner.passing(&self.stages, &self.sent);
        manner.spans(&passing, self.micro_batches, replicas, self.replicas.update)
    }

    /// What the stages take of a micro-batch.
    pub(super) fn passing(&self, of: &TrainingCoefficients) -> Passing {
        self.manner(of).passing(&self.stages, &self.sent)
    }

    /// The number of the first stage that is like the one at `index` of those that differ.
    pub(super) fn number_of(&self, index: usize) -> u64 {
        self.stages.iter().take(index).map(|stage| stage.count).sum()
    }
}

impl TrainingManner {
    /// What a stage takes of a micro-batch: computing with the exchanges that it waits for, that with
    /// what experts exchange, and that with what launching its kernels takes.
    pub fn stage(&self, stage: &Stage) -> [Time; 3] {
        let spent = &stage.spent;
        let (computing, experts) = (self.computing(spent), spent.exchanging(Group::Expert));
        // Chunks of a stage give it another micro-batch to work on meanwhile.
        let with_experts = if self.chunks > 1.0 {
            partly_overlapped(computing, experts, OVERLAP)
        } else {
            computing + experts
        };
        let [layers, routed] = stage.launched.map(|count| count as f64);
        let of = &self.coefficients;
        let host = Time::from_base(1e-3 * (of.host * layers + of.routed_host * routed));
        [computing, with_experts, host + with_experts]
    }

    /// What computing takes of what is `spent`, with the exchanges that it waits for.
    pub(super) fn computing(&self, spent: &Spent) -> Time {
        self.weights.waiting(spent) + self.weights.exposed * spent.exchanging(Group::Context)
    }

    /// What stages take of a micro-batch together, which send each other what is `sent`.
    pub fn passing<'a>(&self, stages: impl IntoIterator<Item = &'a Stage>, sent: &Spent) -> Passing {
        let sending = sent.exchanging(Group::Pipeline);
        let mut passing = Passing { sending, ..Passing::default() };
        for (index, stage) in stages.into_iter().enumerate() {
            let [computing, with_experts, whole] = self.stage(stage);
            let gradients = self.weights.gradients(&stage.spent);
            if whole > passing.stage {
                (passing.slowest, passing.stage) = (index, whole);
                passing.gradients[0] = gradients;
                (passing.computing, passing.with_experts) = (computing, with_experts);
            }
            passing.all += stage.count as f64 * whole;
            passing.stages += stage.count;
            passing.gradients[1] += stage.count as f64 * gradients;
        }
        passing
    }

    /// What the slowest stage is idle while the pipeline fills and drains.
    ///
    /// That is what the others take of a micro-batch, `(p − 1)(F + B + W)` where all are alike. Where
    /// passes of weights are put off, nobody waits for those of the others, and its own fill what is left:
    /// `(p − 1)(F + B − W)`, or `(p − 1)(F + B − 2W)` where twice as many are put off.
    ///
    /// ```
    /// use mlsysim_models::predict::{Coefficients, Spent, Stage, TrainingCoefficients};
    /// use mlsysim_models::predict::{TrainingManner, TrainingWeights};
    /// use mlsysim_models::transformer::Schedule;
    /// use mlsysim_quantity::Time;
    ///
    /// // Four stages in which forward passes, gradients of inputs and those of weights take 1 s each.
    /// let spent = Spent { products: Time::from_base(3.0), ..Spent::default() };
    /// let stages = [Stage { spent, count: 4, launched: [0, 0] }];
    /// let (weights, coefficients) = (TrainingWeights::LEAST, TrainingCoefficients::of(&[]));
    /// let bubble = |schedule, micro_batches| {
    ///     let manner = TrainingManner { weights, coefficients, chunks: 1.0, is_sharded: false, schedule };
    ///     manner.bubble(&manner.passing(&stages, &Spent::default()), micro_batches).base()
    /// };
    /// assert_eq!(bubble(Schedule::OneForwardOneBackward, 8.0), 9.0);
    /// assert_eq!(bubble(Schedule::ZeroBubbleH1, 8.0), 3.0);
    /// assert_eq!(bubble(Schedule::ZeroBubbleH2, 8.0), 0.0);
    /// // A single micro-batch goes to the last stage and back, and only its last pass waits for nobody.
    /// assert_eq!(bubble(Schedule::ZeroBubbleH2, 1.0), 6.0);
    /// ```
    ///
    /// Source: Narayanan et al. (2021), sections 2.2.1 and 2.2.2, arXiv:2104.04473; Qi et al. (2023),
    /// section 2.3, arXiv:2401.10241.
    pub fn bubble(&self, of_stages: &Passing, micro_batches: f64) -> Time {
        let others = of_stages.all - of_stages.stage;
        if self.schedule.puts_off() == 0 || of_stages.stages < 2 {
            return idle(others, self.chunks);
        }
        let [own, all] = of_stages.gradients;
        let filled = of_stages.put_off(self.schedule, micro_batches) * own;
        (others - (all - own) - filled).max(Time::ZERO)
    }

    /// What a stage waits of each micro-batch while it hands on activations and gets gradients.
    ///
    /// A stage with one chunk has nothing else to do meanwhile; one with several works on another chunk, as
    /// far as that takes.
    ///
    /// Source: NVIDIA/Megatron-LM, megatron/training/arguments.py, which sets `overlap_p2p_comm` to false
    /// unless the schedule is interleaved.
    fn waiting(&self, of_stages: &Passing) -> Time {
        if of_stages.stages < 2 {
            return Time::ZERO;
        }
        let sends = of_stages.sending / (of_stages.stages - 1) as f64;
        match self.chunks > 1.0 {
            true => partly_overlapped(of_stages.stage, sends, OVERLAP) - of_stages.stage,
            false => sends,
        }
    }

    /// What a step takes of `micro_batches`, of what `replicas` exchange and of the update of weights.
    pub fn spans(
        &self,
        of_stages: &Passing,
        micro_batches: f64,
        replicas: Time,
        update: Time,
    ) -> TrainingSpans {
        let &Passing { slowest, computing, with_experts, stage, all, sending, .. } = of_stages;
        // The slowest stage is never idle but while it sends; the others fill and drain around it.
        let passing = micro_batches * stage;
        let waiting = micro_batches * self.waiting(of_stages);
        let filling = sending + self.bubble(of_stages, micro_batches);
        let busy = passing + waiting + filling;
        let exchanged = replicas;
        let replicas = if self.is_sharded {
            partly_overlapped(busy, exchanged, OVERLAP) - busy
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
            waiting,
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

/// What the slowest stage is idle while the `others` fill and drain the pipeline around it, chunk by chunk.
pub(super) fn idle(others: Time, chunks: f64) -> Time {
    others / chunks
}

fn regime(has_experts: bool) -> &'static str {
    if has_experts { "training step, MoE" } else { "training step, dense" }
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
            ("the pipeline", spans.waiting + spans.filling),
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
        regime(self.has_experts)
    }

    fn beyond(&self) -> &Beyond {
        &self.beyond
    }
}
