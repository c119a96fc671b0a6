//! `Held`: what a layer, or an end of the model, holds and works with on a rank; stages are made of it.

use mlsysim_quantity::Bytes;

use super::{FULL_PRECISION, GradientCopies, Memory, MemoryPolicy, Schedule};
use crate::transformer::{Accounting, Elements, Layer, Layout, Operation, Part, PerPart, Recompute};

/// What a layer, or an end of the model, holds and works with on a rank in training.
///
/// It depends on the degrees that divide a layer, on the micro-batch and on what is computed again, and
/// neither on stages nor on replicas, so that many layouts share it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Its parameters, before replicas share them.
    pub parameters: PerPart<u64>,
    /// What the optimizer keeps of them, before replicas share it.
    pub optimizer: PerPart<Bytes>,
    /// What it keeps of a micro-batch for the backward pass, if nothing is computed again whole.
    pub kept: Bytes,
    /// What the backward pass of the operation works with that needs most.
    pub working: Bytes,
}

/// What a stage holds and works with on a rank in training, before replicas share it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageHeld {
    /// Its parameters.
    pub parameters: PerPart<u64>,
    /// What the optimizer keeps of them.
    pub optimizer: PerPart<Bytes>,
    /// What is kept of a micro-batch for the backward pass.
    pub kept: Bytes,
    /// What is there once while the largest layer is computed again.
    pub again: Bytes,
    /// What the backward pass of the operation works with that needs most.
    pub working: Bytes,
}

impl StageHeld {
    /// Adds an end of the model.
    pub fn add_end(&mut self, end: &Held) {
        self.add_state(end, 1);
    }

    /// Adds `count` layers, of which a part of `again` is computed again from the activations `between`
    /// layers.
    pub fn add_layers(&mut self, layer: &Held, count: u64, again: f64, between: Bytes) {
        self.add_state(layer, count);
        self.kept += count as f64 * (again * between + (1.0 - again) * layer.kept);
        // While a layer is computed again, all that it keeps is there once.
        if again > 0.0 && layer.kept > self.again {
            self.again = layer.kept;
        }
    }

    fn add_state(&mut self, held: &Held, count: u64) {
        for part in Part::ALL {
            self.parameters[part] += count * held.parameters[part];
            self.optimizer[part] += count as f64 * held.optimizer[part];
        }
        self.working = self.working.max(held.working);
    }

    /// All parameters.
    pub fn total_parameters(&self) -> u64 {
        self.parameters.values().sum()
    }

    /// The activations of so many micro-batches in flight.
    pub fn activations(&self, in_flight: f64) -> Bytes {
        in_flight * self.kept + self.again
    }

    /// The weights, gradients and the optimizer's state as `layout` shares them among replicas, with
    /// what is gathered of the stage's `layers`, each kind with their number.
    pub fn state(
        &self,
        layers: impl Iterator<Item = (PerPart<u64>, u64)>,
        layout: &Layout,
        elements: &Elements,
        policy: &MemoryPolicy,
    ) -> Memory {
        let mut memory = Memory::default();
        for part in Part::ALL {
            let held = self.parameters[part] as f64;
            if held == 0.0 {
                continue;
            }
            let over = layout.sharded_over(part);
            let shard = |stage: u64| if layout.zero >= stage { over } else { 1.0 };
            if !policy.cast_weights {
                memory.weights += held * elements.activation / shard(3);
            }
            let copy = match policy.gradient_copies {
                GradientCopies::Nothing => Bytes::ZERO,
                GradientCopies::Updated => FULL_PRECISION / shard(1),
                GradientCopies::All => FULL_PRECISION / shard(2),
            };
            memory.gradients += held * (elements.gradient / shard(2) + copy);
            memory.optimizer += self.optimizer[part] / shard(1);
        }
        memory.gathered = gathered(layers, layout, elements);
        memory
    }
}

/// What is gathered of the weights of two layers, one in use and the next on its way, and the gradients
/// of one until they are scattered, where replicas share them; a rank's own part is there already.
fn gathered(
    layers: impl Iterator<Item = (PerPart<u64>, u64)>,
    layout: &Layout,
    elements: &Elements,
) -> Bytes {
    if layout.zero < 2 {
        return Bytes::ZERO;
    }
    // The largest two layers, largest first.
    let mut largest = [0.0, 0.0];
    for (parameters, count) in layers {
        let others = |(part, held): (Part, u64)| held as f64 * (1.0 - 1.0 / layout.sharded_over(part));
        let numbers: f64 = parameters.entries().map(others).sum();
        for _ in 0..count.min(2) {
            largest = match numbers {
                _ if numbers > largest[0] => [numbers, largest[0]],
                _ => [largest[0], numbers.max(largest[1])],
            };
        }
    }
    let weights = if layout.zero == 3 { largest[0] + largest[1] } else { 0.0 };
    weights * elements.activation + largest[0] * elements.gradient
}

impl Memory {
    /// The same with what a step of training works with, and what the framework takes of all that.
    #[must_use]
    pub fn with_work(self, activations: Bytes, logits: Bytes, working: Bytes, policy: &MemoryPolicy) -> Self {
        Memory { activations, logits, working, ..self }.with_overhead(policy)
    }

    /// The total of what [`with_work`](Memory::with_work) makes of a memory whose total is `state`, added
    /// up in the same order.
    pub fn total_with_work(state: Bytes, work: [Bytes; 3], policy: &MemoryPolicy) -> Bytes {
        let used = work.into_iter().fold(state, |sum, part| sum + part);
        used + (policy.framework + policy.fragmentation * used)
    }

    /// The same with what the framework takes.
    pub(super) fn with_overhead(self, policy: &MemoryPolicy) -> Self {
        let used = self.total();
        Memory { overhead: policy.framework + policy.fragmentation * used, ..self }
    }
}

impl Layout {
    /// Over how many ranks the state of `part` is shared, once it is.
    pub fn sharded_over(&self, part: Part) -> f64 {
        let ranks = match part {
            Part::Experts => self.expert_replicas(),
            _ => self.replicas(),
        };
        self.shard.map_or(ranks, |shard| shard.min(ranks)) as f64
    }

    /// How many micro-batches a stage keeps at once, of so many in all.
    ///
    /// With one forward and one backward pass in turn, stage `s` of `p` has begun `p − s` before its
    /// first backward pass; interleaved chunks of layers begin `2(p − s − 1) + (v − 1)p + 1` of them,
    /// each a `v`-th of a stage.
    ///
    /// Where passes of weights are put off, every stage keeps as many as the first one begins: `p`, or
    /// `2p − 1` without a bubble. One that waits for its weights' pass keeps as much as one that waits
    /// for all of its backward pass: of each operation what it read, and the gradient of what it made in
    /// the place of what the next one read.
    ///
    /// Source: Narayanan et al. (2021), section 2.2, arXiv:2104.04473; the warm-up of Megatron-LM's
    /// interleaved schedule; Qi et al. (2023), table 1 and section 2.3, arXiv:2401.10241.
    pub fn in_flight(&self, stage: u64, micro_batches: u64, schedule: Schedule) -> f64 {
        let (pp, vpp) = (self.pp, self.vpp);
        let after = pp - 1 - stage;
        match schedule {
            Schedule::GPipe => micro_batches as f64,
            Schedule::OneForwardOneBackward if vpp > 1 => {
                (2 * after + (vpp - 1) * pp + 1).min(micro_batches * vpp) as f64 / vpp as f64
            }
            Schedule::OneForwardOneBackward => (after + 1).min(micro_batches) as f64,
            Schedule::ZeroBubbleH1 | Schedule::ZeroBubbleH2 => {
                (schedule.puts_off() * (pp - 1) + 1).min(micro_batches) as f64
            }
        }
    }
}

impl Accounting<'_> {
    /// What a layer holds and works with in training.
    pub fn layer_held(&self, layer: &Layer, policy: &MemoryPolicy) -> Held {
        let mut held = Held { kept: self.layer_kept(layer, policy), ..Held::default() };
        layer.operations().for_each(|operation| self.hold(operation, policy, &mut held));
        held
    }

    /// What the embedding holds and works with in training, and what the head does, with a matrix of its
    /// own where it is `away` from the embedding.
    pub fn ends_held(&self, policy: &MemoryPolicy, away: bool) -> [Held; 2] {
        let model = self.division.model;
        let mut ends = [Held::default(); 2];
        model.embedding.iter().for_each(|operation| self.hold(operation, policy, &mut ends[0]));
        for operation in &model.head {
            let shared = operation.shared && !(model.tied && away);
            self.hold(&Operation { shared, ..*operation }, policy, &mut ends[1]);
        }
        ends
    }

    fn hold(&self, operation: &Operation, policy: &MemoryPolicy, held: &mut Held) {
        held.parameters[operation.part] += operation.parameters(&self.division.shares);
        held.optimizer[operation.part] += self.optimizer_state(operation, policy.optimizer);
        held.working = held.working.max(self.backward_bytes(operation));
    }

    /// What a stage holds and works with in training, of which a part of `again` is computed again.
    pub(super) fn stage_held(&self, stage: u64, again: f64, policy: &MemoryPolicy) -> StageHeld {
        let mut held = StageHeld::default();
        let [first, last] = [self.is_first(stage), self.is_last(stage)];
        let ends = if first || last { self.ends_held(policy, !(first && last)) } else { Default::default() };
        if first {
            held.add_end(&ends[0]);
        }
        let between = self.between_layers();
        for (layer, count) in self.kinds(stage) {
            held.add_layers(&self.layer_held(layer, policy), count, again, between);
        }
        if last {
            held.add_end(&ends[1]);
        }
        if policy.stage_outputs && !last {
            held.kept += between;
        }
        held
    }

    /// The parameters of a layer on a rank, by part.
    pub(super) fn layer_parameters(&self, layer: &Layer) -> PerPart<u64> {
        let mut parameters = PerPart::default();
        for operation in layer.operations() {
            parameters[operation.part] += operation.parameters(&self.division.shares);
        }
        parameters
    }
}

/// Which part of layers is computed again whole, where no policy says of how many.
pub(crate) fn again(recompute: Recompute) -> f64 {
    if recompute == Recompute::Full { 1.0 } else { 0.0 }
}
