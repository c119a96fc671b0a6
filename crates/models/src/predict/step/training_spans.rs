//! `TrainingSpans`: what a step of training takes, part after part; `Passing`: what the stages of a
//! pipeline take of one micro-batch.

use mlsysim_quantity::Time;

use crate::transformer::Schedule;

/// What the stages of a pipeline take of one micro-batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Passing {
    /// Which of the stages that differ is slowest.
    pub slowest: usize,
    /// Computing of the slowest, with the exchanges that it waits for.
    pub computing: Time,
    /// That with what experts exchange.
    pub with_experts: Time,
    /// That with what launching its kernels takes.
    pub stage: Time,
    /// All stages together.
    pub all: Time,
    /// How many stages there are.
    pub stages: u64,
    /// What gradients of the weights take in the slowest, and in all stages together.
    pub gradients: [Time; 2],
    /// What they send to each other of one micro-batch.
    pub sending: Time,
}

impl Passing {
    /// How many passes of weights the slowest stage puts off to fill the pipeline with: as many as the
    /// schedule wants, and no more than there are before the last micro-batch.
    pub fn put_off(&self, schedule: Schedule, micro_batches: f64) -> f64 {
        ((schedule.puts_off() * self.stages.saturating_sub(1)) as f64).min(micro_batches - 1.0)
    }
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
    /// That with what launching its kernels takes.
    pub stage: Time,
    /// The slowest stage, of all micro-batches.
    pub passing: Time,
    /// What the slowest stage waits for sends between it and its neighbour, of all micro-batches.
    pub waiting: Time,
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
    /// What the stages are at work, with what they wait for each other.
    pub fn busy(&self) -> Time {
        self.passing + self.waiting + self.filling
    }

    /// The time of the step, which is the sum of its parts.
    pub fn sum(&self) -> Time {
        self.busy() + self.replicas + self.update + self.beside
    }
}
