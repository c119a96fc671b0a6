//! Gemma 4: heads of two sizes, layers that reuse an earlier one's keys and values, experts beside
//! dense networks, and an embedding that each layer has of its own.

use std::collections::BTreeMap;

use mlsysim_scenario::Result;
use serde_json::{Map, Value};

use super::decoder::{Shape, windowed};
use super::experts::{Mixture, Names};
use super::keys::Keys;
use super::llama::{attention, width};
use super::patterns::{self, ends_period, mask_of};
use crate::transformer::blocks::{
    FeedForward, Grouped, HeadNorm, NormWeights, block_norm, hidden, norm, weights,
};
use crate::transformer::{Dimension, Extent, Layer, Mask, Operation, Part, Transformer, Work};

/// The norms of Gemma 3, of values too but without weights; full attention in every sixth layer and
/// the last, with heads of its own size.
pub fn gemma4(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(4), Some(256));
    let masks = masks(keys, &shape);
    let is_full = |layer: u32| mask_of(&masks, layer) == Mask::Causal;
    let first_reused = first_reused(keys, shape.layers, &masks);
    let full_heads = FullHeads::read(keys);
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    let attention = Grouped { value_norm: HeadNorm::Shared(NormWeights::None), ..attention };
    let network = FeedForward::new(shape.hidden, width(keys), true);
    let wide = keys.flag("use_double_wide_mlp", false);
    let mixture = keys.flag("enable_moe_block", false).then(|| mixture(keys, shape.hidden));
    let own = OwnEmbedding::read(keys, &shape);
    let mut model = shape.decoder(keys, NormWeights::Scale, keys.tied(true), |layer| {
        let reuses_cache = layer >= first_reused;
        let attention = Grouped { mask: mask_of(&masks, layer), reuses_cache, ..attention };
        let attention = full_heads.of_layer(keys, attention, layer, is_full(layer));
        let width = if wide && reuses_cache { network.width.saturating_mul(2) } else { network.width };
        let network = FeedForward { width, ..network }.operations();
        let network = match &mixture {
            None => network,
            Some(mixture) => beside(shape.hidden, network, mixture),
        };
        let block = |before, after, operations| {
            let first = block_norm(before, shape.hidden, NormWeights::Scale);
            let last = block_norm(after, shape.hidden, NormWeights::Scale);
            std::iter::once(first).chain(operations).chain([last]).collect::<Vec<_>>()
        };
        let blocks = [
            block("attention_norm", "attention_output_norm", attention.operations()),
            block("mlp_norm", "mlp_output_norm", network),
        ];
        Layer::of(blocks.into_iter().chain(own.map(|own| own.block(shape.hidden))))
    })?;
    if let Some(own) = own {
        model.embedding.extend(own.embedding(&shape));
    }
    Ok(match mixture {
        Some(mixture) => mixture.routes(model),
        None => model,
    })
}

/// The mask of each layer; that of the last is always full.
fn masks(keys: &Keys, shape: &Shape) -> Vec<Mask> {
    let window = patterns::window(keys, Some(512));
    let mut masks =
        patterns::masks(keys, shape.layers, patterns::USUAL, window, |layer| match ends_period(layer, 6) {
            true => Mask::Causal,
            false => windowed(window),
        });
    if window.is_none() {
        keys.refuse("sliding_window", "this family needs a window, but null was given");
    }
    if let Some(last) = masks.last_mut() {
        *last = Mask::Causal;
    }
    masks
}

/// The first of the last `num_kv_shared_layers` layers, which read what the last of the others with
/// the same mask cached.
fn first_reused(keys: &Keys, layers: u32, masks: &[Mask]) -> u32 {
    let name = "num_kv_shared_layers";
    let reused = keys.optional_count(&[name]).unwrap_or(0);
    if reused > layers {
        keys.refuse(name, format!("at most all of the {layers} layers can be, but `{reused}` was given"));
    }
    let first = layers.saturating_sub(reused);
    let (own, later) = masks.split_at((first as usize).min(masks.len()));
    if first > 0 && later.iter().any(|mask| !own.contains(mask)) {
        keys.refuse(
            name,
            "a layer can only reuse the cache of an earlier one with the same mask, and there is none",
        );
    }
    first
}

/// The heads of layers with full attention, or of each layer that the file lists.
struct FullHeads<'a> {
    width: u32,
    kv_heads: Option<u32>,
    values_are_keys: bool,
    /// The sizes of the layers that `per_layer_config` numbers, if it is there.
    listed: Option<BTreeMap<u32, &'a Map<String, Value>>>,
}

impl<'a> FullHeads<'a> {
    fn read(keys: &Keys<'a>) -> Self {
        // Its numbers may have zeros before them: `05`.
        let numbered =
            |(number, sizes): (&'a String, &'a Value)| Some((number.parse().ok()?, sizes.as_object()?));
        let listed = keys.within("per_layer_config");
        let listed = listed.map(|layers| layers.iter().filter_map(numbered).collect());
        let values_are_keys = keys.flag("attention_k_eq_v", false);
        let kv_heads = values_are_keys
            .then(|| keys.optional_size(Dimension::KvHeads, &["num_global_key_value_heads"]))
            .flatten();
        let width = keys.size_or(Dimension::HeadWidth, &["global_head_dim"], 512);
        FullHeads { width, kv_heads, values_are_keys, listed }
    }

    /// `attention` with the heads of its layer: those listed, or else these where attention is full.
    fn of_layer(&self, keys: &Keys, attention: Grouped, layer: u32, is_full: bool) -> Grouped {
        let (mut head_width, mut kv_heads) = (attention.head_width, attention.kv_heads);
        match &self.listed {
            Some(listed) => {
                if let Some(own) = listed.get(&layer) {
                    let width = keys.size_below(Dimension::HeadWidth, own, "head_dim");
                    let heads = keys.size_below(Dimension::KvHeads, own, "num_key_value_heads");
                    (head_width, kv_heads) = (width.unwrap_or(head_width), heads.unwrap_or(kv_heads));
                }
            }
            None if is_full => {
                (head_width, kv_heads) = (self.width, self.kv_heads.unwrap_or(kv_heads));
            }
            None => {}
        }
        if !attention.heads.is_multiple_of(kv_heads) {
            let heads = attention.heads;
            keys.refuse(
                "num_global_key_value_heads",
                format!("the `{heads}` heads do not divide by `{kv_heads}`"),
            );
        }
        let values_are_keys = self.values_are_keys && is_full;
        Grouped { head_width, kv_heads, values_are_keys, ..attention }
    }
}

/// Routed experts.
fn mixture(keys: &Keys, hidden: u32) -> Mixture {
    let names = Names {
        width: &["moe_intermediate_size"],
        experts: &["num_experts"],
        per_token: &["top_k_experts", "num_experts_per_tok"],
    };
    Mixture::read(keys, hidden, names)
}

/// A dense network with experts beside it: a norm behind the one, and before and behind the others,
/// whose router normalises on its own and scales what each expert gives.
fn beside(hidden_width: u32, dense: Vec<Operation>, mixture: &Mixture) -> Vec<Operation> {
    let scaled = |name| block_norm(name, hidden_width, NormWeights::Scale);
    let routes = Extent::of(Dimension::Routes, mixture.routed.experts);
    let mut steps = dense;
    steps.push(scaled("dense_output_norm"));
    steps.push(norm(Part::Router, "router_norm", hidden(hidden_width), NormWeights::Scale));
    let mut routed = mixture.operations().into_iter();
    steps.extend(routed.next());
    steps.push(weights(Part::Router, "expert_scales", routes));
    steps.push(scaled("experts_norm"));
    steps.extend(routed);
    steps.push(scaled("experts_output_norm"));
    steps
}

/// The embedding that each layer has of its own.
///
/// Source: Google (2025), Gemma 3n, which introduced it.
#[derive(Clone, Copy)]
struct OwnEmbedding {
    width: u32,
    vocabulary: u32,
}

impl OwnEmbedding {
    fn read(keys: &Keys, shape: &Shape) -> Option<Self> {
        let name = "hidden_size_per_layer_input";
        let width = match keys.says(name) {
            true => keys.optional_count(&[name]).filter(|width| *width > 0)?,
            false => 256,
        };
        keys.derived(Dimension::LayerEmbeddingWidth, width, name);
        let name = "vocab_size_per_layer_input";
        let vocabulary = match keys.optional_count(&[name]) {
            Some(stated) => stated,
            None => shape.vocabulary,
        };
        Some(OwnEmbedding { width, vocabulary })
    }

    /// The table of all layers, the projection of what a token's own embedding adds to it, and its
    /// norm.
    fn embedding(&self, shape: &Shape) -> [Operation; 3] {
        let own = Extent::of(Dimension::LayerEmbeddingWidth, self.width);
        let all = own.by(Dimension::Factor, shape.layers);
        // Only the entries of the vocabulary itself are padded and divided.
        let rows = match self.vocabulary == shape.vocabulary {
            true => Dimension::Vocabulary,
            false => Dimension::Factor,
        };
        let table = Work::LookUp { rows: Extent::of(rows, self.vocabulary), width: all };
        let weights = NormWeights::Scale;
        let norm = Work::Norm { data: all, weights: own, vectors: weights.vectors() };
        [
            Operation::new(Part::Embedding, "layer_tokens", table),
            Operation::linear(Part::Other, "layer_embedding", hidden(shape.hidden), all, false),
            Operation::new(Part::Norms, "layer_embedding_norm", norm),
        ]
    }

    /// The block that adds a layer's part of it: down to its width, times it, back, and a norm.
    fn block(&self, hidden_width: u32) -> Vec<Operation> {
        let (outside, own) = (hidden(hidden_width), Extent::of(Dimension::LayerEmbeddingWidth, self.width));
        let both = Extent::of(Dimension::Factor, 2).by(Dimension::LayerEmbeddingWidth, self.width);
        let product = Work::Elementwise { inputs: both, outputs: own, per_token: 1 };
        vec![
            Operation::linear(Part::Other, "layer_gate", outside, own, false),
            Operation::new(Part::Other, "activation", product),
            Operation::linear(Part::Other, "layer_projection", own, outside, false),
            block_norm("layer_output_norm", hidden_width, NormWeights::Scale),
        ]
    }
}
