//! OLMo 1 to 3, and EXAONE 4, which puts its norms in the same places as OLMo 2.

use mlsysim_scenario::Result;
use serde_json::Value;

use super::decoder::{Shape, normed_layer, post_normed};
use super::keys::Keys;
use super::patterns::{WINDOWED, ends_period, mask_of, masks, sliding, window};
use crate::transformer::blocks::{FeedForward, Grouped, HeadNorm, NormWeights};
use crate::transformer::{Dimension, Layer, Mask, Transformer};

/// OLMo: LayerNorms without weights.
///
/// Source: Groeneveld et al. (2024), OLMo, section 2.1, arXiv:2402.00838.
pub fn olmo(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::None;
    let shape = Shape::read(keys);
    let (attention, network) = blocks(keys, &shape);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", false), |_| {
        normed_layer(shape.hidden, NORM, attention.operations(), network.operations())
    })
}

/// OLMo 2: norms behind the blocks, and over all queries and all keys.
///
/// Source: OLMo Team (2024), 2 OLMo 2 Furious, section 2, arXiv:2501.00656.
pub fn olmo2(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let norm = HeadNorm::PerHead(NormWeights::Scale);
    let (attention, network) = blocks(keys, &shape);
    let attention = Grouped { query_norm: norm, key_norm: norm, ..attention };
    norms_behind(keys, &shape, attention, network, &[])
}

/// OLMo 3: OLMo 2 with windows, but for every fourth layer.
pub fn olmo3(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let norm = HeadNorm::PerHead(NormWeights::Scale);
    let (attention, network) = blocks(keys, &shape);
    let attention = Grouped { query_norm: norm, key_norm: norm, ..attention };
    let window = window(keys, Some(4096));
    let masks = masks(keys, shape.layers, WINDOWED, window, |layer| sliding(window, !ends_period(layer, 4)));
    norms_behind(keys, &shape, attention, network, &masks)
}

/// EXAONE 4: norms behind the blocks and of each head's queries and keys, windows by a pattern.
///
/// Source: LG AI Research (2025), EXAONE 4.0, section 2.1, arXiv:2507.11407.
pub fn exaone4(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(32), None);
    let norm = HeadNorm::Shared(NormWeights::Scale);
    let attention = Grouped { query_norm: norm, key_norm: norm, ..shape.attention() };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, true);
    let window = window(keys, Some(4096));
    let pattern = pattern(keys);
    let masks = masks(keys, shape.layers, WINDOWED, window, |layer| {
        sliding(window, pattern.get(layer as usize % pattern.len().max(1)).copied().unwrap_or(false))
    });
    norms_behind(keys, &shape, attention, network, &masks)
}

/// Which layers of a period have a window: all but the last of `4`, or the `L` of `"LLLG"`.
fn pattern(keys: &Keys) -> Vec<bool> {
    const LONGEST: u64 = 10_000;
    let every = |period: u64| (1..=period).map(|layer| layer != period).collect();
    match keys.value("sliding_window_pattern") {
        None => every(4),
        Some(Value::String(text)) if !text.is_empty() && text.chars().all(|kind| "LG".contains(kind)) => {
            text.chars().map(|kind| kind == 'L').collect()
        }
        Some(value) => match value.as_u64().filter(|period| *period <= LONGEST) {
            Some(period) => every(period),
            None => {
                keys.refuse(
                    "sliding_window_pattern",
                    "a period such as `4` or a pattern such as `\"LLLG\"` is needed",
                );
                Vec::new()
            }
        },
    }
}

/// Attention with the biases that the file asks for, and a gated network without any.
fn blocks(keys: &Keys, shape: &Shape) -> (Grouped, FeedForward) {
    let bias = keys.flag("attention_bias", false);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    (attention, FeedForward::new(shape.hidden, width, true))
}

fn norms_behind(
    keys: &Keys,
    shape: &Shape,
    attention: Grouped,
    network: FeedForward,
    masks: &[Mask],
) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::Scale;
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", false), |layer| {
        let attention = Grouped { mask: mask_of(masks, layer), ..attention };
        Layer::of([
            post_normed("attention_norm", shape.hidden, NORM, attention.operations()),
            post_normed("mlp_norm", shape.hidden, NORM, network.operations()),
        ])
    })
}
