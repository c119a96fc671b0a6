//! `score`: predictions of rows that their fit did not have, and how far they are off.

use std::collections::BTreeMap;

use super::statistics::quantile;
use super::{Asked, Reason, Samples};
use crate::predict::{Band, Calibration, Prediction, Question};

/// Whether a fit could have known a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is in the calibration, and was predicted by the fold without its group.
    CrossValidated,
    /// It is not in the calibration.
    KeptApart,
    /// It is scored apart, for this reason.
    Excluded(Reason),
}

/// A row with what was predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The table that it is of.
    pub file: &'static str,
    /// The row.
    pub id: String,
    /// Where it comes from.
    pub source: String,
    /// What it belongs with.
    pub group: String,
    /// The regime.
    pub regime: &'static str,
    /// The family of its device.
    pub family: String,
    /// Whether a fit could have known it.
    pub status: Status,
    /// What was measured, in seconds.
    pub measured: f64,
    /// What it takes at the full rates of its machine, in seconds.
    pub speed_of_light: f64,
    /// What is predicted without its group.
    pub without_group: Prediction,
    /// What is predicted without its family of devices.
    pub without_family: Prediction,
    /// What is predicted without its source.
    pub without_source: Prediction,
}

/// Tables print three digits or more, so that a bound may be beaten by a rounding.
const ROUNDED: f64 = 0.001;

/// The rows of `samples`, each predicted by the fits without its group and without its family.
pub fn score<Q: Question>(samples: &Samples<Q>, calibration: &Calibration<Q::Of>) -> Vec<Scored> {
    samples.asked.iter().map(|asked| scored(asked, calibration)).collect()
}

fn scored<Q: Question>(asked: &Asked<Q>, calibration: &Calibration<Q::Of>) -> Scored {
    let sample = &asked.sample;
    let question = &sample.question;
    let banded = |band: (Band, bool)| if question.beyond().is_empty() { band.0 } else { band.0.wider() };
    let whole = || calibration.predict(question);
    let group = if sample.fits { calibration.without_group(&sample.group) } else { None };
    let without_group = group.map_or_else(whole, |fold| {
        question.prediction(&fold.coefficients, banded(fold.bands.band(question.regime())), Vec::new())
    });
    let bands_beyond = &calibration.bands_beyond;
    let (coefficients, bands) = calibration
        .without_family(&sample.family)
        .map_or((&calibration.coefficients, bands_beyond), |fold| (&fold.coefficients, &fold.bands));
    let unseen = question.as_unseen();
    let without_family = unseen.prediction(coefficients, banded(bands.band(question.regime())), Vec::new());
    let source = if sample.fits { calibration.without_source(&sample.source) } else { None };
    let without_source = source.map_or_else(whole, |fold| {
        question.prediction(&fold.coefficients, banded(fold.bands.band(question.regime())), Vec::new())
    });
    Scored {
        file: asked.file,
        id: sample.id.clone(),
        source: sample.source.clone(),
        group: sample.group.clone(),
        regime: question.regime(),
        family: sample.family.clone(),
        status: match &asked.excluded {
            Some(reason) => Status::Excluded(reason.clone()),
            None if sample.fits => Status::CrossValidated,
            None => Status::KeptApart,
        },
        measured: sample.seconds,
        speed_of_light: question.speed_of_light().base(),
        without_group,
        without_family,
        without_source,
    }
}

/// Errors of predictions, as shares of what was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spreads {
    /// The median of absolute errors.
    pub median: f64,
    /// Their mean.
    pub mean: f64,
    /// Their 90th percentile.
    pub most: f64,
    /// The median of errors with their signs: above 0 where predictions are too long.
    pub bias: f64,
}

impl Spreads {
    pub(super) fn of(mut errors: Vec<f64>) -> Spreads {
        let bias = quantile(&mut errors, 0.5);
        let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
        Spreads { median: quantile(&mut sizes, 0.5), mean, most: quantile(&mut sizes, 0.9), bias }
    }
}

/// The share of measurements that lie between their low and their high end.
pub(super) fn share_within(all: impl ExactSizeIterator<Item = (f64, f64, f64)>) -> f64 {
    let count = all.len().max(1) as f64;
    let within = |(measured, low, high): &(f64, f64, f64)| {
        (low * (1.0 - ROUNDED)..=high * (1.0 + ROUNDED)).contains(measured)
    };
    all.filter(within).count() as f64 / count
}

/// The factor that makes the mean of absolute errors least, for times that are `ratios` of what is
/// multiplied: their median, where each weighs as its inverse.
fn best_factor(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    let half = ratios.iter().map(|ratio| ratio.recip()).sum::<f64>() / 2.0;
    let mut before = 0.0;
    let reached = ratios.iter().find(|ratio| {
        before += ratio.recip();
        before >= half
    });
    reached.copied().unwrap_or(1.0)
}

/// How far the predictions of some rows are off.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// What the rows have in common.
    pub name: String,
    /// How many rows there are.
    pub rows: usize,
    /// How many of them are not in the calibration.
    pub kept_apart: usize,
    /// Errors without the group of a row.
    pub group: Spreads,
    /// The share of rows within their bands, without their groups.
    pub group_coverage: f64,
    /// Errors without the family of a row.
    pub family: Spreads,
    /// The share of rows within their bands, without their families.
    pub family_coverage: f64,
    /// Errors without the source of a row.
    pub source: Spreads,
    /// The share of rows within their bands, without their sources.
    pub source_coverage: f64,
    /// Errors of the full rates of the machine.
    pub speed_of_light: Spreads,
    /// Errors of one efficiency for each device and regime, which saw every row that it is scored on.
    pub efficiency: Spreads,
    /// How many measurements beat their bounds.
    pub violations: usize,
}

/// Regimes that are scored together too, by what their names begin with or end on.
const TOGETHER: [(&str, &[&str], &str); 3] = [
    ("collectives in an NVLink domain", &[""], ", NVLink"),
    ("training, dense and MoE", &["training step"], ""),
    ("serving, all of it", &["decode step", "prefill", "static batch", "maximum load"], ""),
];

/// The scores of the `rows` of the calibration by what `within` tells of each and of some regimes together;
/// those of rows that are not in the calibration, and of those that are scored apart by the reason.
pub fn report(rows: &[Scored], within: impl Fn(&Scored) -> String) -> Vec<Score> {
    let (told, apart): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| !matches!(row.status, Status::Excluded(_)));
    let (kept_apart, told): (Vec<_>, Vec<_>) =
        told.into_iter().partition(|row| row.status == Status::KeptApart);
    let mut all = scores(told.iter().copied(), within);
    for (name, begins, ends) in TOGETHER {
        let is_of = |row: &&Scored| {
            begins.iter().any(|begin| row.regime.starts_with(begin)) && row.regime.ends_with(ends)
        };
        all.extend(scores(told.iter().copied().filter(is_of), |_| name.to_string()));
    }
    all.extend(scores(kept_apart, |row| format!("kept apart: {}", row.regime)));
    all.extend(scores(apart, |row| match &row.status {
        Status::Excluded(reason) => format!("excluded: {reason}"),
        Status::CrossValidated | Status::KeptApart => row.regime.to_string(),
    }));
    all
}

/// The scores of `rows`, of those together for which `name` is the same, in the order of names.
pub fn scores<'a>(
    rows: impl IntoIterator<Item = &'a Scored>,
    name: impl Fn(&Scored) -> String,
) -> Vec<Score> {
    let rows: Vec<&Scored> = rows.into_iter().collect();
    let ratio = |row: &Scored| row.measured / row.speed_of_light;
    let beats_bound = |row: &Scored| row.measured < row.without_group.bound.base() * (1.0 - ROUNDED);
    let mut ratios: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for row in &rows {
        ratios.entry((row.regime, &row.family)).or_default().push(ratio(row));
    }
    let efficiencies: BTreeMap<_, f64> =
        ratios.into_iter().map(|(key, ratios)| (key, best_factor(ratios))).collect();
    let mut sorted: BTreeMap<String, Vec<&Scored>> = BTreeMap::new();
    for row in &rows {
        sorted.entry(name(row)).or_default().push(row);
    }
    let scored = sorted.into_iter().map(|(name, rows)| {
        let off = |of: &dyn Fn(&Scored) -> f64| {
            Spreads::of(rows.iter().map(|row| of(row) / row.measured - 1.0).collect())
        };
        let covered = |of: fn(&Scored) -> &Prediction| {
            share_within(rows.iter().map(|row| (row.measured, of(row).low.base(), of(row).high.base())))
        };
        let efficiency = |row: &Scored| efficiencies.get(&(row.regime, &*row.family)).copied().unwrap_or(1.0);
        Score {
            name,
            rows: rows.len(),
            kept_apart: rows.iter().filter(|row| row.status == Status::KeptApart).count(),
            group: off(&|row| row.without_group.time.base()),
            group_coverage: covered(|row| &row.without_group),
            family: off(&|row| row.without_family.time.base()),
            family_coverage: covered(|row| &row.without_family),
            source: off(&|row| row.without_source.time.base()),
            source_coverage: covered(|row| &row.without_source),
            speed_of_light: off(&|row| row.speed_of_light),
            efficiency: off(&|row| row.speed_of_light * efficiency(row)),
            violations: rows.iter().filter(|row| beats_bound(row)).count(),
        }
    });
    scored.collect()
}
