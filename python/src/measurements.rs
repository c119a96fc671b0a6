//! Validation and calibration on tables of measurements, seen from Python.

use std::collections::{BTreeMap, HashMap};

use mlsysim::predict::{
    Calibration, Calibrations, Coefficients, Prediction, Question, StepCalibrations, TrainingQuestion,
    calibrate as calibrated, shipped, shipped_steps,
};
use mlsysim::validation::{Predicted, Samples, Score, Scored, Spreads, Status, report, score};
use mlsysim::{Error, Map, Name, Result, Value};
use pyo3::prelude::*;

use crate::error::OrRefuse;
use crate::instance::Place;
use crate::values::to_python;

/// Texts by the names of their files.
struct Texts(HashMap<String, String>);

impl Texts {
    fn of(&self, name: &str) -> Result<&str> {
        let text = self.0.get(name).map(String::as_str);
        text.ok_or_else(|| {
            Error::input(name, "there is no such file in the folder, and no table of that name")
        })
    }

    fn predicted(&self) -> Result<Predicted> {
        let [machines, models, frameworks, exclusions] =
            ["machines.toml", "models.toml", "frameworks.toml", "exclusions.csv"].map(|name| self.of(name));
        Predicted::read(machines?, models?, frameworks?, exclusions?)
    }

    /// The calibrations in files of the same names, or those that the package came with.
    fn calibrations(&self) -> Result<Option<(Calibrations, StepCalibrations)>> {
        if !self.0.contains_key("gemm.toml") {
            return Ok(None);
        }
        let [product, attention, collective] =
            ["gemm.toml", "attention.toml", "collectives.toml"].map(|name| self.of(name));
        let kernels = Calibrations::read(product?, attention?, collective?)?;
        Ok(Some((kernels, StepCalibrations::read(self.of("training.toml")?, self.of("serving.toml")?)?)))
    }
}

/// What became of all rows.
#[derive(Default)]
struct Replayed {
    rows: usize,
    scored: Vec<Scored>,
    left_out: BTreeMap<String, usize>,
}

impl Replayed {
    fn take<Q: Question>(&mut self, samples: &Samples<Q>, calibration: &Calibration<Q::Of>) {
        self.rows += samples.rows;
        self.scored.extend(score(samples, calibration));
        for (reason, count) in &samples.left_out {
            *self.left_out.entry(reason.clone()).or_default() += count;
        }
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
    let replayed = py.detach(|| replayed(&Texts(tables), &Texts(calibration), &only)).or_refuse(py)?;
    let name = |row: &Scored| match by {
        "gpu" => format!("{}, {}", row.regime, row.family),
        "source" => format!("{}, {}", row.regime, row.source),
        _ => row.regime.to_string(),
    };
    let scores = report(&replayed.scored, name).iter().map(scored_row).collect();
    let rows = replayed.scored.iter().map(row).collect();
    let left_out = replayed
        .left_out
        .iter()
        .map(|(reason, count)| (Name::from(reason.as_str()), whole(*count)))
        .collect();
    let told = table([
        ("rows", whole(replayed.rows)),
        ("scores", Value::List(scores)),
        ("predictions", Value::List(rows)),
        ("not_modelled", Value::Map(left_out)),
    ]);
    to_python(py, Value::Map(told), &Place::Nowhere)
}

fn replayed(tables: &Texts, calibration: &Texts, only: &[String]) -> Result<Replayed> {
    let predicted = tables.predicted()?;
    let own = calibration.calibrations()?;
    let (kernels, steps) = match &own {
        Some((kernels, steps)) => (kernels, steps),
        None => (shipped()?, shipped_steps()?),
    };
    let is_asked = |what: &str| only.is_empty() || only.iter().any(|asked| asked == what);
    let mut replayed = Replayed::default();
    if is_asked("kernels") {
        let products = predicted.products(tables.of("gemm.csv")?, tables.of("kernels/gemm.csv")?)?;
        replayed.take(&products, &kernels.product);
        replayed.take(&predicted.attention(tables.of("kernels/attention.csv")?)?, &kernels.attention);
    }
    if is_asked("collectives") {
        replayed.take(&collectives(&predicted, tables)?, &kernels.collective);
    }
    if is_asked("training") {
        replayed.take(&training(&predicted, tables, kernels)?, &steps.training);
    }
    if is_asked("serving") {
        replayed.take(&predicted.serving(tables.of("serving.csv")?, kernels)?, &steps.serving);
    }
    Ok(replayed)
}

fn collectives(
    predicted: &Predicted,
    tables: &Texts,
) -> Result<Samples<mlsysim::predict::CollectiveQuestion>> {
    let kernels = [tables.of("kernels/all_reduce.csv")?, tables.of("kernels/collectives.csv")?];
    predicted.collectives(tables.of("collectives.csv")?, &kernels)
}

fn training(
    predicted: &Predicted,
    tables: &Texts,
    kernels: &Calibrations,
) -> Result<Samples<TrainingQuestion>> {
    let apart = tables.0.get("training_apart.csv").map(String::as_str);
    predicted.training(tables.of("training.csv")?, apart, kernels)
}

/// The coefficients that are fitted on the rows of tables: a row for each, and the text of each file.
#[pyfunction]
pub fn calibrate<'py>(
    py: Python<'py>,
    tables: HashMap<String, String>,
    only: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let (rows, files) = py.detach(|| fitted(&Texts(tables), &only)).or_refuse(py)?;
    let told = table([("coefficients", Value::List(rows)), ("files", Value::Map(files))]);
    to_python(py, Value::Map(told), &Place::Nowhere)
}

fn fitted(tables: &Texts, only: &[String]) -> Result<(Vec<Value>, Map<Value>)> {
    let predicted = tables.predicted()?;
    let is_asked = |what: &str| only.is_empty() || only.iter().any(|asked| asked == what);
    let (mut rows, mut files) = (Vec::new(), Map::new());
    // Steps are fitted on what kernels were fitted to just now, or came with.
    let mut kernels = shipped()?.clone();
    if is_asked("gemm") {
        let products = predicted.products(tables.of("gemm.csv")?, tables.of("kernels/gemm.csv")?)?;
        kernels.product = fit("gemm", &products, &mut rows, &mut files)?;
    }
    if is_asked("attention") {
        let attention = predicted.attention(tables.of("kernels/attention.csv")?)?;
        kernels.attention = fit("attention", &attention, &mut rows, &mut files)?;
    }
    if is_asked("collectives") {
        kernels.collective = fit("collectives", &collectives(&predicted, tables)?, &mut rows, &mut files)?;
    }
    if is_asked("training") {
        fit("training", &training(&predicted, tables, &kernels)?, &mut rows, &mut files)?;
    }
    if is_asked("serving") {
        let serving = predicted.serving(tables.of("serving.csv")?, &kernels)?;
        fit("serving", &serving, &mut rows, &mut files)?;
    }
    Ok((rows, files))
}

fn fit<Q: Question>(
    name: &str,
    samples: &Samples<Q>,
    rows: &mut Vec<Value>,
    files: &mut Map<Value>,
) -> Result<Calibration<Q::Of>>
where
    Q::Of: Coefficients,
{
    let calibration: Calibration<Q::Of> = calibrated(&samples.of_calibration())?;
    let text = calibration.write(name, &format!("mlsysim calibrate --only {name}"));
    files.insert(format!("{name}.toml").into(), Value::text(text));
    rows.extend(calibration.estimates().into_iter().map(|estimate| {
        Value::Map(table([
            ("calibration", Value::text(name)),
            ("coefficient", Value::text(estimate.coefficient.name)),
            ("value", Value::Number(estimate.value)),
            ("standard_error", Value::Number(estimate.standard_error)),
            ("unit", Value::text(estimate.coefficient.unit)),
            ("meaning", Value::text(estimate.coefficient.meaning)),
        ]))
    }));
    Ok(calibration)
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
