//! BERT and RoBERTa, with the head that fills in masked words.

use mlsysim_scenario::Result;

use super::decoder::{Names, Shape, post_normed};
use super::gpt::refuse_cross_attention;
use super::keys::Keys;
use crate::transformer::blocks::{
    FeedForward, Grouped, NormWeights, block_norm, head, hidden, position_table, weights,
};
use crate::transformer::{Dimension, Extent, Layer, Mask, Operation, Part, Transformer, Work};

/// BERT: norms behind the blocks, biases everywhere, tables of tokens, positions and kinds of tokens;
/// no token is kept for a later one.
///
/// Source: Devlin et al. (2018), BERT, section 3, arXiv:1810.04805.
pub fn bert(keys: &Keys) -> Result<Transformer> {
    const NORM: NormWeights = NormWeights::ScaleAndShift;
    refuse_cross_attention(keys);
    if keys.flag("is_decoder", false) {
        keys.refuse("is_decoder", "this family is modelled as an encoder; a decoder of it is not");
    }
    let shape = Shape::multi_head(keys, &Names::USUAL);
    let attention =
        Grouped { output_bias: true, mask: Mask::Full, ..shape.attention().with_input_bias(true) };
    let width = keys.size(Dimension::FeedForward, &["intermediate_size"]);
    let network = FeedForward::new(shape.hidden, width, false).with_bias(true);
    let mut model = shape.stack(keys, |_| {
        Layer::of([
            post_normed("attention_norm", shape.hidden, NORM, attention.operations()),
            post_normed("mlp_norm", shape.hidden, NORM, network.operations()),
        ])
    });
    let activations = hidden(shape.hidden);
    let positions = keys.size_or(Dimension::Positions, &["max_position_embeddings"], 512);
    let kinds = keys.size_or(Dimension::TokenTypes, &["type_vocab_size"], 2);
    let kinds = Work::LookUp { rows: Extent::of(Dimension::TokenTypes, kinds), width: activations };
    model.embedding.push(position_table(positions, activations));
    model.embedding.push(Operation::new(Part::Embedding, "token_types", kinds));
    model.embedding.push(block_norm("embedding_norm", shape.hidden, NORM));

    model.tied = keys.flag("tie_word_embeddings", true);
    model.head = vec![
        Operation::linear(Part::Head, "transform", activations, activations, true),
        block_norm("last_norm", shape.hidden, NORM),
        head(shape.vocabulary, activations, true, model.tied),
    ];
    if !model.tied {
        // The class has the bias a second time, which only the tying makes one.
        let bias = Extent::of(Dimension::Vocabulary, shape.vocabulary);
        model.head.push(weights(Part::Head, "second_bias", bias));
    }
    Ok(model)
}
