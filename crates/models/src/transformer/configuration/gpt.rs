//! GPT-2 and its heirs: LayerNorms and biases, tables of positions or rotary positions.
//!
//! Sources: Radford et al. (2019), Language Models are Unsupervised Multitask Learners; Ben Allal et
//! al. (2023), SantaCoder, arXiv:2301.03988; Wang and Komatsuzaki (2021), GPT-J-6B; Black et al.
//! (2022), GPT-NeoX-20B, arXiv:2204.06745; Nijkamp et al. (2022), CodeGen, arXiv:2203.13474.

use mlsysim_scenario::Result;
use serde_json::Value;

use super::decoder::{Names, Shape, four_times, normed, normed_layer, post_normed};
use super::keys::Keys;
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights, head, hidden, position_table};
use crate::transformer::{Dimension, Layer, Mask, Transformer};

const NORM: NormWeights = NormWeights::ScaleAndShift;

/// GPT-2: a norm before each block, a table of positions, biases everywhere.
pub fn gpt2(keys: &Keys) -> Result<Transformer> {
    with_positions(keys, Shape::multi_head(keys, &Names::GPT), 1024)
}

/// The GPT-2 of SantaCoder and StarCoder: all heads share one key and value, unless
/// `multi_query` is `false`.
pub fn gpt_bigcode(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::GPT);
    let shape = match keys.flag("multi_query", true) {
        true => shape.with_kv_heads_of(keys, 1, "one, since `multi_query`"),
        false => shape,
    };
    with_positions(keys, shape, 1024)
}

fn with_positions(keys: &Keys, shape: Shape, assumed: u32) -> Result<Transformer> {
    refuse_cross_attention(keys);
    let positions = positions(keys, &["n_positions", "max_position_embeddings", "n_ctx"], assumed);
    let attention = Grouped { output_bias: true, ..shape.attention().with_input_bias(true) };
    let width = four_times(keys, shape.hidden, &["n_inner", "intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let mut model = shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", true), |_| {
        two_blocks(&shape, attention, network)
    })?;
    model.embedding.push(position_table(positions, hidden(shape.hidden)));
    Ok(model)
}

/// The first GPT: norms behind the blocks, and none behind the last layer.
///
/// Source: Radford et al. (2018), Improving Language Understanding by Generative Pre-Training.
pub fn openai_gpt(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::GPT);
    let positions = positions(keys, &["n_positions", "max_position_embeddings"], 512);
    let attention = Grouped { output_bias: true, ..shape.attention().with_input_bias(true) };
    let width = keys.derived(Dimension::FeedForward, shape.hidden.saturating_mul(4), "4 × hidden");
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let mut model = shape.stack(keys, |_| {
        Layer::of([
            post_normed("attention_norm", shape.hidden, NORM, attention.operations()),
            post_normed("mlp_norm", shape.hidden, NORM, network.operations()),
        ])
    });
    model.embedding.push(position_table(positions, hidden(shape.hidden)));
    model.tied = keys.flag("tie_word_embeddings", true);
    model.head.push(head(shape.vocabulary, hidden(shape.hidden), false, model.tied));
    Ok(model)
}

/// GPT-Neo: layers with a window take turns with layers without one; of the projections of
/// attention only the output has a bias.
pub fn gpt_neo(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let positions = positions(keys, &["max_position_embeddings", "n_positions"], 2048);
    let window = keys.optional_count_in(&["window_size"], 1, u64::from(u32::MAX)).unwrap_or(256);
    let local = local_layers(keys, shape.layers);
    let width = four_times(keys, shape.hidden, &["intermediate_size", "n_inner"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let attention = Grouped { output_bias: true, ..shape.attention() };
    let mut model = shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", true), |layer| {
        let mask = match local.get(layer as usize) {
            Some(true) => Mask::Window(window),
            _ => Mask::Causal,
        };
        two_blocks(&shape, Grouped { mask, ..attention }, network)
    })?;
    model.embedding.push(position_table(positions, hidden(shape.hidden)));
    Ok(model)
}

/// Which layers of GPT-Neo have a window, by `attention_types`: lists of kinds, each with how often
/// it is repeated.
fn local_layers(keys: &Keys, layers: u32) -> Vec<bool> {
    let most = layers as usize + 1;
    let kinds: Option<Vec<&str>> = match keys.value("attention_types") {
        Some(types) => repeated_kinds(types, most),
        None => match keys.texts("attention_layers") {
            Some(kinds) => Some(kinds),
            None => return (0..layers).map(|layer| layer % 2 == 1).collect(),
        },
    };
    let known = |kinds: &Vec<&str>| kinds.iter().all(|kind| ["global", "local"].contains(kind));
    match kinds.filter(known) {
        Some(kinds) if kinds.len() == layers as usize => kinds.iter().map(|kind| *kind == "local").collect(),
        Some(_) => {
            keys.refuse(
                "attention_types",
                format!("`global` or `local` is needed for each of `{layers}` layers"),
            );
            Vec::new()
        }
        None => {
            keys.refuse(
                "attention_types",
                "lists of `global` and `local` with how often they are repeated are needed, such as `[[[\"global\", \"local\"], 12]]`",
            );
            Vec::new()
        }
    }
}

/// The kinds that `types` spells out, at most `most` of them.
fn repeated_kinds(types: &Value, most: usize) -> Option<Vec<&str>> {
    let mut all = Vec::new();
    for entry in types.as_array()? {
        let [kinds, times] = entry.as_array()?.as_slice() else { return None };
        let kinds: Vec<&str> = kinds.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
        let times = usize::try_from(times.as_u64()?).ok()?;
        let left = most.saturating_sub(all.len());
        all.extend(kinds.iter().copied().cycle().take(kinds.len().saturating_mul(times).min(left)));
    }
    Some(all)
}

/// GPT-J and CodeGen: attention without biases in parallel with a network that has them, behind one
/// norm; the head has a bias.
pub fn gptj(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::GPT);
    let width = four_times(keys, shape.hidden, &["n_inner", "intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let steps = [shape.attention().operations(), network.operations()].concat();
    let tied = keys.flag("tie_word_embeddings", false);
    let layer = Layer::of([normed("norm", shape.hidden, NORM, steps)]);
    shape.decoder_with_head_bias(keys, NORM, (tied, true), |_| layer.clone())
}

/// GPT-NeoX and Pythia: attention and network, each behind its own norm, in parallel unless
/// `use_parallel_residual` is `false`.
pub fn gpt_neox(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let bias = keys.flag("attention_bias", true);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let parallel = keys.flag("use_parallel_residual", true);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", false), |_| match parallel {
        true => Layer::of([two_blocks(&shape, attention, network).operations().copied().collect()]),
        false => two_blocks(&shape, attention, network),
    })
}

/// Attention and a network, each with a norm before it.
fn two_blocks(shape: &Shape, attention: Grouped, network: FeedForward) -> Layer {
    normed_layer(shape.hidden, NORM, attention.operations(), network.operations())
}

/// The rows of a table of positions.
fn positions(keys: &Keys, names: &[&'static str], assumed: u32) -> u32 {
    keys.size_or(Dimension::Positions, names, assumed)
}

/// Refuses a decoder that reads an encoder which its own configuration does not describe.
pub fn refuse_cross_attention(keys: &Keys) {
    if keys.flag("add_cross_attention", false) {
        keys.refuse("add_cross_attention", "attention to an encoder is not modelled for this family");
    }
}
