//! The KV cache: what a token leaves in it, and how many sequences a pool holds.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Counting, Result, formula};

/// What one token leaves in the KV cache of all layers.
///
/// `kv_values` are those of one layer: a key and a value for each KV head, or one latent where
/// attention is compressed (see `Workload.kv_values`).
///
/// ```
/// use mlsysim_models::physics::kv_cache::kv_token_bytes;
/// use mlsysim_models::physics::compute::BYTES_16_BIT;
///
/// // Llama 3 8B: 32 layers, 8 KV heads of width 128.
/// assert_eq!(kv_token_bytes(32, 2.0 * 8.0 * 128.0, BYTES_16_BIT).base(), 131072.0);
/// // DeepSeek-V3: 61 layers, one latent of 512 with a rotary key of 64.
/// assert_eq!(kv_token_bytes(61, 512.0 + 64.0, BYTES_16_BIT).base(), 70272.0);
/// ```
#[formula]
#[unit(B)]
#[source("Pope et al. (2023), Efficiently Scaling Transformer Inference, arXiv:2211.05102")]
pub fn kv_token_bytes(layers: u64, kv_values: f64, element: Bytes) -> Bytes {
    layers * element * kv_values
}

/// How many whole sequences of `sequence` bytes a pool holds; none where the pool is negative.
#[formula]
pub fn resident_fit(pool: Bytes, sequence: Bytes) -> Result<u64> {
    (pool.max(Bytes::ZERO) / sequence).rounded_down()
}

/// How many blocks of `block_tokens` a sequence occupies, the last of them perhaps in part.
#[formula]
pub fn block_count(tokens: u64, block_tokens: u64) -> Result<u64> {
    (tokens as f64 / block_tokens as f64).rounded_up()
}

/// How many requests fit in a pool of blocks in which their common prefix is stored once.
#[formula]
pub fn shared_fit(pool_blocks: u64, common_blocks: u64, private_blocks: u64) -> Result<u64> {
    (pool_blocks.saturating_sub(common_blocks) as f64 / private_blocks as f64).rounded_down()
}

/// By how much keeping state through a wait stretches the time for which a turn holds its memory.
#[formula]
pub fn residency_factor(generation: Time, wait: Time) -> f64 {
    (generation + wait) / generation
}

/// How many blocks a request holds on average when lengths are exponential and cut off at a cap.
///
/// A request of `S` tokens holds `⌈S / p⌉` blocks of `p` tokens, so that their mean is the sum of
/// the probabilities that `S` exceeds `0, p, 2p, …` below the cap: a geometric series with the ratio
/// `exp(−p / μ)`. The scale `μ` is the one at which the mean of the lengths that are cut off is
/// `mean_tokens`. Lengths that all fill the cap take `⌈cap / p⌉` blocks.
///
/// ```
/// use mlsysim_models::physics::kv_cache::expected_blocks;
///
/// assert_eq!(expected_blocks(4096, 4096, 16), 256.0);
/// // Long blocks: every request fits in its first.
/// assert_eq!(expected_blocks(10, 64, 64), 1.0);
/// ```
#[formula]
#[words(
    "sum of P(length > j × block_tokens) over j = 0, 1, … below cap_tokens / block_tokens, for exponential lengths cut off at cap_tokens with the mean mean_tokens"
)]
pub fn expected_blocks(mean_tokens: u64, cap_tokens: u64, block_tokens: u64) -> f64 {
    let blocks = (cap_tokens as f64 / block_tokens as f64).ceil();
    let rate = capped_exponential_rate(mean_tokens as f64 / cap_tokens as f64);
    if rate == 0.0 {
        return blocks;
    }
    // `expm1` keeps the series exact where a block is short against the scale.
    let step = block_tokens as f64 / cap_tokens as f64 * rate;
    (-blocks * step).exp_m1() / (-step).exp_m1()
}

/// The cap over the scale of the exponential lengths whose mean, cut off, is `share` of the cap.
///
/// `(1 − e^−t) / t` falls from 1 at `t = 0` and lies below `1 / t`, which bounds the root.
fn capped_exponential_rate(share: f64) -> f64 {
    if share >= 1.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0 / share);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if -f64::exp_m1(-middle) / middle > share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
