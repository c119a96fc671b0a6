//! T5: an encoder, and a decoder that attends to what it made.
//!
//! Source: Raffel et al. (2019), Exploring the Limits of Transfer Learning with a Unified
//! Text-to-Text Transformer, section 2.1, arXiv:1910.10683.

use mlsysim_scenario::Result;

use super::decoder::{MOST_LAYERS, Names, Shape, normed};
use super::keys::Keys;
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights, block_norm};
use crate::transformer::{Dimension, Extent, Layer, Mask, Operation, Part, Transformer, Work};

const NORM: NormWeights = NormWeights::Scale;

/// T5 and its version 1.1, whose networks are gated.
///
/// The last norm of the encoder stands at the end of its last layer. What the decoder keeps of the
/// encoder's tokens is not in the cache that is counted for each token of the decoder.
pub fn t5(keys: &Keys) -> Result<Transformer> {
    with_networks(keys, "relu")
}

/// The multilingual T5, whose networks are gated where its file says nothing.
///
/// Source: Xue et al. (2020), mT5, section 3.1, arXiv:2010.11934.
pub fn mt5(keys: &Keys) -> Result<Transformer> {
    with_networks(keys, "gated-gelu")
}

fn with_networks(keys: &Keys, assumed: &str) -> Result<Transformer> {
    let sizes = Shape::multi_head_of_any_width(keys, &Names::T5);
    let head_width = keys.size_or(Dimension::HeadWidth, &["d_kv", "head_dim"], 64);
    let shape = Shape { head_width, ..sizes };
    let decoder_layers =
        keys.optional_count_in(&["num_decoder_layers"], 1, MOST_LAYERS).unwrap_or(shape.layers);
    let width = keys.size(Dimension::FeedForward, &["d_ff"]);
    let network = FeedForward::new(shape.hidden, width, is_gated(keys, assumed)).operations();
    let buckets = keys.size_or(Dimension::Buckets, &["relative_attention_num_buckets"], 32);
    if keys.value("tie_word_embeddings").is_some_and(|tied| tied == false) {
        keys.note(
            "the public class gives the head the weights of the embedding, whatever \
             `tie_word_embeddings` says; a checkpoint with a head of its own has vocabulary × hidden more",
        );
    }
    let block = |name, operations| normed(name, shape.hidden, NORM, operations);
    let attention = |mask, first: bool| {
        let table = first.then(|| position_buckets(buckets, shape.heads));
        table.into_iter().chain(Grouped { mask, ..shape.attention() }.operations()).collect()
    };

    let mut model = shape.decoder(keys, NORM, true, |layer| {
        let mut network = block("mlp_norm", network.clone());
        if layer + 1 == shape.layers {
            network.push(block_norm("encoder_norm", shape.hidden, NORM));
        }
        let attention = block("attention_norm", attention(Mask::Full, layer == 0));
        Layer { encoder: true, ..Layer::of([attention, network]) }
    })?;
    for layer in 0..decoder_layers {
        let cross = Grouped { mask: Mask::Full, ..shape.attention() }.operations();
        let cross = cross.into_iter().map(crossed).collect();
        model.push(Layer::of([
            block("attention_norm", attention(Mask::Causal, layer == 0)),
            block("cross_attention_norm", cross),
            block("mlp_norm", network.clone()),
        ]));
    }
    Ok(model)
}

/// Whether networks are gated: `gated-gelu` rather than `relu`.
fn is_gated(keys: &Keys, assumed: &str) -> bool {
    let given = keys.value("feed_forward_proj").map(|value| value.as_str().unwrap_or_default());
    let parts: Vec<&str> = given.unwrap_or(assumed).split('-').collect();
    match parts.as_slice() {
        [name] if !name.is_empty() => false,
        ["gated", _] => true,
        _ => {
            keys.refuse("feed_forward_proj", "an activation such as `relu` or `gated-gelu` is needed");
            false
        }
    }
}

/// What each head adds to a score, by how far apart the tokens are; all layers of a stack use that
/// of the first.
fn position_buckets(buckets: u32, heads: u32) -> Operation {
    let count = Extent::of(Dimension::Buckets, buckets);
    let width = Extent::of(Dimension::Heads, heads);
    Operation::new(Part::Attention, "position_buckets", Work::Weights { count, width })
}

/// An operation of attention to the encoder: its keys and values are of the encoder's tokens.
fn crossed(operation: Operation) -> Operation {
    let name = match operation.name {
        "query" => "cross_query",
        "key" => "cross_key",
        "value" => "cross_value",
        "scores" => "cross_scores",
        "output" => "cross_output",
        other => other,
    };
    Operation { name, ..operation }
}
