//! How a prediction comes about: its equation, down to coefficients and rates.

use mlsysim_quantity::{Time, Unit, format_brief};
use mlsysim_scenario::{Derivation, Kind, Origin, Value};

use super::refine::OWN;
use super::{Calibration, Coefficients, Question};
use crate::transformer::explain::tree;

/// Where coefficients come from.
const FITTED: &str = "fitted by `mlsysim calibrate`; data/calibration";

/// A time in the unit that makes it 1 to 1000, for people.
pub(super) fn shown(time: Time) -> Value {
    let name = match time.base() {
        seconds if seconds >= 1.0 => "s",
        seconds if seconds >= 1e-3 => "ms",
        _ => "µs",
    };
    Value::Quantity(time.to_dynamic(&Unit::parse(name).unwrap_or_else(|_| Unit::none())))
}

/// A value as it stands in an equation: times of several units meet there, so that each has its own.
fn with_unit(value: &Value) -> String {
    match value {
        Value::Number(number) => format_brief(*number),
        Value::Quantity(quantity) => {
            format!("{} {}", format_brief(quantity.value()), quantity.unit()).trim_end().to_string()
        }
        other => other.to_string(),
    }
}

/// A time that an equation gives, from its parts.
pub(super) fn computed(
    label: &str,
    time: Time,
    meaning: &'static str,
    equation: impl Into<String>,
    parts: Vec<Derivation>,
) -> Derivation {
    let equation = equation.into();
    let substituted = tree::substituted(&equation, &parts, &with_unit);
    let derived = tree::computed(label, shown(time), meaning, equation, parts);
    let derived = Derivation { kind: Kind::Fitted, substituted: Some(substituted), ..derived };
    // A part that is told no further has no equation.
    let has_equation = derived.equation.as_deref().is_some_and(|text| !text.is_empty());
    if has_equation { derived } else { Derivation { equation: None, substituted: None, ..derived } }
}

/// A time at the full rate of something.
pub(super) fn at_full_rate(label: &str, time: Time, meaning: &'static str) -> Derivation {
    let given = tree::given(label, shown(time), "counted, at the full rate of the machine");
    Derivation { kind: Kind::Bound, meaning, ..given }
}

/// A plain number that was counted.
pub(super) fn counted(label: &str, value: f64, meaning: &'static str) -> Derivation {
    Derivation { meaning, ..tree::given(label, tree::number(value), "counted") }
}

/// The coefficient called `name`; nothing where there is none.
pub(super) fn coefficient<C: Coefficients>(name: &str, of: &C) -> Option<Derivation> {
    let index = C::ALL.iter().position(|each| each.name == name)?;
    let (described, value) = (C::ALL[index], of.values()[index]);
    let value = match described.unit {
        "µs" => shown(Time::from_base(1e-6 * value)),
        "ms" => shown(Time::from_base(1e-3 * value)),
        _ => Value::Number(value),
    };
    let given = tree::given(described.name, value, FITTED);
    Some(Derivation { kind: Kind::Fitted, meaning: described.meaning, ..given })
}

/// The coefficients of these names.
pub(super) fn coefficients<C: Coefficients>(names: &[&str], of: &C) -> Vec<Derivation> {
    names.iter().filter_map(|name| coefficient(name, of)).collect()
}

/// How the coefficient called `name` stands in an equation as a share: a fit may end above the whole,
/// which it then stands for.
pub(super) fn as_share<C: Coefficients>(name: &str, of: &C) -> String {
    let index = C::ALL.iter().position(|each| each.name == name);
    match index {
        Some(index) if of.values()[index] > 1.0 => format!("min({name}, 1)"),
        _ => name.to_string(),
    }
}

impl<C: Coefficients> Calibration<C> {
    /// How the prediction of `question` comes about.
    ///
    /// ```
    /// use mlsysim_models::{machine::Machine, predict::{ProductQuestion, shipped}};
    ///
    /// let device = Machine::named("DGX_H100")?.device;
    /// let question = ProductQuestion::new([128, 8192, 8192], 1.0, "bf16", &device, false)?;
    /// let derived = shipped()?.product.explain(&question);
    /// assert_eq!(derived.equation.as_deref(), Some("max(model, bound)"));
    /// assert!(derived.to_string().contains("start + loop_time + partly_overlapped(arithmetic, memory, exponent)"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn explain<Q: Question<Of = C>>(&self, question: &Q) -> Derivation {
        let predicted = self.predict(question);
        let bound = at_full_rate("bound", predicted.bound, "The least time that is possible.");
        let parts = vec![question.derivation(&self.coefficients), bound];
        let meaning = "The predicted time.";
        let mut derived = computed("time", predicted.time, meaning, "max(model, bound)", parts);
        let [low, high] = [predicted.low, predicted.high].map(|end| with_unit(&shown(end)));
        derived.notes.push(format!("90 % band: {low} to {high}"));
        derived.notes.extend(predicted.reasons);
        self.sourced(derived)
    }

    /// `derived` with what is known of each of these coefficients in it: its standard error, how many
    /// rows it was fitted on, and the file that holds it.
    pub(super) fn sourced(&self, mut derived: Derivation) -> Derivation {
        if derived.origin.as_ref().is_some_and(|origin| origin.source == FITTED)
            && let Some(estimate) =
                self.estimates().into_iter().find(|known| known.coefficient.name == derived.label)
        {
            let (own, ours): (Vec<_>, Vec<_>) =
                self.sources.iter().partition(|(source, _)| source.starts_with(OWN));
            let rows = |of: &[&(String, usize)]| of.iter().map(|(_, rows)| rows).sum::<usize>();
            let mut source = format!(
                "fitted by `mlsysim calibrate` on {} rows of {} sources; {}",
                rows(&ours),
                ours.len(),
                C::FILE
            );
            if !own.is_empty() {
                source.push_str(&format!(", refined on {} rows of your own", rows(&own)));
            }
            derived.origin = Some(Origin { source, ..Origin::default() });
            let unit = estimate.coefficient.unit;
            let error = format!("standard error {} {unit}", format_brief(estimate.standard_error));
            derived.notes.push(error.trim_end().to_string());
        }
        let parts = std::mem::take(&mut derived.parts);
        Derivation { parts: parts.into_iter().map(|part| self.sourced(part)).collect(), ..derived }
    }
}
