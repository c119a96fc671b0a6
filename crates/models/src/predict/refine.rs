//! `refine`: a calibration shrunk towards another, so that a few rows move what they tell of.

use std::collections::{BTreeMap, BTreeSet};

use super::calibrate::{FOLDS, Sample, rounded};
use super::fit::{Prior, ROBUST, Row, fit, spreads};
use super::{Bands, Calibration, Coefficients, Fold, Question};

/// The least that a coefficient may be off, in the logarithm, however sure many rows of other machines
/// make it: the noise of a row. A standard error of 0 is one of a coefficient at the end of its range.
const LEAST_WIDTH: f64 = ROBUST;

/// Rows that leave more than this of the variance of a coefficient tell nothing of it.
const UNTOLD: f64 = 0.9;

/// What the sources of a user's own rows begin with in a calibration.
pub(super) const OWN: &str = "own: ";

/// A calibration with a user's own rows, and what those do not tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined<C> {
    /// The calibration.
    pub calibration: Calibration<C>,
    /// How many rows it was refined on.
    pub rows: usize,
    /// The coefficients that stayed what they were, since the rows do not identify them.
    pub kept: Vec<&'static str>,
}

/// `ours` on top of which `samples` are fitted: the most probable coefficients if ours are as far off as
/// those of a fifth of our groups of rows alone would be, and each of the rows as far as rows of its
/// regime are.
///
/// A coefficient whose variance the rows leave by nine tenths is not identified by them and stays ours
/// exactly, as all do without rows. Bands stay ours too, since a few rows show no quantiles. The folds
/// get those that leave groups, families and sources of the new rows out.
pub fn refine<Q: Question>(ours: &Calibration<Q::Of>, samples: &[Sample<Q>]) -> Refined<Q::Of> {
    let samples: Vec<&Sample<Q>> = samples.iter().filter(|sample| sample.fits).collect();
    let fitted = |without: &dyn Fn(&Sample<Q>) -> bool| {
        let rows = samples.iter().filter(|sample| !without(sample)).map(|sample| row(sample, &ours.bands));
        refined(ours, &rows.collect::<Vec<_>>())
    };
    let (values, standard_errors, kept) = fitted(&|_| false);
    let folds = |name: fn(&Sample<Q>) -> &String, most: usize, known: &[Fold<Q::Of>]| {
        let known: BTreeSet<&String> = known.iter().flat_map(|fold| &fold.left_out).collect();
        let names: BTreeSet<&String> = samples.iter().map(|sample| name(sample)).collect();
        let names: Vec<&String> = names.difference(&known).copied().collect();
        let parts = (0..most.min(names.len())).map(|part| {
            let left_out: Vec<String> =
                names.iter().skip(part).step_by(most).map(|name| (*name).clone()).collect();
            let (values, ..) = fitted(&|sample| left_out.contains(name(sample)));
            Fold { left_out, coefficients: Q::Of::of(&values), bands: Bands::default() }
        });
        parts.collect::<Vec<_>>()
    };
    let mut calibration = ours.clone();
    let add = |to: &mut Vec<Fold<Q::Of>>, added: Vec<Fold<Q::Of>>, bands: &Bands| {
        to.extend(added.into_iter().map(|fold| Fold { bands: bands.clone(), ..fold }));
    };
    let each = samples.len();
    add(&mut calibration.groups, folds(|sample| &sample.group, FOLDS, &ours.groups), &ours.bands);
    let families = folds(|sample| &sample.family, each, &ours.families);
    add(&mut calibration.families, families, &ours.bands_beyond);
    let sources = folds(|sample| &sample.source, each, &ours.left_out_sources);
    add(&mut calibration.left_out_sources, sources, &ours.bands);
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    for sample in &samples {
        *rows.entry(format!("{OWN}{}", sample.source)).or_default() += 1;
    }
    calibration.sources.extend(rows);
    calibration.coefficients = Q::Of::of(&values);
    calibration.standard_errors = standard_errors;
    Refined { calibration, rows: samples.len(), kept }
}

/// A sample as a row that may be off by what its regime is.
fn row<'a, Q: Question>(sample: &'a Sample<Q>, bands: &Bands) -> Row<'a, Q> {
    let (band, _) = bands.band(sample.question.regime());
    let noise = band.deviation();
    let noise = if noise.is_finite() { noise.max(ROBUST) } else { ROBUST };
    Row { question: &sample.question, seconds: sample.seconds, noise }
}

/// The values with `rows`, their standard errors, and the names of those that `rows` do not identify.
fn refined<Q: Question>(
    ours: &Calibration<Q::Of>,
    rows: &[Row<Q>],
) -> (Vec<f64>, Vec<f64>, Vec<&'static str>) {
    let before = ours.coefficients.values();
    let all = <Q::Of as Coefficients>::ALL;
    let width = before.iter().zip(&ours.standard_errors).map(|(value, error)| {
        // The jackknife's error is that of the mean of fifths; a fifth alone is further off.
        ((FOLDS as f64).sqrt() * error / value).max(LEAST_WIDTH)
    });
    let mut prior = Prior { centre: before.iter().map(|value| value.ln()).collect(), width: width.collect() };
    let best = fit(rows, &ours.coefficients, &prior);
    let left = spreads(rows, &best, &prior);
    for (width, left) in prior.width.iter_mut().zip(&left) {
        if (left / *width).powi(2) > UNTOLD {
            *width = 0.0;
        }
    }
    let (best, left) = match prior.width.iter().all(|width| *width == 0.0) {
        true => (ours.coefficients, left),
        false => {
            let best = fit(rows, &ours.coefficients, &prior);
            (best, spreads(rows, &best, &prior))
        }
    };
    let is_kept = |index: usize| prior.width[index] == 0.0;
    let kept = (0..all.len()).filter(|index| is_kept(*index)).map(|index| all[index].name).collect();
    let value = |index: usize, value: f64| if is_kept(index) { before[index] } else { rounded(value) };
    let values: Vec<f64> = best.values().into_iter().enumerate().map(|(at, each)| value(at, each)).collect();
    let error = |index: usize| match is_kept(index) {
        true => ours.standard_errors[index],
        false => rounded(left[index] * values[index]),
    };
    let errors = (0..all.len()).map(error).collect();
    (values, errors, kept)
}
