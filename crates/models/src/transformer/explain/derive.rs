//! How the numbers of an account come about, as trees down to the configuration and the layout.
//!
//! A tree names the factors that the number was computed from, so that both come from one place:
//! the [`Extent`]s of an operation and the [`Factors`](crate::transformer::Factors) of an exchange.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Derivation, Formula, constant};

use super::tree::{computed, count, given, number};
use crate::physics::matrix::matmul_flops;
use crate::transformer::account::is_latent;
use crate::transformer::{
    Accounting, Axis, Extent, Operation, Pass, Phase, Shares, Size, Work, attention_flops,
};

impl Accounting<'_> {
    /// Where a size of the model comes from.
    pub(super) fn origin_of(&self, size: Size) -> String {
        let origins = &self.division.model.origins;
        match origins.iter().find(|(known, _)| *known == size) {
            Some((_, origin)) => origin.to_string(),
            None => "its family".to_string(),
        }
    }

    pub(super) fn degree(&self, name: &'static str, value: u64) -> Derivation {
        given(name, count(value), "the layout")
    }

    /// The share of a size that a rank has: its equation, and what it uses.
    fn share(&self, size: Size) -> (String, Vec<Derivation>) {
        let Shares { tensor, expert, expert_tensor, vocabulary } = self.division.shares;
        let name = size.dimension.name();
        let whole = given(name, count(u64::from(size.value)), self.origin_of(size));
        let over = |degree: &'static str, ranks: u32| {
            (format!("{name} / {degree}"), vec![whole.clone(), self.degree(degree, u64::from(ranks))])
        };
        match size.dimension.axis() {
            Axis::Tensor if tensor > 1 => over("tp", tensor),
            Axis::TensorReplicated if tensor > 1 && size.value >= tensor => over("tp", tensor),
            Axis::TensorReplicated if tensor > 1 => (
                "1".to_string(),
                vec![computed(
                    "1",
                    count(1),
                    "One KV head on each rank, held by several.",
                    format!("max(1, {name} / tp)"),
                    vec![whole, self.degree("tp", u64::from(tensor))],
                )],
            ),
            Axis::TensorPadded if tensor > 1 => {
                let multiple = self.degree("vocabulary_multiple", self.division.layout.vocabulary_multiple);
                let tp = self.degree("tp", u64::from(tensor));
                let padded = match vocabulary == size.value {
                    true => given(
                        "padded_vocabulary",
                        count(u64::from(vocabulary)),
                        "the vocabulary, which divides by tp",
                    ),
                    false => computed(
                        "padded_vocabulary",
                        count(u64::from(vocabulary)),
                        "The vocabulary with rows that make it divide.",
                        "ceil(vocabulary / (vocabulary_multiple × tp)) × vocabulary_multiple × tp",
                        vec![whole, multiple, tp.clone()],
                    ),
                };
                ("padded_vocabulary / tp".to_string(), vec![padded, tp])
            }
            Axis::Expert if expert > 1 => over("ep", expert),
            Axis::ExpertTensor if expert_tensor > 1 => over("etp", expert_tensor),
            _ => match name {
                "factor" => (size.value.to_string(), Vec::new()),
                name => (name.to_string(), vec![whole]),
            },
        }
    }

    /// A side of a matrix on a rank.
    pub(crate) fn extent(&self, label: &'static str, extent: &Extent) -> Derivation {
        let (mut texts, mut parts) = (Vec::new(), Vec::<Derivation>::new());
        for size in extent.sizes() {
            let (text, used) = self.share(size);
            texts.push(text);
            parts.extend(
                used.into_iter()
                    .filter(|part| !parts.iter().any(|known| known.label == part.label))
                    .collect::<Vec<_>>(),
            );
        }
        let equation = if texts.is_empty() { "1".to_string() } else { texts.join(" × ") };
        computed(label, count(extent.on(&self.division.shares)), "", equation, parts)
    }

    /// The parameters of an operation on a rank.
    pub(crate) fn operation_parameters(&self, operation: &Operation) -> Derivation {
        let (equation, parts) = match &operation.work {
            Work::Linear { outputs, bias, .. } if operation.shared => match bias {
                true => ("outputs", vec![self.extent("outputs", outputs)]),
                false => ("0", vec![]),
            },
            Work::Linear { inputs, outputs, bias } => {
                let parts = vec![self.extent("inputs", inputs), self.extent("outputs", outputs)];
                (if *bias { "inputs × outputs + outputs" } else { "inputs × outputs" }, parts)
            }
            Work::Expert { experts, inputs, outputs, bias, .. } => {
                let sides = [("experts_held", experts), ("inputs", inputs), ("outputs", outputs)];
                let parts = sides.map(|(label, extent)| self.extent(label, extent)).into();
                let biased = "experts_held × (inputs × outputs + outputs)";
                (if *bias { biased } else { "experts_held × inputs × outputs" }, parts)
            }
            Work::LookUp { rows, width } => {
                ("rows × width", vec![self.extent("rows", rows), self.extent("width", width)])
            }
            Work::Norm { weights, vectors, .. } => {
                let vectors =
                    given("vectors", count(u64::from(*vectors)), "a scale, and a shift where there is one");
                ("vectors × width", vec![vectors, self.extent("width", weights)])
            }
            Work::Weights { count, width } => {
                ("numbers × width", vec![self.extent("numbers", count), self.extent("width", width)])
            }
            Work::Attention { .. } | Work::Elementwise { .. } => ("0", vec![]),
        };
        let value = count(operation.parameters(&self.division.shares));
        computed(operation.name, value, "", equation, parts)
    }

    /// The widths of a key and a value as scores see them.
    fn attended_widths(&self, operation: &Operation) -> Option<[Derivation; 2]> {
        let Work::Attention { key_width, value_width, read: [latent, rotary], .. } = &operation.work else {
            return None;
        };
        if self.step.phase != Phase::Decode || !is_latent(latent) {
            return Some([self.extent("key_width", key_width), self.extent("value_width", value_width)]);
        }
        let key = computed(
            "key_width",
            count(latent.whole() + rotary.whole()),
            "The latent and its rotary key.",
            "kv_rank + rotary_width",
            vec![self.extent("kv_rank", latent), self.extent("rotary_width", rotary)],
        );
        Some([key, self.extent("value_width", latent)])
    }

    /// The weights that a pass reads: those of experts that tokens reach, and of a tied table too.
    pub(super) fn read_weights(&self, operation: &Operation) -> Derivation {
        let mut weights = self.operation_parameters(&Operation { shared: false, ..*operation });
        if let Work::Expert { experts, bias, .. } = &operation.work
            && self.load.routed() < experts.on(&self.division.shares) as f64
        {
            let reached = self.load.routed();
            let held = operation.parameters(&self.division.shares) as f64;
            let value = held / experts.on(&self.division.shares) as f64 * reached;
            let equation =
                if *bias { "tokens × (inputs × outputs + outputs)" } else { "tokens × inputs × outputs" };
            let meaning = "Those of as many experts as copies of tokens reach.";
            let mut parts = weights.parts;
            parts.retain(|part| part.label != "experts_held");
            parts.push(self.tokens(operation));
            weights = computed("weights", number(value), meaning, equation, parts);
        }
        weights.label = "weights".to_string();
        weights
    }

    /// The arithmetic of an operation in one micro-batch and `pass`; nothing where there is none.
    pub(crate) fn operation_flops(&self, operation: &Operation, pass: Pass) -> Option<Derivation> {
        let (formula, mut parts): (&'static Formula, _) = match &operation.work {
            Work::Linear { inputs, outputs, .. } | Work::Expert { inputs, outputs, .. } => {
                let mut rows = self.tokens(operation);
                rows.label = "rows".to_string();
                (
                    &matmul_flops::FORMULA,
                    vec![rows, self.extent("inner", inputs), self.extent("columns", outputs)],
                )
            }
            Work::Attention { heads, mask, .. } => {
                let [key, value] = self.attended_widths(operation)?;
                (&attention_flops::FORMULA, vec![self.pairs(*mask), self.extent("heads", heads), key, value])
            }
            _ => return None,
        };
        let forward = operation.forward_flops(&self.division.shares, &self.load, self.step.phase);
        let equation = match pass {
            Pass::Backward => format!("{} × ({})", pass.products(), formula.output.equation.text),
            _ => formula.output.equation.text.to_string(),
        };
        parts.retain(|part| part.value.is_ok());
        let value = constant(&(pass.products() * forward));
        let mut derived = computed(operation.name, value, formula.output.doc.summary(), equation, parts);
        derived.equation_source = formula.output.source;
        Some(derived)
    }

    /// What an operation moves in one micro-batch and `pass`.
    pub(crate) fn operation_bytes(&self, operation: &Operation, pass: Pass, bytes: Bytes) -> Derivation {
        let shares = &self.division.shares;
        let element = given("element", number(self.elements.activation.base()), "the precision");
        let weights = self.read_weights(operation);
        let (equation, mut parts) = match &operation.work {
            Work::Linear { inputs, outputs, .. } | Work::Expert { inputs, outputs, .. } => (
                "(weights + tokens × (inputs + outputs)) × element",
                vec![
                    weights,
                    self.tokens(operation),
                    self.extent("inputs", inputs),
                    self.extent("outputs", outputs),
                ],
            ),
            Work::LookUp { width, .. } => {
                ("2 × tokens × width × element", vec![self.tokens(operation), self.extent("width", width)])
            }
            Work::Norm { data, .. } => (
                "(weights + 2 × tokens × width) × element",
                vec![weights, self.tokens(operation), self.extent("width", data)],
            ),
            Work::Elementwise { inputs, outputs, .. } => (
                "tokens × (inputs + outputs) × element",
                vec![self.tokens(operation), self.extent("inputs", inputs), self.extent("outputs", outputs)],
            ),
            Work::Attention { heads, read: [first, second], mask, .. } => {
                let mut parts =
                    vec![self.cached_tokens(*mask), self.tokens(operation), self.extent("heads", heads)];
                parts.extend(self.attended_widths(operation).into_iter().flatten());
                let is_ring = self.load.key_parts() > 1.0;
                if is_ring {
                    parts.push(self.degree("cp", self.division.layout.cp));
                }
                if is_latent(first) && self.step.phase != Phase::Decode {
                    let equation = match is_ring {
                        true => {
                            "(tokens + cp × (tokens + cached_tokens)) × heads × (key_width + value_width) × element"
                        }
                        false => "(2 × tokens + cached_tokens) × heads × (key_width + value_width) × element",
                    };
                    (equation, parts)
                } else {
                    let both = count(first.on(shares) + second.on(shares));
                    parts.push(given(
                        "cached_element",
                        number(self.elements.cached.base()),
                        "the precision of the cache",
                    ));
                    parts.push(computed(
                        "numbers_per_token",
                        both,
                        "What is read of a token.",
                        "first + second",
                        vec![self.extent("first", first), self.extent("second", second)],
                    ));
                    let equation = match is_ring {
                        true => {
                            "cp × cached_tokens × numbers_per_token × cached_element + tokens × (heads × (key_width + value_width) + cp × numbers_per_token) × element"
                        }
                        false => {
                            "cached_tokens × numbers_per_token × cached_element + tokens × (heads × (key_width + value_width) + numbers_per_token) × element"
                        }
                    };
                    (equation, parts)
                }
            }
            Work::Weights { .. } => ("weights × element", vec![weights]),
        };
        parts.push(element);
        let has_weights = parts.iter().any(|part| part.label == "weights");
        let equation = match pass {
            Pass::Backward if has_weights => {
                let gradient = number(self.elements.gradient.base());
                parts.push(given("gradient", gradient, "the precision of gradients, read and written"));
                format!("2 × ({equation}) + weights × (2 × gradient - element)")
            }
            Pass::Backward => format!("2 × ({equation})"),
            _ => equation.to_string(),
        };
        computed(operation.name, constant(&bytes), "", equation, parts)
    }
}
