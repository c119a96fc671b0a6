//! `Operation`: one step of a layer, with the shapes of its weights and of what it works on.

use crate::transformer::{Axis, Extent, Shares};

/// The part of a model that an operation and its weights belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The tables of tokens, positions and types.
    Embedding,
    /// Projections, scores, and what normalises queries and keys.
    Attention,
    /// Dense feed-forward networks.
    Mlp,
    /// Routed experts.
    Experts,
    /// Experts that every token passes.
    SharedExperts,
    /// What chooses the experts.
    Router,
    /// Norms between blocks and behind the last.
    Norms,
    /// The projection onto the vocabulary.
    Head,
    /// What this product counts and does not model further, such as recurrent layers.
    Other,
}

impl Part {
    /// Every part, in the order of tables.
    pub const ALL: [Part; 9] = [
        Part::Embedding,
        Part::Attention,
        Part::Mlp,
        Part::Experts,
        Part::SharedExperts,
        Part::Router,
        Part::Norms,
        Part::Head,
        Part::Other,
    ];

    /// The name in tables and keys.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Embedding => "embedding",
            Part::Attention => "attention",
            Part::Mlp => "mlp",
            Part::Experts => "experts",
            Part::SharedExperts => "shared_experts",
            Part::Router => "router",
            Part::Norms => "norms",
            Part::Head => "head",
            Part::Other => "other",
        }
    }
}

/// Which keys a token attends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mask {
    /// Every token of the sequence.
    Full,
    /// Itself and every token before it.
    Causal,
    /// Itself and tokens before it, this many together.
    Window(u32),
    /// Itself and the tokens before it in its chunk of this many.
    Chunk(u32),
    /// Itself and tokens before it, of which an indexer chooses at most this many.
    Chosen(u32),
}

/// What an operation does to the activations, and what weights it does it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Each token times a matrix, plus a bias where there is one.
    Linear {
        /// The rows of the matrix.
        inputs: Extent,
        /// Its columns.
        outputs: Extent,
        /// Whether each column has a bias.
        bias: bool,
    },
    /// Each token times the matrices of the experts that it is sent to.
    Expert {
        /// How many experts there are.
        experts: Extent,
        /// How many of them a token passes.
        per_token: u32,
        /// The rows of an expert's matrix.
        inputs: Extent,
        /// Its columns.
        outputs: Extent,
        /// Whether each column has a bias.
        bias: bool,
    },
    /// A row of a table for each token.
    LookUp {
        /// The rows of the table.
        rows: Extent,
        /// Their width.
        width: Extent,
    },
    /// Each token's vector over its norm, or over that of each of its heads.
    Norm {
        /// The numbers of a token that are normalised.
        data: Extent,
        /// The numbers that one vector of weights has.
        weights: Extent,
        /// How many such vectors there are: none, a scale, or a scale and a shift.
        vectors: u32,
    },
    /// Scores of queries and keys, and the values that they weigh.
    Attention {
        /// The heads that attend.
        heads: Extent,
        /// The width of a query and a key.
        key_width: Extent,
        /// The width of a value.
        value_width: Extent,
        /// What is read of a token that is attended to: its keys and values, or its latent and
        /// rotary key.
        read: [Extent; 2],
        /// What a token leaves in the cache, in two parts; nothing where it is not kept, or is
        /// another layer's.
        cached: [Extent; 2],
        /// Which keys a token attends to.
        mask: Mask,
    },
    /// A function of each number, such as an activation or a sum.
    Elementwise {
        /// The numbers of a token that are read.
        inputs: Extent,
        /// The numbers of a token that are written.
        outputs: Extent,
        /// How many experts of a token each do it; one where there are none.
        per_token: u32,
    },
    /// Weights that something else reads.
    Weights {
        /// How many there are.
        count: Extent,
        /// How many times that.
        width: Extent,
    },
}

/// A step of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// What it is called, such as `query`.
    pub name: &'static str,
    /// The part of the model that it belongs to.
    pub part: Part,
    /// What it does.
    pub work: Work,
    /// Whether its matrix is another operation's, such as that of a tied head; a bias is its own.
    pub shared: bool,
}

impl Operation {
    /// An operation with weights of its own, or with none.
    pub const fn new(part: Part, name: &'static str, work: Work) -> Self {
        Operation { name, part, work, shared: false }
    }

    /// A matrix without bias.
    pub const fn linear(part: Part, name: &'static str, inputs: Extent, outputs: Extent, bias: bool) -> Self {
        Operation::new(part, name, Work::Linear { inputs, outputs, bias })
    }

    /// Whether each rank of a group along `axis` has only a part of its weights or its work.
    pub fn is_divided(&self, axis: Axis) -> bool {
        let any = |extents: &[Extent]| extents.iter().any(|extent| extent.is_divided(axis));
        match &self.work {
            Work::Linear { inputs, outputs, .. } | Work::Elementwise { inputs, outputs, .. } => {
                any(&[*inputs, *outputs])
            }
            Work::Expert { experts, inputs, outputs, .. } => any(&[*experts, *inputs, *outputs]),
            Work::LookUp { rows, width } => any(&[*rows, *width]),
            Work::Norm { data, weights, .. } => any(&[*data, *weights]),
            Work::Attention { heads, .. } => any(&[*heads]),
            Work::Weights { count, width } => any(&[*count, *width]),
        }
    }

    /// The parameters that one rank holds of it.
    ///
    /// A bias goes with the columns of its matrix: where the rows are divided, every rank has it
    /// whole, and one of them adds it.
    #[inline]
    pub fn parameters(&self, shares: &Shares) -> u64 {
        let matrix = |inputs: &Extent, outputs: &Extent, bias: bool| {
            let outputs = outputs.on(shares);
            let inputs = if self.shared { 0 } else { inputs.on(shares) };
            inputs * outputs + if bias { outputs } else { 0 }
        };
        match &self.work {
            Work::Linear { inputs, outputs, bias } => matrix(inputs, outputs, *bias),
            Work::Expert { experts, inputs, outputs, bias, .. } => {
                experts.on(shares) * matrix(inputs, outputs, *bias)
            }
            Work::LookUp { rows, width } => rows.on(shares) * width.on(shares),
            Work::Norm { weights, vectors, .. } => weights.on(shares) * u64::from(*vectors),
            Work::Weights { count, width } => count.on(shares) * width.on(shares),
            Work::Attention { .. } | Work::Elementwise { .. } => 0,
        }
    }

    /// A count of its parameters that is never too small and cannot overflow: for sizes that nobody
    /// has looked at yet.
    pub fn most_parameters(&self) -> u128 {
        let product = |extents: &[&Extent]| {
            extents
                .iter()
                .flat_map(|extent| extent.sizes())
                .fold(1u128, |product, size| product.saturating_mul(u128::from(size.value)))
        };
        let one_more = |inputs: &Extent, outputs: &Extent| product(&[inputs, outputs]).saturating_mul(2);
        match &self.work {
            Work::Linear { inputs, outputs, .. } | Work::Elementwise { inputs, outputs, .. } => {
                one_more(inputs, outputs)
            }
            Work::Expert { experts, inputs, outputs, .. } => {
                one_more(inputs, outputs).saturating_mul(product(&[experts]))
            }
            Work::LookUp { rows, width } => product(&[rows, width]),
            Work::Norm { data, weights, .. } => product(&[data]).max(product(&[weights]).saturating_mul(2)),
            Work::Attention { read: [first, second], .. } => {
                product(&[first]).saturating_add(product(&[second]))
            }
            Work::Weights { count, width } => product(&[count, width]),
        }
    }

    /// The numbers that a token leaves in the cache of one rank.
    #[inline]
    pub fn cached(&self, shares: &Shares) -> u64 {
        match &self.work {
            Work::Attention { cached: [first, second], .. } => first.on(shares) + second.on(shares),
            _ => 0,
        }
    }
}
