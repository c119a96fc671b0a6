//! Any decoder whose family has no reader: of the Llama kind, with the experts and the latent
//! attention that the usual keys describe, and refused where a key says that it is something else.

use mlsysim_quantity::nearest;
use mlsysim_scenario::Result;
use serde_json::Value;

use super::decoder::{Shape, normed};
use super::families::FAMILIES;
use super::keys::{Keys, shortened};
use super::patterns::{WINDOWED, ends_period, mask_of, masks, sliding, window};
use super::usual_experts::{UsualExperts, usual_experts};
use crate::transformer::blocks::{FeedForward, Grouped, HeadNorm, Indexer, Latent, NormWeights};
use crate::transformer::{Dimension, Layer, Mask, Operation, Routing, Transformer};

/// What the inner width of a dense network is called.
const WIDTHS: [&str; 6] =
    ["intermediate_size", "ffn_dim", "ffn_hidden_size", "d_ff", "n_inner", "feed_forward_size"];

/// Activations that come without a gate.
const UNGATED: [&str; 3] = ["relu2", "relu_squared", "xielu"];

/// Keys, or beginnings of keys, of what is not modelled for a family without a reader.
const UNMODELLED: &[(&str, &str)] = &[
    ("mamba", "Mamba layers are"),
    ("ssm_", "state-space layers are"),
    ("state_size", "state-space layers are"),
    ("d_state", "state-space layers are"),
    ("d_conv", "state-space layers are"),
    ("conv_kernel", "state-space or convolutional layers are"),
    ("conv_l_cache", "convolutional layers are"),
    ("hybrid_", "a mix of kinds of layers is"),
    ("attn_layer_", "a mix of kinds of layers is"),
    ("full_attention_interval", "linear attention is"),
    ("full_attn_idxs", "a mix of kinds of layers is"),
    ("block_types", "a mix of kinds of layers is"),
    ("layers_block_type", "a mix of kinds of layers is"),
    ("linear_attn", "linear attention is"),
    ("linear_num_", "linear attention is"),
    ("linear_key_", "linear attention is"),
    ("linear_value_", "linear attention is"),
    ("linear_head_", "linear attention is"),
    ("linear_conv_", "linear attention is"),
    ("attn_type_list", "linear attention is"),
    ("time_step_rank", "recurrent layers are"),
    ("time_mix", "recurrent layers are"),
    ("rwkv", "recurrent layers are"),
    ("lru_width", "recurrent layers are"),
    ("block_configs", "layers of different sizes are"),
    ("hidden_size_per_layer_input", "embeddings of each layer are"),
    ("altup_", "alternating updates are"),
    ("hc_mult", "hyper-connections are"),
    ("num_kv_shared_layers", "sharing of caches between layers is"),
    ("compress_ratio", "compressed attention is"),
    ("o_lora_rank", "an output projection of low rank is"),
    ("is_encoder_decoder", "an encoder with a decoder is"),
    ("encoder_layers", "an encoder with a decoder is"),
    ("num_encoder_layers", "an encoder with a decoder is"),
    ("add_cross_attention", "attention to an encoder is"),
    ("type_vocab_size", "an encoder of the BERT kind is"),
    ("relative_attention", "attention to relative positions is"),
    ("pos_att_type", "attention to relative positions is"),
    ("multi_query_group_num", "attention whose groups that key numbers is"),
    ("kv_channels", "attention whose heads that key widens is"),
    ("add_qkv_bias", "attention with the biases that key states is"),
];

/// Words in the name of a family whose layers are not modelled without a reader.
const RECURRENT: [&str; 8] = ["mamba", "rwkv", "recurrent", "hyena", "xlstm", "retnet", "ssm", "linear"];

/// A norm, attention, a norm, a network or experts; a note says what was assumed.
pub fn generic(keys: &Keys) -> Result<Transformer> {
    refuse_unmodelled(keys);
    let attention = attention(keys);
    let shape = attention.shape;
    let experts = usual_experts(keys, &shape);
    let norm = norm(keys);
    let gated = is_gated(keys, norm);
    note_what_is_assumed(keys, norm, gated);
    let bias = flag(keys, &["mlp_bias", "use_bias", "bias"]);
    let width = match &experts {
        Some(mixture) if mixture.is_everywhere() => keys.optional_size(Dimension::FeedForward, &WIDTHS),
        _ => Some(keys.size(Dimension::FeedForward, &WIDTHS)),
    };
    let network = FeedForward::new(shape.hidden, width.unwrap_or(1), gated).with_bias(bias);
    if !keys.has("tie_word_embeddings") {
        keys.note("it does not say whether the head has the weights of the embedding; counted with its own");
    }
    let mut model = shape.decoder(keys, norm, keys.flag("tie_word_embeddings", false), |layer| {
        let network = match experts.as_ref().and_then(|mixture| mixture.operations(layer, gated)) {
            Some(experts) => normed("experts_norm", shape.hidden, norm, experts),
            None => normed("mlp_norm", shape.hidden, norm, network.operations()),
        };
        Layer::of([normed("attention_norm", shape.hidden, norm, attention.operations(layer)), network])
    })?;
    model.routing = experts.map(|UsualExperts { experts, per_token, .. }| Routing::new(experts, per_token));
    Ok(model)
}

/// RMSNorms, unless only the tolerance of LayerNorms is stated.
fn norm(keys: &Keys) -> NormWeights {
    let is_layer_norm = keys.has("layer_norm_eps") || keys.has("layer_norm_epsilon");
    match is_layer_norm && !keys.has("rms_norm_eps") {
        true => NormWeights::ScaleAndShift,
        false => NormWeights::Scale,
    }
}

/// Whether networks have a gate: none do with the activations that come without, and of those with
/// LayerNorms only SiLU has one.
fn is_gated(keys: &Keys, norm: NormWeights) -> bool {
    match keys.text_of(&["hidden_act", "hidden_activation", "activation_function"]) {
        Some(activation) if UNGATED.contains(&activation) => false,
        Some("silu" | "swish") | None => true,
        Some(_) => norm == NormWeights::Scale,
    }
}

fn note_what_is_assumed(keys: &Keys, norm: NormWeights, gated: bool) {
    let named = match keys.model_type() {
        "" => "the configuration names no `model_type`".to_string(),
        family => {
            let known = FAMILIES.iter().flat_map(|family| family.model_types.iter().copied());
            // Nothing is near a name that is longer than any.
            let short = Some(family.trim()).filter(|family| family.len() <= 64);
            let near = short
                .and_then(|family| nearest(family, known))
                .map(|near| format!(" (did you mean `{near}`?)"));
            format!("the family `{}` is not known{}", shortened(family), near.unwrap_or_default())
        }
    };
    let norms = if norm == NormWeights::Scale { "RMSNorms" } else { "LayerNorms" };
    let gates = if gated { "with" } else { "without" };
    keys.note(format!(
        "{named}; read as a decoder of the Llama kind: {norms}, rotary positions, networks {gates} a gate, \
         and biases and norms of queries and keys only where a key says so"
    ));
}

/// Refuses what a key says that this is, if it is not a decoder of the Llama kind.
fn refuse_unmodelled(keys: &Keys) {
    let is_off = |value: &Value| match value {
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Null => true,
    };
    for (name, _) in keys.entries().filter(|(_, value)| !is_off(value)) {
        let lower = name.to_ascii_lowercase();
        if let Some((_, what)) = UNMODELLED.iter().find(|(start, _)| is_named(&lower, start)) {
            let family = shortened(keys.model_type());
            keys.refuse(name, format!("{what} not modelled for the family `{family}`, which has no reader"));
        }
    }
    let family = keys.model_type().to_ascii_lowercase();
    if let Some(word) = RECURRENT.iter().find(|word| family.contains(**word)) {
        keys.refuse("model_type", format!("the `{word}` of `{}` is not modelled", shortened(&family)));
    }
    if keys.has("q_lora_rank") && !keys.has("kv_lora_rank") {
        keys.refuse("q_lora_rank", "queries of low rank are modelled with `kv_lora_rank` only");
    }
    if keys.text_of(&["position_embedding_type"]).is_some_and(|kind| kind.contains("absolute")) {
        keys.refuse(
            "position_embedding_type",
            "a table of positions is not modelled for a family without a reader",
        );
    }
}

/// Whether the name of a key begins with `start`, or has it as one of its words.
fn is_named(name: &str, start: &str) -> bool {
    name.starts_with(start) || name.split('_').any(|word| word == start.trim_end_matches('_'))
}

/// Attention of either sort, with its mask in each layer.
struct Attention {
    shape: Shape,
    sort: Sort,
    masks: Vec<Mask>,
}

enum Sort {
    Grouped(Grouped),
    Latent(Latent),
}

impl Attention {
    fn operations(&self, layer: u32) -> Vec<Operation> {
        let mask = mask_of(&self.masks, layer);
        match self.sort {
            Sort::Grouped(attention) => Grouped { mask, ..attention }.operations(),
            Sort::Latent(attention) if attention.indexer.is_some() => attention.operations(),
            Sort::Latent(attention) => Latent { mask, ..attention }.operations(),
        }
    }
}

fn attention(keys: &Keys) -> Attention {
    let is_latent = keys.has("kv_lora_rank");
    let shape = match is_latent {
        true => Shape::multi_head_of_any_width(keys, &super::decoder::Names::USUAL),
        false => Shape::read(keys),
    };
    let slides = keys.flag("use_sliding_window", true);
    let width = if slides { window(keys, None) } else { None };
    let first = keys.optional_count(&["max_window_layers"]).unwrap_or(0);
    let period = keys.optional_count(&["sliding_window_pattern"]);
    let masks = masks(keys, shape.layers, WINDOWED, width, |layer| {
        let is_last = period.is_some_and(|period| period > 0 && ends_period(layer, period));
        sliding(width, layer >= first && !is_last)
    });
    let sort =
        if is_latent { Sort::Latent(latent(keys, &shape)) } else { Sort::Grouped(grouped(keys, &shape)) };
    Attention { shape, sort, masks }
}

fn grouped(keys: &Keys, shape: &Shape) -> Grouped {
    let everywhere = flag(keys, &["attention_bias", "use_bias", "bias"]);
    let inputs = ["qkv_bias", "use_qkv_bias", "add_qkv_bias", "attention_qkv_bias"];
    let norm = match flag(keys, &["use_qk_norm", "qk_norm", "qk_layernorm"]) {
        true => HeadNorm::Shared(norm(keys)),
        false => HeadNorm::None,
    };
    Grouped {
        value_width: keys
            .optional_size(Dimension::ValueWidth, &["v_head_dim"])
            .filter(|width| *width != shape.head_width),
        output_bias: keys.flag("attention_out_bias", everywhere),
        query_norm: norm,
        key_norm: norm,
        gated: keys.flag("attn_output_gate", false),
        ..shape.attention().with_input_bias(everywhere | flag(keys, &inputs))
    }
}

fn latent(keys: &Keys, shape: &Shape) -> Latent {
    let indexer = keys
        .optional_size(Dimension::IndexHeads, &["index_n_heads"])
        .map(|heads| Indexer { heads, head_width: keys.size(Dimension::IndexWidth, &["index_head_dim"]) });
    Latent {
        hidden: shape.hidden,
        heads: shape.heads,
        query_rank: keys.optional_size(Dimension::QueryRank, &["q_lora_rank"]),
        kv_rank: keys.size(Dimension::KvRank, &["kv_lora_rank"]),
        content_width: keys.size(Dimension::ContentWidth, &["qk_nope_head_dim"]),
        rotary_width: keys.size(Dimension::RotaryWidth, &["qk_rope_head_dim"]),
        value_width: keys.size(Dimension::ValueWidth, &["v_head_dim"]),
        bias: keys.flag("attention_bias", false),
        mask: match indexer {
            Some(_) => Mask::Chosen(keys.count(&["index_topk"])),
            None => Mask::Causal,
        },
        indexer,
    }
}

/// Whether one of `names` is set.
fn flag(keys: &Keys, names: &[&'static str]) -> bool {
    names.iter().fold(false, |any, name| any | keys.flag(name, false))
}
