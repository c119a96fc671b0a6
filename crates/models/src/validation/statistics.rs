//! Quantiles of errors.

/// The value below which a `share` of `values` lies, from 0 to 1, between the two nearest; 0 of none.
pub(super) fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = share * values.len().saturating_sub(1) as f64;
    let at = |index: usize| values.get(index).copied().unwrap_or_default();
    let (below, above) = (at(place.floor() as usize), at(place.ceil() as usize));
    below + place.fract() * (above - below)
}

/// The value that half of `values` lie below.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    quantile(&mut values, 0.5)
}
