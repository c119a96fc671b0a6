//! What requests and accelerators cost.

use mlsysim_quantity::{Frequency, Money, Price};
use mlsysim_scenario::formula;

/// How many requests are priced together, because one costs a fraction of a cent.
pub const MILLION: f64 = 1e6;

/// What a million requests cost on a device that is always busy.
///
/// ```
/// use mlsysim_models::physics::economics::cost_of_a_million;
/// use mlsysim_quantity::units::{DOLLAR, HOUR, SECOND};
///
/// let cost = cost_of_a_million(3.6 * DOLLAR / HOUR, 1000.0 / SECOND);
/// assert!((cost / DOLLAR - 1.0).abs() < 1e-12);
/// ```
#[formula]
#[unit(dollar)]
pub fn cost_of_a_million(price: Price, rate: Frequency) -> Money {
    MILLION * (price / rate)
}
