//! Qwen3-Next and Qwen 3.5: linear attention in most layers, gated attention in the others.

use mlsysim_scenario::Result;

use super::decoder::{Shape, pre_normed};
use super::experts::Networks;
use super::keys::Keys;
use super::llama::{attention, width};
use super::patterns::{self, ends_period};
use super::qwen::{gated_mixture, networks};
use super::unmodelled::{Weights, sum};
use crate::transformer::blocks::{FeedForward, Grouped, NormWeights};
use crate::transformer::{Dimension, Operation, Transformer};

/// What has weights and no arithmetic here.
const LINEAR_ATTENTION: &str = "linear attention (Gated DeltaNet)";

/// Qwen3-Next: experts with a gated shared one, in every layer that is not said to be dense.
pub fn qwen3_next(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(2), Some(256));
    let networks = networks(keys, &shape, gated_mixture);
    hybrid(keys, &shape, &networks)
}

/// Qwen 3.5, dense.
pub fn qwen3_5(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(4), Some(256));
    let dense = || FeedForward::new(shape.hidden, width(keys), true);
    let all = vec![true; shape.layers as usize];
    let networks = Networks::read(all, dense, || gated_mixture(keys, shape.hidden));
    hybrid(keys, &shape, &networks)
}

/// Qwen 3.5 with experts in every layer.
pub fn qwen3_5_moe(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::assuming(keys, Some(2), Some(256));
    let dense = || FeedForward::new(shape.hidden, width(keys), true);
    let none = vec![false; shape.layers as usize];
    let networks = Networks::read(none, dense, || gated_mixture(keys, shape.hidden));
    hybrid(keys, &shape, &networks)
}

/// The layers of all three: linear attention, and full attention in the last of every few.
fn hybrid(keys: &Keys, shape: &Shape, networks: &Networks) -> Result<Transformer> {
    let interval = patterns::period(keys, "full_attention_interval", 4);
    let is_linear = match patterns::kinds(keys, "layer_types", shape.layers) {
        None => (0..shape.layers).map(|layer| !ends_period(layer, interval)).collect(),
        Some(kinds) => kinds.iter().map(|kind| is_linear(keys, kind)).collect::<Vec<bool>>(),
    };
    let linear = is_linear.contains(&true).then(|| gated_delta_net(keys, shape.hidden));
    let full = attention(keys, shape).with_shared_norms(NormWeights::Scale);
    let full = Grouped { gated: true, ..full };
    let mut model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let attention = match &linear {
            Some(linear) if is_linear.get(layer as usize) == Some(&true) => linear.clone(),
            _ => full.operations(),
        };
        pre_normed(shape.hidden, attention, networks.operations(layer))
    })?;
    model.unmodelled = linear.is_some().then_some(LINEAR_ATTENTION);
    Ok(networks.routes(model))
}

/// Whether a kind of layer is linear.
fn is_linear(keys: &Keys, kind: &str) -> bool {
    match kind {
        "linear_attention" => true,
        "full_attention" | "attention" => false,
        other => {
            keys.refuse(
                "layer_types",
                format!("`linear_attention` and `full_attention` are read, but `{other}` was given"),
            );
            false
        }
    }
}

/// The weights of a layer of linear attention.
///
/// Source: Yang, Kautz and Hatamizadeh (2024), Gated Delta Networks, arXiv:2412.06464.
fn gated_delta_net(keys: &Keys, hidden: u32) -> Vec<Operation> {
    let size = |name| u64::from(keys.size(Dimension::Unmodelled, name));
    let value_heads = size(&["linear_num_value_heads"]);
    let keys_width = size(&["linear_num_key_heads"]) * size(&["linear_key_head_dim"]);
    let value_width = size(&["linear_value_head_dim"]);
    let values_width = value_heads * value_width;
    let kernel = size(&["linear_conv_kernel_dim"]);
    let convolved = sum(&[keys_width, keys_width, values_width]);
    let weights = Weights { keys, whose: "linear_num_value_heads" };
    [
        weights.matrix("linear_input", hidden, sum(&[convolved, values_width])),
        weights.matrix("linear_decay", hidden, sum(&[value_heads, value_heads])),
        weights.table("linear_convolution", convolved, kernel),
        weights.table("linear_time_step", value_heads, 2),
        weights.table("linear_norm", value_width, 1),
        weights.matrix("linear_output", hidden, values_width),
    ]
    .into()
}
