//! `Extent`: how long one side of a matrix is, as a product of a model's own sizes.

use std::fmt;

/// A size of a model that shapes its matrices: what it is, which decides how it is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// A plain factor, such as the two halves of a gated query.
    Factor,
    /// The width of the activations between layers.
    Hidden,
    /// The width of the rows of the embedding table, where it is not the hidden width.
    EmbeddingWidth,
    /// The width of the embedding that each layer has of its own.
    LayerEmbeddingWidth,
    /// The entries of the vocabulary.
    Vocabulary,
    /// The positions that have a row of their own.
    Positions,
    /// The kinds of tokens that have a row of their own.
    TokenTypes,
    /// The attention heads.
    Heads,
    /// The heads of keys and values.
    KvHeads,
    /// The width of a head.
    HeadWidth,
    /// The width of a head's value, where it is not that of its key.
    ValueWidth,
    /// The part of a latent head's key that carries no position.
    ContentWidth,
    /// The part of a latent head's key that carries the position.
    RotaryWidth,
    /// The width of a latent head's key: both of its parts.
    LatentHeadWidth,
    /// The rank to which queries are compressed.
    QueryRank,
    /// The rank to which keys and values are compressed.
    KvRank,
    /// The latent and the rotary key that are cached together.
    CachedLatent,
    /// The heads of the indexer that chooses which keys are attended to.
    IndexHeads,
    /// The width of such a head.
    IndexWidth,
    /// The inner width of a feed-forward network.
    FeedForward,
    /// The routed experts.
    Experts,
    /// The outputs of a router, one for each expert.
    Routes,
    /// The inner width of a routed expert.
    ExpertFeedForward,
    /// The width to which tokens are compressed before they are sent to routed experts.
    ExpertLatent,
    /// The inner width of the shared experts together.
    SharedFeedForward,
    /// The buckets of a relative position.
    Buckets,
    /// The weights of something that has no operation of its own here.
    Unmodelled,
}

/// Which degree of a layout divides a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Each rank of a tensor-parallel group has its part.
    Tensor,
    /// The same, but where there are fewer than ranks, several ranks hold the same one.
    TensorReplicated,
    /// The same, after rows have been added until it divides.
    TensorPadded,
    /// Each rank of an expert-parallel group has its part.
    Expert,
    /// Each rank of an expert's own tensor-parallel group has its part.
    ExpertTensor,
    /// Each rank has it whole.
    Whole,
}

impl Dimension {
    /// Which degree of a layout divides it.
    pub const fn axis(self) -> Axis {
        match self {
            Dimension::Heads | Dimension::FeedForward | Dimension::SharedFeedForward => Axis::Tensor,
            Dimension::KvHeads => Axis::TensorReplicated,
            Dimension::Vocabulary => Axis::TensorPadded,
            Dimension::Experts => Axis::Expert,
            Dimension::ExpertFeedForward => Axis::ExpertTensor,
            _ => Axis::Whole,
        }
    }

    /// Whether any degree of a layout divides it.
    #[inline]
    const fn is_divided(self) -> bool {
        !matches!(self.axis(), Axis::Whole)
    }

    /// What it is called in derivations.
    pub const fn name(self) -> &'static str {
        match self {
            Dimension::Factor => "factor",
            Dimension::Hidden => "hidden",
            Dimension::EmbeddingWidth => "embedding_width",
            Dimension::LayerEmbeddingWidth => "layer_embedding_width",
            Dimension::Vocabulary => "vocabulary",
            Dimension::Positions => "positions",
            Dimension::TokenTypes => "token_types",
            Dimension::Heads => "heads",
            Dimension::KvHeads => "kv_heads",
            Dimension::HeadWidth => "head_width",
            Dimension::ValueWidth => "value_width",
            Dimension::ContentWidth => "content_width",
            Dimension::RotaryWidth => "rotary_width",
            Dimension::LatentHeadWidth => "latent_head_width",
            Dimension::QueryRank => "query_rank",
            Dimension::KvRank => "kv_rank",
            Dimension::CachedLatent => "cached_latent",
            Dimension::IndexHeads => "index_heads",
            Dimension::IndexWidth => "index_width",
            Dimension::FeedForward => "feed_forward",
            Dimension::Experts => "experts",
            Dimension::Routes => "routes",
            Dimension::ExpertFeedForward => "expert_feed_forward",
            Dimension::ExpertLatent => "expert_latent",
            Dimension::SharedFeedForward => "shared_feed_forward",
            Dimension::Buckets => "buckets",
            Dimension::Unmodelled => "weights",
        }
    }
}

/// A dimension with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// What it is a size of.
    pub dimension: Dimension,
    /// How large it is.
    pub value: u32,
}

impl Size {
    const ONE: Size = Size { dimension: Dimension::Factor, value: 1 };
}

/// How many parts each axis is divided into, and to what the vocabulary is padded first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Ranks of a tensor-parallel group.
    pub tensor: u32,
    /// Ranks of an expert-parallel group.
    pub expert: u32,
    /// Ranks of an expert's own tensor-parallel group.
    pub expert_tensor: u32,
    /// The vocabulary with the rows that make it divide.
    pub vocabulary: u32,
}

impl Shares {
    /// Of one rank that holds everything; the vocabulary is not padded.
    pub const WHOLE: Shares = Shares { tensor: 1, expert: 1, expert_tensor: 1, vocabulary: 0 };

    /// The part of `size` that one rank has.
    #[inline]
    pub const fn of(&self, size: Size) -> u64 {
        // Few are divided; the others are told apart in place.
        if size.dimension.is_divided() { self.part(size) } else { size.value as u64 }
    }

    const fn part(&self, size: Size) -> u64 {
        let part = match size.dimension.axis() {
            Axis::Whole => size.value,
            Axis::Tensor => divided(size.value, self.tensor),
            Axis::TensorReplicated if size.value < self.tensor => 1,
            Axis::TensorReplicated => divided(size.value, self.tensor),
            Axis::TensorPadded if self.vocabulary == 0 => divided(size.value, self.tensor),
            Axis::TensorPadded => divided(self.vocabulary, self.tensor),
            Axis::Expert => divided(size.value, self.expert),
            Axis::ExpertTensor => divided(size.value, self.expert_tensor),
        };
        part as u64
    }
}

/// A part of a size. Most degrees are one, and a division takes as long as many additions.
#[inline]
const fn divided(size: u32, degree: u32) -> u32 {
    if degree == 1 { size } else { size / degree }
}

/// A product of at most three sizes.
///
/// ```
/// use mlsysim_models::transformer::{Dimension, Extent, Shares};
///
/// let width = Extent::of(Dimension::Heads, 64).by(Dimension::HeadWidth, 128);
/// assert_eq!(width.whole(), 8192);
/// assert_eq!(width.on(&Shares { tensor: 8, ..Shares::WHOLE }), 1024);
/// assert_eq!(width.to_string(), "heads × head_width");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent([Size; 3]);

impl Extent {
    /// One.
    pub const ONE: Extent = Extent([Size::ONE; 3]);

    /// Zero: what is not there.
    pub const NONE: Extent = Extent([Size { dimension: Dimension::Factor, value: 0 }, Size::ONE, Size::ONE]);

    /// One size.
    pub const fn of(dimension: Dimension, value: u32) -> Extent {
        Extent([Size { dimension, value }, Size::ONE, Size::ONE])
    }

    /// This, times one size more. A fourth size would be lost; there is none in any model.
    #[must_use]
    pub const fn by(self, dimension: Dimension, value: u32) -> Extent {
        let Extent([first, second, third]) = self;
        let size = Size { dimension, value };
        match (second.value, second.dimension) {
            (1, Dimension::Factor) => Extent([first, size, third]),
            _ => Extent([first, second, size]),
        }
    }

    /// The whole of it.
    #[inline]
    pub const fn whole(&self) -> u64 {
        self.on(&Shares::WHOLE)
    }

    /// The part of it that one rank has.
    #[inline]
    pub const fn on(&self, shares: &Shares) -> u64 {
        let [first, second, third] = &self.0;
        shares.of(*first) * shares.of(*second) * shares.of(*third)
    }

    /// Its sizes, without factors of one.
    pub fn sizes(&self) -> impl Iterator<Item = Size> + '_ {
        self.0.iter().copied().filter(|size| *size != Size::ONE)
    }

    /// Whether one of its sizes is divided along `axis`.
    pub fn is_divided(&self, axis: Axis) -> bool {
        self.0.iter().any(|size| size.dimension.axis() == axis)
    }
}

/// The sizes by name: `heads × head_width`.
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, size) in self.sizes().enumerate() {
            if index > 0 {
                f.write_str(" × ")?;
            }
            match size.dimension {
                Dimension::Factor => write!(f, "{}", size.value)?,
                dimension => f.write_str(dimension.name())?,
            }
        }
        if self.sizes().next().is_none() { f.write_str("1") } else { Ok(()) }
    }
}
