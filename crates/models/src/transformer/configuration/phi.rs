//! Phi 1 to 4 and Persimmon.

use mlsysim_scenario::Result;

use super::decoder::{Names, Shape, normed, normed_layer, windowed};
use super::keys::Keys;
use super::patterns::window;
use crate::transformer::blocks::{FeedForward, Grouped, HeadNorm, NormWeights};
use crate::transformer::{Dimension, Layer, Operation, Transformer};

/// Phi 1, 1.5 and 2: attention and network in parallel behind one norm, biases everywhere.
///
/// Source: Gunasekar et al. (2023), Textbooks Are All You Need, arXiv:2306.11644.
pub fn phi(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    let shape = Shape::read(keys);
    let [attention, network] = biased(keys, &shape, false);
    let steps = [attention, network].concat();
    let tied = keys.flag("tie_word_embeddings", false);
    let layer = Layer::of([normed("norm", shape.hidden, NORM, steps)]);
    shape.decoder_with_head_bias(keys, NORM, (tied, true), |_| layer.clone())
}

/// Phi 3 and 4: the Llama kind without biases, with a window in every layer where there is one.
///
/// Source: Abdin et al. (2024), Phi-3 Technical Report, arXiv:2404.14219.
pub fn phi3(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::Scale;
    let shape = Shape::read(keys);
    let attention = Grouped { mask: windowed(window(keys, None)), ..shape.attention() };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, true);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", false), |_| {
        normed_layer(shape.hidden, NORM, attention.operations(), network.operations())
    })
}

/// Persimmon: biases everywhere, and norms of queries and keys that all heads share.
pub fn persimmon(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let [attention, network] = biased(keys, &shape, true);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", false), |_| {
        normed_layer(shape.hidden, NORM, attention.clone(), network.clone())
    })
}

/// Attention and a network with biases everywhere, with norms of queries and keys if the file says so, or
/// the class `assumes` it.
fn biased(keys: &Keys, shape: &Shape, assumes: bool) -> [Vec<Operation>; 2] {
    let norm = match keys.flag("qk_layernorm", assumes) {
        true => HeadNorm::Shared(NormWeights::ScaleAndShift),
        false => HeadNorm::None,
    };
    let attention = shape.attention().with_input_bias(true);
    let attention = Grouped { output_bias: true, query_norm: norm, key_norm: norm, ..attention };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    [attention.operations(), network.operations()]
}
