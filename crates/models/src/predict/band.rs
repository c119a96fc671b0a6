//! `Bands`: how far measurements lie from predictions whose fit did not have them, by regime.

use std::collections::BTreeMap;

/// What nine measurements in ten lie between, as multiples of the prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// What one in twenty is below.
    pub low: f64,
    /// What one in twenty is above.
    pub high: f64,
}

/// The least rows that a regime needs for a band of its own.
const FEWEST: usize = 30;

/// The name of the band of all rows together.
pub(super) const ANY: &str = "any";

/// How much wider than its quantiles a band is, in the logarithm, however many groups it was made of: the
/// least with which the bands of all regimes hold 88 to 96 in a hundred of the rows that were left out.
const NEW_GROUPS: f64 = 1.1;

/// The quantile of the normal distribution that one in twenty is above.
const NORMAL: f64 = 1.644_853_6;

/// How much wider a band is, in the logarithm, for what no fold has ever left out.
const UNSEEN: f64 = 1.25;

/// How much wider than quantiles of its rows a band is, in the logarithm.
///
/// A new row differs from those at hand as rows of a group differ, of which there are many, and as groups
/// differ, of which there are few: the share of the variance that lies between groups is widened as
/// Student's quantile, with one degree of freedom fewer than groups, is wider than the normal one. The
/// first terms of its series are within two in a hundred from three groups on.
///
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
fn widening(groups: &BTreeMap<&str, Vec<f64>>) -> f64 {
    let freedom = groups.len().max(3) as f64 - 1.0;
    let [z, cube, fifth] = [1, 3, 5].map(|power| NORMAL.powi(power));
    let first = (cube + z) / (4.0 * freedom);
    let second = (5.0 * fifth + 16.0 * cube + 3.0 * z) / (96.0 * freedom * freedom);
    let student = (z + first + second) / z;
    NEW_GROUPS * (1.0 + correlation(groups) * (student * student - 1.0)).sqrt()
}

/// The share of the variance of errors that lies between groups, and not within them: their intraclass
/// correlation.
///
/// Source: Donner (1986), A review of inference procedures for the intraclass correlation coefficient in
/// the one-way random effects model, International Statistical Review 54.
fn correlation(groups: &BTreeMap<&str, Vec<f64>>) -> f64 {
    let (count, rows) = (groups.len() as f64, groups.values().map(Vec::len).sum::<usize>() as f64);
    if count < 2.0 || rows <= count {
        return 1.0;
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let overall = groups.values().flatten().sum::<f64>() / rows;
    let (mut between, mut within, mut squares) = (0.0, 0.0, 0.0);
    for errors in groups.values() {
        let (own, size) = (mean(errors), errors.len() as f64);
        between += size * (own - overall).powi(2);
        within += errors.iter().map(|error| (error - own).powi(2)).sum::<f64>();
        squares += size * size;
    }
    let (between, within) = (between / (count - 1.0), within / (rows - count));
    let size = (rows - squares / rows) / (count - 1.0);
    let all = between + (size - 1.0) * within;
    if all > 0.0 { ((between - within) / all).clamp(0.0, 1.0) } else { 1.0 }
}

impl Band {
    /// The band of errors in the logarithm, measured over predicted, of the rows of each group.
    fn of(groups: &BTreeMap<&str, Vec<f64>>) -> Band {
        let mut errors: Vec<f64> = groups.values().flatten().copied().collect();
        errors.sort_by(f64::total_cmp);
        // The quantiles of new rows, not of these: the ends lie one row further out.
        let at = |share: f64| {
            let place = (share * (errors.len() as f64 + 1.0) - 1.0).clamp(0.0, errors.len() as f64 - 1.0);
            let (below, above) = (errors[place.floor() as usize], errors[place.ceil() as usize]);
            below + place.fract() * (above - below)
        };
        let [low, high] = [at(0.05).min(0.0), at(0.95).max(0.0)].map(|end| (widening(groups) * end).exp());
        Band { low, high }
    }

    /// How far a row lies off the prediction in the logarithm, as a standard deviation, if errors are
    /// normal: the ends of a band of many groups are 1.645 of them away.
    pub(super) fn deviation(self) -> f64 {
        (self.high / self.low).ln() / (2.0 * NORMAL * NEW_GROUPS)
    }

    /// The same, wider in the logarithm.
    #[must_use]
    pub fn wider(self) -> Band {
        Band { low: self.low.powf(UNSEEN), high: self.high.powf(UNSEEN) }
    }
}

/// The bands of all regimes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bands(pub BTreeMap<String, Band>);

impl Bands {
    /// The bands of errors with their regimes and what was left out together, of those regimes that have
    /// enough.
    pub(crate) fn of<'a>(errors: impl Iterator<Item = (&'a str, &'a str, f64)>) -> Bands {
        let mut sorted: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
        for (regime, group, error) in errors {
            for name in [regime, ANY] {
                sorted.entry(name).or_default().entry(group).or_default().push(error);
            }
        }
        let rows = |groups: &BTreeMap<&str, Vec<f64>>| groups.values().map(Vec::len).sum::<usize>();
        sorted.retain(|regime, groups| rows(groups) >= FEWEST || *regime == ANY);
        Bands(sorted.into_iter().map(|(regime, groups)| (regime.to_string(), Band::of(&groups))).collect())
    }

    /// The band of `regime`, or a wider one of all rows where it has none, and whether it is its own.
    pub fn band(&self, regime: &str) -> (Band, bool) {
        match (self.0.get(regime), self.0.get(ANY)) {
            (Some(band), _) => (*band, true),
            (None, Some(any)) => (any.wider(), false),
            (None, None) => (Band { low: 0.0, high: f64::INFINITY }, false),
        }
    }
}
