//! Gemma 1 to 3, and GLM-4, which has the norms of Gemma 2.

use mlsysim_scenario::Result;

use super::decoder::{Shape, pre_normed, sandwiched, windowed};
use super::keys::Keys;
use super::llama::{attention, width};
use super::patterns::{self, ends_period, mask_of};
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights};
use crate::transformer::{Mask, Transformer};

/// Gemma: the blocks of Llama, wide heads and a tied head.
pub fn gemma(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(16), Some(256));
    let (attention, network) = (attention(keys, &shape), gated(keys, &shape));
    shape.decoder(keys, NormWeights::Scale, keys.tied(true), |_| {
        pre_normed(shape.hidden, attention.operations(), network.operations())
    })
}

/// Gemma 2: norms before and behind each block, and a window in every other layer.
///
/// Source: Gemma Team (2024), Gemma 2, arXiv:2408.00118.
pub fn gemma2(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(4), Some(256));
    windowed_gemma(keys, &shape, attention(keys, &shape), 2)
}

/// Gemma 3: norms of queries and keys too, and windows in five of six layers.
///
/// Source: Gemma Team (2025), Gemma 3, arXiv:2503.19786.
pub fn gemma3(keys: &Keys) -> Result<Transformer> {
    // Released files leave these to the class where the text model is within another.
    if keys.is_nested() {
        keys.assume("num_attention_heads", 8);
        keys.assume("vocab_size", 262_208);
    }
    let shape = Shape::assuming(keys, Some(4), Some(256));
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    let pattern = patterns::period(keys, "sliding_window_pattern", 6);
    windowed_gemma(keys, &shape, attention, pattern)
}

/// GLM-4 of 2024: the blocks of Llama, with biases of queries, keys and values.
pub fn glm(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(2), Some(128));
    let (attention, network) = (glm_attention(keys, &shape), gated(keys, &shape));
    shape.decoder(keys, NormWeights::Scale, keys.tied(false), |_| {
        pre_normed(shape.hidden, attention.operations(), network.operations())
    })
}

/// GLM-4 of 2025: the same with norms behind the blocks too.
pub fn glm4(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(2), Some(128));
    let (attention, network) = (glm_attention(keys, &shape), gated(keys, &shape));
    shape.decoder(keys, NormWeights::Scale, keys.tied(false), |_| {
        sandwiched(shape.hidden, attention.operations(), network.operations())
    })
}

/// Attention with biases of its inputs and none of its output.
fn glm_attention(keys: &Keys, shape: &Shape) -> Grouped {
    shape.attention().with_input_bias(keys.flag("attention_bias", true))
}

/// Full attention in the last of every `pattern` layers, windows in the others.
fn windowed_gemma(keys: &Keys, shape: &Shape, attention: Grouped, pattern: u32) -> Result<Transformer> {
    let window = patterns::window(keys, Some(4096));
    let masks = patterns::masks(keys, shape.layers, patterns::USUAL, window, |layer| {
        match ends_period(layer, pattern) {
            true => Mask::Causal,
            false => windowed(window),
        }
    });
    let network = gated(keys, shape);
    shape.decoder(keys, NormWeights::Scale, keys.tied(true), |layer| {
        let attention = Grouped { mask: mask_of(&masks, layer), ..attention };
        sandwiched(shape.hidden, attention.operations(), network.operations())
    })
}

fn gated(keys: &Keys, shape: &Shape) -> FeedForward {
    FeedForward::new(shape.hidden, width(keys), true)
}
