//! `Latent`: attention whose keys and values come from one compressed latent.

use crate::transformer::blocks::{NormWeights, hidden, norm};
use crate::transformer::{Dimension, Extent, Mask, Operation, Part, Work};

/// Multi-head latent attention: keys and values of all heads come from one compressed latent.
///
/// Source: DeepSeek-AI (2024), DeepSeek-V2, section 2.1, arXiv:2405.04434.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latent {
    /// The width of the activations.
    pub hidden: u32,
    /// The heads.
    pub heads: u32,
    /// The rank to which queries are compressed, if they are.
    pub query_rank: Option<u32>,
    /// The rank to which keys and values are compressed.
    pub kv_rank: u32,
    /// The part of a key that carries no position.
    pub content_width: u32,
    /// The part of a key that carries the position, which all heads share.
    pub rotary_width: u32,
    /// The width of a value.
    pub value_width: u32,
    /// Whether the projections from activations and onto them have biases.
    pub bias: bool,
    /// What chooses the keys that are attended to, if not all are.
    pub indexer: Option<Indexer>,
    /// Which keys a token attends to.
    pub mask: Mask,
}

/// What chooses the keys that latent attention attends to.
///
/// Source: DeepSeek-AI (2025), DeepSeek-V3.2, section 2.1, arXiv:2512.02556.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexer {
    /// Its heads.
    pub heads: u32,
    /// The width of a head.
    pub head_width: u32,
}

impl Latent {
    /// Its operations, from the activations back to them.
    pub fn operations(&self) -> Vec<Operation> {
        let hidden = hidden(self.hidden);
        let heads = Extent::of(Dimension::Heads, self.heads);
        let width = self.content_width.saturating_add(self.rotary_width);
        let queries = heads.by(Dimension::LatentHeadWidth, width);
        let latent = Extent::of(Dimension::KvRank, self.kv_rank);
        let contents = heads.by(Dimension::ContentWidth, self.content_width);
        let values = heads.by(Dimension::ValueWidth, self.value_width);
        let linear =
            |name, inputs, outputs, bias| Operation::linear(Part::Attention, name, inputs, outputs, bias);
        let mut steps = Vec::new();
        let query_rank = self.query_rank.map(|rank| Extent::of(Dimension::QueryRank, rank));
        match query_rank {
            Some(rank) => {
                steps.push(linear("query_down", hidden, rank, self.bias));
                steps.push(norm(Part::Attention, "query_down_norm", rank, NormWeights::Scale));
                steps.push(linear("query_up", rank, queries, false));
            }
            None => steps.push(linear("query", hidden, queries, false)),
        }
        let down = Extent::of(Dimension::CachedLatent, self.kv_rank.saturating_add(self.rotary_width));
        steps.push(linear("kv_down", hidden, down, self.bias));
        steps.push(norm(Part::Attention, "kv_down_norm", latent, NormWeights::Scale));
        steps.push(linear("key_up", latent, contents, false));
        steps.push(linear("value_up", latent, values, false));
        if let Some(indexer) = self.indexer {
            let index_heads = Extent::of(Dimension::IndexHeads, indexer.heads);
            let index_width = Extent::of(Dimension::IndexWidth, indexer.head_width);
            let all = index_heads.by(Dimension::IndexWidth, indexer.head_width);
            steps.push(linear("index_query", query_rank.unwrap_or(hidden), all, false));
            steps.push(linear("index_key", hidden, index_width, false));
            steps.push(norm(Part::Attention, "index_key_norm", index_width, NormWeights::ScaleAndShift));
            steps.push(linear("index_weights", hidden, index_heads, false));
            steps.push(index_scores(indexer));
        }
        steps.push(Operation::new(
            Part::Attention,
            "scores",
            Work::Attention {
                heads,
                key_width: Extent::of(Dimension::LatentHeadWidth, width),
                value_width: Extent::of(Dimension::ValueWidth, self.value_width),
                read: [latent, Extent::of(Dimension::RotaryWidth, self.rotary_width)],
                cached: [latent, Extent::of(Dimension::RotaryWidth, self.rotary_width)],
                mask: self.mask,
            },
        ));
        steps.push(linear("output", values, hidden, self.bias));
        steps
    }
}

/// The scores by which an indexer chooses: of each of its queries and every key before it, of which
/// all its heads share one.
pub fn index_scores(indexer: Indexer) -> Operation {
    let width = Extent::of(Dimension::IndexWidth, indexer.head_width);
    let work = Work::Attention {
        heads: Extent::of(Dimension::IndexHeads, indexer.heads),
        key_width: width,
        value_width: Extent::NONE,
        read: [width, Extent::NONE],
        cached: [Extent::NONE; 2],
        mask: Mask::Causal,
    };
    Operation::new(Part::Attention, "index_scores", work)
}
