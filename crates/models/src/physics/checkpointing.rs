//! How often a long run saves its state, and what failures make of its time.

use mlsysim_quantity::Time;
use mlsysim_scenario::formula;

/// The time between two checkpoints that loses least: the longer it is, the more a failure destroys, and
/// the shorter, the more is spent on saving.
///
/// Where saving takes more than half of the time between failures, it is that time.
///
/// ```
/// use mlsysim_models::physics::checkpointing::checkpoint_interval;
/// use mlsysim_quantity::Time;
///
/// let [saving, between] = [60.0, 8.0 * 3600.0].map(Time::from_base);
/// let interval = checkpoint_interval(saving, between).base();
/// // Young's first order is the root of twice the product, 1,859 s; Daly's is a little shorter.
/// assert!((1800.0..1859.0).contains(&interval));
/// ```
#[formula]
#[unit(min)]
#[source(
    "Daly (2006), A higher order estimate of the optimum checkpoint interval for restart dumps, equation 37; its first term is that of Young (1974)"
)]
#[words(
    "sqrt(2 × saving × between_failures) × (1 + sqrt(saving / (2 × between_failures)) / 3 + saving / (18 × between_failures)) − saving"
)]
pub fn checkpoint_interval(saving: Time, between_failures: Time) -> Time {
    let ratio = saving / (2.0 * between_failures);
    if ratio >= 1.0 {
        return between_failures;
    }
    let young = (2.0 * saving.base() * between_failures.base()).sqrt();
    Time::from_base(young * (1.0 + ratio.sqrt() / 3.0 + ratio / 9.0)) - saving
}

/// What a run takes that fails at random, saves its state at intervals, and goes on from the last one.
///
/// ```
/// use mlsysim_models::physics::checkpointing::time_with_failures;
/// use mlsysim_quantity::Time;
///
/// let [work, interval, saving, restart] = [1e6, 1e3, 10.0, 300.0].map(Time::from_base);
/// let never = time_with_failures(work, interval, saving, restart, Time::from_base(1e15));
/// assert!((never.base() / 1.01e6 - 1.0).abs() < 1e-6);
/// let often = time_with_failures(work, interval, saving, restart, Time::from_base(1e4));
/// assert!(often > never);
/// ```
#[formula]
#[unit(h)]
#[source(
    "Daly (2006), A higher order estimate of the optimum checkpoint interval for restart dumps, equation 20"
)]
#[words(
    "between_failures × e^(restart / between_failures) × (e^((interval + saving) / between_failures) − 1) × work / interval"
)]
pub fn time_with_failures(
    work: Time,
    interval: Time,
    saving: Time,
    restart: Time,
    between_failures: Time,
) -> Time {
    let segments = work / interval;
    let lost = ((interval + saving) / between_failures).exp_m1() * (restart / between_failures).exp();
    segments * lost * between_failures
}
