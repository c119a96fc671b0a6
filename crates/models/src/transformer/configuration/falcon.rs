//! Falcon, BLOOM and MPT: decoders whose query, key and value come from one matrix.

use mlsysim_scenario::Result;
use serde_json::Value;

use super::decoder::{Names, Shape, four_times, normed, normed_layer};
use super::keys::Keys;
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights, block_norm};
use crate::transformer::{Dimension, Layer, Transformer};

/// Falcon: of the old architecture with one key and value for all heads or one for each, of the new
/// one with groups; attention and network in parallel, unless `parallel_attn` is `false`.
///
/// Source: Almazrouei et al. (2023), The Falcon Series of Open Language Models, arXiv:2311.16867.
pub fn falcon(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let new = keys.flag("new_decoder_architecture", false);
    let shape = match (new, keys.flag("multi_query", true)) {
        (true, _) => shape.with_kv_heads(keys, &["num_kv_heads", "n_head_kv"], None),
        (false, true) => shape.with_kv_heads_of(keys, 1, "one, since `multi_query`"),
        (false, false) => shape,
    };
    let bias = keys.flag("bias", false);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) }.operations();
    let width = four_times(keys, shape.hidden, &["ffn_hidden_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(bias).operations();
    let parallel = keys.flag("parallel_attn", true);
    let norms = keys.optional_count(&["num_ln_in_parallel_attn"]).unwrap_or(if new { 2 } else { 1 });
    let attention = normed("attention_norm", shape.hidden, NORM, attention);
    let network = match parallel && norms != 2 {
        true => network,
        false => normed("mlp_norm", shape.hidden, NORM, network),
    };
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", true), |_| match parallel {
        true => Layer::of([[attention.clone(), network.clone()].concat()]),
        false => Layer::of([attention.clone(), network.clone()]),
    })
}

/// BLOOM: biases everywhere, and a norm behind the table of tokens.
///
/// Source: BigScience (2022), BLOOM, section 3.2, arXiv:2211.05100.
pub fn bloom(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let attention = Grouped { output_bias: true, ..shape.attention().with_input_bias(true) };
    let width = keys.derived(Dimension::FeedForward, shape.hidden.saturating_mul(4), "4 × hidden");
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let mut model = shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", true), |_| {
        normed_layer(shape.hidden, NORM, attention.operations(), network.operations())
    })?;
    model.embedding.push(block_norm("token_norm", shape.hidden, NORM));
    Ok(model)
}

/// MPT: no biases, not even in its LayerNorms, and no table of positions.
///
/// The public class has one form of it; a key that asks for another is noted.
pub fn mpt(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::Scale;
    let shape = Shape::multi_head(keys, &Names::MPT);
    note_what_mpt_ignores(keys);
    let width = keys.derived(Dimension::FeedForward, shape.hidden.saturating_mul(4), "4 × hidden");
    let network = FeedForward::new(shape.hidden, width, false);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", true), |_| {
        normed_layer(shape.hidden, NORM, shape.attention().operations(), network.operations())
    })
}

/// Notes what the public class of MPT reads and builds otherwise, and refuses what it refuses.
fn note_what_mpt_ignores(keys: &Keys) {
    let ignored = |what: &str, built: &str| {
        keys.note(format!(
            "the public class of MPT does not heed `{what}`; counted as it builds it: {built}"
        ));
    };
    if keys.number("expansion_ratio").is_some_and(|ratio| ratio != 4.0) {
        ignored("expansion_ratio", "four times the hidden width");
    }
    if !keys.flag("no_bias", true) {
        ignored("no_bias", "without biases");
    }
    let attention = keys.within("attn_config");
    let given = |name: &str| attention.and_then(|object| object.get(name));
    match given("attn_type").and_then(Value::as_str) {
        None | Some("multihead_attention") => {}
        Some("multiquery_attention") => ignored("attn_config.attn_type", "a key and a value for each head"),
        Some(other) => keys.refuse(
            "attn_config.attn_type",
            format!("`multihead_attention` and `multiquery_attention` are known, but `{other}` was given"),
        ),
    }
    if given("qk_ln") == Some(&Value::Bool(true)) {
        ignored("attn_config.qk_ln", "without norms of queries and keys");
    }
    if given("alibi") == Some(&Value::Bool(false)) {
        ignored("attn_config.alibi", "without a table of positions");
    }
}
