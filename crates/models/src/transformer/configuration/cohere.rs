//! Cohere's Command R and Command A: attention and a gated network in parallel behind one norm.

use mlsysim_scenario::Result;

use super::decoder::{Shape, normed};
use super::keys::Keys;
use super::patterns::{WINDOWED, ends_period, mask_of, masks, period, sliding, window};
use crate::transformer::blocks::{FeedForward, Grouped, HeadNorm, NormWeights};
use crate::transformer::{Dimension, Layer, Mask, Transformer};

/// A LayerNorm without a shift.
const NORM: NormWeights = NormWeights::Scale;

/// Command R: with `use_qk_norm`, each head's queries and keys have a norm of their own.
pub fn cohere(keys: &Keys) -> Result<Transformer> {
    let norm = match keys.flag("use_qk_norm", false) {
        true => HeadNorm::PerHead(NORM),
        false => HeadNorm::None,
    };
    let shape = Shape::read(keys);
    parallel(keys, &shape, Grouped { query_norm: norm, key_norm: norm, ..shape.attention() }, &[])
}

/// Command A and Command R7B: three layers with a window, then one without, unless `layer_types`
/// says otherwise.
pub fn cohere2(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let window = window(keys, Some(4096));
    let pattern = period(keys, "sliding_window_pattern", 4);
    let masks =
        masks(keys, shape.layers, WINDOWED, window, |layer| sliding(window, !ends_period(layer, pattern)));
    parallel(keys, &shape, shape.attention(), &masks)
}

fn parallel(keys: &Keys, shape: &Shape, attention: Grouped, masks: &[Mask]) -> Result<Transformer> {
    let bias = keys.flag("attention_bias", false);
    let attention = Grouped { output_bias: bias, ..attention.with_input_bias(bias) };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, true);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", true), |layer| {
        let attention = Grouped { mask: mask_of(masks, layer), ..attention };
        let steps = [attention.operations(), network.operations()].concat();
        Layer::of([normed("norm", shape.hidden, NORM, steps)])
    })
}
