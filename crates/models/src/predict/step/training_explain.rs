//! How a predicted step of training comes about: its equation, its parts and its coefficients.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Derivation, constant};

use super::training::{OVERLAP, Stage};
use super::{Spent, TrainingCoefficients, TrainingQuestion};
use crate::predict::explain::{as_share, at_full_rate, coefficients as named, computed, counted};
use crate::transformer::Group;
use crate::transformer::explain::tree;

/// Sums parts under their names.
pub(super) fn summed(parts: &[Derivation]) -> String {
    parts.iter().map(|part| part.label.as_str()).collect::<Vec<_>>().join(" + ")
}

/// What pieces take alone, by the calibrations of kernels and collectives.
fn alone(label: &str, time: Time) -> Derivation {
    computed(label, time, "What the calibrations of kernels and collectives say of them alone.", "", vec![])
}

/// How far computing and what may run beside it overlap.
fn overlap_exponent() -> Derivation {
    let assumed = tree::stated("exponent", constant(&OVERLAP), "assumed, not fitted");
    Derivation { meaning: "How far both overlap: 1 would be a sum.", ..assumed }
}

/// What exchanges of `groups` take, in all; nothing where there are none.
fn exchange(label: &str, spent: &Spent, groups: &[Group]) -> Option<Derivation> {
    let sum = |each: &dyn Fn(Group) -> Time| groups.iter().fold(Time::ZERO, |sum, group| sum + each(*group));
    let time = sum(&|group| spent.exchanging(group));
    let sides = [
        ("on_links", sum(&|group| spent.links[group as usize])),
        ("on_network", sum(&|group| spent.network[group as usize])),
    ];
    let there = sides.into_iter().filter(|(_, time)| *time > Time::ZERO);
    let parts: Vec<Derivation> = there.map(|(what, time)| alone(what, time)).collect();
    let meaning = "What their groups exchange.";
    (time > Time::ZERO).then(|| computed(label, time, meaning, summed(&parts), parts))
}

impl TrainingQuestion {
    /// The equation of a step, with what it is the sum of.
    pub(super) fn derived(&self, of: &TrainingCoefficients) -> Derivation {
        let spans = self.spans(of);
        let mut parts = vec![self.derived_passes(of)];
        let more = [
            (spans.waiting, self.derived_waiting(of)),
            (spans.filling, self.derived_filling(of)),
            (spans.replicas, self.derived_replicas(of)),
            (
                spans.update,
                at_full_rate(
                    "update",
                    spans.update,
                    "Weights, gradients and the state of the optimizer, moved once.",
                ),
            ),
            (
                spans.beside,
                computed(
                    "beside",
                    spans.beside,
                    "What each step takes beside.",
                    "step",
                    named(&["step"], of),
                ),
            ),
        ];
        parts.extend(more.into_iter().filter(|(time, _)| *time > Time::ZERO).map(|(_, part)| part));
        computed("model", spans.sum(), "The time by the model.", summed(&parts), parts)
    }

    /// The passes of all micro-batches through the slowest stage.
    pub(super) fn derived_passes(&self, of: &TrainingCoefficients) -> Derivation {
        let spans = self.spans(of);
        let micro_batches = counted("micro_batches", self.micro_batches, "Micro-batches of a replica.");
        let meaning = "The slowest stage, of all micro-batches.";
        let parts = vec![micro_batches, self.derived_stage(of)];
        computed("passes", spans.passing, meaning, "micro_batches × stage", parts)
    }

    /// What the slowest stage takes of a micro-batch.
    fn derived_stage(&self, of: &TrainingCoefficients) -> Derivation {
        let spans = self.spans(of);
        let Some(stage) = self.stages.get(spans.slowest) else {
            return computed("stage", spans.stage, "", "", Vec::new());
        };
        let device = self.derived_device(stage, of);
        if stage.launched == [0, 0] {
            return Derivation { label: "stage".to_string(), ..device };
        }
        let [layers, routed] = stage.launched.map(|count| count as f64);
        let mut equation = "host × layers".to_string();
        let mut launching = named(&["host"], of);
        launching.push(counted("layers", layers, "Layers of the stage, whose kernels the host launches."));
        if routed > 0.0 {
            equation.push_str(" + routed_host × routed_layers");
            launching.extend(named(&["routed_host"], of));
            launching.push(counted("routed_layers", routed, "Those of them with experts."));
        }
        let host = Time::from_base(1e-3 * (of.host * layers + of.routed_host * routed));
        let meaning = "What launching the kernels of a micro-batch takes.";
        let host = computed("launching", host, meaning, equation, launching);
        let meaning = "The device, and what launching its kernels takes beside.";
        computed("stage", spans.stage, meaning, "launching + device", vec![host, device])
    }

    /// What the device takes of a micro-batch in the slowest stage.
    fn derived_device(&self, stage: &Stage, of: &TrainingCoefficients) -> Derivation {
        let spans = self.spans(of);
        let computing = self.derived_computing(stage, spans.computing, of);
        let experts = exchange("experts", &stage.spent, &[Group::Expert]);
        let meaning = "What the device takes of a micro-batch, all passes together.";
        match experts {
            None => Derivation { label: "device".to_string(), meaning, ..computing },
            Some(experts) if self.chunks > 1.0 => {
                let equation = "partly_overlapped(computing, experts, exponent)";
                let parts = vec![computing, experts, overlap_exponent()];
                computed("device", spans.with_experts, meaning, equation, parts)
            }
            Some(experts) => computed(
                "device",
                spans.with_experts,
                meaning,
                "computing + experts",
                vec![computing, experts],
            ),
        }
    }

    /// Computing of a micro-batch, with the exchanges that it waits for.
    fn derived_computing(&self, stage: &Stage, time: Time, of: &TrainingCoefficients) -> Derivation {
        let weights = self.class.weights(of);
        let spent = &stage.spent;
        let terms: [(&str, &'static str, &str, Spent); 5] = [
            (
                "products",
                "Matrix products.",
                self.class.products(false),
                Spent { products: spent.products, ..Spent::default() },
            ),
            (
                "expert_products",
                "Matrix products of routed experts.",
                self.class.products(false),
                Spent { experts: spent.experts, ..Spent::default() },
            ),
            (
                "wide_products",
                "Matrix products that stay in 16 bits.",
                self.class.products(true),
                Spent { wide: spent.wide, ..Spent::default() },
            ),
            (
                "fused_attention",
                "Attention in one kernel.",
                "attention",
                Spent { attention: spent.attention, ..Spent::default() },
            ),
            (
                "unfused_attention",
                "Attention whose scores are written to memory.",
                "scores",
                Spent { scores: spent.scores, ..Spent::default() },
            ),
        ];
        let mut parts = Vec::new();
        for (label, meaning, coefficient, spent) in terms {
            let time = weights.computing(&spent);
            if time == Time::ZERO {
                continue;
            }
            let mut within = named(&[coefficient], of);
            let sum = spent.products + spent.experts + spent.wide + spent.attention;
            within.push(alone("alone", sum + spent.scores));
            parts.push(computed(label, time, meaning, format!("{coefficient} × alone"), within));
        }
        if spent.moves > Time::ZERO {
            let meaning = "What only moves numbers, at the bandwidth of the memory.";
            parts.push(at_full_rate("moving", spent.moves, meaning));
        }
        let groups = [Group::Tensor, Group::ExpertTensor];
        match exchange("waiting", spent, if weights.overlaps() { &groups[..1] } else { &groups }) {
            Some(waiting) if weights.overlaps() => {
                let meaning = "Kernels of layers, beside which their ranks exchange.";
                let kernels = computed("kernels", weights.computing(spent), meaning, summed(&parts), parts);
                let meaning = "Both together.";
                let equation = "partly_overlapped(kernels, waiting, exponent)";
                let within = vec![kernels, waiting, overlap_exponent()];
                let together = weights.beside(spent);
                parts = vec![computed("layers", together, meaning, equation, within)];
                parts.extend(exchange("experts_tensor", spent, &groups[1..]));
            }
            waiting => parts.extend(waiting),
        }
        if let Some(hidden) = exchange("context", spent, &[Group::Context]) {
            let exchanged = spent.exchanging(Group::Context);
            let mut within = named(&["exposed"], of);
            within.push(hidden);
            let meaning = "What ranks of a sequence exchange and computing does not hide.";
            parts.push(computed(
                "context_exposed",
                weights.exposed * exchanged,
                meaning,
                format!("{} × context", as_share("exposed", of)),
                within,
            ));
        }
        computed("computing", time, "Computing, with the exchanges that it waits for.", summed(&parts), parts)
    }

    /// What the slowest stage waits for its neighbours.
    pub(super) fn derived_waiting(&self, of: &TrainingCoefficients) -> Derivation {
        let mut parts = vec![
            counted("micro_batches", self.micro_batches, "Micro-batches of a replica."),
            counted("hops", (self.passing(of).stages - 1) as f64, "Neighbours that send to each other."),
        ];
        parts.extend(exchange("sends", &self.sent, &[Group::Pipeline]));
        let (spans, meaning) =
            (self.spans(of), "What a stage waits while it and its neighbour send each other a micro-batch.");
        let mut equation = "micro_batches × sends / hops";
        if self.chunks > 1.0 {
            equation = "micro_batches × (partly_overlapped(stage, sends / hops, exponent) - stage)";
            parts.push(computed(
                "stage",
                spans.stage,
                "What its other chunks take meanwhile.",
                "",
                Vec::new(),
            ));
            parts.push(overlap_exponent());
        }
        computed("waiting", spans.waiting, meaning, equation, parts)
    }

    /// What the pipeline takes to fill and to drain.
    pub(super) fn derived_filling(&self, of: &TrainingCoefficients) -> Derivation {
        let spans = self.spans(of);
        let mut parts = vec![
            computed("stages", spans.all, "What all stages take of a micro-batch.", "", Vec::new()),
            computed("stage", spans.stage, "What the slowest of them takes.", "", Vec::new()),
        ];
        let mut equation = if self.schedule.puts_off() == 0 {
            parts.push(counted("chunks", self.chunks, "Chunks of layers that a stage has."));
            "(stages - stage) / chunks".to_string()
        } else {
            parts.extend(self.derived_put_off(of));
            "max(stages - stage - others_gradients - put_off × gradients, 0)".to_string()
        };
        if let Some(sends) = exchange("sends", &self.sent, &[Group::Pipeline]) {
            equation.push_str(" + sends");
            parts.push(sends);
        }
        computed("filling", spans.filling, "What the pipeline takes to fill and to drain.", equation, parts)
    }

    /// What of the backward pass nobody waits for where gradients of weights are put off.
    fn derived_put_off(&self, of: &TrainingCoefficients) -> [Derivation; 3] {
        let passing = self.passing(of);
        let [own, all] = passing.gradients;
        let meaning = "What gradients of weights take in the other stages.";
        let others = computed("others_gradients", all - own, meaning, "", Vec::new());
        let wanted = (self.schedule.puts_off() * (passing.stages - 1)) as f64;
        let parts = vec![
            counted("wanted", wanted, "As many as the schedule wants: one or two for each stage but one."),
            counted("micro_batches", self.micro_batches, "Micro-batches of a replica."),
        ];
        let put_off = tree::computed(
            "put_off",
            tree::number(passing.put_off(self.schedule, self.micro_batches)),
            "Gradients of weights that the slowest stage computes while it would be idle.",
            "min(wanted, micro_batches - 1)",
            parts,
        );
        let meaning =
            "What they take of a micro-batch in the slowest stage: one of three products of its layers.";
        [others, put_off, computed("gradients", own, meaning, "", Vec::new())]
    }

    /// What replicas exchange and computing does not hide.
    pub(super) fn derived_replicas(&self, of: &TrainingCoefficients) -> Derivation {
        let spans = self.spans(of);
        let mut replicas = self.replicas.once;
        replicas.add(self.micro_batches, &self.replicas.each);
        let exchanged = exchange("exchanged", &replicas, &[Group::Data, Group::ExpertData]);
        let meaning = "What replicas exchange and computing does not hide.";
        if self.is_sharded {
            let mut parts = vec![
                computed("busy", spans.busy(), "Passes, with the pipeline.", "", Vec::new()),
                overlap_exponent(),
            ];
            parts.extend(exchanged);
            let equation = "partly_overlapped(busy, exchanged, exponent) - busy";
            return computed("replicas", spans.replicas, meaning, equation, parts);
        }
        let mut parts = named(&["exposed"], of);
        parts.extend(exchanged);
        computed(
            "replicas",
            spans.replicas,
            meaning,
            format!("{} × exchanged", as_share("exposed", of)),
            parts,
        )
    }
}
