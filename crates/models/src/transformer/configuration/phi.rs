//! Phi 1 to 4 and Persimmon.

use mlsysim_scenario::Result;

use super::decoder::{Names, Shape, normed, windowed};
use super::keys::Keys;
use super::patterns::window;
use crate::transformer::blocks::{FeedForward, Grouped, HeadNorm, NormWeights, head, hidden};
use crate::transformer::{Dimension, Layer, Transformer};

/// Phi 1, 1.5 and 2: attention and network in parallel behind one norm, biases everywhere.
///
/// Source: Gunasekar et al. (2023), Textbooks Are All You Need, arXiv:2306.11644.
pub fn phi(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    let shape = Shape::read(keys);
    let norm = head_norm(keys, false);
    let attention = Grouped {
        output_bias: true,
        query_norm: norm,
        key_norm: norm,
        ..shape.attention().with_input_bias(true)
    };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let steps = [attention.operations(), network.operations()].concat();
    let tied = keys.flag("tie_word_embeddings", false);
    let mut model = shape
        .decoder(keys, NORM, tied, |_| Layer::of([normed("norm", shape.hidden, NORM, steps.clone())]))?;
    model.head.pop();
    model.head.push(head(shape.vocabulary, hidden(shape.hidden), true, tied));
    Ok(model)
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
        Layer::of([
            normed("attention_norm", shape.hidden, NORM, attention.operations()),
            normed("mlp_norm", shape.hidden, NORM, network.operations()),
        ])
    })
}

/// Persimmon: biases everywhere, and norms of queries and keys that all heads share.
pub fn persimmon(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let norm = head_norm(keys, true);
    let attention = Grouped {
        output_bias: true,
        query_norm: norm,
        key_norm: norm,
        ..shape.attention().with_input_bias(true)
    };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", false), |_| {
        Layer::of([
            normed("attention_norm", shape.hidden, NORM, attention.operations()),
            normed("mlp_norm", shape.hidden, NORM, network.operations()),
        ])
    })
}

fn head_norm(keys: &Keys, assumed: bool) -> HeadNorm {
    match keys.flag("qk_layernorm", assumed) {
        true => HeadNorm::Shared(NormWeights::ScaleAndShift),
        false => HeadNorm::None,
    }
}
