//! DeepSeek-V2 to V3.2, Kimi K2, GLM-4.7-Flash and GLM-5: multi-head latent attention, dense layers
//! first, then routed experts beside shared ones.

use mlsysim_scenario::Result;

use super::decoder::{Shape, layers, pre_normed};
use super::experts::{DEEPSEEK, Mixture, Networks};
use super::keys::Keys;
use super::llama::width;
use super::patterns;
use crate::transformer::blocks::{FeedForward, Indexer, Latent, NormWeights};
use crate::transformer::{Dimension, Mask, Transformer};

/// DeepSeek-V3, whose shape Kimi K2 has.
///
/// Source: DeepSeek-AI (2024), DeepSeek-V3, arXiv:2412.19437.
pub fn deepseek_v3(keys: &Keys) -> Result<Transformer> {
    let defaults = Defaults { first_dense: 3, shared: 1 };
    latent_decoder(keys, defaults, false, None)
}

/// DeepSeek-V2, whose networks may have biases.
pub fn deepseek_v2(keys: &Keys) -> Result<Transformer> {
    let defaults = Defaults { first_dense: 0, shared: 2 };
    latent_decoder(keys, defaults, keys.flag("mlp_bias", false), None)
}

/// GLM-4.7-Flash: the shape of DeepSeek-V3 with one dense layer.
pub fn glm4_moe_lite(keys: &Keys) -> Result<Transformer> {
    let defaults = Defaults { first_dense: 1, shared: 1 };
    latent_decoder(keys, defaults, false, None)
}

/// DeepSeek-V3.2: an indexer in each layer chooses the keys that are attended to.
pub fn deepseek_v32(keys: &Keys) -> Result<Transformer> {
    let layers = layers(keys);
    let defaults = Defaults { first_dense: 3, shared: 1 };
    latent_decoder(keys, defaults, false, Some(vec![true; layers as usize]))
}

/// GLM-5: the shape of DeepSeek-V3.2; layers may use what an earlier one's indexer chose.
pub fn glm_moe_dsa(keys: &Keys) -> Result<Transformer> {
    let layers = layers(keys);
    let defaults = Defaults { first_dense: 3, shared: 1 };
    latent_decoder(keys, defaults, false, Some(indexers(keys, layers)))
}

/// What a class assumes.
struct Defaults {
    /// Dense layers before those with experts.
    first_dense: u32,
    /// Shared experts.
    shared: u32,
}

/// A decoder with latent attention; `indexers` says which layers choose keys themselves, if any does.
fn latent_decoder(
    keys: &Keys,
    defaults: Defaults,
    bias: bool,
    indexers: Option<Vec<bool>>,
) -> Result<Transformer> {
    let shape = Shape::without_heads(keys, layers(keys));
    let attention = latent(keys, &shape);
    let chosen = indexers.is_some().then(|| chosen(keys));
    let networks = Networks::read(
        patterns::dense_layers(keys, shape.layers, defaults.first_dense),
        || FeedForward::new(shape.hidden, width(keys), true).with_bias(bias),
        || {
            let mixture = Mixture::read(keys, shape.hidden, DEEPSEEK);
            let mixture = mixture.with_shared(keys, "n_shared_experts", defaults.shared);
            Mixture { shared: mixture.shared.map(|shared| shared.with_bias(bias)), ..mixture }
        },
    );
    let chooses = |layer: u32| indexers.as_ref().and_then(|list| list.get(layer as usize)) == Some(&true);
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let attention = match chosen {
            None => attention,
            Some((indexer, mask)) => Latent { indexer: chooses(layer).then_some(indexer), mask, ..attention },
        };
        pre_normed(shape.hidden, attention.operations(), networks.operations(layer))
    })?;
    Ok(networks.routes(model))
}

/// Latent attention to every key.
fn latent(keys: &Keys, shape: &Shape) -> Latent {
    let name = "q_lora_rank";
    // Null means that queries are not compressed; a file that does not mention it lacks it.
    let query_rank = match keys.says(name) {
        true => keys.optional_size(Dimension::QueryRank, &[name]),
        false => Some(keys.size(Dimension::QueryRank, &[name])),
    };
    let kv_rank = keys.size(Dimension::KvRank, &["kv_lora_rank"]);
    let content_width = keys.size(Dimension::ContentWidth, &["qk_nope_head_dim"]);
    let rotary_width = keys.size(Dimension::RotaryWidth, &["qk_rope_head_dim"]);
    let together = |one: u32| one.saturating_add(rotary_width);
    keys.derived(Dimension::LatentHeadWidth, together(content_width), "qk_nope_head_dim + qk_rope_head_dim");
    keys.derived(Dimension::CachedLatent, together(kv_rank), "kv_lora_rank + qk_rope_head_dim");
    Latent {
        hidden: shape.hidden,
        heads: shape.heads,
        query_rank,
        kv_rank,
        content_width,
        rotary_width,
        value_width: keys.size(Dimension::ValueWidth, &["v_head_dim"]),
        bias: keys.flag("attention_bias", false),
        indexer: None,
        mask: Mask::Causal,
    }
}

/// The indexer and how many keys it chooses.
fn chosen(keys: &Keys) -> (Indexer, Mask) {
    let indexer = Indexer {
        heads: keys.size(Dimension::IndexHeads, &["index_n_heads"]),
        head_width: keys.size(Dimension::IndexWidth, &["index_head_dim"]),
    };
    let most = keys.optional_count(&["index_topk"]).unwrap_or(2048);
    if most == 0 {
        keys.refuse("index_topk", "1 or more keys have to be chosen, but `0` was given");
    }
    keys.note(format!(
        "the {} numbers of a token that each indexer caches are not in the KV cache counted here",
        indexer.head_width
    ));
    (indexer, Mask::Chosen(most.max(1)))
}

/// Which layers have an indexer of their own: a list, a pattern of `F` and `S`, or a period after
/// the first few layers.
fn indexers(keys: &Keys, layers: u32) -> Vec<bool> {
    let refuse = |name: &'static str, other: &str| {
        keys.refuse(name, format!("`full` (`F`) and `shared` (`S`) are known, but `{other}` was given"));
        true
    };
    if let Some(kinds) = patterns::kinds(keys, "indexer_types", layers) {
        let own = |kind: &&str| match *kind {
            "full" => true,
            "shared" => false,
            other => refuse("indexer_types", other),
        };
        return kinds.iter().map(own).collect();
    }
    let name = "index_topk_pattern";
    if let Some(pattern) = keys.text_of(&[name]) {
        let own = |letter: char| match letter {
            'F' => true,
            'S' => false,
            other => refuse(name, &other.to_string()),
        };
        return pattern.chars().map(own).collect();
    }
    let period = keys.optional_count(&["index_topk_freq"]).unwrap_or(1).max(1);
    let offset = keys.optional_count(&["index_skip_topk_offset"]).unwrap_or(2);
    (0..layers).map(|layer| (layer + 1).saturating_sub(offset).is_multiple_of(period)).collect()
}
