//! The blocks that Transformers are made of, as operations: attention of each sort, feed-forward
//! networks, experts, norms, tables and heads.

pub use crate::transformer::model::latent::{Indexer, Latent, index_scores};
use crate::transformer::{Dimension, Extent, Mask, Operation, Part, Work};

/// How many vectors of weights a norm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormWeights {
    /// None: it only normalises.
    None,
    /// A scale (RMSNorm).
    Scale,
    /// A scale and a shift (LayerNorm).
    ScaleAndShift,
}

impl NormWeights {
    /// How many that are.
    pub const fn vectors(self) -> u32 {
        match self {
            NormWeights::None => 0,
            NormWeights::Scale => 1,
            NormWeights::ScaleAndShift => 2,
        }
    }
}

/// What normalises queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadNorm {
    /// Nothing.
    None,
    /// One norm as wide as a head, that all heads share.
    Shared(NormWeights),
    /// Weights for each head.
    PerHead(NormWeights),
}

/// Attention whose heads have keys and values of their own or in groups: MHA, GQA and MQA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grouped {
    /// The width of the activations.
    pub hidden: u32,
    /// The heads of queries.
    pub heads: u32,
    /// The heads of keys and values.
    pub kv_heads: u32,
    /// The width of a head.
    pub head_width: u32,
    /// The width of a value, where it is not that of a key.
    pub value_width: Option<u32>,
    /// Whether queries have a bias.
    pub query_bias: bool,
    /// Whether keys have one.
    pub key_bias: bool,
    /// Whether values have one.
    pub value_bias: bool,
    /// Whether the output has one.
    pub output_bias: bool,
    /// What normalises queries.
    pub query_norm: HeadNorm,
    /// What normalises keys.
    pub key_norm: HeadNorm,
    /// What normalises values.
    pub value_norm: HeadNorm,
    /// Whether queries come with a gate of the same width for what is attended to.
    pub gated: bool,
    /// Whether each head has a learned score that no key takes (a sink).
    pub sinks: bool,
    /// Whether the values are the keys, projected once.
    pub values_are_keys: bool,
    /// Whether keys and values are those of an earlier layer.
    pub reuses_cache: bool,
    /// Which keys a token attends to.
    pub mask: Mask,
}

impl Grouped {
    /// Causal attention without biases or norms, with as many KV heads as heads.
    pub const fn new(hidden: u32, heads: u32, head_width: u32) -> Self {
        Grouped {
            hidden,
            heads,
            kv_heads: heads,
            head_width,
            value_width: None,
            query_bias: false,
            key_bias: false,
            value_bias: false,
            output_bias: false,
            query_norm: HeadNorm::None,
            key_norm: HeadNorm::None,
            value_norm: HeadNorm::None,
            gated: false,
            sinks: false,
            values_are_keys: false,
            reuses_cache: false,
            mask: Mask::Causal,
        }
    }

    /// The same with the bias of queries, keys and values set together.
    #[must_use]
    pub const fn with_input_bias(self, bias: bool) -> Self {
        Grouped { query_bias: bias, key_bias: bias, value_bias: bias, ..self }
    }

    /// The same with one norm as wide as a head for queries and one for keys.
    #[must_use]
    pub const fn with_shared_norms(self, weights: NormWeights) -> Self {
        Grouped { query_norm: HeadNorm::Shared(weights), key_norm: HeadNorm::Shared(weights), ..self }
    }

    /// Its operations, from the activations back to them.
    pub fn operations(&self) -> Vec<Operation> {
        let hidden = hidden(self.hidden);
        let heads = Extent::of(Dimension::Heads, self.heads);
        let kv_heads = Extent::of(Dimension::KvHeads, self.kv_heads);
        let value = match self.value_width {
            Some(width) => (Dimension::ValueWidth, width),
            None => (Dimension::HeadWidth, self.head_width),
        };
        let key = (Dimension::HeadWidth, self.head_width);
        let queries = heads.by(key.0, key.1);
        let (keys, values) = (kv_heads.by(key.0, key.1), kv_heads.by(value.0, value.1));
        let attended = heads.by(value.0, value.1);
        let linear =
            |name, inputs, outputs, bias| Operation::linear(Part::Attention, name, inputs, outputs, bias);
        let mut steps = vec![linear("query", hidden, queries, self.query_bias)];
        if self.gated {
            steps.push(linear("query_gate", hidden, attended, self.query_bias));
        }
        if !self.reuses_cache {
            steps.push(linear("key", hidden, keys, self.key_bias));
            if !self.values_are_keys {
                steps.push(linear("value", hidden, values, self.value_bias));
            }
        }
        steps.extend(head_norm("query_norm", self.query_norm, heads, key));
        if !self.reuses_cache {
            steps.extend(head_norm("key_norm", self.key_norm, kv_heads, key));
            steps.extend(head_norm("value_norm", self.value_norm, kv_heads, value));
        }
        // Where a token attends to all others, none comes later that would need what it leaves.
        let is_kept = !self.reuses_cache && self.mask != Mask::Full;
        let cached = if is_kept { [keys, values] } else { [Extent::NONE; 2] };
        steps.push(Operation::new(
            Part::Attention,
            "scores",
            Work::Attention {
                heads,
                key_width: Extent::of(key.0, key.1),
                value_width: Extent::of(value.0, value.1),
                read: [keys, values],
                cached,
                mask: self.mask,
            },
        ));
        if self.sinks {
            steps.push(weights(Part::Attention, "sinks", heads));
        }
        steps.push(linear("output", attended, hidden, self.output_bias));
        steps
    }
}

/// The norm of queries or keys, if there is one.
fn head_norm(
    name: &'static str,
    norm: HeadNorm,
    heads: Extent,
    (dimension, width): (Dimension, u32),
) -> Option<Operation> {
    let data = heads.by(dimension, width);
    let (weights, vectors) = match norm {
        HeadNorm::None => return None,
        HeadNorm::Shared(vectors) => (Extent::of(dimension, width), vectors),
        HeadNorm::PerHead(vectors) => (data, vectors),
    };
    let work = Work::Norm { data, weights, vectors: vectors.vectors() };
    Some(Operation::new(Part::Attention, name, work))
}

/// A feed-forward network that every token passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedForward {
    /// The width of the activations.
    pub hidden: u32,
    /// Its inner width.
    pub width: u32,
    /// Whether a gate of the inner width multiplies what goes in (SwiGLU, GeGLU).
    pub gated: bool,
    /// Whether the matrices into the inner width have biases.
    pub input_bias: bool,
    /// Whether the one back has.
    pub output_bias: bool,
}

impl FeedForward {
    /// Without biases.
    pub const fn new(hidden: u32, width: u32, gated: bool) -> Self {
        FeedForward { hidden, width, gated, input_bias: false, output_bias: false }
    }

    /// The same with the biases set together.
    #[must_use]
    pub const fn with_bias(self, bias: bool) -> Self {
        FeedForward { input_bias: bias, output_bias: bias, ..self }
    }

    /// Its operations, as a dense network.
    pub fn operations(&self) -> Vec<Operation> {
        self.of(Part::Mlp, Dimension::FeedForward)
    }

    /// Its operations, as the shared experts of a layer, joined into one network.
    pub fn shared_experts(&self) -> Vec<Operation> {
        self.of(Part::SharedExperts, Dimension::SharedFeedForward)
    }

    fn of(&self, part: Part, dimension: Dimension) -> Vec<Operation> {
        let (hidden, inner) = (hidden(self.hidden), Extent::of(dimension, self.width));
        let read =
            if self.gated { Extent::of(Dimension::Factor, 2).by(dimension, self.width) } else { inner };
        let gate = self.gated.then(|| Operation::linear(part, "gate", hidden, inner, self.input_bias));
        let activation = Work::Elementwise { inputs: read, outputs: inner, per_token: 1 };
        let rest = [
            Operation::linear(part, "up", hidden, inner, self.input_bias),
            Operation::new(part, "activation", activation),
            Operation::linear(part, "down", inner, hidden, self.output_bias),
        ];
        gate.into_iter().chain(rest).collect()
    }
}

/// The routed experts of a layer with their router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// One of them.
    pub each: FeedForward,
    /// How many there are.
    pub experts: u32,
    /// How many of them a token passes.
    pub per_token: u32,
    /// Whether the router has a bias.
    pub router_bias: bool,
    /// The width to which tokens are compressed on their way to the experts, if they are; the
    /// projections to it and back are operations of their own.
    pub latent: Option<u32>,
}

impl Experts {
    /// Of `experts`, `per_token` of them for each token; the router has no bias.
    pub const fn new(each: FeedForward, experts: u32, per_token: u32) -> Self {
        Experts { each, experts, per_token, router_bias: false, latent: None }
    }

    /// The router and the experts.
    pub fn operations(&self) -> Vec<Operation> {
        let FeedForward { width, gated, input_bias, output_bias, .. } = self.each;
        let (hidden, per_token) = (hidden(self.each.hidden), self.per_token);
        let inside = self.latent.map_or(hidden, |width| Extent::of(Dimension::ExpertLatent, width));
        let experts = Extent::of(Dimension::Experts, self.experts);
        let inner = Extent::of(Dimension::ExpertFeedForward, width);
        let routes = Extent::of(Dimension::Routes, self.experts);
        let read = match gated {
            true => Extent::of(Dimension::Factor, 2).by(Dimension::ExpertFeedForward, width),
            false => inner,
        };
        let expert = |name, inputs, outputs, bias| {
            Operation::new(Part::Experts, name, Work::Expert { experts, per_token, inputs, outputs, bias })
        };
        let router = Operation::linear(Part::Router, "router", hidden, routes, self.router_bias);
        let activation = Work::Elementwise { inputs: read, outputs: inner, per_token };
        let gate = gated.then(|| expert("gate", inside, inner, input_bias));
        let rest = [
            expert("up", inside, inner, input_bias),
            Operation::new(Part::Experts, "activation", activation),
            expert("down", inner, inside, output_bias),
        ];
        std::iter::once(router).chain(gate).chain(rest).collect()
    }
}

/// A norm of `width` numbers.
pub fn norm(part: Part, name: &'static str, width: Extent, weights: NormWeights) -> Operation {
    Operation::new(part, name, Work::Norm { data: width, weights: width, vectors: weights.vectors() })
}

/// A norm of the activations between blocks.
pub fn block_norm(name: &'static str, hidden: u32, weights: NormWeights) -> Operation {
    norm(Part::Norms, name, self::hidden(hidden), weights)
}

/// Weights that another operation reads.
pub fn weights(part: Part, name: &'static str, count: Extent) -> Operation {
    Operation::new(part, name, Work::Weights { count, width: Extent::ONE })
}

/// The table of tokens.
pub fn token_table(vocabulary: u32, width: Extent) -> Operation {
    let rows = Extent::of(Dimension::Vocabulary, vocabulary);
    Operation::new(Part::Embedding, "tokens", Work::LookUp { rows, width })
}

/// The table of positions.
pub fn position_table(positions: u32, width: Extent) -> Operation {
    let rows = Extent::of(Dimension::Positions, positions);
    Operation::new(Part::Embedding, "positions", Work::LookUp { rows, width })
}

/// The projection onto the vocabulary; tied, it has the weights of the table of tokens.
pub fn head(vocabulary: u32, width: Extent, bias: bool, tied: bool) -> Operation {
    let outputs = Extent::of(Dimension::Vocabulary, vocabulary);
    let head = Operation::linear(Part::Head, "vocabulary", width, outputs, bias);
    Operation { shared: tied, ..head }
}

/// The width of the activations.
pub const fn hidden(value: u32) -> Extent {
    Extent::of(Dimension::Hidden, value)
}
