//! Mixtral and those of its shape: every layer has routed experts as wide as a dense network.

use mlsysim_scenario::Result;

use super::decoder::{Shape, normed_layer, pre_normed, windowed};
use super::experts::{MIXTRAL, Mixture, Names};
use super::keys::Keys;
use super::llama::attention;
use super::patterns::{self, ends_period, mask_of};
use crate::transformer::blocks::{FeedForward, Grouped, HeadNorm, NormWeights};
use crate::transformer::{Dimension, Mask, Transformer};

/// Mixtral: the attention of Mistral and routed experts.
pub fn mixtral(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), None);
    let attention = Grouped { mask: windowed(patterns::window(keys, None)), ..shape.attention() };
    routed(keys, &shape, attention, Mixture::read(keys, shape.hidden, MIXTRAL))
}

/// OLMoE: norms over all heads of queries and of keys.
pub fn olmoe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let norm = HeadNorm::PerHead(NormWeights::Scale);
    let attention = Grouped { query_norm: norm, key_norm: norm, ..attention(keys, &shape) };
    routed(keys, &shape, attention, Mixture::read(keys, shape.hidden, MIXTRAL))
}

/// Granite with experts.
pub fn granite(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    routed(keys, &shape, attention(keys, &shape), Mixture::read(keys, shape.hidden, MIXTRAL))
}

/// Phi-3.5-MoE: norms with a shift, and biases of attention and of the head by keys of their own.
pub fn phimoe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), None);
    let mask = windowed(patterns::window(keys, None));
    let attention = Grouped { mask, ..attention(keys, &shape) };
    let mixture = Mixture::read(keys, shape.hidden, MIXTRAL);
    let norm = NormWeights::ScaleAndShift;
    let head = (keys.tied(false), keys.flag("lm_head_bias", false));
    let model = shape.decoder_with_head_bias(keys, norm, head, |_| {
        normed_layer(shape.hidden, norm, attention.operations(), mixture.operations())
    })?;
    Ok(mixture.routes(model))
}

/// gpt-oss: biases everywhere, a sink for each head, and a window in every other layer.
///
/// Source: OpenAI (2025), gpt-oss-120b and gpt-oss-20b model card, arXiv:2508.10925.
pub fn gpt_oss(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(8), Some(64));
    let window = patterns::window(keys, Some(128));
    let masks =
        patterns::masks(keys, shape.layers, patterns::USUAL, window, |layer| match ends_period(layer, 2) {
            true => Mask::Causal,
            false => windowed(window),
        });
    let bias = keys.flag("attention_bias", true);
    let attention = Grouped { output_bias: bias, sinks: true, ..shape.attention().with_input_bias(bias) };
    let mut mixture = Mixture::read(keys, shape.hidden, MIXTRAL);
    mixture.routed.router_bias = true;
    mixture.routed.each = mixture.routed.each.with_bias(true);
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let attention = Grouped { mask: mask_of(&masks, layer), ..attention };
        pre_normed(shape.hidden, attention.operations(), mixture.operations())
    })?;
    Ok(mixture.routes(model))
}

/// HunYuan with experts: norms of queries and keys, and a shared expert as wide as a routed one.
pub fn hunyuan(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::read(keys);
    let attention = attention(keys, &shape).with_shared_norms(NormWeights::Scale);
    let width = keys.size(Dimension::ExpertFeedForward, &["intermediate_size"]);
    let each = FeedForward::new(shape.hidden, width, true);
    let names = Names {
        width: &["intermediate_size"],
        experts: &["num_experts", "num_local_experts"],
        per_token: &["moe_topk", "num_experts_per_tok"],
    };
    let mixture = Mixture::read_uniform(keys, shape.hidden, names);
    routed(keys, &shape, attention, Mixture { shared: Some(each), ..mixture })
}

/// A decoder of equal layers of these two.
fn routed(keys: &Keys, shape: &Shape, attention: Grouped, mixture: Mixture) -> Result<Transformer> {
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |_| {
        pre_normed(shape.hidden, attention.operations(), mixture.operations())
    })?;
    Ok(mixture.routes(model))
}
