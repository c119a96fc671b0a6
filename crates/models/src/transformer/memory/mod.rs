//! `Memory`: what one rank has to hold at its fullest, by what it is for.

mod activations;
mod cache;
mod optimizer;
mod policy;
mod working;

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Result, choices};

use crate::transformer::{Account, Accounting, Layout, Part, Phase};

pub(crate) use activations::Kept;
pub(crate) use cache::kept_tokens;
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
    /// The policy keeps layers that the stage does not have.
    pub fn memory(&self, account: &Account, policy: &MemoryPolicy) -> Result<Memory> {
        let trains = self.step.phase == Phase::Training;
        let mut memory = Memory::default();
        for (part, parameters) in account.parameters.entries() {
            let held = parameters as f64;
            let shard =
                |stage: u64| if self.division.layout.zero >= stage { self.sharded_over(part) } else { 1.0 };
            if !(trains && policy.cast_weights) {
                memory.weights += held * self.elements.activation / shard(3);
            }
            if trains {
                let copy = match policy.gradient_copies {
                    GradientCopies::Nothing => Bytes::ZERO,
                    GradientCopies::Updated => FULL_PRECISION / shard(1),
                    GradientCopies::All => FULL_PRECISION / shard(2),
                };
                memory.gradients += held * (self.elements.gradient / shard(2) + copy);
            }
        }
        if trains {
            memory.optimizer = self.optimizer_state(account, policy.optimizer);
            memory.gathered = self.gathered(account);
            memory.working = self.backward_working(account.stage);
        } else {
            memory.cache = self.kv_cache(account.stage, policy);
        }
        memory.activations = self.activations(account.stage, policy)?;
        memory.logits = self.logits(account.stage, policy);
        let used = memory.total();
        memory.overhead = policy.framework + policy.fragmentation * used;
        Ok(memory)
    }

    /// Over how many ranks the state of `part` is shared, once it is.
    pub(crate) fn sharded_over(&self, part: Part) -> f64 {
        let layout: &Layout = self.division.layout;
        let ranks = match part {
            Part::Experts => layout.expert_replicas(),
            _ => layout.replicas(),
        };
        layout.shard.map_or(ranks, |shard| shard.min(ranks)) as f64
    }

    /// What is gathered of the weights of two layers, one in use and the next on its way, and the
    /// gradients of one until they are scattered, where replicas share them; a rank's own part is
    /// there already.
    fn gathered(&self, account: &Account) -> Bytes {
        let zero = self.division.layout.zero;
        if zero < 2 {
            return Bytes::ZERO;
        }
        let shares = &self.division.shares;
        let others = |part: Part| 1.0 - 1.0 / self.sharded_over(part);
        // The largest two layers, largest first.
        let mut largest = [0.0, 0.0];
        for (layer, count) in self.kinds(account.stage) {
            let held = layer
                .operations()
                .map(|operation| operation.parameters(shares) as f64 * others(operation.part));
            let numbers: f64 = held.sum();
            for _ in 0..count.min(2) {
                largest = match numbers {
                    _ if numbers > largest[0] => [numbers, largest[0]],
                    _ => [largest[0], numbers.max(largest[1])],
                };
            }
        }
        let weights = if zero == 3 { largest[0] + largest[1] } else { 0.0 };
        weights * self.elements.activation + largest[0] * self.elements.gradient
    }
}
