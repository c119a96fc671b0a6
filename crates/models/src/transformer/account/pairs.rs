//! How many pairs of a query and a key attention works on.

use crate::transformer::Mask;

/// The pairs of a query and a key for one head, where `new` tokens follow `cached` ones; at most
/// `u64::MAX / 2` of them are told.
///
/// A causal mask lets a token see itself and what is before it: `n·c + n(n + 1)/2` pairs. A window
/// of `w` lets it see the last `w` of those, itself included; a chunk of `k` those since the last
/// multiple of `k`. A full mask makes `n·(n + c)` pairs.
///
/// ```
/// use mlsysim_models::transformer::{Mask, attention_pairs};
///
/// assert_eq!(attention_pairs(Mask::Full, 4, 0), 16);
/// assert_eq!(attention_pairs(Mask::Causal, 4, 0), 1 + 2 + 3 + 4);
/// assert_eq!(attention_pairs(Mask::Window(2), 4, 0), 1 + 2 + 2 + 2);
/// assert_eq!(attention_pairs(Mask::Chunk(3), 4, 0), 1 + 2 + 3 + 1);
/// assert_eq!(attention_pairs(Mask::Causal, 1, 4096), 4097);
/// assert_eq!(attention_pairs(Mask::Window(1024), 1, 4096), 1024);
/// ```
pub fn attention_pairs(mask: Mask, new: u64, cached: u64) -> u64 {
    match mask {
        Mask::Full => new.saturating_mul(new.saturating_add(cached)),
        Mask::Causal => causal(cached.saturating_add(new)) - causal(cached),
        Mask::Window(width) | Mask::Chosen(width) => {
            windowed(cached.saturating_add(new), u64::from(width)) - windowed(cached, u64::from(width))
        }
        Mask::Chunk(length) => {
            chunked(cached.saturating_add(new), u64::from(length)) - chunked(cached, u64::from(length))
        }
    }
}

/// The pairs of the first `tokens` of a sequence under a causal mask.
const fn causal(tokens: u64) -> u64 {
    tokens.saturating_mul(tokens.saturating_add(1)) / 2
}

/// The same under a window of `width`.
const fn windowed(tokens: u64, width: u64) -> u64 {
    if tokens <= width {
        causal(tokens)
    } else {
        causal(width).saturating_add((tokens - width).saturating_mul(width))
    }
}

/// The same in chunks of `length`.
const fn chunked(tokens: u64, length: u64) -> u64 {
    match length {
        0 => 0,
        _ => (tokens / length).saturating_mul(causal(length)).saturating_add(causal(tokens % length)),
    }
}

/// The cached tokens whose keys and values one new token reads.
///
/// ```
/// use mlsysim_models::transformer::{Mask, cached_keys_read};
///
/// assert_eq!(cached_keys_read(Mask::Causal, 1, 4096), 4096);
/// assert_eq!(cached_keys_read(Mask::Window(1024), 1, 4096), 1023);
/// assert_eq!(cached_keys_read(Mask::Window(1024), 512, 4096), 1023);
/// ```
pub fn cached_keys_read(mask: Mask, new: u64, cached: u64) -> u64 {
    match mask {
        Mask::Full | Mask::Causal => cached,
        Mask::Window(width) => cached.min(u64::from(width).saturating_sub(1)),
        Mask::Chosen(width) => cached.min(u64::from(width) * new),
        Mask::Chunk(length) => match u64::from(length) {
            0 => 0,
            length => cached % length,
        },
    }
}
