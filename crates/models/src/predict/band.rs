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

/// How much wider than its quantiles a band is, in the logarithm. Rows of a group err together, and a
/// few folds of groups show less than all that new groups will do: without this, bands hold 81 to 90
/// in a hundred rows.
const FEW_GROUPS: f64 = 1.25;

/// How much wider a band is, in the logarithm, for what no fold has ever left out.
const UNSEEN: f64 = 1.25;

impl Band {
    /// The band of errors in the logarithm, measured over predicted.
    fn of(mut errors: Vec<f64>) -> Band {
        errors.sort_by(f64::total_cmp);
        // The quantiles of new rows, not of these: the ends lie one row further out.
        let at = |share: f64| {
            let place = (share * (errors.len() as f64 + 1.0) - 1.0).clamp(0.0, errors.len() as f64 - 1.0);
            let (below, above) = (errors[place.floor() as usize], errors[place.ceil() as usize]);
            below + place.fract() * (above - below)
        };
        let [low, high] = [at(0.05).min(0.0), at(0.95).max(0.0)].map(|end| (FEW_GROUPS * end).exp());
        Band { low, high }
    }

    /// How far a row lies off the prediction in the logarithm, as a standard deviation, if errors are
    /// normal: the ends are 1.645 of them away.
    pub(super) fn deviation(self) -> f64 {
        (self.high / self.low).ln() / (2.0 * 1.645 * FEW_GROUPS)
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
    /// The bands of errors with their regimes, of those that have enough.
    pub(crate) fn of<'a>(errors: impl Iterator<Item = (&'a str, f64)>) -> Bands {
        let mut sorted: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (regime, error) in errors {
            sorted.entry(regime.to_string()).or_default().push(error);
            sorted.entry(ANY.to_string()).or_default().push(error);
        }
        sorted.retain(|regime, errors| errors.len() >= FEWEST || (regime == ANY && !errors.is_empty()));
        Bands(sorted.into_iter().map(|(regime, errors)| (regime, Band::of(errors))).collect())
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
