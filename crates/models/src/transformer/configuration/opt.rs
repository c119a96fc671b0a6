//! OPT, XGLM and BioGPT.

use mlsysim_scenario::Result;

use super::decoder::{Names, Shape, normed, normed_layer, post_normed};
use super::gpt::refuse_cross_attention;
use super::keys::Keys;
use crate::transformer::blocks::{
    FeedForward, Grouped, NormWeights, block_norm, head, hidden, position_table, token_table,
};
use crate::transformer::{Dimension, Extent, Layer, Operation, Part, Transformer};

/// The rows of the table of positions that no position uses: OPT and BioGPT begin at the third.
const SPARE_POSITIONS: u32 = 2;

/// OPT: norms before the blocks or behind them, and a table of tokens that may be narrower than the
/// activations, with projections in and out.
///
/// Source: Zhang et al. (2022), OPT, arXiv:2205.01068.
pub fn opt(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let norm = match keys.flag("layer_norm_elementwise_affine", true) {
        true => NormWeights::ScaleAndShift,
        false => NormWeights::None,
    };
    let bias = keys.flag("enable_bias", true);
    let attention = Grouped { output_bias: bias, ..shape.attention().with_input_bias(bias) };
    let width = keys.size(Dimension::FeedForward, &["ffn_dim"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(bias);
    let before = keys.flag("do_layer_norm_before", true);
    let wrap = if before { normed } else { post_normed };
    let mut model = shape.stack(keys, |_| {
        Layer::of([
            wrap("attention_norm", shape.hidden, norm, attention.operations()),
            wrap("mlp_norm", shape.hidden, norm, network.operations()),
        ])
    });

    let activations = hidden(shape.hidden);
    let narrow = keys
        .optional_size(Dimension::EmbeddingWidth, &["word_embed_proj_dim"])
        .filter(|width| *width != shape.hidden)
        .map(|width| Extent::of(Dimension::EmbeddingWidth, width));
    let rows = narrow.unwrap_or(activations);
    let positions = positions(keys, 2048);
    let project = |name, inputs, outputs| Operation::linear(Part::Embedding, name, inputs, outputs, false);
    model.embedding = vec![token_table(shape.vocabulary, rows), position_table(positions, activations)];
    model.embedding.extend(narrow.map(|rows| project("project_in", rows, activations)));
    if before && !keys.flag("_remove_final_layer_norm", false) {
        model.head.push(block_norm("last_norm", shape.hidden, norm));
    }
    model.head.extend(narrow.map(|rows| project("project_out", activations, rows)));
    model.tied = keys.flag("tie_word_embeddings", true);
    model.head.push(head(shape.vocabulary, rows, false, model.tied));
    Ok(model)
}

/// XGLM: OPT's blocks with norms before them; its positions are sines, which are no parameters.
///
/// Source: Lin et al. (2021), Few-shot Learning with Multilingual Language Models, arXiv:2112.10668.
pub fn xglm(keys: &Keys) -> Result<Transformer> {
    refuse_cross_attention(keys);
    let shape = Shape::multi_head(keys, &Names::XGLM);
    with_biases(keys, &shape, "ffn_dim")
}

/// BioGPT: XGLM's blocks, and OPT's table of positions.
///
/// Source: Luo et al. (2022), BioGPT, arXiv:2210.10341.
pub fn biogpt(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let mut model = with_biases(keys, &shape, "intermediate_size")?;
    model.embedding.push(position_table(positions(keys, 1024), hidden(shape.hidden)));
    Ok(model)
}

/// Norms before the blocks, and biases everywhere.
fn with_biases(keys: &Keys, shape: &Shape, width: &'static str) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    let attention = Grouped { output_bias: true, ..shape.attention().with_input_bias(true) };
    let width = keys.size(Dimension::FeedForward, &[width]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    shape.decoder(keys, NORM, keys.flag("tie_word_embeddings", true), |_| {
        normed_layer(shape.hidden, NORM, attention.operations(), network.operations())
    })
}

/// The rows of the table of positions, those that no position uses included.
fn positions(keys: &Keys, assumed: u32) -> u32 {
    let positions = keys.size_or(Dimension::Positions, &["max_position_embeddings"], assumed);
    let rows = positions.saturating_add(SPARE_POSITIONS);
    keys.derived(Dimension::Positions, rows, "max_position_embeddings + 2")
}
