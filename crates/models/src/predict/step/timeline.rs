//! `Timeline`: which stage of a pipeline works on what, and when, by the durations of a prediction.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Error, Result};

use super::training::idle;
use super::{Place, Pricing, Spent, TrainingCoefficients, TrainingManner, TrainingQuestion};
use crate::transformer::{Accounting, Group, Layout, Pass, Schedule, Turn};

/// The most passes that are put on a timeline one by one; of more micro-batches those in the middle, which
/// take turns like the others, are left out.
const MOST_PASSES: u64 = 1 << 18;

/// What the stages of a pipeline take.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// The forward and the backward pass of one micro-batch through each stage, all of its chunks.
    pub stages: Vec<[Time; 2]>,
    /// How many chunks a stage has.
    pub chunks: u64,
    /// What handing a micro-batch on to the next chunk takes, or back to the one before.
    pub hop: Time,
    /// How many micro-batches there are.
    pub micro_batches: u64,
    /// In which order stages work on them.
    pub schedule: Schedule,
}

/// A pass of a stage, from when to when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worked {
    /// The stage, from 0.
    pub stage: u64,
    /// What it works on.
    pub turn: Turn,
    /// From when, since the step began.
    pub start: Time,
    /// Until when.
    pub end: Time,
}

/// Which stage works on what, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The passes, stage after stage, each in its order.
    pub passes: Vec<Worked>,
    /// When the last pass ends.
    pub end: Time,
    /// Micro-batches in the middle that were left out, together with the time that they take.
    pub left_out: u64,
}

impl Pipeline {
    /// The pipeline of a step of training, by the durations that its prediction is made of.
    ///
    /// The time of a stage is divided between its passes by what each takes alone, and between its chunks
    /// evenly.
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network, or the order of passes puts off
    /// those of weights, which are no passes of their own here.
    pub fn new(
        accounting: &Accounting,
        pricing: &Pricing,
        coefficients: &TrainingCoefficients,
    ) -> Result<Self> {
        let schedule = pricing.schedule;
        if schedule.puts_off() > 0 {
            let message = format!("the order of passes of `{}` is not known one by one", schedule.name());
            return Err(Error::input("schedule", message));
        }
        let (question, layout) = (TrainingQuestion::new(accounting, pricing)?, accounting.division.layout);
        let manner = question.manner(coefficients);
        let spans = question.spans(coefficients);
        // What a stage waits for its neighbours is part of its passes, so that they fill the pipeline too.
        let waited = (1.0 / question.micro_batches) * spans.waiting;
        let sending = spans.sending - idle((layout.pp - 1) as f64 * waited, layout.vpp as f64);
        let mut stages = Vec::with_capacity(layout.pp as usize);
        for (index, stage) in question.stages.iter().enumerate() {
            let ([.., whole], at) = (manner.stage(stage), question.number_of(index));
            let whole = whole + waited;
            let forward = forward_share(&manner, accounting, pricing, at)? * whole;
            for _ in 0..stage.count {
                stages.push([forward, whole - forward]);
            }
        }
        let (chunks, micro_batches) = (layout.vpp, accounting.load.micro_batches);
        let pipeline = Pipeline { stages, chunks, hop: Time::ZERO, micro_batches, schedule };
        // Hops within domains and between them differ, but only their sum is known here.
        let hops = pipeline.hops().max(1) as f64;
        Ok(Pipeline { hop: sending / hops, ..pipeline })
    }

    /// What the slowest stage takes of a micro-batch.
    pub fn slowest(&self) -> Time {
        self.stages.iter().fold(Time::ZERO, |most, [forward, backward]| most.max(*forward + *backward))
    }

    /// How long a prediction takes the pipeline to be at work.
    pub fn predicted(&self) -> Time {
        let all = self.stages.iter().fold(Time::ZERO, |sum, [forward, backward]| sum + *forward + *backward);
        let sending = self.hops() as f64 * self.hop;
        let slowest = self.slowest();
        self.micro_batches as f64 * slowest + sending + idle(all - slowest, self.chunks as f64)
    }

    /// How often a micro-batch is handed on, forward and back.
    fn hops(&self) -> u64 {
        2 * (self.stages.len() as u64 * self.chunks).saturating_sub(1)
    }

    /// When each stage works on what, each pass as soon as the one that it needs is done and its stage has
    /// come to it in its order.
    ///
    /// What is handed on takes time while the pipeline fills and drains, as the first micro-batch goes
    /// forward and the last one back. In between it is on its way while stages work on others.
    ///
    /// ```
    /// use mlsysim_models::{predict::Pipeline, transformer::Schedule};
    /// use mlsysim_quantity::units::MILLISECOND;
    ///
    /// let stages = vec![[1.0 * MILLISECOND, 2.0 * MILLISECOND]; 4];
    /// let schedule = Schedule::OneForwardOneBackward;
    /// let pipeline = Pipeline { stages, chunks: 1, hop: 0.0 * MILLISECOND, micro_batches: 8, schedule };
    /// let timeline = pipeline.timeline();
    /// assert_eq!(timeline.passes.len(), 4 * 8 * 2);
    /// assert!((timeline.end - (8.0 + 3.0) * 3.0 * MILLISECOND).base().abs() < 1e-12);
    /// ```
    pub fn timeline(&self) -> Timeline {
        let (pp, chunks) = (self.stages.len() as u64, self.chunks);
        let kept = (MOST_PASSES / (2 * pp * chunks).max(1)).max(4 * pp) / pp.max(1) * pp;
        let micro_batches = self.micro_batches.min(kept);
        let layout = Layout { pp, vpp: chunks, ..Layout::whole() };
        let orders: Vec<Vec<Turn>> =
            (0..pp).map(|stage| layout.turns(stage, micro_batches, self.schedule)).collect();
        let mut clock = Clock::new(self, micro_batches);
        let mut passes: Vec<Vec<Worked>> =
            orders.iter().map(|turns| Vec::with_capacity(turns.len())).collect();
        let mut is_moving = true;
        while is_moving {
            is_moving = false;
            for (stage, (turns, done)) in (0..pp).zip(orders.iter().zip(&mut passes)) {
                while let Some(turn) = turns.get(done.len())
                    && let Some(ready) = clock.ready(stage, turn)
                {
                    let start = done.last().map_or(ready, |last| ready.max(last.end));
                    let end = clock.ends(stage, turn, start);
                    done.push(Worked { stage, turn: *turn, start, end });
                    is_moving = true;
                }
            }
        }
        let passes = passes.concat();
        let end = passes.iter().fold(Time::ZERO, |end, pass| end.max(pass.end));
        Timeline { passes, end, left_out: self.micro_batches - micro_batches }
    }
}

/// When passes end.
struct Clock<'a> {
    of: &'a Pipeline,
    micro_batches: u64,
    /// By pass, then by place in the model, then by micro-batch.
    ends: Vec<Option<Time>>,
}

impl<'a> Clock<'a> {
    fn new(of: &'a Pipeline, micro_batches: u64) -> Self {
        let places = of.stages.len() * of.chunks as usize;
        Clock { of, micro_batches, ends: vec![None; 2 * places * micro_batches as usize] }
    }

    /// How many chunks of layers there are in all stages.
    fn places(&self) -> u64 {
        self.of.stages.len() as u64 * self.of.chunks
    }

    fn at(&self, pass: Pass, place: u64, micro_batch: u64) -> usize {
        let of_pass = if pass == Pass::Forward { 0 } else { self.places() };
        ((of_pass + place) * self.micro_batches + micro_batch) as usize
    }

    /// From when `stage` can take `turn`; nothing while what it needs is not done.
    fn ready(&self, stage: u64, turn: &Turn) -> Option<Time> {
        let (micro_batch, last) = (turn.micro_batch, self.places() - 1);
        let place = turn.chunk * self.of.stages.len() as u64 + stage;
        let ended = |pass, place| self.ends[self.at(pass, place, micro_batch)];
        let waits = |is_waited_for: bool| if is_waited_for { self.of.hop } else { Time::ZERO };
        match turn.pass {
            Pass::Forward if place == 0 => Some(Time::ZERO),
            Pass::Forward => Some(ended(Pass::Forward, place - 1)? + waits(micro_batch == 0)),
            _ if place == last => ended(Pass::Forward, place),
            _ => Some(ended(Pass::Backward, place + 1)? + waits(micro_batch + 1 == self.micro_batches)),
        }
    }

    /// When `turn` ends that began at `start`.
    fn ends(&mut self, stage: u64, turn: &Turn, start: Time) -> Time {
        let [forward, backward] = self.of.stages[stage as usize];
        let whole = if turn.pass == Pass::Forward { forward } else { backward };
        let end = start + (1.0 / self.of.chunks as f64) * whole;
        let place = turn.chunk * self.of.stages.len() as u64 + stage;
        let at = self.at(turn.pass, place, turn.micro_batch);
        self.ends[at] = Some(end);
        end
    }
}

/// What share of the time of a stage is that of its forward passes.
fn forward_share(
    manner: &TrainingManner,
    accounting: &Accounting,
    pricing: &Pricing,
    stage: u64,
) -> Result<f64> {
    let [mut forward, mut all] = [Spent::default(); 2];
    let mut add = |times: f64, place: Place| {
        pricing.pieces(accounting, place, &mut |piece, each| {
            forward.take(piece, &pricing.kernels, times * each[Pass::Forward as usize]);
            all.take(piece, &pricing.kernels, times * each.iter().sum::<f64>());
        })
    };
    for (kind, count) in accounting.kinds(stage) {
        add(count as f64, Place::Layer(kind))?;
    }
    if accounting.is_first(stage) {
        add(1.0, Place::Embedding)?;
    }
    if accounting.is_last(stage) {
        add(1.0, Place::Head)?;
    }
    let alone = |of: &Spent| manner.computing(of) + of.exchanging(Group::Expert);
    let (forward, all) = (alone(&forward), alone(&all));
    Ok(if all > Time::ZERO { forward / all } else { 0.0 })
}
