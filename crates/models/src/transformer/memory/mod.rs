//! `Memory`: what one rank has to hold at its fullest, by what it is for.

mod activations;
mod cache;
mod held;
mod optimizer;
mod policy;
mod working;

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Result, choices};

use crate::transformer::{Account, Accounting, Phase};

pub(crate) use activations::Kept;
pub(crate) use cache::kept_tokens;
pub(crate) use held::again;
pub use held::{Held, StageHeld};
pub use optimizer::Optimizer;
pub use policy::{GradientCopies, MemoryPolicy, Schedule};

/// A number in 32 bits.
pub(crate) const FULL_PRECISION: Bytes = Bytes::from_base(4.0);

/// What one rank holds at its fullest.
///
/// Training is fullest while the first backward pass begins: as many micro-batches as the schedule
/// keeps are in flight. Serving is fullest at the end of its step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// The weights.
    pub weights: Bytes,
    /// Weights of layers that are gathered from the replicas while they are used, and gradients of one
    /// before they are scattered.
    pub gathered: Bytes,
    /// The gradients of weights.
    pub gradients: Bytes,
    /// What the optimizer keeps.
    pub optimizer: Bytes,
    /// What forward passes keep for backward passes, or need while they run.
    pub activations: Bytes,
    /// The scores of the vocabulary and their gradient.
    pub logits: Bytes,
    /// What the backward pass of one operation works with.
    pub working: Bytes,
    /// The KV cache.
    pub cache: Bytes,
    /// What the framework, its communication and its allocator take, as stated.
    pub overhead: Bytes,
}

choices! {
    /// A part of what a rank holds.
    pub enum MemoryPart {
        /// The weights.
        Weights = "weights",
        /// What is gathered from the replicas while it is used.
        Gathered = "gathered",
        /// The gradients of weights.
        Gradients = "gradients",
        /// What the optimizer keeps.
        Optimizer = "optimizer",
        /// What forward passes keep or need.
        Activations = "activations",
        /// The scores of the vocabulary.
        Logits = "logits",
        /// What the backward pass of one operation works with.
        Working = "working",
        /// The KV cache.
        Cache = "cache",
        /// What the framework takes.
        Overhead = "overhead",
    }
}

impl Memory {
    /// What `part` takes.
    pub fn of(&self, part: MemoryPart) -> Bytes {
        self.entries()[part as usize].1
    }

    /// The entries with their names, in the order of tables.
    pub fn entries(&self) -> [(&'static str, Bytes); 9] {
        [
            ("weights", self.weights),
            ("gathered", self.gathered),
            ("gradients", self.gradients),
            ("optimizer", self.optimizer),
            ("activations", self.activations),
            ("logits", self.logits),
            ("working", self.working),
            ("cache", self.cache),
            ("overhead", self.overhead),
        ]
    }

    /// All of it.
    pub fn total(&self) -> Bytes {
        self.entries().iter().fold(Bytes::ZERO, |sum, (_, bytes)| sum + *bytes)
    }
}

impl Accounting<'_> {
    /// What a rank of `account`'s stage holds at its fullest.
    ///
    /// # Errors
    ///
    /// The policy keeps layers that the stage does not have, or its schedule does not suit the layout.
    pub fn memory(&self, account: &Account, policy: &MemoryPolicy) -> Result<Memory> {
        self.memory_of(account.stage, policy)
    }

    /// The same of a stage that is not accounted for.
    ///
    /// # Errors
    ///
    /// The policy keeps layers that the stage does not have.
    pub fn memory_of(&self, stage: u64, policy: &MemoryPolicy) -> Result<Memory> {
        let logits = self.logits(stage, policy);
        if self.step.phase == Phase::Training {
            let again = self.computed_again(stage, policy)?;
            let held = self.stage_held(stage, again, policy);
            let layout = self.division.layout;
            policy.schedule.suits([layout.pp, layout.vpp], self.step.recompute)?;
            let parameters = self.kinds(stage).map(|(layer, count)| (self.layer_parameters(layer), count));
            let state = held.state(parameters, layout, &self.elements, policy);
            let in_flight = layout.in_flight(stage, self.load.micro_batches, policy.schedule);
            return Ok(state.with_work(held.activations(in_flight), logits, held.working, policy));
        }
        let mut parameters = 0;
        self.operations(stage, |operation, layers, _| {
            parameters += layers * operation.parameters(&self.division.shares);
        });
        let memory = Memory {
            weights: parameters as f64 * self.elements.activation,
            cache: self.kv_cache(stage, policy),
            activations: self.forward_working(stage),
            logits,
            ..Memory::default()
        };
        Ok(memory.with_overhead(policy))
    }
}
