//! `Bands`: how far measurements lie from predictions whose fit did not have them, by regime.

use std::collections::{BTreeMap, BTreeSet};

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

/// How much wider than its quantiles a band is, in the logarithm, however many groups it was made of:
/// without this, bands of a few kinds of steps hold 89 rows in a hundred.
const NEW_GROUPS: f64 = 1.05;

/// The quantile of the normal distribution that one in twenty is above.
const NORMAL: f64 = 1.644_853_6;

/// How much wider a band is, in the logarithm, for what no fold has ever left out.
const UNSEEN: f64 = 1.25;

/// How much wider than quantiles of the rows a band of so many `groups` is, in the logarithm.
///
/// Rows of a group err together, so that a few groups show less than their many rows seem to: as
/// Student's quantile, with one degree of freedom fewer than groups, is wider than the normal one. The
/// first terms of its series are within two in a hundred from three groups on.
///
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
fn widening(groups: usize) -> f64 {
    let freedom = groups.max(3) as f64 - 1.0;
    let [z, cube, fifth] = [1, 3, 5].map(|power| NORMAL.powi(power));
    let first = (cube + z) / (4.0 * freedom);
    let second = (5.0 * fifth + 16.0 * cube + 3.0 * z) / (96.0 * freedom * freedom);
    NEW_GROUPS * (z + first + second) / z
}

impl Band {
    /// The band of errors in the logarithm, measured over predicted, of rows of so many `groups`.
    fn of(mut errors: Vec<f64>, groups: usize) -> Band {
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
        let mut sorted: BTreeMap<&str, (Vec<f64>, BTreeSet<&str>)> = BTreeMap::new();
        for (regime, group, error) in errors {
            for name in [regime, ANY] {
                let (errors, groups) = sorted.entry(name).or_default();
                errors.push(error);
                groups.insert(group);
            }
        }
        sorted.retain(|regime, (errors, _)| errors.len() >= FEWEST || *regime == ANY);
        let band = |(errors, groups): (Vec<f64>, BTreeSet<&str>)| Band::of(errors, groups.len());
        Bands(sorted.into_iter().map(|(regime, errors)| (regime.to_string(), band(errors))).collect())
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
