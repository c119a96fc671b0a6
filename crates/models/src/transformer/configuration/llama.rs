//! Llama 1 to 3, what has its shape, and the `params.json` that Meta gives with its weights.

use mlsysim_scenario::Result;

use super::decoder::{Shape, possible_layers, pre_normed, windowed};
use super::keys::Keys;
use super::patterns::{self, mask_of};
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights, weights};
use crate::transformer::{Dimension, Extent, Mask, Part, Transformer};

/// RMSNorm, grouped attention, RMSNorm, gated feed-forward network.
pub fn llama(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    dense(keys, &shape, attention(keys, &shape), gated(keys, shape.hidden), false)
}

/// Arcee: Llama, whose network has no gate.
pub fn arcee(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let network = FeedForward { gated: false, ..gated(keys, shape.hidden) };
    dense(keys, &shape, attention(keys, &shape), network, false)
}

/// Apertus: Llama with norms of queries and keys, whose network has no gate and an activation with
/// two learned numbers (xIELU).
///
/// Source: Huang and Schlag (2024), Deriving activation functions using integration,
/// arXiv:2411.13010.
pub fn apertus(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    let network = FeedForward { gated: false, ..FeedForward::new(shape.hidden, width(keys), false) };
    let learned = keys.text_of(&["hidden_act"]).unwrap_or("xielu") == "xielu";
    let tied = keys.tied(false);
    shape.decoder(keys, NormWeights::Scale, tied, |_| {
        let mut network = network.operations();
        if learned {
            network.push(weights(Part::Mlp, "activation_scales", Extent::of(Dimension::Factor, 2)));
        }
        pre_normed(shape.hidden, attention.operations(), network)
    })
}

/// SmolLM3: Llama, whose layers without rotary positions may have a window.
pub fn smollm3(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(4), None);
    let window = keys.flag("use_sliding_window", false).then(|| patterns::window(keys, None)).flatten();
    let rotary = patterns::rotary_layers(keys, shape.layers);
    let masks = patterns::masks(keys, shape.layers, patterns::USUAL, window, |layer| {
        match rotary.get(layer as usize) {
            Some(false) => windowed(window),
            _ => Mask::Causal,
        }
    });
    let (attention, network) = (attention(keys, &shape), gated(keys, shape.hidden));
    shape.decoder(keys, NormWeights::Scale, keys.tied(true), |layer| {
        let attention = Grouped { mask: mask_of(&masks, layer), ..attention };
        pre_normed(shape.hidden, attention.operations(), network.operations())
    })
}

/// Seed-OSS: Llama with biases of its inputs, and one of its output by a key of its own.
pub fn seed_oss(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), Some(128));
    let attention = shape.attention().with_input_bias(keys.flag("attention_bias", true));
    let attention = Grouped { output_bias: keys.flag("attention_out_bias", false), ..attention };
    dense(keys, &shape, attention, gated(keys, shape.hidden), false)
}

/// ERNIE 4.5: Llama with one key for every bias.
pub fn ernie4_5(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(2), Some(128));
    let bias = keys.flag("use_bias", false);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) };
    let network = FeedForward::new(shape.hidden, width(keys), true).with_bias(bias);
    dense(keys, &shape, attention, network, true)
}

/// HunYuan, dense: Llama with norms of queries and keys.
pub fn hunyuan(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    let network = FeedForward::new(shape.hidden, width(keys), true);
    dense(keys, &shape, attention, network, false)
}

/// Mistral 7B and those after it: Llama without biases, every layer with the same window or none.
pub fn mistral(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), None);
    windowed_llama(keys, &shape, patterns::window(keys, Some(4096)))
}

/// Ministral 3, the text model of Mistral 3: the same, without a window if none is stated.
pub fn ministral3(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), Some(128));
    windowed_llama(keys, &shape, patterns::window(keys, None))
}

/// The shape of Mistral; `layer_types` may leave the window out of some layers (Ministral).
fn windowed_llama(keys: &Keys, shape: &Shape, window: Option<u32>) -> Result<Transformer> {
    // What a file says around the text model of Mistral 3 is no more than a default there.
    let tied = keys.flag("tie_word_embeddings", false);
    let all = windowed(window);
    let masks = patterns::masks(keys, shape.layers, patterns::USUAL, window, |_| all);
    let network = FeedForward::new(shape.hidden, width(keys), true);
    shape.decoder(keys, NormWeights::Scale, tied, |layer| {
        let attention = Grouped { mask: mask_of(&masks, layer), ..shape.attention() };
        pre_normed(shape.hidden, attention.operations(), network.operations())
    })
}

/// Meta's `params.json`, and that of Mistral, which states the feed-forward width.
///
/// Where it is not stated, that width follows from the others as the public code of Llama makes it: two thirds
/// of four hidden widths, times a multiplier, rounded up.
pub fn params(keys: &Keys) -> Result<Transformer> {
    for name in ["moe", "moe_args"] {
        if keys.has(name) {
            keys.refuse(name, "a `params.json` with experts is not read; give the `config.json` instead");
        }
    }
    for (name, what) in [
        ("q_lora_rank", "latent attention"),
        ("kv_lora_rank", "latent attention"),
        ("num_experts", "experts"),
        ("n_routed_experts", "experts"),
    ] {
        if keys.has(name) {
            keys.refuse(
                name,
                format!("a `params.json` with {what} is not read; give the `config.json` instead"),
            );
        }
    }
    for name in ["use_biases", "use_bias", "qkv_bias", "qk_norm"] {
        if keys.flag(name, false) {
            keys.refuse(
                name,
                "only a `params.json` without biases and norms of heads is read, but `true` was given",
            );
        }
    }
    if keys.number("vocab_size").is_some_and(|value| value < 0.0) {
        keys.refuse("vocab_size", "`-1` leaves it to the tokenizer, which is not here: replace it by the entries of the vocabulary, `32000` for Llama 1 and 2 or `128256` for Llama 3");
    }
    let hidden = keys.size(Dimension::Hidden, &["dim"]);
    let heads = keys.size(Dimension::Heads, &["n_heads"]);
    let kv_heads = keys
        .optional_size(Dimension::KvHeads, &["n_kv_heads"])
        .unwrap_or_else(|| keys.derived(Dimension::KvHeads, heads, "as many as heads"));
    let head_width = keys
        .optional_size(Dimension::HeadWidth, &["head_dim"])
        .unwrap_or_else(|| keys.derived(Dimension::HeadWidth, (hidden / heads).max(1), "dim / n_heads"));
    if !heads.is_multiple_of(kv_heads) {
        keys.refuse("n_kv_heads", format!("the `{heads}` heads do not divide by `{kv_heads}`"));
    }
    let layers = possible_layers(keys, keys.count(&["n_layers"]));
    let vocabulary = keys.size(Dimension::Vocabulary, &["vocab_size"]);
    let shape = Shape { hidden, layers, heads, kv_heads, head_width, vocabulary };
    let width = keys.optional_size(Dimension::FeedForward, &["hidden_dim"]);
    let network = FeedForward::new(hidden, width.unwrap_or_else(|| params_width(keys, hidden)), true);
    let tied = keys.flag("tied_embeddings", false);
    if !keys.has("tied_embeddings") {
        keys.note("this `params.json` does not say whether the head has the weights of the embedding; it is counted with its own");
    }
    let attention = Grouped { mask: windowed(patterns::window(keys, None)), ..shape.attention() };
    dense(keys, &shape, attention, network, tied)
}

/// The feed-forward width of a `params.json`.
fn params_width(keys: &Keys, hidden: u32) -> u32 {
    let multiple = u64::from(keys.optional_count(&["multiple_of"]).unwrap_or(256));
    let multiplier = keys.number("ffn_dim_multiplier").unwrap_or(1.0);
    if multiple == 0 {
        keys.refuse("multiple_of", "1 or more is needed, but `0` was given");
    }
    if !(multiplier > 0.0 && multiplier <= 64.0) {
        keys.refuse(
            "ffn_dim_multiplier",
            format!("more than 0 and at most 64 is needed, but `{multiplier}` was given"),
        );
    }
    let plain = 8 * u64::from(hidden) / 3;
    let wide = (multiplier * plain as f64) as u64;
    let width = wide.div_ceil(multiple.max(1)).saturating_mul(multiple.max(1));
    let width = u32::try_from(width).unwrap_or(u32::MAX).max(1);
    keys.derived(Dimension::FeedForward, width, "8/3 dim × ffn_dim_multiplier, up to a multiple_of")
}

/// A decoder of equal layers of these two.
fn dense(
    keys: &Keys,
    shape: &Shape,
    attention: Grouped,
    network: FeedForward,
    tied: bool,
) -> Result<Transformer> {
    shape.decoder(keys, NormWeights::Scale, keys.tied(tied), |_| {
        pre_normed(shape.hidden, attention.operations(), network.operations())
    })
}

/// Attention with one key for its four biases.
pub fn attention(keys: &Keys, shape: &Shape) -> Grouped {
    let bias = keys.flag("attention_bias", false);
    Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) }
}

/// A gated network with a key for its biases.
fn gated(keys: &Keys, hidden: u32) -> FeedForward {
    FeedForward::new(hidden, width(keys), true).with_bias(keys.flag("mlp_bias", false))
}

/// The inner width of a dense network.
pub fn width(keys: &Keys) -> u32 {
    keys.size(Dimension::FeedForward, &["intermediate_size"])
}
