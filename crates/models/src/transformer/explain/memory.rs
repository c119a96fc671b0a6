//! What a rank holds, as trees: weights, gradients, the optimizer's state, logits, cache and overhead.

use mlsysim_scenario::{Derivation, Result, Value, constant};

use super::lines::summed;
use super::tree::{computed, count, given, number, stated};
use crate::physics::training_state::STORED_32_BIT;
use crate::transformer::memory::{FULL_PRECISION, kept_tokens};
use crate::transformer::{
    Account, Accounting, Dimension, Extent, GradientCopies, Line, Mask, MemoryPart, Part, Phase, Placed, Work,
};

/// An equation and what it uses.
pub(super) type Derived = (String, Vec<Derivation>);

/// What is not there.
pub(super) fn nothing() -> Derived {
    ("0".to_string(), Vec::new())
}

pub(super) fn full_precision() -> Derivation {
    given("full_precision", number(FULL_PRECISION.base()), "a number in 32 bits")
}

impl Placed<'_> {
    pub(super) fn derive_memory(&self, part: MemoryPart) -> Result<Derived> {
        let accounting = self.accounting;
        let account = accounting.account(self.fit.stage)?;
        let trains = accounting.step.phase == Phase::Training;
        Ok(match part {
            MemoryPart::Weights if trains && self.policy.cast_weights => nothing(),
            MemoryPart::Weights => self.derive_weights(&account),
            MemoryPart::Gradients if trains => self.derive_gradients(&account),
            MemoryPart::Optimizer if trains => self.derive_optimizer(&account),
            MemoryPart::Gathered if trains => accounting.derive_gathered(account.stage),
            MemoryPart::Working if trains => accounting.derive_backward_working(account.stage),
            MemoryPart::Activations if trains => self.derive_kept(account.stage)?,
            MemoryPart::Activations => accounting.derive_forward_working(account.stage),
            MemoryPart::Logits => self.derive_logits(account.stage),
            MemoryPart::Cache if !trains => self.derive_cache(account.stage),
            MemoryPart::Overhead => self.derive_overhead(),
            _ => nothing(),
        })
    }

    /// A derivation for each part of the model that has weights.
    fn by_part(&self, account: &Account, of: impl Fn(Part) -> (Value, String, Vec<Derivation>)) -> Derived {
        let mut parts = Vec::new();
        for (part, parameters) in account.parameters.entries() {
            if parameters > 0 {
                let (value, equation, mut uses) = of(part);
                let held = self.accounting.explain(account, Line::Parameters(Some(part)));
                uses.insert(0, Derivation { label: "parameters".to_string(), ..held });
                parts.push(computed(part.name(), value, "", equation, uses));
            }
        }
        (summed(&parts), parts)
    }

    fn derive_weights(&self, account: &Account) -> Derived {
        let Accounting { elements, .. } = self.accounting;
        self.by_part(account, |part| {
            let (over, shared, mut uses) = self.accounting.shared(part, 3);
            uses.push(given("element", number(elements.activation.base()), "the precision"));
            let bytes = account.parameters[part] as f64 * elements.activation / over;
            (constant(&bytes), format!("parameters × element{shared}"), uses)
        })
    }

    fn derive_gradients(&self, account: &Account) -> Derived {
        let Accounting { elements, .. } = self.accounting;
        let copied = match self.policy.gradient_copies {
            GradientCopies::Nothing => None,
            GradientCopies::Updated => Some(1),
            GradientCopies::All => Some(2),
        };
        self.by_part(account, |part| {
            let (over, shared, mut uses) = self.accounting.shared(part, 2);
            uses.push(given("gradient", number(elements.gradient.base()), "the precision of gradients"));
            let (mut each, mut equation) = (elements.gradient / over, format!("gradient{shared}"));
            if let Some(stage) = copied {
                let (over, shared, more) = self.accounting.shared(part, stage);
                if uses.len() < 2 {
                    uses.extend(more);
                }
                uses.push(full_precision());
                each += FULL_PRECISION / over;
                equation = format!("({equation} + full_precision{shared})");
            }
            let bytes = account.parameters[part] as f64 * each;
            (constant(&bytes), format!("parameters × {equation}"), uses)
        })
    }

    fn derive_optimizer(&self, account: &Account) -> Derived {
        let (accounting, optimizer) = (self.accounting, self.policy.optimizer);
        let shares = &accounting.division.shares;
        let mut parts = Vec::new();
        accounting.operations(account.stage, |operation, layers, _| {
            let parameters = operation.parameters(shares) as f64;
            let factors = optimizer.factors(operation, shares);
            if parameters == 0.0 && factors == 0.0 {
                return;
            }
            let (over, shared, mut uses) = accounting.shared(operation.part, 1);
            let state = accounting.kept_each(optimizer, operation);
            let source =
                format!("the optimizer `{}`, with a 32-bit weight if that is not one", optimizer.name());
            uses.push(accounting.factor("layers", layers as f64));
            let held = accounting.operation_parameters(operation);
            uses.push(Derivation { label: "parameters".to_string(), ..held });
            uses.push(given("state", number(state.base()), source));
            let mut equation = "layers × parameters × state".to_string();
            if factors > 0.0 {
                equation = "layers × (parameters × state + factors × full_precision)".to_string();
                uses.push(given(
                    "factors",
                    number(factors),
                    "the rows and columns of the matrix on the rank",
                ));
                uses.push(full_precision());
            }
            let bytes = layers as f64 * (parameters * state.base() + factors * STORED_32_BIT.base()) / over;
            let bytes = constant(&mlsysim_quantity::Bytes::from_base(bytes));
            parts.push(computed(operation.name, bytes, "", format!("{equation}{shared}"), uses));
        });
        (summed(&parts), parts)
    }

    fn derive_logits(&self, stage: u64) -> Derived {
        let Accounting { division, load, elements, step, .. } = self.accounting;
        if stage + 1 != division.layout.pp {
            return nothing();
        }
        let copies = if self.policy.loss_in_place || step.phase != Phase::Training { 1 } else { 2 };
        let rows = Extent::of(Dimension::Vocabulary, division.model.vocabulary);
        let parts = vec![
            self.accounting.named_count("tokens_scored", load.scored as f64),
            self.accounting.extent("rows", &rows),
            given("element", number(elements.activation.base()), "the precision"),
            given("copies", count(copies), "the loss, which works in 32 bits"),
            full_precision(),
        ];
        ("tokens_scored × rows × (element + copies × full_precision)".to_string(), parts)
    }

    fn derive_cache(&self, stage: u64) -> Derived {
        let Accounting { division, load, elements, .. } = self.accounting;
        let length = load.context + load.sequence;
        let block = self.policy.cache_block;
        let mut layers_of = Vec::new();
        self.accounting.operations(stage, |operation, layers, _| {
            let Work::Attention { mask, cached: [first, second], .. } = &operation.work else { return };
            let each = operation.cached(&division.shares);
            if each == 0 {
                return;
            }
            let per_token = computed(
                "numbers_per_token",
                count(each),
                "",
                "first + second",
                vec![self.accounting.extent("first", first), self.accounting.extent("second", second)],
            );
            let shown = kept_tokens(*mask, length);
            let mut uses = vec![
                given("context", count(load.context), "the step"),
                given("sequence", count(load.sequence), "the step"),
            ];
            let mut equation = "context + sequence";
            if let Mask::Window(width) | Mask::Chunk(width) = mask {
                uses.push(given("window", count(u64::from(*width)), "the configuration"));
                equation = "min(window, context + sequence)";
            }
            let shown = computed("length", count(shown), "", equation, uses);
            let kept = computed(
                "kept_tokens",
                count(kept_tokens(*mask, length).next_multiple_of(block)),
                "In whole blocks.",
                "ceil(length / block) × block",
                vec![shown, stated("block", count(block), "the memory policy")],
            );
            let numbers = layers * each * kept_tokens(*mask, length).next_multiple_of(block);
            let uses = vec![self.accounting.factor("layers", layers as f64), per_token, kept];
            layers_of.push(computed(
                operation.name,
                count(numbers),
                "",
                "layers × numbers_per_token × kept_tokens",
                uses,
            ));
        });
        let numbers: f64 = layers_of.iter().filter_map(as_number).sum();
        let numbers = computed("numbers", number(numbers), "Of one sequence.", summed(&layers_of), layers_of);
        let parts = vec![
            given("sequences", count(load.sequences), "the micro-batch"),
            self.accounting.factor("micro_batches", load.micro_batches as f64),
            numbers,
            given("cached_element", number(elements.cached.base()), "the precision of the cache"),
            self.accounting.degree("cp", division.layout.cp),
        ];
        ("micro_batches × sequences × numbers × cached_element / cp".to_string(), parts)
    }

    fn derive_overhead(&self) -> Derived {
        let memory = &self.fit.memory;
        let used = memory.total() - memory.overhead;
        let parts = vec![
            stated("framework", constant(&self.policy.framework), "the memory policy"),
            stated("fragmentation", Value::Number(self.policy.fragmentation), "the memory policy"),
            given("used", constant(&used), "the other lines of `memory`"),
        ];
        ("framework + fragmentation × used".to_string(), parts)
    }
}

/// The value of a count.
fn as_number(derived: &Derivation) -> Option<f64> {
    match derived.value.as_ref().ok()? {
        Value::Integer(whole) => Some(*whole as f64),
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

impl Accounting<'_> {
    /// Over how many ranks the state of `part` is shared from the stage `from` of ZeRO on: the divisor,
    /// how it stands in an equation, and what it uses; nothing where it is not shared.
    pub(super) fn shared(&self, part: Part, from: u64) -> (f64, &'static str, Vec<Derivation>) {
        if self.division.layout.zero < from {
            return (1.0, "", Vec::new());
        }
        (self.division.layout.sharded_over(part), " / shared_by", vec![self.shared_by(part)])
    }

    /// Over how many ranks the state of `part` is shared, once it is.
    pub(super) fn shared_by(&self, part: Part) -> Derivation {
        let layout = self.division.layout;
        let mut uses = vec![self.degree("dp", layout.dp), self.degree("cp", layout.cp)];
        let mut equation = "dp × cp".to_string();
        if part == Part::Experts {
            uses.extend([
                self.degree("tp", layout.tp),
                self.degree("ep", layout.ep),
                self.degree("etp", layout.expert_tensor()),
            ]);
            equation = "tp × dp × cp / (ep × etp)".to_string();
        }
        if let Some(shard) = layout.shard {
            uses.push(self.degree("shard", shard));
            equation = format!("min(shard, {equation})");
        }
        computed("shared_by", number(self.division.layout.sharded_over(part)), "", equation, uses)
    }
}
