//! What a kernel or a collective takes beyond its bound: curves whose coefficients are fitted.

use mlsysim_quantity::Time;
use mlsysim_scenario::formula;

/// What two parts of a kernel take that overlap only in part: both in sum at an exponent of 1, the
/// longer one alone as the exponent grows.
///
/// ```
/// use mlsysim_models::physics::kernel_time::partly_overlapped;
/// use mlsysim_quantity::Time;
///
/// let [three, four] = [3.0, 4.0].map(Time::from_base);
/// assert_eq!(partly_overlapped(three, four, 1.0).base(), 7.0);
/// assert_eq!(partly_overlapped(three, four, 2.0).base(), 5.0);
/// assert_eq!(partly_overlapped(Time::ZERO, four, 2.0), four);
/// ```
#[formula]
#[unit("µs")]
#[words("(one^exponent + other^exponent)^(1 / exponent)")]
pub fn partly_overlapped(one: Time, other: Time, exponent: f64) -> Time {
    let (shorter, longer) = if one < other { (one, other) } else { (other, one) };
    if longer == Time::ZERO {
        return Time::ZERO;
    }
    longer * (1.0 + (shorter / longer).powf(exponent)).powf(1.0 / exponent)
}

/// The time of a kernel: its start, the serial loop in it, and arithmetic and memory that overlap in
/// part.
///
/// ```
/// use mlsysim_models::physics::kernel_time::kernel_time;
/// use mlsysim_quantity::Time;
///
/// let [start, loop_time, arithmetic, memory] = [1.0, 2.0, 3.0, 4.0].map(Time::from_base);
/// assert_eq!(kernel_time(start, loop_time, arithmetic, memory, 2.0).base(), 8.0);
/// ```
#[formula]
#[unit("µs")]
pub fn kernel_time(start: Time, loop_time: Time, arithmetic: Time, memory: Time, exponent: f64) -> Time {
    start + loop_time + partly_overlapped(arithmetic, memory, exponent)
}

/// How much of `moved` has to cross the memory when a kernel is repeated on the same operands and a
/// cache keeps some of them: nearly nothing of what is far smaller than the cache holds, and all of
/// what is far larger.
///
/// ```
/// use mlsysim_models::physics::kernel_time::crossing_share;
///
/// assert_eq!(crossing_share(0.0), 0.0);
/// assert_eq!(crossing_share(1.0), 0.5);
/// ```
#[formula]
#[words("moved_per_kept² / (1 + moved_per_kept²)")]
pub fn crossing_share(moved_per_kept: f64) -> f64 {
    let square = moved_per_kept * moved_per_kept;
    square / (1.0 + square)
}

/// The time of a collective by one algorithm: its latency, its bytes at the share of the link that it
/// reaches, and a part between both that grows with the square root, since larger messages are sent in
/// larger pieces.
///
/// `at_full_rate` is what the bytes of the algorithm take at the full rate of the link, and `roughness`
/// the weight of the root.
///
/// ```
/// use mlsysim_models::physics::kernel_time::link_time;
/// use mlsysim_quantity::Time;
///
/// let [latency, sent] = [5e-6, 4e-6].map(Time::from_base);
/// assert!((link_time(latency, sent, 1.0, 0.5).base() - 15e-6).abs() < 1e-18);
/// ```
#[formula]
#[unit("µs")]
#[words("latency + roughness × sqrt(at_full_rate × 1 µs) + at_full_rate / share")]
pub fn link_time(latency: Time, at_full_rate: Time, roughness: f64, share: f64) -> Time {
    let root = Time::from_base((at_full_rate.base() * 1e-6).sqrt());
    latency + roughness * root + at_full_rate / share
}

/// The time of a kernel that the host launches one by one: whatever the host and the kernel take, of
/// which the longer one hides most of the other.
#[formula]
#[unit("µs")]
pub fn launched_time(host: Time, kernel: Time) -> Time {
    partly_overlapped(host, kernel, 2.0)
}
