//! What a forward pass of a Transformer costs: its arithmetic, and the time to read the weights.

use mlsysim_quantity::units::FLOP;
use mlsysim_quantity::{FlopRate, Flops, Params, Time};
use mlsysim_scenario::formula;

use super::compute::FORWARD_FLOPS_PER_PARAM;

/// The arithmetic of all parameters for `tokens` tokens in the forward pass, without that of
/// attention scores.
#[formula]
#[unit(TFLOP)]
#[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
pub fn forward_flops(parameters: Params, tokens: u64) -> Flops {
    FORWARD_FLOPS_PER_PARAM * parameters * tokens
}

/// The arithmetic of causal attention for the last `tokens` tokens of a context: each token's query
/// with every key up to its own, and the weights that result with every value.
///
/// A token attends to what stands before it: on average to all but half of the new tokens. Each
/// score costs two operations for its share of the query's product and two for that of the values.
/// A whole prompt needs half of the square of scores that it would need without the mask.
///
/// ```
/// use mlsysim_models::physics::decode::attention_flops;
///
/// // Llama 3 70B: 80 layers of 64 heads of width 128.
/// let prompt = attention_flops(80, 64.0 * 128.0, 4096, 4096);
/// assert_eq!(prompt.base(), 21990232555520.0);
/// let halves = attention_flops(80, 64.0 * 128.0, 2048, 2048) + attention_flops(80, 64.0 * 128.0, 2048, 4096);
/// assert_eq!(halves, prompt);
/// ```
#[formula]
#[unit(TFLOP)]
#[source("Dao et al. (2022), FlashAttention, arXiv:2205.14135, without the masked half of the scores")]
pub fn attention_flops(layers: u64, attention_width: f64, tokens: u64, context: u64) -> Flops {
    4.0 * FLOP * layers * attention_width * tokens * (context as f64 - tokens as f64 / 2.0)
}

/// The time of one forward pass: reading every weight once, or the arithmetic, whichever is longer.
#[formula]
#[unit(ms)]
#[source("Williams, Waterman and Patterson (2009), Roofline, doi:10.1145/1498765.1498785")]
pub fn pass_time(weight_read_time: Time, parameters: Params, tokens: u64, rate: FlopRate) -> Time {
    weight_read_time.max(FORWARD_FLOPS_PER_PARAM * parameters * tokens / rate)
}

/// How many tokens a round of speculation yields on average: the accepted ones, and one of the model
/// that verifies.
///
/// Each of `draft_length` tokens is accepted with the probability `acceptance` until the first is
/// not, so that their expected number is a geometric series.
///
/// ```
/// use mlsysim_models::physics::decode::speculated_tokens;
///
/// assert!((speculated_tokens(0.7, 4) - 2.7731).abs() < 1e-12);
/// assert_eq!(speculated_tokens(0.0, 4), 1.0);
/// assert_eq!(speculated_tokens(1.0, 4), 5.0);
/// ```
#[formula]
#[source(
    "Leviathan, Kalman and Matias (2023), Fast Inference from Transformers via Speculative Decoding, equation 1, arXiv:2211.17192"
)]
pub fn speculated_tokens(acceptance: f64, draft_length: u64) -> f64 {
    if acceptance < 1.0 {
        (1.0 - acceptance.powf(draft_length as f64 + 1.0)) / (1.0 - acceptance)
    } else {
        draft_length as f64 + 1.0
    }
}

/// The time that a serving framework spends on a layer of each decode step beside the device's work:
/// launching its kernels.
///
/// An assumption of the Python package mlsysim 0.3.0, not a measurement.
pub const FRAMEWORK_TIME_PER_LAYER: Time = Time::from_base(1e-5);

/// How many tokens a draft model proposes in a round.
///
/// An assumption of the Python package mlsysim 0.3.0.
pub const DRAFT_LENGTH: u64 = 4;
