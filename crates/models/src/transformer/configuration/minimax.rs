//! MiniMax M2 and M3: grouped attention with norms of queries and keys, and experts.

use mlsysim_scenario::Result;

use super::decoder::{Shape, pre_normed};
use super::experts::{MIXTRAL, Mixture, Networks};
use super::keys::Keys;
use super::patterns;
use crate::transformer::blocks::{
    FeedForward, Grouped, HeadNorm, Indexer, NormWeights, hidden, index_scores, norm,
};
use crate::transformer::{Dimension, Extent, Mask, Operation, Part, Transformer};

/// MiniMax M2: norms over all heads of queries and of keys, experts in every layer.
pub fn minimax_m2(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), Some(128));
    let over_all = HeadNorm::PerHead(NormWeights::Scale);
    let attention = Grouped { query_norm: over_all, key_norm: over_all, ..shape.attention() };
    let mixture = Mixture::read(keys, shape.hidden, MIXTRAL);
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |_| {
        pre_normed(shape.hidden, attention.operations(), mixture.operations())
    })?;
    Ok(mixture.routes(model))
}

/// The text model of MiniMax M3: in some layers an indexer chooses the blocks of keys that are
/// attended to, and some layers are dense.
pub fn minimax_m3(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(4), Some(128));
    let is_sparse = sparse_layers(keys, shape.layers);
    let chosen = is_sparse.contains(&true).then(|| chosen(keys));
    let networks = Networks::read(
        dense_layers(keys, shape.layers),
        || {
            let width = keys.size(Dimension::FeedForward, &["dense_intermediate_size"]);
            FeedForward::new(shape.hidden, width, true)
        },
        || {
            let mixture = Mixture::read(keys, shape.hidden, MIXTRAL);
            mixture.with_shared_width(keys, &["shared_intermediate_size"])
        },
    );
    let attention = shape.attention().with_shared_norms(NormWeights::Scale);
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let operations = match chosen {
            Some((indexer, mask)) if is_sparse.get(layer as usize) == Some(&true) => {
                let attention = Grouped { mask, ..attention };
                index(shape.hidden, indexer).into_iter().chain(attention.operations()).collect()
            }
            _ => attention.operations(),
        };
        pre_normed(shape.hidden, operations, networks.operations(layer))
    })?;
    Ok(networks.routes(model))
}

/// The projections and norms of an indexer: a query for each of its heads, and one key.
fn index(hidden_width: u32, indexer: Indexer) -> [Operation; 5] {
    let part = Part::Attention;
    let width = Extent::of(Dimension::IndexWidth, indexer.head_width);
    let queries =
        Extent::of(Dimension::IndexHeads, indexer.heads).by(Dimension::IndexWidth, indexer.head_width);
    [
        Operation::linear(part, "index_query", hidden(hidden_width), queries, false),
        Operation::linear(part, "index_key", hidden(hidden_width), width, false),
        norm(part, "index_query_norm", width, NormWeights::Scale),
        norm(part, "index_key_norm", width, NormWeights::Scale),
        index_scores(indexer),
    ]
}

/// The indexer, and how many keys the blocks have that it chooses.
fn chosen(keys: &Keys) -> (Indexer, Mask) {
    let nested = keys.within("sparse_attention_config");
    let size = |dimension, name: &'static str, legacy: &'static str, otherwise: u32| {
        let stated = nested.and_then(|object| keys.size_below(dimension, object, legacy));
        stated.unwrap_or_else(|| keys.size_or(dimension, &[name], otherwise))
    };
    let indexer = Indexer {
        heads: size(Dimension::IndexHeads, "index_n_heads", "sparse_num_index_heads", 4),
        head_width: size(Dimension::IndexWidth, "index_head_dim", "sparse_index_dim", 128),
    };
    let count = |name: &'static str, legacy: &'static str, otherwise: u32| {
        let stated = nested.and_then(|object| keys.count_below(object, legacy));
        stated.or_else(|| keys.optional_count(&[name])).unwrap_or(otherwise).max(1)
    };
    let block = count("index_block_size", "sparse_block_size", 128);
    let blocks = count("index_topk_blocks", "sparse_topk_blocks", 16);
    keys.note(format!(
        "the {} numbers of a token that each indexer caches are not in the KV cache counted here",
        indexer.head_width
    ));
    (indexer, Mask::Chosen(block.saturating_mul(blocks)))
}

/// Which layers have an indexer: by name, by a list of flags, or none.
fn sparse_layers(keys: &Keys, layers: u32) -> Vec<bool> {
    if let Some(kinds) = patterns::kinds(keys, "layer_types", layers) {
        let is_sparse = |kind: &&str| match *kind {
            "minimax_m3_sparse" => true,
            "full_attention" | "attention" => false,
            other => {
                let message =
                    format!("`minimax_m3_sparse` and `full_attention` are read, but `{other}` was given");
                keys.refuse("layer_types", message);
                false
            }
        };
        return kinds.iter().map(is_sparse).collect();
    }
    let nested = keys.within("sparse_attention_config");
    let flags = nested.and_then(|object| keys.counts_below(object, "sparse_attention_freq"));
    flags.map_or_else(
        || vec![false; layers as usize],
        |flags| patterns::flags(keys, "sparse_attention_config.sparse_attention_freq", &flags, layers),
    )
}

/// Which layers are dense: by name, by a list of flags, or none.
fn dense_layers(keys: &Keys, layers: u32) -> Vec<bool> {
    match keys.counts("moe_layer_freq") {
        Some(flags) if !keys.has("mlp_layer_types") => {
            let routed = patterns::flags(keys, "moe_layer_freq", &flags, layers);
            routed.iter().map(|routed| !routed).collect()
        }
        _ => patterns::dense_layers(keys, layers, 0),
    }
}
