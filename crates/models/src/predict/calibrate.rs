//! `calibrate`: coefficients, folds and bands from measured times.

use std::collections::{BTreeMap, BTreeSet};

use mlsysim_scenario::{Error, Result};

use super::fit::{Prior, ROBUST, Row, fit};
use super::{Bands, Calibration, Coefficients, Fold, Question};

/// A measured time, and the question that it answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<Q> {
    /// The row.
    pub id: String,
    /// Where it comes from, as a key.
    pub source: String,
    /// What belongs together, so that it is left out together.
    pub group: String,
    /// The family of its device.
    pub family: String,
    /// What was measured, in seconds.
    pub seconds: f64,
    /// What was measured.
    pub question: Q,
    /// Whether coefficients may be fitted on it.
    pub fits: bool,
}

/// How many folds groups are divided into.
pub(super) const FOLDS: usize = 5;

/// Digits that coefficients are kept with.
const DIGITS: usize = 6;

/// The calibration on those of `samples` that may be fitted on: the same samples give the same one.
///
/// # Errors
///
/// There are fewer rows than coefficients.
pub fn calibrate<Q: Question>(samples: &[Sample<Q>]) -> Result<Calibration<Q::Of>> {
    let samples: Vec<&Sample<Q>> = samples.iter().filter(|sample| sample.fits).collect();
    let count = <Q::Of as Coefficients>::ALL.len();
    if samples.len() <= count {
        return Err(Error::input(
            "data",
            format!(
                "more than {count} rows are needed for {count} coefficients, but {} were found",
                samples.len()
            ),
        ));
    }
    let starts: Vec<f64> = <Q::Of as Coefficients>::ALL.iter().map(|each| each.start).collect();
    let whole = fitted(samples.iter().copied(), &Q::Of::of(&starts));
    let names =
        |of: fn(&Sample<Q>) -> &str| -> BTreeSet<&str> { samples.iter().map(|sample| of(sample)).collect() };
    let group_names = names(|sample| &sample.group);
    let parts = (0..FOLDS.min(group_names.len())).map(|part| {
        group_names.iter().skip(part).step_by(FOLDS).map(|name| (*name).to_string()).collect::<Vec<_>>()
    });
    let mut groups = folds(&samples, &whole, parts, |sample| &sample.group);
    let each = names(|sample| &sample.family).into_iter().map(|name| vec![name.to_string()]);
    let mut families = folds(&samples, &whole, each, |sample| &sample.family);
    let each = names(|sample| &sample.source).into_iter().map(|name| vec![name.to_string()]);
    let mut left_out_sources = folds(&samples, &whole, each, |sample| &sample.source);
    banded(&samples, &mut left_out_sources, |sample| &sample.source, Clone::clone);
    let bands = banded(&samples, &mut groups, |sample| &sample.group, Clone::clone);
    let bands_beyond = banded(&samples, &mut families, |sample| &sample.family, Question::as_unseen);
    let mut sources: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in &samples {
        *sources.entry(&sample.source).or_default() += 1;
    }
    Ok(Calibration {
        standard_errors: standard_errors(&groups),
        coefficients: whole,
        sources: sources.into_iter().map(|(source, rows)| (source.to_string(), rows)).collect(),
        bands,
        bands_beyond,
        groups,
        families,
        left_out_sources,
    })
}

/// The coefficients without the groups or the families of `left_out`, sought anew from `near`.
pub fn refit<Q: Question>(samples: &[Sample<Q>], left_out: &[String], near: &Q::Of) -> Q::Of {
    let is_left_out =
        |sample: &&Sample<Q>| left_out.iter().any(|name| *name == sample.group || *name == sample.family);
    fitted(samples.iter().filter(|sample| sample.fits && !is_left_out(sample)), near)
}

fn fitted<'a, Q: Question + 'a>(samples: impl Iterator<Item = &'a Sample<Q>>, near: &Q::Of) -> Q::Of {
    let row =
        |sample: &'a Sample<Q>| Row { question: &sample.question, seconds: sample.seconds, noise: ROBUST };
    let rows: Vec<Row<Q>> = samples.map(row).collect();
    let values: Vec<f64> =
        fit(&rows, near, &Prior::of::<Q::Of>()).values().into_iter().map(rounded).collect();
    Q::Of::of(&values)
}

/// A number with the digits that are kept.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

fn folds<Q: Question>(
    samples: &[&Sample<Q>],
    whole: &Q::Of,
    parts: impl Iterator<Item = Vec<String>>,
    name: fn(&Sample<Q>) -> &String,
) -> Vec<Fold<Q::Of>> {
    parts
        .map(|left_out| {
            let kept = samples.iter().copied().filter(|sample| !left_out.contains(name(sample)));
            let coefficients = fitted(kept, whole);
            Fold { left_out, coefficients, bands: Bands::default() }
        })
        .collect()
}

/// The bands of all errors of rows that a fold left out; each fold gets those of the other folds, so
/// that no row is in its own band.
fn banded<Q: Question>(
    samples: &[&Sample<Q>],
    folds: &mut [Fold<Q::Of>],
    name: fn(&Sample<Q>) -> &String,
    seen: fn(&Q) -> Q,
) -> Bands {
    let errors: Vec<(usize, &str, &str, f64)> = samples
        .iter()
        .filter_map(|sample| {
            let fold = folds.iter().position(|fold| fold.left_out.contains(name(sample)))?;
            let predicted = seen(&sample.question).predicted(&folds[fold].coefficients).base();
            let error = (sample.seconds / predicted).ln();
            Some((fold, sample.question.regime(), name(sample).as_str(), error))
        })
        .collect();
    let all = |without: Option<usize>| {
        let others = errors.iter().filter(move |(fold, ..)| Some(*fold) != without);
        Bands::of(others.map(|(_, regime, group, error)| (*regime, *group, *error)))
    };
    for (index, fold) in folds.iter_mut().enumerate() {
        fold.bands = all(Some(index));
    }
    all(None)
}

/// The standard errors by the jackknife over folds of groups.
fn standard_errors<C: Coefficients>(folds: &[Fold<C>]) -> Vec<f64> {
    let count = folds.len() as f64;
    let values: Vec<Vec<f64>> = folds.iter().map(|fold| fold.coefficients.values()).collect();
    (0..C::ALL.len())
        .map(|index| {
            let each = || values.iter().map(|values| values[index]);
            let mean = each().sum::<f64>() / count;
            let squares: f64 = each().map(|value| (value - mean).powi(2)).sum();
            rounded(((count - 1.0) / count * squares).sqrt())
        })
        .collect()
}
