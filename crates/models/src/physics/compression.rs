//! Compressing gradients: rounding, and the error that a worker carries into the next step.

use mlsysim_scenario::formula;

/// What a compressor sends of `value`: the nearest whole unit, away from zero from the middle.
///
/// Nine decimals count; what is beyond them is the error of roundings.
///
/// ```
/// use mlsysim_models::physics::compression::nearest_unit;
///
/// assert_eq!([0.49, 0.5, -0.5, 0.1 + 0.2 + 0.2].map(nearest_unit), [0, 1, -1, 1]);
/// ```
#[formula]
#[words("value to the nearest whole unit, 1/2 away from zero, after rounding to 9 decimals")]
pub fn nearest_unit(value: f64) -> i64 {
    ((value * 1e9).round() / 1e9).round() as i64
}

/// The errors of a compressor with error feedback: before the first step, and after each.
///
/// A step sends the nearest unit of its gradient and of the error that it carries, and carries on
/// what it did not send.
#[formula]
#[words("0 first, then value - nearest_unit(value), where value = gradient + the error before")]
#[source("Karimireddy et al. (2019), arXiv:1901.09847")]
pub fn carried_errors(gradients: &[f64]) -> Vec<f64> {
    let mut errors = vec![0.0];
    let mut carried = 0.0;
    errors.extend(gradients.iter().map(|gradient| {
        let value = gradient + carried;
        carried = value - nearest_unit(value) as f64;
        carried
    }));
    errors
}

/// What a compressor with error feedback rounds in each step: the gradient and the carried error.
#[formula]
#[words("each gradient + the error carried into its step")]
#[source("Karimireddy et al. (2019), arXiv:1901.09847")]
pub fn corrected_values(gradients: &[f64]) -> Vec<f64> {
    gradients.iter().zip(carried_errors(gradients)).map(|(gradient, error)| gradient + error).collect()
}
