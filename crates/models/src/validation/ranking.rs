//! `RankedSet`: measured layouts of one model on the same devices, in the order of what was measured and
//! of what is predicted.

use std::collections::BTreeMap;

use mlsysim_scenario::Result;

use super::statistics::median;
use super::table::Table;
use super::{Measurements, TrainingRow};
use crate::predict::{CalibrationSet, Question, TrainingCoefficients};

/// Measured layouts of one model with one batch on the same devices, two or more.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedSet {
    /// Where they come from, as a key.
    pub source: String,
    /// What they have in common, in words.
    pub name: String,
    /// Each layout: its rows, what was measured of it in seconds, and what is predicted without the
    /// group of each row.
    pub layouts: Vec<RankedLayout>,
}

/// A measured layout.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedLayout {
    /// The first of its rows.
    pub id: String,
    /// The mean of its measured times, in seconds.
    pub measured: f64,
    /// The predicted time by a fit that did not have the group of the row, in seconds.
    pub predicted: f64,
    /// The predicted time by a fit that did not have the row's family of devices, in seconds.
    pub beyond: f64,
}

impl Measurements<'_> {
    /// The layouts of `training.csv`, by what was trained on what: the same model, devices, batch,
    /// sequence, precision and framework. Sets of one layout are no sets.
    ///
    /// # Errors
    ///
    /// The table is missing or malformed, or lacks a column.
    pub fn rankings(&self, calibrations: &CalibrationSet) -> Result<Vec<RankedSet>> {
        let rows = Table::<TrainingRow>::read(&self.text("training.csv")?)?.rows;
        let rows: BTreeMap<&str, &TrainingRow> = rows.iter().map(|row| (row.id.as_str(), row)).collect();
        let calibration = &calibrations.steps.training;
        let mut sets: BTreeMap<(String, String), BTreeMap<String, Vec<RankedLayout>>> = BTreeMap::new();
        for asked in self.training(&calibrations.kernels)?.asked {
            let sample = &asked.sample;
            let Some(row) = rows.get(sample.id.as_str()).filter(|_| asked.excluded.is_none()) else {
                continue;
            };
            let predicted = |fold: Option<&TrainingCoefficients>| {
                sample.question.predicted(fold.unwrap_or(&calibration.coefficients)).base()
            };
            let without_group = calibration.without_group(&sample.group).map(|fold| &fold.coefficients);
            let without_family = calibration.without_family(&sample.family).map(|fold| &fold.coefficients);
            let told = RankedLayout {
                id: sample.id.clone(),
                measured: sample.seconds,
                predicted: predicted(without_group),
                beyond: predicted(without_family),
            };
            let set = sets.entry((sample.source.clone(), set_of(row))).or_default();
            set.entry(layout_of(row)).or_default().push(told);
        }
        let several = sets.into_iter().filter(|(_, layouts)| layouts.len() > 1);
        Ok(several
            .map(|((source, name), layouts)| RankedSet {
                source,
                name,
                layouts: layouts.into_values().filter_map(joined).collect(),
            })
            .collect())
    }
}

/// What rows of a set have in common.
fn set_of(row: &TrainingRow) -> String {
    let count = |count: Option<u64>| count.map_or("?".to_string(), |count| count.to_string());
    let shape = &row.shape;
    format!(
        "{} ({} layers, {} wide) on {} {}, batch {}, sequence {}, {}, {}",
        shape.model,
        count(shape.layers),
        count(shape.hidden),
        count(row.n_gpus),
        row.placed.gpu,
        count(row.global_batch),
        count(row.seq_len),
        row.precision,
        row.framework
    )
}

/// In what rows of a set differ.
fn layout_of(row: &TrainingRow) -> String {
    let degrees = [row.tp, row.pp, row.dp, row.ep, row.cp, row.vpp, row.zero_stage, row.micro_batch];
    format!("{degrees:?} {} {}", row.recompute, row.sequence_parallel)
}

/// Rows of the same layout as one.
fn joined(rows: Vec<RankedLayout>) -> Option<RankedLayout> {
    let mean = |of: fn(&RankedLayout) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
    let (measured, predicted, beyond) =
        (mean(|row| row.measured), mean(|row| row.predicted), mean(|row| row.beyond));
    rows.into_iter().next().map(|row| RankedLayout { measured, predicted, beyond, ..row })
}

impl RankedSet {
    /// The rank correlation of predicted and measured times: 1 where the order is the same. Nothing where
    /// all times of one of both are alike.
    ///
    /// Source: Spearman (1904), The proof and measurement of association between two things.
    pub fn correlation(&self, predicted: fn(&RankedLayout) -> f64) -> Option<f64> {
        let ranks =
            |of: &dyn Fn(&RankedLayout) -> f64| ranks(&self.layouts.iter().map(of).collect::<Vec<_>>());
        let (own, others) = (ranks(&predicted), ranks(&|layout: &RankedLayout| layout.measured));
        let mean = (self.layouts.len() as f64 + 1.0) / 2.0;
        let product = |one: &[f64], other: &[f64]| -> f64 {
            one.iter().zip(other).map(|(one, other)| (one - mean) * (other - mean)).sum()
        };
        let scale = (product(&own, &own) * product(&others, &others)).sqrt();
        (scale > 0.0).then(|| product(&own, &others) / scale)
    }

    /// By how much the layout that is predicted to be fastest is slower than the fastest measured one, as
    /// a share of that.
    pub fn regret(&self, predicted: fn(&RankedLayout) -> f64) -> f64 {
        let least = |of: &dyn Fn(&RankedLayout) -> f64| {
            self.layouts.iter().min_by(|one, other| of(one).total_cmp(&of(other)))
        };
        let (chosen, best) = (least(&predicted), least(&|layout: &RankedLayout| layout.measured));
        chosen.zip(best).map_or(0.0, |(chosen, best)| chosen.measured / best.measured - 1.0)
    }

    /// How far the predicted ratios of two layouts lie from the measured ones, as logarithms without
    /// their signs.
    pub fn relative_errors(&self, predicted: fn(&RankedLayout) -> f64) -> Vec<f64> {
        let errors: Vec<f64> =
            self.layouts.iter().map(|layout| (predicted(layout) / layout.measured).ln()).collect();
        let pairs = errors.iter().enumerate();
        pairs.flat_map(|(at, one)| errors[at + 1..].iter().map(move |other| (one - other).abs())).collect()
    }
}

/// The ranks of values, from 1; those of equal ones are the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let alike = values.iter().filter(|other| *other == value).count() as f64;
        below + (alike + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// What share of pairs of layouts, each set as heavy as it has layouts, lies below an error of their
/// ratio.
pub fn relative_error(sets: &[RankedSet], share: f64, predicted: fn(&RankedLayout) -> f64) -> f64 {
    let mut weighed: Vec<(f64, f64)> = Vec::new();
    for set in sets {
        let errors = set.relative_errors(predicted);
        let weight = set.layouts.len() as f64 / errors.len().max(1) as f64;
        weighed.extend(errors.into_iter().map(|error| (error, weight)));
    }
    weighed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let all: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    let reached = weighed.iter().find(|(_, weight)| {
        below += weight;
        below >= share * all
    });
    reached.map_or(0.0, |(error, _)| *error)
}

/// How sets of one source are ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingScore {
    /// The source, or `all` of them.
    pub source: String,
    /// Whether the sets have four layouts or more, or fewer.
    pub is_large: bool,
    /// How many sets there are.
    pub sets: usize,
    /// How many layouts they have together.
    pub layouts: usize,
    /// Without the group of each row.
    pub group: RankingSpread,
    /// Without the family of devices of each row.
    pub family: RankingSpread,
}

/// Medians over sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankingSpread {
    /// The median of rank correlations.
    pub correlation: f64,
    /// The median regret.
    pub regret: f64,
    /// The mean regret.
    pub mean: f64,
    /// The largest regret.
    pub worst: f64,
}

/// Sets of as many layouts are told apart from smaller ones, whose order chance may make right.
const FEW: usize = 4;

/// How sets are ranked, by source, those of four layouts or more apart from smaller ones; and of all
/// sources together at the end.
pub fn ranking_scores(sets: &[RankedSet]) -> Vec<RankingScore> {
    let mut sources: BTreeMap<&str, Vec<&RankedSet>> = BTreeMap::new();
    for set in sets {
        sources.entry(&set.source).or_default().push(set);
    }
    let sources = sources.into_iter().chain([("all", sets.iter().collect())]);
    let mut scores = Vec::new();
    for (source, sets) in sources {
        for is_large in [true, false] {
            let own = sets.iter().copied().filter(|set| (set.layouts.len() >= FEW) == is_large);
            let own: Vec<&RankedSet> = own.collect();
            if !own.is_empty() {
                scores.push(RankingScore {
                    source: source.to_string(),
                    is_large,
                    sets: own.len(),
                    layouts: own.iter().map(|set| set.layouts.len()).sum(),
                    group: RankingSpread::of(&own, |layout| layout.predicted),
                    family: RankingSpread::of(&own, |layout| layout.beyond),
                });
            }
        }
    }
    scores
}

impl RankingSpread {
    fn of(sets: &[&RankedSet], predicted: fn(&RankedLayout) -> f64) -> Self {
        let correlations = sets.iter().filter_map(|set| set.correlation(predicted));
        let regrets: Vec<f64> = sets.iter().map(|set| set.regret(predicted)).collect();
        RankingSpread {
            correlation: median(correlations.collect()),
            regret: median(regrets.clone()),
            mean: regrets.iter().sum::<f64>() / regrets.len().max(1) as f64,
            worst: regrets.into_iter().fold(0.0, f64::max),
        }
    }
}
