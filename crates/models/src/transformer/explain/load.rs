//! How many tokens and pairs of them an operation works on, as trees.

use mlsysim_scenario::Derivation;

use super::tree::{computed, count, given, number};
use crate::transformer::{Accounting, Load, Mask, Operation, Part, Phase, Step, Work, attention_pairs};

impl Accounting<'_> {
    /// The tokens that an operation works on in a micro-batch.
    pub(super) fn tokens(&self, operation: &Operation) -> Derivation {
        let Step { sequence, .. } = *self.step;
        let layout = self.division.layout;
        let sequences = given("sequences", count(self.load.sequences), "the micro-batch");
        let new = given("sequence", count(sequence), "the step");
        let mut parts = vec![sequences, new];
        let mut equation = "sequences × sequence".to_string();
        if layout.cp > 1 {
            equation.push_str(" / cp");
            parts.push(self.degree("cp", layout.cp));
        }
        match operation.part {
            Part::Experts => {
                let per_token = self.division.model.routing.map_or(1, |routing| routing.per_token);
                equation.push_str(" × experts_per_token");
                parts.push(given("experts_per_token", count(u64::from(per_token)), "the configuration"));
                if layout.expert_tensor() != layout.tp {
                    equation.push_str(" × etp / tp");
                    parts.push(self.degree("etp", layout.expert_tensor()));
                    parts.push(self.degree("tp", layout.tp));
                }
            }
            Part::Norms | Part::Router if layout.sp => {
                equation.push_str(" / tp");
                parts.push(self.degree("tp", layout.tp));
            }
            Part::Head if self.step.phase != Phase::Training => {
                equation = "sequences".to_string();
                parts.truncate(1);
            }
            _ => {}
        }
        let mut value = self.load.of(operation);
        if let Work::Linear { inputs, .. } = &operation.work {
            value = self.load.linear_tokens(operation, inputs, self.step.phase);
            if value > self.load.of(operation) {
                equation.push_str(" + cached_tokens");
                parts.push(self.cached_tokens(Mask::Causal));
            }
        }
        computed("tokens", number(value), "", equation, parts)
    }

    /// The cached tokens whose keys and values a rank reads.
    pub(super) fn cached_tokens(&self, mask: Mask) -> Derivation {
        given("cached_tokens", number(self.load.cached_keys(mask)), "those that the mask lets be seen")
    }

    /// The pairs of a query and a key of one head.
    pub(super) fn pairs(&self, mask: Mask) -> Derivation {
        let Load { sequence, context, sequences, .. } = self.load;
        let given = |name, value: u64| given(name, count(value), "the step");
        let mut parts = vec![given("sequences", sequences)];
        let masked = match mask {
            Mask::Full | Mask::Causal => {
                parts.extend([given("new", sequence), given("cached", context)]);
                match mask {
                    Mask::Full => "new × (new + cached)",
                    _ => "(new × cached + new × (new + 1) / 2)",
                }
            }
            _ => {
                parts.push(first_pairs("pairs_of_all", mask, sequence + context));
                match context {
                    0 => "pairs_of_all",
                    _ => {
                        parts.push(first_pairs("pairs_of_cached", mask, context));
                        "(pairs_of_all - pairs_of_cached)"
                    }
                }
            }
        };
        let mut equation = format!("sequences × {masked}");
        if self.division.layout.cp > 1 {
            equation.push_str(" / cp");
            parts.push(self.degree("cp", self.division.layout.cp));
        }
        computed(
            "pairs",
            number(self.load.pairs(mask)),
            "Pairs of a query and a key for one head.",
            equation,
            parts,
        )
    }
}

/// The pairs of the first `tokens` of a sequence under a mask that hides what is long past.
fn first_pairs(label: &'static str, mask: Mask, tokens: u64) -> Derivation {
    let pairs = count(attention_pairs(mask, tokens, 0));
    let all = given("tokens", count(tokens), "the step");
    let width = |name, width: u32| given(name, count(u64::from(width)), "the configuration");
    let seen = "Each token sees itself and those before it that the mask shows.";
    match mask {
        Mask::Full | Mask::Causal => given(label, pairs, "the step"),
        Mask::Window(most) | Mask::Chosen(most) => {
            let name = if matches!(mask, Mask::Window(_)) { "window" } else { "chosen" };
            let equation = format!(
                "min(tokens, {name}) × (min(tokens, {name}) + 1) / 2 + max(0, tokens - {name}) × {name}"
            );
            computed(label, pairs, seen, equation, vec![all, width(name, most)])
        }
        Mask::Chunk(length) => {
            let (each, chunk) = (u64::from(length).max(1), width("chunk", length));
            let whole = computed(
                "whole_chunks",
                count(tokens / each),
                "",
                "floor(tokens / chunk)",
                vec![all.clone(), chunk.clone()],
            );
            let rest = computed(
                "rest",
                count(tokens % each),
                "",
                "tokens - whole_chunks × chunk",
                vec![all, whole.clone(), chunk.clone()],
            );
            let equation = "whole_chunks × chunk × (chunk + 1) / 2 + rest × (rest + 1) / 2";
            computed(label, pairs, seen, equation, vec![whole, chunk, rest])
        }
    }
}
