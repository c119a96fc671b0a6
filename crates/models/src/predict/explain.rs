//! How a prediction comes about: its equation, down to coefficients and rates.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Derivation, Kind, Value};

use super::{Calibration, Coefficients, Question};
use crate::physics::kernel_time::kernel_time;
use crate::transformer::explain::tree;

/// Where coefficients come from.
const FITTED: &str = "fitted by `mlsysim calibrate`; data/calibration";

/// A time as it is shown.
fn shown(time: Time) -> Value {
    Value::Quantity(time.to_dynamic(&kernel_time::FORMULA.output.shown_unit().clone()))
}

/// A time that an equation gives, from its parts.
pub(super) fn computed(
    label: &str,
    time: Time,
    meaning: &'static str,
    equation: impl Into<String>,
    parts: Vec<Derivation>,
) -> Derivation {
    let derived =
        Derivation { kind: Kind::Fitted, ..tree::computed(label, shown(time), meaning, equation, parts) };
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
        _ => Value::Number(value),
    };
    let given = tree::given(described.name, value, FITTED);
    Some(Derivation { kind: Kind::Fitted, meaning: described.meaning, ..given })
}

/// The coefficients of these names.
pub(super) fn coefficients<C: Coefficients>(names: &[&str], of: &C) -> Vec<Derivation> {
    names.iter().filter_map(|name| coefficient(name, of)).collect()
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
        derived.notes.push(format!("90 % band: {} to {}", shown(predicted.low), shown(predicted.high)));
        derived.notes.extend(predicted.reasons);
        derived
    }
}
