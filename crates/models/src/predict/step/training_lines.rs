//! How each part of a predicted step of training comes about, down to the kernels and collectives that
//! it is made of.

use mlsysim_quantity::{FlopRate, Flops, Time, nearest};
use mlsysim_scenario::{Derivation, Error, Kind, Result, Value, constant, listed};

use super::training_explain::summed;
use super::training_parts::{each_piece, part_name, weighed};
use super::training_weights::TrainingClass;
use super::{Cost, PartTime, Piece, Pricing, Spent, StepPrediction, Times};
use super::{TrainingCoefficients, TrainingQuestion};
use crate::predict::explain::{as_share, at_full_rate, coefficients as named, computed, counted};
use crate::predict::{Calibration, Calibrations, Question};
use crate::transformer::explain::tree;
use crate::transformer::{Accounting, Group, Pass};

/// A piece with how many places are alike and how often it happens in each pass.
type Line = (u64, Piece, Times);

/// A part of a step is told with everything that the step was priced with.
struct Told<'a> {
    calibration: &'a Calibration<TrainingCoefficients>,
    kernels: &'a Calibrations,
    pricing: &'a Pricing<'a>,
    question: TrainingQuestion,
    lines: Vec<Line>,
}

impl Calibration<TrainingCoefficients> {
    /// How the part at `path` of a `predicted` step comes about, such as `passes.attention.query`; the
    /// step itself where `path` is empty. `kernels` are the calibrations that `pricing` was made with.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    /// use mlsysim_models::predict::{Practice, Pricing, shipped, shipped_steps};
    /// use mlsysim_models::transformer::{Accounting, Division, Layout, Step, Transformer};
    ///
    /// let (model, layout) = (Transformer::named("Llama3_8B")?, Layout::parse("tp=8,sp")?);
    /// let (division, step) = (Division::new(&model, &layout)?, Step::training(8, 8192));
    /// let accounting = Accounting::new(&division, &step)?;
    /// let (machine, practice) = (Machine::named("DGX_H100")?, Practice::default());
    /// let pricing = Pricing::new(&machine, &practice, shipped()?.kernels())?;
    /// let training = &shipped_steps()?.training;
    /// let predicted = training.step(&accounting, &pricing)?;
    /// let told = training.explain_part(&predicted, "passes.mlp.up", &accounting, &pricing, shipped()?)?;
    /// assert!(told.to_string().contains("half_compute"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such part; the message names the nearest. A group spans domains and the machine has
    /// no network.
    pub fn explain_part(
        &self,
        predicted: &StepPrediction,
        path: &str,
        accounting: &Accounting,
        pricing: &Pricing,
        kernels: &Calibrations,
    ) -> Result<Derivation> {
        let question = TrainingQuestion::new(accounting, pricing)?;
        if path.is_empty() {
            return Ok(self.explain(&question));
        }
        let steps: Vec<&str> = path.split('.').collect();
        let Some(part) = predicted.parts.at(&steps) else { return Err(unknown(predicted, path)) };
        let stage = question.number_of(question.spans(&self.coefficients).slowest);
        let mut lines = Vec::new();
        each_piece(accounting, pricing, stage, &mut |places, piece, times| {
            lines.push((places, piece.clone(), times));
        })?;
        let told = Told { calibration: self, kernels, pricing, question, lines };
        let mut derived = match (steps.len(), part.key().as_str()) {
            (1, "passes") => told.sum(part),
            (1, _) => told.whole(part, predicted),
            (2, "launches") => told.launches(part),
            (2, _) => told.sum(part),
            _ => told.leaf(steps.get(1).copied().unwrap_or_default(), part),
        };
        derived.label = path.to_string();
        Ok(self.sourced(derived))
    }
}

/// The refusal of a part that there is not; the nearest is named, or those that are beside it.
pub(super) fn unknown(predicted: &StepPrediction, path: &str) -> Error {
    let paths = predicted.parts.paths();
    let known = paths.iter().map(|(path, _)| path.as_str());
    let hint = match nearest(path, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let above = path.rsplit_once('.').map_or("", |(above, _)| above);
            let above = if known.clone().any(|known| known == above) { above } else { "" };
            let beside = known.filter(|known| known.rsplit_once('.').map_or("", |(above, _)| above) == above);
            format!("there are {}", listed(beside))
        }
    };
    Error::unknown(format!("a predicted step has no part `{path}`; {hint}"))
}

impl Told<'_> {
    /// A part of the step that is no pass, by the step's own equation.
    fn whole(&self, part: &PartTime, predicted: &StepPrediction) -> Derivation {
        let of = &self.calibration.coefficients;
        match part.key().as_str() {
            "sends_waited_for" => self.question.derived_waiting(of),
            "pipeline_fills_and_drains" => self.question.derived_filling(of),
            "replicas_exposed" => self.question.derived_replicas(of),
            "beside" => {
                computed("beside", part.time, "What each step takes beside.", "step", named(&["step"], of))
            }
            "update" => self.update(part.time),
            _ => {
                let bound = at_full_rate("bound", predicted.total.bound, "The least time that is possible.");
                let model = self.question.derived(of);
                computed(
                    &part.name,
                    part.time,
                    "What is left to the bound.",
                    "bound - model",
                    vec![bound, model],
                )
            }
        }
    }

    fn update(&self, time: Time) -> Derivation {
        let bytes = time.base() * self.pricing.bandwidth().base();
        let moved = mlsysim_quantity::Bytes::from_base(bytes);
        let meaning = "Gradients, both moments and the master copy in 32 bits, and weights in 16 bits.";
        let moved = tree::given("moved", constant(&moved), "counted, of the fullest stage");
        let parts = vec![Derivation { meaning, ..moved }, self.bandwidth()];
        computed("update", time, "The state of the optimizer, moved once.", "moved / bandwidth", parts)
    }

    /// What launching kernels takes beside.
    fn launches(&self, part: &PartTime) -> Derivation {
        let spans = self.question.spans(&self.calibration.coefficients);
        let parts = vec![
            self.micro_batches(),
            computed("stage", spans.stage, "With what launching takes.", "", Vec::new()),
            computed("device", spans.with_experts, "Without it.", "", Vec::new()),
        ];
        let meaning = "What launching kernels takes beside what the device does.";
        computed(&part.name, part.time, meaning, "micro_batches × (stage - device)", parts)
    }

    /// A part that is the sum of others, each told in turn.
    fn sum(&self, part: &PartTime) -> Derivation {
        let told = |below: &PartTime| {
            let derived = match below.parts.is_empty() {
                true if below.key() == "launches" => self.launches(below),
                true => self.leaf(&part.key(), below),
                false => self.sum(below),
            };
            Derivation { label: below.key(), ..derived }
        };
        let parts: Vec<Derivation> = part.parts.iter().map(told).collect();
        let equation = summed(&parts);
        computed(&part.name, part.time, "The sum of its parts.", equation, parts)
    }

    /// The kernels or collectives of one name in the group `within`.
    fn leaf(&self, within: &str, part: &PartTime) -> Derivation {
        let is_meant = |(_, piece, times): &&Line| {
            let group = PartTime::new(part_name(piece), Time::ZERO, "");
            group.key() == within && piece.what == part.name && times.iter().sum::<f64>() > 0.0
        };
        let lines: Vec<&Line> = self.lines.iter().filter(is_meant).collect();
        let full: Time = lines.iter().fold(Time::ZERO, |sum, line| sum + self.weighed(line));
        // Exchanges of experts are hidden in part.
        let shown = if full > Time::ZERO { part.time / full } else { 1.0 };
        let shown = (shown < 1.0 - 1e-9).then_some(shown);
        match lines.as_slice() {
            [only] => self.line(&part.name, only, shown),
            several => {
                let told = several.iter().enumerate();
                let parts: Vec<Derivation> = told
                    .map(|(index, line)| self.line(&format!("kind_{}", index + 1), line, shown))
                    .collect();
                let meaning = "The same in several kinds of layers.";
                computed(&part.name, part.time, meaning, summed(&parts), parts)
            }
        }
    }

    /// What a line takes in the step.
    fn weighed(&self, (places, piece, times): &Line) -> Time {
        let often = self.question.micro_batches * *places as f64 * times.iter().sum::<f64>();
        let weights = TrainingClass::of(self.pricing).weights(&self.calibration.coefficients);
        often * weighed(piece, &Spent::of(piece, &self.pricing.kernels), &weights)
    }

    fn micro_batches(&self) -> Derivation {
        counted("micro_batches", self.question.micro_batches, "Micro-batches of a replica.")
    }

    /// One kernel or collective of one kind of layers.
    fn line(&self, label: &str, line: &Line, shown: Option<f64>) -> Derivation {
        let (places, piece, times) = line;
        let mut parts = vec![
            self.micro_batches(),
            counted(
                "places",
                *places as f64,
                "Layers, or ends of the model, of the slowest stage that are alike.",
            ),
            self.often(times),
        ];
        let mut equation = "micro_batches × places × often".to_string();
        let (term, terms) = self.once(piece);
        equation.push_str(&format!(" × {term}"));
        parts.extend(terms);
        let mut time = self.weighed(line);
        if let Some(share) = shown {
            equation.push_str(" × not_hidden");
            parts.push(counted(
                "not_hidden",
                share,
                "The share that computing does not hide, as of the whole stage.",
            ));
            time = share * time;
        }
        computed(label, time, piece.what, equation, parts)
    }

    /// How often it happens for each micro-batch, by pass.
    fn often(&self, times: &Times) -> Derivation {
        let passes = Pass::ALL.iter().zip(times).filter(|(_, times)| **times > 0.0);
        let parts: Vec<Derivation> =
            passes.map(|(pass, times)| counted(pass.name(), *times, "How often in this pass.")).collect();
        let equation = summed(&parts);
        let sum = tree::number(times.iter().sum());
        let meaning = "How often in a micro-batch, a backward pass in forward ones.";
        tree::computed("often", sum, meaning, equation, parts)
    }

    /// What a piece takes once in a step: the term of an equation, and its parts.
    fn once(&self, piece: &Piece) -> (String, Vec<Derivation>) {
        let of = &self.calibration.coefficients;
        let class = TrainingClass::of(self.pricing);
        let at_kernel = |derived: Derivation, peak: FlopRate| Derivation {
            label: "once".to_string(),
            ..self.rated(derived, peak)
        };
        match &piece.cost {
            Cost::Product { question, is_wide } => {
                let name = class.products(*is_wide);
                let mut parts = named(&[name], of);
                let rates = if *is_wide { &self.pricing.wide } else { &self.pricing.products };
                parts.push(at_kernel(self.kernels.product.explain(question), rates.peak()));
                (format!("{name} × once"), parts)
            }
            Cost::Attention { scores, .. } if class.is_unfused() => {
                let mut parts = named(&["scores"], of);
                parts.push(at_full_rate("once", *scores, "The scores, moved once at the full bandwidth."));
                ("scores × once".to_string(), parts)
            }
            Cost::Attention { question, .. } => {
                let mut parts = named(&["attention"], of);
                parts.push(at_kernel(self.kernels.attention.explain(question), self.pricing.wide.peak()));
                ("attention × once".to_string(), parts)
            }
            Cost::Moves(time) => {
                let once = computed(
                    "once",
                    *time,
                    "What it reads and writes.",
                    "moved / bandwidth",
                    vec![self.moved(*time), self.bandwidth()],
                );
                ("once".to_string(), vec![Derivation { kind: Kind::Bound, ..once }])
            }
            Cost::Exchange(group, question) => {
                let collective = &self.kernels.collective;
                let model = collective.sourced(question.derivation(&collective.coefficients));
                let once = Derivation { label: "once".to_string(), ..model };
                if *group == Group::Context {
                    let mut parts = named(&["exposed"], of);
                    parts.push(once);
                    return (format!("{} × once", as_share("exposed", of)), parts);
                }
                ("once".to_string(), vec![once])
            }
        }
    }

    /// What takes `time` at the bandwidth of the memory.
    fn moved(&self, time: Time) -> Derivation {
        let moved = mlsysim_quantity::Bytes::from_base(time.base() * self.pricing.bandwidth().base());
        tree::given("moved", constant(&moved), "counted")
    }

    fn bandwidth(&self) -> Derivation {
        let source = format!("the memory of {}", self.pricing.machine.device.name);
        tree::stated("bandwidth", constant(&self.pricing.bandwidth()), source)
    }

    /// `derived` with what times at full rates are made of: arithmetic and the peak, bytes and the
    /// bandwidth.
    fn rated(&self, derived: Derivation, peak: FlopRate) -> Derivation {
        let seconds = match &derived.value {
            Ok(Value::Quantity(quantity)) => quantity.base(),
            _ => 0.0,
        };
        let told = |equation: &str, parts: Vec<Derivation>| {
            let told = computed(&derived.label, Time::from_base(seconds), derived.meaning, equation, parts);
            Derivation { kind: Kind::Bound, ..told }
        };
        match derived.label.as_str() {
            "at_peak" => {
                let flops = constant(&Flops::from_base(seconds * peak.base()));
                let source = format!("the peak of {}", self.pricing.machine.device.name);
                let peak = tree::stated("peak", constant(&peak), source);
                told("flops / peak", vec![tree::given("flops", flops, "counted"), peak])
            }
            "at_bandwidth" | "one_pass" => {
                told("moved / bandwidth", vec![self.moved(Time::from_base(seconds)), self.bandwidth()])
            }
            _ => {
                let parts = derived.parts.into_iter().map(|part| self.rated(part, peak)).collect();
                Derivation { parts, ..derived }
            }
        }
    }
}
