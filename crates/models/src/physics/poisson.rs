//! Counts of a Poisson stream, to full precision in the far tails.

use mlsysim_scenario::{Error, Result, formula};

/// Above this mean the terms of a tail are too many to add.
const LARGEST_MEAN: f64 = 1e10;

/// Near the smallest numbers that there are, a product loses its digits.
const FEW_DIGITS: f64 = 1e-290;

/// The probability of `at_least` events or more where `mean` are expected.
///
/// The smaller of the two sides is added up, so that a small probability keeps all its digits.
///
/// ```
/// use mlsysim_models::physics::poisson::poisson_tail;
///
/// let none = poisson_tail(2.0, 1)?;
/// assert!((none - (1.0 - (-2.0_f64).exp())).abs() < 1e-15);
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// The mean is beyond what can be added up.
#[formula]
#[words("P(N ≥ at_least), N Poisson with the mean")]
pub fn poisson_tail(mean: f64, at_least: u64) -> Result<f64> {
    summable(mean)?;
    if at_least == 0 {
        return Ok(1.0);
    }
    let first = at_least as f64;
    if first > mean {
        return Ok(added(first, mean, |count, term| term * mean / (count + 1.0), 1.0));
    }
    Ok(1.0 - added(first - 1.0, mean, |count, term| term * count / mean, -1.0))
}

/// The fewest events `s` so that `s` or more have a probability below `target`.
///
/// # Errors
///
/// The mean is beyond what can be added up, or the target is not above 0.
#[formula]
#[words("the least s with P(N ≥ s) < target, N Poisson with the mean")]
pub fn poisson_reserve(mean: f64, target: f64) -> Result<u64> {
    summable(mean)?;
    if target <= 0.0 {
        return Err(Error::absent("without bound for these inputs: every count has some probability"));
    }
    if mean == 0.0 {
        return Ok(if target > 1.0 { 0 } else { 1 });
    }
    // From where nothing is left, downwards, so that the smallest terms are added first.
    let mut count = (mean + 40.0 * mean.sqrt() + 40.0).floor();
    let (mut term, mut tail) = (0.0, 0.0);
    while count >= 0.0 {
        term = if term < FEW_DIGITS { probability(mean, count) } else { term * (count + 1.0) / mean };
        if tail + term >= target {
            break;
        }
        tail += term;
        count -= 1.0;
    }
    Ok((count + 1.0) as u64)
}

fn summable(mean: f64) -> Result<()> {
    if mean <= LARGEST_MEAN {
        return Ok(());
    }
    Err(Error::absent(format!("not computed for a mean of more than {LARGEST_MEAN} events")))
}

/// The sum of probabilities from `first` on in steps of `step`, until they add nothing.
fn added(first: f64, mean: f64, next: impl Fn(f64, f64) -> f64, step: f64) -> f64 {
    let (mut count, mut term) = (first, probability(mean, first));
    let mut sum = 0.0;
    while sum + term > sum {
        sum += term;
        term = next(count, term);
        count += step;
    }
    sum
}

/// The probability of exactly `count` events, by Loader's saddle point.
///
/// `e^−m mᵏ / k!` loses all digits where `m` is large; the deviance of `k` from `m` does not.
///
/// Source: Loader (2000), Fast and Accurate Computation of Binomial Probabilities.
fn probability(mean: f64, count: f64) -> f64 {
    if count == 0.0 {
        return (-mean).exp();
    }
    if mean == 0.0 {
        return 0.0;
    }
    if count < 16.0 {
        let factors = (1..=count as u64).map(|factor| mean / factor as f64);
        return (-mean / 2.0).exp() * factors.product::<f64>() * (-mean / 2.0).exp();
    }
    let root = (2.0 * std::f64::consts::PI * count).sqrt();
    (-stirling_error(count) - deviance(count, mean)).exp() / root
}

/// By how much the logarithm of `n!` exceeds Stirling's formula, for `n` from 16 on.
fn stirling_error(n: f64) -> f64 {
    let square = n * n;
    (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square) / square)
            / square)
        / n
}

/// `k ln(k / m) + m − k`, without cancellation where `k` is near `m`.
fn deviance(count: f64, mean: f64) -> f64 {
    let difference = count - mean;
    if difference.abs() > 0.1 * (count + mean) {
        return count * (count / mean).ln() - difference;
    }
    let ratio = difference / (count + mean);
    let (mut sum, mut power) = (difference * ratio, 2.0 * count * ratio);
    let mut odd = 3.0;
    loop {
        power *= ratio * ratio;
        let next = sum + power / odd;
        if next == sum {
            return sum;
        }
        sum = next;
        odd += 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, two: f64) -> bool {
        (one - two).abs() <= 1e-13 * two.abs()
    }

    #[test]
    fn far_tails_keep_their_digits() {
        // By adding up the series with 60 digits.
        assert!(near(poisson_tail(0.5, 8).unwrap(), 6.219690863728649e-08));
        assert!(near(poisson_tail(10.0, 60).unwrap(), 6.521903327818374e-27));
        assert!(near(poisson_tail(1000.0, 1100).unwrap(), 0.0009626304058665572));
        assert_eq!(poisson_tail(3.0, 0), Ok(1.0));
        assert_eq!(poisson_tail(0.0, 1), Ok(0.0));
    }

    #[test]
    fn probabilities_add_up_to_one() {
        for mean in [0.3, 16.0, 250.0, 1e6] {
            let split = (mean as u64) + 1;
            let upper = poisson_tail(mean, split).unwrap();
            let lower = added(split as f64 - 1.0, mean, |count, term| term * count / mean, -1.0);
            assert!((upper + lower - 1.0).abs() < 1e-11, "{mean}: {}", upper + lower);
        }
    }

    #[test]
    fn the_reserve_is_the_first_count_below_the_target() {
        for (mean, target) in
            [(0.5, 0.01), (2.0, 0.01), (5.0, 0.01), (10.0, 0.01), (700.0, 0.001), (1e5, 0.3)]
        {
            let reserve = poisson_reserve(mean, target).unwrap();
            assert!(poisson_tail(mean, reserve).unwrap() < target);
            assert!(poisson_tail(mean, reserve - 1).unwrap() >= target);
        }
        assert_eq!(poisson_reserve(0.0, 0.01), Ok(1));
        assert_eq!(poisson_reserve(5.0, 2.0), Ok(0));
        assert!(poisson_reserve(5.0, 0.0).is_err());
        assert!(poisson_reserve(1e300, 0.01).is_err());
    }
}
