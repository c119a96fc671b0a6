//! StarCoder 2, StableLM, Nemotron and Helium.

use mlsysim_scenario::Result;

use super::decoder::{Names, Shape, normed, normed_layer, windowed};
use super::keys::Keys;
use super::patterns::window;
use crate::transformer::blocks::{FeedForward, Grouped, HeadNorm, NormWeights};
use crate::transformer::{Dimension, Extent, Layer, Transformer, Work};

const LAYER_NORM: NormWeights = NormWeights::ScaleAndShift;

/// StarCoder 2: LayerNorms, biases everywhere, a network without gate.
///
/// Source: Lozhkov et al. (2024), StarCoder 2 and The Stack v2, arXiv:2402.19173.
pub fn starcoder2(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(2), None);
    let bias = keys.flag("use_bias", true);
    let mask = windowed(window(keys, None));
    let attention = Grouped { output_bias: bias, mask, ..shape.attention().with_input_bias(bias) };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(bias);
    shape.decoder(keys, LAYER_NORM, keys.flag("tie_word_embeddings", true), |_| {
        normed_layer(shape.hidden, LAYER_NORM, attention.operations(), network.operations())
    })
}

/// Nemotron 3 and 4 and Minitron: LayerNorms and a network without gate.
///
/// Source: Parmar et al. (2024), Nemotron-4 15B Technical Report, arXiv:2402.16819.
pub fn nemotron(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let bias = keys.flag("attention_bias", false);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(keys.flag("mlp_bias", false));
    shape.decoder(keys, LAYER_NORM, keys.flag("tie_word_embeddings", false), |_| {
        normed_layer(shape.hidden, LAYER_NORM, attention.operations(), network.operations())
    })
}

/// StableLM: LayerNorms, a gated network, and with `use_parallel_residual` one norm for both blocks.
///
/// Source: Bellagente et al. (2024), Stable LM 2 1.6B Technical Report, arXiv:2402.17834.
pub fn stablelm(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let shape = shape.with_kv_heads(keys, &["num_key_value_heads"], Some(32));
    let norm = match keys.flag("qk_layernorm", false) {
        true => HeadNorm::PerHead(NormWeights::Scale),
        false => HeadNorm::None,
    };
    let attention = shape.attention().with_input_bias(keys.flag("use_qkv_bias", false));
    let attention = Grouped { query_norm: norm, key_norm: norm, ..attention }.operations();
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, true).operations();
    let parallel = keys.flag("use_parallel_residual", false);
    let attention = normed("attention_norm", shape.hidden, LAYER_NORM, attention);
    shape.decoder(keys, LAYER_NORM, keys.flag("tie_word_embeddings", false), |_| match parallel {
        true => Layer::of([[attention.clone(), network.clone()].concat()]),
        false => {
            Layer::of([attention.clone(), normed("mlp_norm", shape.hidden, LAYER_NORM, network.clone())])
        }
    })
}

/// Helium: the Llama kind, whose output projection never has a bias and takes as many numbers as
/// the activations have.
pub fn helium(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::Scale;
    let shape = Shape::assuming(keys, Some(20), Some(128));
    let mut attention = shape.attention().with_input_bias(keys.flag("attention_bias", false)).operations();
    if u64::from(shape.heads) * u64::from(shape.head_width) != u64::from(shape.hidden) {
        keys.note("heads × head_dim is not the hidden width: its class counts so, but cannot compute so");
        for step in attention.iter_mut().filter(|step| step.name == "output") {
            let side = Extent::of(Dimension::Hidden, shape.hidden);
            step.work = Work::Linear { inputs: side, outputs: side, bias: false };
        }
    }
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, true).with_bias(keys.flag("mlp_bias", false));
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", false), |_| {
        normed_layer(shape.hidden, NORM, attention.clone(), network.operations())
    })
}
