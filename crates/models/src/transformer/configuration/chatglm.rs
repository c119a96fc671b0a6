//! Families whose models carried their own code before they had public classes: ChatGLM (GLM-4 in its
//! original form) and the first Qwen.

use mlsysim_scenario::Result;

use super::decoder::{MOST_LAYERS, Shape, pre_normed};
use super::keys::Keys;
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights};
use crate::transformer::{Dimension, Transformer};

/// ChatGLM 2 and 3 and GLM-4: groups of heads, biases of queries, keys and values where the file says
/// so, and a gated network.
///
/// Source: THUDM, `modeling_chatglm.py` of the models.
pub fn chatglm(keys: &Keys) -> Result<Transformer> {
    let hidden = keys.size(Dimension::Hidden, &["hidden_size"]);
    let heads = keys.size(Dimension::Heads, &["num_attention_heads"]);
    let layers = keys.count_in(&["num_layers", "num_hidden_layers"], 1, MOST_LAYERS);
    let head_width = keys.size(Dimension::HeadWidth, &["kv_channels"]);
    let vocabulary = keys.size(Dimension::Vocabulary, &["padded_vocab_size", "vocab_size"]);
    let shape = Shape { hidden, layers, heads, kv_heads: heads, head_width, vocabulary };
    let shape = match keys.flag("multi_query_attention", false) {
        true => shape.with_kv_heads(keys, &["multi_query_group_num"], Some(1)),
        false => shape.with_kv_heads_of(keys, heads, "as many as heads"),
    };
    let bias = keys.flag("add_bias_linear", false);
    let input_bias = bias || keys.flag("add_qkv_bias", false);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(input_bias) };
    let width = keys.size(Dimension::FeedForward, &["ffn_hidden_size"]);
    let network = FeedForward::new(hidden, width, true).with_bias(bias);
    if !keys.flag("rmsnorm", true) {
        keys.refuse("rmsnorm", "only norms with a scale alone are read, but `false` was given");
    }
    if !keys.flag("post_layer_norm", true) {
        keys.refuse("post_layer_norm", "only a norm behind the last layer is read, but `false` was given");
    }
    let tied = keys.flag("tie_word_embeddings", false);
    shape.decoder(keys, NormWeights::Scale, tied, |_| {
        pre_normed(hidden, attention.operations(), network.operations())
    })
}

/// The first Qwen: biases of queries, keys and values, and of nothing else; its file gives the inner
/// widths of the gate and of what it multiplies together.
///
/// Source: Qwen team, `modeling_qwen.py` of the models.
pub fn qwen(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, None, None);
    let bias = !keys.flag("no_bias", true);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(true) };
    let both = keys.count(&["intermediate_size"]);
    let width = keys.derived(Dimension::FeedForward, (both / 2).max(1), "intermediate_size / 2");
    let network = FeedForward::new(shape.hidden, width, true).with_bias(bias);
    let tied = keys.flag("tie_word_embeddings", false);
    shape.decoder(keys, NormWeights::Scale, tied, |_| {
        pre_normed(shape.hidden, attention.operations(), network.operations())
    })
}
