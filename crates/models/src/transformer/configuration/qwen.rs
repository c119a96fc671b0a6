//! Qwen 1.5 to 3, dense and with experts, and the text models of their multimodal kin.

use mlsysim_scenario::Result;

use super::decoder::{Shape, pre_normed, windowed};
use super::experts::{Mixture, Networks, QWEN};
use super::keys::Keys;
use super::llama::{attention, width};
use super::patterns::{self, ends_period, mask_of};
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights};
use crate::transformer::{Mask, Transformer};

/// Qwen 2: Llama with biases of queries, keys and values.
pub fn qwen2(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(32), None);
    let masks = late_windows(keys, &shape, 28);
    dense(keys, &shape, shape.attention().with_input_bias(true), &masks, keys.tied(false))
}

/// The text model of Qwen2-VL and Qwen2.5-VL, whose configuration may be flat.
pub fn qwen2_vl(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), None);
    let masks = late_windows(keys, &shape, 80);
    // Older files say inside that it is tied, and their class believes either place.
    let tied = keys.tied(false) || keys.flag("tie_word_embeddings", false);
    dense(keys, &shape, shape.attention().with_input_bias(true), &masks, tied)
}

/// Qwen 3: norms of queries and keys in place of the biases.
pub fn qwen3(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(32), Some(128));
    let masks = late_windows(keys, &shape, 28);
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    dense(keys, &shape, attention, &masks, keys.tied(false))
}

/// The text model of Qwen3-VL, which has no windows.
pub fn qwen3_vl(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(32), Some(128));
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    let masks = vec![Mask::Causal; shape.layers as usize];
    dense(keys, &shape, attention, &masks, keys.tied(false))
}

/// Qwen 1.5 and 2 with experts: shared ones beside them, scaled by a gate.
pub fn qwen2_moe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(16), None);
    // Its class puts windows into every other one of the first layers, not into the last.
    let window = sliding(keys);
    let last = keys.optional_count(&["max_window_layers"]).unwrap_or(28);
    let masks = patterns::masks(keys, shape.layers, patterns::USUAL, window, |layer| {
        match layer.is_multiple_of(2) && layer < last {
            true => windowed(window),
            false => Mask::Causal,
        }
    });
    let attention = shape.attention().with_input_bias(keys.flag("qkv_bias", true));
    routed(keys, &shape, attention, &masks, gated_mixture)
}

/// Qwen 3 with experts.
pub fn qwen3_moe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(4), None);
    let masks = vec![windowed(sliding(keys)); shape.layers as usize];
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    routed(keys, &shape, attention, &masks, plain_mixture)
}

/// The text model of Qwen3-VL with experts.
pub fn qwen3_vl_moe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(16), None);
    let masks = vec![Mask::Causal; shape.layers as usize];
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    routed(keys, &shape, attention, &masks, plain_mixture)
}

/// Routed experts alone.
fn plain_mixture(keys: &Keys, hidden: u32) -> Mixture {
    Mixture::read(keys, hidden, QWEN)
}

/// Routed experts beside a shared one that a gate scales.
pub fn gated_mixture(keys: &Keys, hidden: u32) -> Mixture {
    let mixture = Mixture::read(keys, hidden, QWEN);
    let mixture = mixture.with_shared_width(keys, &["shared_expert_intermediate_size"]);
    Mixture { shared_gate: true, ..mixture }
}

/// Which layers are dense: those that `mlp_only_layers` lists, and those between the last of every
/// `decoder_sparse_step`; all of them where there are no experts.
pub fn networks(keys: &Keys, shape: &Shape, mixture: fn(&Keys, u32) -> Mixture) -> Networks {
    let step = patterns::period(keys, "decoder_sparse_step", 1);
    let only_dense = keys.counts("mlp_only_layers").unwrap_or_default();
    let only_dense = patterns::numbered(keys, "mlp_only_layers", &only_dense, shape.layers);
    let without = keys.optional_count(&["num_experts", "num_local_experts"]) == Some(0);
    let is_dense = std::iter::zip(0.., only_dense)
        .map(|(layer, only_dense)| only_dense || without || !ends_period(layer, step))
        .collect();
    Networks::read(
        is_dense,
        || FeedForward::new(shape.hidden, width(keys), true),
        || mixture(keys, shape.hidden),
    )
}

/// The window, where `use_sliding_window` says that it is used.
fn sliding(keys: &Keys) -> Option<u32> {
    keys.flag("use_sliding_window", false).then(|| patterns::window(keys, Some(4096))).flatten()
}

/// Windows in the layers from `max_window_layers` on.
fn late_windows(keys: &Keys, shape: &Shape, full: u32) -> Vec<Mask> {
    let window = sliding(keys);
    let full = keys.optional_count(&["max_window_layers"]).unwrap_or(full);
    patterns::masks(keys, shape.layers, patterns::USUAL, window, |layer| match layer >= full {
        true => windowed(window),
        false => Mask::Causal,
    })
}

/// A dense decoder.
fn dense(keys: &Keys, shape: &Shape, attention: Grouped, masks: &[Mask], tied: bool) -> Result<Transformer> {
    let network = FeedForward::new(shape.hidden, width(keys), true);
    shape.decoder(keys, NormWeights::Scale, tied, |layer| {
        let attention = Grouped { mask: mask_of(masks, layer), ..attention };
        pre_normed(shape.hidden, attention.operations(), network.operations())
    })
}

/// A decoder with experts.
fn routed(
    keys: &Keys,
    shape: &Shape,
    attention: Grouped,
    masks: &[Mask],
    mixture: fn(&Keys, u32) -> Mixture,
) -> Result<Transformer> {
    let networks = networks(keys, shape, mixture);
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let attention = Grouped { mask: mask_of(masks, layer), ..attention };
        pre_normed(shape.hidden, attention.operations(), networks.operations(layer))
    })?;
    Ok(networks.routes(model))
}
