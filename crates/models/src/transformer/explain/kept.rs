//! What forward passes keep, what they gather and what one operation works with, as trees.

use mlsysim_scenario::{Derivation, Result, constant};

use super::lines::summed;
use super::memory::{Derived, nothing};
use super::tree::{computed, count, given, number, stated};
use crate::transformer::memory::Kept;
use crate::transformer::{Accounting, Extent, Layer, Operation, Part, Placed, Schedule, Work};

impl Placed<'_> {
    /// What a stage keeps of the micro-batches in flight.
    pub(super) fn derive_kept(&self, stage: u64) -> Result<Derived> {
        let accounting = self.accounting;
        let again = accounting.computed_again(stage, self.policy)?;
        let mut kinds = Vec::new();
        let mut largest: Option<Derivation> = None;
        for (layer, layers) in accounting.kinds(stage) {
            let whole = self.derive_layer(layer);
            let bytes = accounting.layer_kept(layer, self.policy);
            let layers_of = accounting.factor("layers", layers as f64);
            let (equation, parts) = match again {
                0.0 => ("layers × whole", vec![layers_of, whole.clone()]),
                1.0 => ("layers × between", vec![layers_of, accounting.between()]),
                _ => (
                    "layers × (again × between + (1 - again) × whole)",
                    vec![layers_of, self.derive_again(stage, again), accounting.between(), whole.clone()],
                ),
            };
            let each = again * accounting.between_layers() + (1.0 - again) * bytes;
            kinds.push(computed("layers_alike", constant(&(layers as f64 * each)), "", equation, parts));
            let more = largest.as_ref().is_none_or(|known| known.value != Ok(constant(&bytes)))
                && self.largest_layer(stage) == bytes;
            if again > 0.0 && more {
                largest = Some(Derivation { label: "one_layer_whole".to_string(), ..whole });
            }
        }
        let layout = accounting.division.layout;
        if self.policy.stage_outputs && stage + 1 < layout.pp {
            let between = accounting.between();
            kinds.push(Derivation { label: "handed_on".to_string(), ..between });
        }
        let kept = kinds.iter().filter_map(bytes_of).sum();
        let kept = computed(
            "kept",
            constant(&mlsysim_quantity::Bytes::from_base(kept)),
            "Of one micro-batch.",
            summed(&kinds),
            kinds,
        );
        let mut parts = vec![self.derive_in_flight(stage), kept];
        let mut equation = "in_flight × kept".to_string();
        if let Some(largest) = largest {
            equation.push_str(" + one_layer_whole");
            parts.push(largest);
        }
        Ok((equation, parts))
    }

    /// What the layer of a stage keeps that keeps most.
    fn largest_layer(&self, stage: u64) -> mlsysim_quantity::Bytes {
        let kept =
            self.accounting.kinds(stage).map(|(layer, _)| self.accounting.layer_kept(layer, self.policy));
        kept.fold(mlsysim_quantity::Bytes::ZERO, |most, bytes| if bytes > most { bytes } else { most })
    }

    fn derive_again(&self, stage: u64, again: f64) -> Derivation {
        let layers = self.accounting.kinds(stage).map(|(_, layers)| layers).sum();
        let some = self.policy.recompute_layers.unwrap_or(layers);
        let parts = vec![
            stated("recompute_layers", count(some), "the memory policy"),
            given("layers", count(layers), "the layers of the stage"),
        ];
        computed(
            "again",
            number(again),
            "The part that is computed again.",
            "recompute_layers / layers",
            parts,
        )
    }

    fn derive_layer(&self, layer: &Layer) -> Derivation {
        let mut parts = Vec::new();
        for block in &layer.blocks {
            self.accounting
                .block_kept(block, self.policy, |kept| parts.push(self.accounting.kept_entry(&kept)));
        }
        let bytes = self.accounting.layer_kept(layer, self.policy);
        computed("whole", constant(&bytes), "What a layer keeps of one micro-batch.", summed(&parts), parts)
    }

    /// How many micro-batches are in flight at once.
    fn derive_in_flight(&self, stage: u64) -> Derivation {
        let accounting = self.accounting;
        let layout = accounting.division.layout;
        let schedule = self.policy.schedule;
        let all = accounting.factor("micro_batches", accounting.load.micro_batches as f64);
        let pp = || accounting.degree("pp", layout.pp);
        let after = computed(
            "after",
            count(layout.pp - 1 - stage),
            "The stages behind this one.",
            "pp - 1 - stage",
            vec![pp(), given("stage", count(stage), "the fullest stage")],
        );
        let (equation, parts) = match schedule {
            Schedule::GPipe => ("micro_batches", vec![all]),
            Schedule::OneForwardOneBackward if layout.vpp > 1 => (
                "min(2 × after + (vpp - 1) × pp + 1, micro_batches × vpp) / vpp",
                vec![after, accounting.degree("vpp", layout.vpp), pp(), all],
            ),
            Schedule::OneForwardOneBackward => ("min(after + 1, micro_batches)", vec![after, all]),
            Schedule::ZeroBubbleH1 => ("min(pp, micro_batches)", vec![pp(), all]),
            Schedule::ZeroBubbleH2 => ("min(2 × pp - 1, micro_batches)", vec![pp(), all]),
        };
        let value =
            number(accounting.division.layout.in_flight(stage, accounting.load.micro_batches, schedule));
        computed("in_flight", value, "Micro-batches that are kept at once.", equation, parts)
    }
}

impl Accounting<'_> {
    /// A number of tokens by the name that it has in derivations, down to the step and the layout.
    pub(super) fn named_count(&self, name: &'static str, value: f64) -> Derivation {
        let layout = self.division.layout;
        let tokens = || self.factor("tokens", self.load.tokens as f64);
        let tp = || self.degree("tp", layout.tp);
        match name {
            "tokens" => tokens(),
            "tokens_between" if layout.sp => {
                computed(name, number(value), "Each rank has a part.", "tokens / tp", vec![tokens(), tp()])
            }
            "tokens_between" => computed(name, number(value), "", "tokens", vec![tokens()]),
            "tokens_routed" => {
                let per_token = self.division.model.routing.map_or(1, |routing| routing.per_token);
                let parts = vec![
                    tokens(),
                    given("experts_per_token", count(u64::from(per_token)), "the configuration"),
                    self.degree("etp", layout.expert_tensor()),
                    tp(),
                ];
                computed(name, number(value), "", "tokens × experts_per_token × etp / tp", parts)
            }
            "pairs" => {
                let parts = vec![
                    given("sequences", count(self.load.sequences), "the micro-batch"),
                    given("sequence", count(self.load.sequence), "the step"),
                    self.degree("cp", layout.cp),
                ];
                let equation = "sequences × sequence × sequence / cp";
                computed(name, number(value), "The whole square of one head.", equation, parts)
            }
            _ => given(name, number(value), "the tokens whose vocabulary is scored"),
        }
    }

    /// Something that a block keeps.
    fn kept_entry(&self, kept: &Kept) -> Derivation {
        let (tokens, element) = (kept.tokens, kept.element);
        let [first, second] = &kept.width;
        let mut parts = vec![self.named_count(tokens.0, tokens.1), self.extent("width", first)];
        let mut equation = format!("{} × width", tokens.0);
        if *second != Extent::ONE {
            parts.push(self.extent("each", second));
            equation.push_str(" × each");
        }
        equation = format!("{equation} × {}", element.0);
        parts.push(given(element.0, number(element.1.base()), "the precision and the memory policy"));
        computed(kept.what, constant(&kept.bytes(&self.division.shares)), "", equation, parts)
    }

    /// The activations between two layers.
    fn between(&self) -> Derivation {
        let parts = vec![
            self.named_count("tokens_between", self.load.between as f64),
            self.factor("hidden", f64::from(self.division.model.hidden)),
            given("element", number(self.elements.activation.base()), "the precision"),
        ];
        let bytes = constant(&self.between_layers());
        computed(
            "between",
            bytes,
            "What one layer hands to the next.",
            "tokens_between × hidden × element",
            parts,
        )
    }

    /// What is gathered of the largest layers.
    pub(super) fn derive_gathered(&self, stage: u64) -> Derived {
        let zero = self.division.layout.zero;
        if zero < 2 {
            return nothing();
        }
        let mut layers: Vec<(f64, Derivation)> = Vec::new();
        for (layer, count) in self.kinds(stage) {
            let derived = self.others_of(layer);
            let numbers = bytes_of(&derived).unwrap_or(0.0);
            layers.extend(std::iter::repeat_n((numbers, derived), count.min(2) as usize));
        }
        layers.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let mut layers = layers.into_iter().map(|(_, derived)| derived);
        let none = || computed("next", count(0), "", "0", vec![]);
        let (largest, next) = (layers.next().unwrap_or_else(none), layers.next().unwrap_or_else(none));
        let mut parts = vec![Derivation { label: "largest".to_string(), ..largest }];
        let gradient = given("gradient", number(self.elements.gradient.base()), "the precision of gradients");
        if zero == 2 {
            parts.push(gradient);
            return ("largest × gradient".to_string(), parts);
        }
        parts.push(Derivation { label: "next".to_string(), ..next });
        parts.push(given("element", number(self.elements.activation.base()), "the precision"));
        parts.push(gradient);
        ("(largest + next) × element + largest × gradient".to_string(), parts)
    }

    /// The weights of a layer that other replicas have.
    fn others_of(&self, layer: &Layer) -> Derivation {
        let mut parts = Vec::new();
        let mut sum = 0.0;
        for operation in layer.operations() {
            let parameters = operation.parameters(&self.division.shares) as f64;
            if parameters > 0.0 {
                let numbers = parameters * (1.0 - 1.0 / self.division.layout.sharded_over(operation.part));
                sum += numbers;
                let uses = vec![self.held_by(operation), self.shared_by(operation.part)];
                let equation = "parameters × (1 - 1 / shared_by)";
                parts.push(computed(operation.name, number(numbers), "", equation, uses));
            }
        }
        computed("layer", number(sum), "Weights of a layer that others have.", summed(&parts), parts)
    }

    fn held_by(&self, operation: &Operation) -> Derivation {
        Derivation { label: "parameters".to_string(), ..self.operation_parameters(operation) }
    }

    /// What the operation works with whose backward pass needs most.
    pub(super) fn derive_backward_working(&self, stage: u64) -> Derived {
        let Some((operation, _)) = self.widest_backward(stage) else { return nothing() };
        let tokens = self.operation_tokens(&operation);
        let sides = |sides: &[(&'static str, &Extent)]| -> Vec<Derivation> {
            sides.iter().map(|(name, extent)| self.extent(name, extent)).collect()
        };
        let (moved, uses) = match &operation.work {
            Work::Linear { inputs, .. } if operation.part == Part::Head => {
                ("inputs", sides(&[("inputs", inputs)]))
            }
            Work::Linear { inputs, outputs, .. }
            | Work::Elementwise { inputs, outputs, .. }
            | Work::Expert { inputs, outputs, .. } => {
                ("(inputs + outputs)", sides(&[("inputs", inputs), ("outputs", outputs)]))
            }
            Work::LookUp { width, .. } => ("width", sides(&[("width", width)])),
            _ => ("0", Vec::new()),
        };
        let mut equation = format!("({} × {moved} + parameters)", tokens.label);
        let mut parts = vec![tokens];
        parts.extend(uses);
        parts.push(self.held_by(&operation));
        if let Work::Expert { experts, .. } = &operation.work {
            equation.push_str(" / experts_held");
            parts.push(self.extent("experts_held", experts));
        }
        parts.push(given("element", number(self.elements.activation.base()), "the precision"));
        self.of_one(&operation, format!("{equation} × element"), parts, false)
    }

    /// What a forward pass works with where nothing is kept.
    pub(super) fn derive_forward_working(&self, stage: u64) -> Derived {
        let Some((operation, _)) = self.widest_forward(stage) else {
            return ("between".to_string(), vec![self.between()]);
        };
        let tokens = self.operation_tokens(&operation);
        let mut equation = format!("{} × (inputs + outputs) × element", tokens.label);
        let mut parts = vec![tokens];
        match &operation.work {
            Work::Linear { inputs, outputs, .. }
            | Work::Elementwise { inputs, outputs, .. }
            | Work::Expert { inputs, outputs, .. } => {
                parts.extend([self.extent("inputs", inputs), self.extent("outputs", outputs)]);
            }
            _ => equation = "0".to_string(),
        }
        parts.push(given("element", number(self.elements.activation.base()), "the precision"));
        self.of_one(&operation, equation, parts, true)
    }

    /// What one operation works with, and what layers hand on where nothing else keeps it.
    fn of_one(
        &self,
        operation: &Operation,
        equation: String,
        parts: Vec<Derivation>,
        forward: bool,
    ) -> Derived {
        let widest = match forward {
            true => self.forward_bytes_of(operation),
            false => self.backward_bytes(operation),
        };
        let one =
            computed(operation.name, constant(&widest), "The operation that needs most.", equation, parts);
        match forward {
            true => {
                let parts = vec![self.between(), one];
                (summed(&parts), parts)
            }
            false => (summed(std::slice::from_ref(&one)), vec![one]),
        }
    }

    fn operation_tokens(&self, operation: &Operation) -> Derivation {
        let (name, value) = self.named_tokens(operation);
        self.named_count(name, value)
    }
}

/// The value of a derivation in bytes, or as a number.
fn bytes_of(derived: &Derivation) -> Option<f64> {
    match derived.value.as_ref().ok()? {
        mlsysim_scenario::Value::Integer(whole) => Some(*whole as f64),
        mlsysim_scenario::Value::Number(number) => Some(*number),
        mlsysim_scenario::Value::Quantity(quantity) => Some(quantity.value()),
        _ => None,
    }
}
