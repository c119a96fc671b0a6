//! Families with grouped attention, a few dense layers first, and shared beside routed experts:
//! DeepSeekMoE, dots.llm1, GLM-4.5 and ERNIE 4.5.

use mlsysim_scenario::Result;

use super::decoder::{Shape, pre_normed, windowed};
use super::experts::{DEEPSEEK, Mixture, Names, Networks};
use super::keys::Keys;
use super::llama::{attention, width};
use super::patterns::{self, ends_period, mask_of};
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights};
use crate::transformer::{Mask, Transformer};

/// The first DeepSeek with experts, or without where it states none.
///
/// Source: Dai et al. (2024), DeepSeekMoE, arXiv:2401.06066.
pub fn deepseek(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let period = patterns::period(keys, "moe_layer_freq", 1);
    let first = patterns::dense_layers(keys, shape.layers, 0);
    let stated = keys.has("n_routed_experts");
    let is_dense = std::iter::zip(0.., first)
        .map(|(layer, is_first): (u32, bool)| !stated || is_first || !layer.is_multiple_of(period))
        .collect();
    mixed(keys, &shape, attention(keys, &shape), &networks(keys, &shape, is_dense, 0))
}

/// dots.llm1: norms of queries and keys, and a window in the layers from `max_window_layers` on.
pub fn dots1(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(32), None);
    let window = patterns::window(keys, Some(4096));
    let full = keys.optional_count(&["max_window_layers"]).unwrap_or(62);
    let masks = patterns::masks(keys, shape.layers, patterns::USUAL, window, |layer| match layer >= full {
        true => windowed(window),
        false => Mask::Causal,
    });
    let networks = networks(keys, &shape, patterns::dense_layers(keys, shape.layers, 0), 0);
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let attention = Grouped { mask: mask_of(&masks, layer), ..attention };
        pre_normed(shape.hidden, attention.operations(), networks.operations(layer))
    })?;
    Ok(networks.routes(model))
}

/// GLM-4.5: norms of queries and keys where it says so, biases of the inputs of attention only.
pub fn glm4_moe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), None);
    let attention = shape.attention().with_input_bias(keys.flag("attention_bias", false));
    let attention = match keys.flag("use_qk_norm", false) {
        true => attention.with_shared_norms(NormWeights::Scale),
        false => attention,
    };
    let is_dense = patterns::dense_layers(keys, shape.layers, 1);
    mixed(keys, &shape, attention, &networks(keys, &shape, is_dense, 1))
}

/// ERNIE 4.5 with experts: one key for every bias, that of the head included, and a learned number
/// for each expert that corrects its score.
pub fn ernie4_5_moe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(4), None);
    let bias = keys.flag("use_bias", false);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) };
    let first = keys.optional_count(&["moe_layer_start_index"]).unwrap_or(1);
    let last = match keys.number("moe_layer_end_index") {
        None | Some(-1.0) => shape.layers.saturating_sub(1),
        Some(_) => keys.count(&["moe_layer_end_index"]),
    };
    let period = patterns::period(keys, "moe_layer_interval", 1);
    let is_dense =
        (0..shape.layers).map(|layer| !ends_period(layer, period) || layer < first || layer > last).collect();
    let names = Names {
        width: &["moe_intermediate_size"],
        experts: &["moe_num_experts", "num_experts"],
        per_token: &["moe_k", "num_experts_per_tok"],
    };
    let mixture = || {
        let read = Mixture::read(keys, shape.hidden, names);
        let mixture = Mixture { correction: true, ..read.with_shared(keys, "moe_num_shared_experts", 2) };
        Mixture { shared: mixture.shared.map(|shared| shared.with_bias(bias)), ..mixture }
    };
    let dense = || FeedForward::new(shape.hidden, width(keys), true).with_bias(bias);
    let networks = Networks::read(is_dense, dense, mixture);
    let head = (keys.tied(true), bias);
    let model = shape.decoder_with_head_bias(keys, NormWeights::Scale, head, |layer| {
        pre_normed(shape.hidden, attention.operations(), networks.operations(layer))
    })?;
    Ok(networks.routes(model))
}

/// A decoder of layers with this attention and these networks.
fn mixed(keys: &Keys, shape: &Shape, attention: Grouped, networks: &Networks) -> Result<Transformer> {
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        pre_normed(shape.hidden, attention.operations(), networks.operations(layer))
    })?;
    Ok(networks.routes(model))
}

/// Dense networks in these layers, and experts with DeepSeek's names elsewhere, with as many shared
/// ones as stated or `shared`.
fn networks(keys: &Keys, shape: &Shape, is_dense: Vec<bool>, shared: u32) -> Networks {
    Networks::read(
        is_dense,
        || FeedForward::new(shape.hidden, width(keys), true),
        || Mixture::read(keys, shape.hidden, DEEPSEEK).with_shared(keys, "n_shared_experts", shared),
    )
}
