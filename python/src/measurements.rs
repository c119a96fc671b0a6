//! Validation and calibration on tables of measurements, seen from Python.

use std::borrow::Cow;
use std::collections::HashMap;

use mlsysim::predict::{CalibrationSet, Prediction};
use mlsysim::validation::{
    Calibrated, Fitting, LeftOut, Measurements, OnTop, Part, Replayed, Score, Scored, SpeedUp, Spreads,
    Status, Texts, report,
};
use mlsysim::{Error, Map, Name, Result, Value};
use pyo3::prelude::*;

use crate::error::OrRefuse;
use crate::instance::Place;
use crate::values::to_python;

/// Texts by the names of their files.
pub struct Files(pub HashMap<String, String>);

impl Texts for Files {
    fn text(&self, name: &str) -> Result<Cow<'_, str>> {
        let text = self.0.get(name).map(|text| Cow::Borrowed(text.as_str()));
        text.ok_or_else(|| {
            Error::input(name, "there is no such file in the folder, and no table of that name")
        })
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl Files {
    /// The calibrations in files of the same names, or nothing where there are none.
    pub fn calibrations(&self) -> Result<Option<CalibrationSet>> {
        let has_any = Calibrated::ALL.iter().any(|of| self.has(&of.file()));
        has_any.then(|| CalibrationSet::read(|name| self.text(&format!("{name}.toml")))).transpose()
    }
}

/// How far predictions are off from the rows of tables: the number of rows, the scores by regime, device
/// or source, every row, and what is not modelled by its reason.
#[pyfunction]
pub fn validate<'py>(
    py: Python<'py>,
    tables: HashMap<String, String>,
    calibration: HashMap<String, String>,
    only: Vec<String>,
    by: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let replayed = py.detach(|| replayed(&Files(tables), &Files(calibration), &only)).or_refuse(py)?;
    let name = |regime: &str, family: &str, source: &str| match by {
        "gpu" => format!("{regime}, {family}"),
        "source" => format!("{regime}, {source}"),
        _ => regime.to_string(),
    };
    let scores = report(&replayed.scored, |row| name(row.regime, &row.family, &row.source));
    let mut told = table([
        ("rows", whole(replayed.rows)),
        ("scores", Value::List(scores.iter().map(scored_row).collect())),
        ("predictions", Value::List(replayed.scored.iter().map(row).collect())),
        ("not_modelled", reasons(&replayed.left_out)),
    ]);
    if let Some(sweeps) = &replayed.sweeps {
        let scores = sweeps.scores(|each| match by {
            "tp" => format!("{}, TP {}", each.regime, each.tp),
            _ => name(each.regime, &each.family, &each.source),
        });
        let all = table([
            ("rows", whole(sweeps.rows)),
            ("references", whole(sweeps.references)),
            ("scores", Value::List(scores.iter().map(scored_row).collect())),
            ("predictions", Value::List(sweeps.speed_ups.iter().map(speed_up).collect())),
            ("not_modelled", reasons(&sweeps.left_out)),
        ]);
        told.insert(Name::from("speed_ups"), Value::Map(all));
    }
    to_python(py, Value::Map(told), &Place::Nowhere)
}

fn replayed(tables: &Files, calibration: &Files, only: &[String]) -> Result<Replayed> {
    let measurements = Measurements::partial(tables)?;
    let own = calibration.calibrations()?;
    let calibrations = match &own {
        Some(own) => own,
        None => CalibrationSet::shipped()?,
    };
    let is_asked = |part: Part| {
        let name = match part {
            Part::Kernels => "kernels",
            Part::Collectives => "collectives",
            Part::Training => "training",
            Part::Serving => "serving",
        };
        only.is_empty() || only.iter().any(|asked| asked == name)
    };
    Replayed::of(&measurements, calibrations, is_asked)
}

/// How many rows are left out, by reason.
fn reasons(rows: &[LeftOut]) -> Value {
    let reasons = LeftOut::reasons(rows).into_iter();
    Value::Map(reasons.map(|(reason, count)| (Name::from(reason), whole(count))).collect())
}

/// The coefficients that are fitted on the rows of tables, or moved by a user's `own`: a row for each, the
/// text of each file, and what own rows did not tell.
#[pyfunction]
#[pyo3(signature = (tables, only, own=None))]
pub fn calibrate<'py>(
    py: Python<'py>,
    tables: HashMap<String, String>,
    only: Vec<String>,
    own: Option<HashMap<String, String>>,
) -> PyResult<Bound<'py, PyAny>> {
    let is_asked = |of: Calibrated| only.is_empty() || only.iter().any(|asked| asked == of.name());
    let below = Files(tables);
    let fit = || match own {
        None => Measurements::open(&below)?.calibrate(is_asked),
        Some(own) => on_top(&Files(own), &below),
    };
    let fitted = py.detach(fit).or_refuse(py)?;
    let files = fitted.iter().map(|fitting| (Name::from(fitting.of.file()), Value::text(&fitting.text)));
    let told = table([
        ("coefficients", Value::List(fitted.iter().flat_map(coefficients).collect())),
        ("files", Value::Map(files.collect())),
        ("notes", Value::List(fitted.iter().flat_map(Fitting::notes).map(Value::text).collect())),
    ]);
    to_python(py, Value::Map(told), &Place::Nowhere)
}

/// Our coefficients, moved by a user's own rows.
fn on_top(own: &Files, below: &Files) -> Result<Vec<Fitting>> {
    let texts = OnTop { own, below };
    if !texts.has_any() {
        let known = Measurements::TABLES.join(", ");
        return Err(Error::input("own", format!("one of the tables {known} is needed")));
    }
    Measurements::partial(&texts)?.refine(CalibrationSet::shipped()?)
}

/// The coefficients of what was fitted, a row for each.
fn coefficients(fitting: &Fitting) -> impl Iterator<Item = Value> {
    fitting.estimates.iter().map(|estimate| {
        Value::Map(table([
            ("calibration", Value::text(fitting.of.name())),
            ("coefficient", Value::text(estimate.coefficient.name)),
            ("value", Value::Number(estimate.value)),
            ("standard_error", Value::Number(estimate.standard_error)),
            ("unit", Value::text(estimate.coefficient.unit)),
            ("meaning", Value::text(estimate.coefficient.meaning)),
        ]))
    })
}

fn table<const N: usize>(entries: [(&str, Value); N]) -> Map<Value> {
    entries.into_iter().map(|(name, value)| (Name::from(name), value)).collect()
}

fn whole(count: usize) -> Value {
    i64::try_from(count).map_or(Value::Null, Value::Integer)
}

/// A score as a row of a table.
fn scored_row(score: &Score) -> Value {
    let mut row = table([
        ("name", Value::text(&score.name)),
        ("rows", whole(score.rows)),
        ("kept_apart", whole(score.kept_apart)),
        ("coverage", Value::Number(score.group_coverage)),
        ("family_coverage", Value::Number(score.family_coverage)),
        ("source_coverage", Value::Number(score.source_coverage)),
        ("violations", whole(score.violations)),
    ]);
    let mut spread = |prefix: &str, of: &Spreads| {
        let figures = [("median", of.median), ("mean", of.mean), ("p90", of.most), ("bias", of.bias)];
        row.extend(
            figures.map(|(name, value)| (Name::from(format!("{prefix}{name}")), Value::Number(value))),
        );
    };
    spread("", &score.group);
    spread("family_", &score.family);
    spread("source_", &score.source);
    spread("speed_of_light_", &score.speed_of_light);
    spread("efficiency_", &score.efficiency);
    Value::Map(row)
}

/// A measurement with its prediction, times in seconds.
fn row(scored: &Scored) -> Value {
    let (status, reason) = match &scored.status {
        Status::CrossValidated => ("cross-validated", Value::Null),
        Status::KeptApart => ("kept apart", Value::Null),
        Status::Excluded(reason) => ("excluded", Value::text(reason)),
    };
    let Prediction { time, low, high, bound, .. } = &scored.without_group;
    Value::Map(table([
        ("row_id", Value::text(&scored.id)),
        ("file", Value::text(scored.file)),
        ("source", Value::text(&scored.source)),
        ("regime", Value::text(scored.regime)),
        ("gpu", Value::text(&scored.family)),
        ("measured", Value::Number(scored.measured)),
        ("bound", Value::Number(bound.base())),
        ("predicted", Value::Number(time.base())),
        ("low", Value::Number(low.base())),
        ("high", Value::Number(high.base())),
        ("status", Value::text(status)),
        ("reason", reason),
    ]))
}

/// A speed-up with its prediction, in times of the smallest degree of its sweep.
fn speed_up(each: &SpeedUp) -> Value {
    let within = each.without_group;
    let degree = |tp: u64| i64::try_from(tp).map_or(Value::Null, Value::Integer);
    Value::Map(table([
        ("row_id", Value::text(&each.row_id)),
        ("source", Value::text(&each.source)),
        ("regime", Value::text(each.regime)),
        ("gpu", Value::text(&each.family)),
        ("tp", degree(each.tp)),
        ("base_tp", degree(each.base_tp)),
        ("measured", Value::Number(each.measured)),
        ("predicted", Value::Number(within.ratio)),
        ("low", Value::Number(within.low)),
        ("high", Value::Number(within.high)),
    ]))
}
