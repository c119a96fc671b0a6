//! Llama 4: layers with routed experts between dense ones, attention within chunks between full.

use mlsysim_scenario::Result;

use super::decoder::{Shape, pre_normed};
use super::experts::{MIXTRAL, Mixture, Networks};
use super::keys::Keys;
use super::llama::attention;
use super::patterns::{self, ends_period, mask_of};
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights};
use crate::transformer::{Dimension, Mask, Transformer};

/// Layers with rotary positions attend within chunks and normalise queries and keys without
/// weights; every fourth has neither.
pub fn llama4(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), Some(128));
    let rotary = patterns::rotary_layers(keys, shape.layers);
    let is_rotary = |layer: u32| rotary.get(layer as usize) == Some(&true);
    let chunk = patterns::length(keys, "attention_chunk_size", Some(8192));
    let chunked = chunk.map_or(Mask::Causal, Mask::Chunk);
    let masks =
        patterns::masks(keys, shape.layers, patterns::CHUNKED, chunk, |layer| match is_rotary(layer) {
            true => chunked,
            false => Mask::Causal,
        });
    let routed = routed_layers(keys, shape.layers);
    let networks = Networks::read(
        routed.iter().map(|is_routed| !is_routed).collect(),
        || {
            let width = keys.size(Dimension::FeedForward, &["intermediate_size_mlp"]);
            FeedForward::new(shape.hidden, width, true)
        },
        || Mixture::read(keys, shape.hidden, MIXTRAL).with_shared_width(keys, MIXTRAL.width),
    );
    let attention = attention(keys, &shape);
    let normalises = keys.flag("use_qk_norm", true);
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let attention = Grouped { mask: mask_of(&masks, layer), ..attention };
        let attention = match normalises && is_rotary(layer) {
            true => attention.with_shared_norms(NormWeights::None),
            false => attention,
        };
        pre_normed(shape.hidden, attention.operations(), networks.operations(layer))
    })?;
    Ok(networks.routes(model))
}

/// Which layers have experts: those of a list, or else the last of every few.
fn routed_layers(keys: &Keys, layers: u32) -> Vec<bool> {
    let step = patterns::period(keys, "interleave_moe_layer_step", 1);
    match keys.counts("moe_layers") {
        Some(stated) => patterns::numbered(keys, "moe_layers", &stated, layers),
        None => (0..layers).map(|layer| ends_period(layer, step)).collect(),
    }
}
