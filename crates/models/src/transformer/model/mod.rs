//! `Transformer`: a model as the operations of its layers, in order.

pub mod blocks;
mod counts;
mod extent;
mod latent;
mod named;
mod operation;

use mlsysim_scenario::Name;

pub use counts::{Counts, PerPart};
pub use extent::{Axis, Dimension, Extent, Shares, Size};
pub use operation::{Mask, Operation, Part, Work};

/// A model: what happens before its layers, in each of them, and behind the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Transformer {
    /// What it is called, if anybody says.
    pub name: Name,
    /// The family that its configuration names.
    pub model_type: Name,
    /// What makes tokens into activations.
    pub embedding: Vec<Operation>,
    /// Each kind of layer, once.
    kinds: Vec<Layer>,
    /// The kind of each layer, in order.
    order: Vec<u16>,
    /// Where layers of one kind follow each other: the kind, the first of them and the one behind.
    runs: Vec<(u16, u64, u64)>,
    /// The last norm and the projection onto the vocabulary.
    pub head: Vec<Operation>,
    /// The width of the activations between layers.
    pub hidden: u32,
    /// The entries of the vocabulary.
    pub vocabulary: u32,
    /// The most tokens that it is made for, if its configuration says.
    pub context: Option<u64>,
    /// How tokens are sent to experts, if they are.
    pub routing: Option<Routing>,
    /// Whether the head has the weights of the embedding.
    pub tied: bool,
    /// Sizes and where they come from: a key of the configuration, or how they follow from others.
    pub origins: Vec<(Size, Name)>,
    /// What the reader should know about the counts.
    pub notes: Vec<String>,
    /// What has weights here and no model of its arithmetic, if anything.
    pub unmodelled: Option<&'static str>,
}

/// How tokens are sent to experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routing {
    /// The routed experts of a layer.
    pub experts: u32,
    /// How many of them a token passes.
    pub per_token: u32,
    /// Into how many groups they are divided, and from how many of those a token's are, where that
    /// is limited: so that tokens are sent to few nodes.
    ///
    /// Source: DeepSeek-AI (2024), DeepSeek-V3, section 2.1.2, arXiv:2412.19437.
    pub groups: Option<(u32, u32)>,
}

impl Routing {
    /// Routing to any of the experts.
    pub const fn new(experts: u32, per_token: u32) -> Self {
        Routing { experts, per_token, groups: None }
    }

    /// The most of `domains` that the experts of a token can lie in, each group in as few as can be.
    pub fn most_domains(&self, domains: u64) -> f64 {
        let most = match self.groups {
            Some((groups, chosen)) => u64::from(chosen) * domains.div_ceil(u64::from(groups)),
            None => domains,
        };
        most.min(domains).min(u64::from(self.per_token)) as f64
    }
}

/// A layer: blocks that one after the other add to the activations.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Layer {
    /// What adds to the activations, in order.
    pub blocks: Vec<Block>,
    /// Whether it belongs to the encoder of a model that has a decoder too.
    pub encoder: bool,
}

/// What is added to the activations at once: attention, a feed-forward network, or both in parallel.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// Its steps, in order.
    pub operations: Vec<Operation>,
}

impl Layer {
    /// A layer of these blocks.
    pub fn of(blocks: impl IntoIterator<Item = Vec<Operation>>) -> Self {
        let blocks = blocks.into_iter().map(|operations| Block { operations }).collect();
        Layer { blocks, encoder: false }
    }

    /// Its operations, block by block.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.blocks.iter().flat_map(|block| &block.operations)
    }

    /// Whether it has routed experts.
    pub fn is_routed(&self) -> bool {
        self.operations().any(|operation| operation.part == Part::Experts)
    }

    /// Which keys its tokens attend to; nothing where it has no attention.
    pub fn mask(&self) -> Option<Mask> {
        self.operations().find_map(|operation| match operation.work {
            // An indexer scores every key to choose those that are attended to.
            Work::Attention { value_width: Extent::NONE, .. } => None,
            Work::Attention { mask, .. } => Some(mask),
            _ => None,
        })
    }
}

impl Block {
    /// Whether tensor parallelism divides it, so that its ranks have to add what they computed.
    pub fn is_tensor_parallel(&self) -> bool {
        self.operations.iter().any(|operation| {
            operation.is_divided(Axis::Tensor) || operation.is_divided(Axis::TensorReplicated)
        })
    }

    /// Whether it has routed experts.
    pub fn is_routed(&self) -> bool {
        self.operations.iter().any(|operation| operation.part == Part::Experts)
    }
}

impl Transformer {
    /// A model without layers, to which [`push`](Transformer::push) adds.
    pub fn new(model_type: impl Into<Name>, hidden: u32, vocabulary: u32) -> Self {
        Transformer {
            name: Name::from(""),
            model_type: model_type.into(),
            embedding: Vec::new(),
            kinds: Vec::new(),
            order: Vec::new(),
            runs: Vec::new(),
            head: Vec::new(),
            hidden,
            vocabulary,
            context: None,
            routing: None,
            tied: false,
            origins: Vec::new(),
            notes: Vec::new(),
            unmodelled: None,
        }
    }

    /// Adds a layer behind the last.
    pub fn push(&mut self, layer: Layer) {
        let known = self.kinds.iter().position(|kind| *kind == layer);
        let kind = known.unwrap_or_else(|| {
            self.kinds.push(layer);
            self.kinds.len() - 1
        });
        let (kind, at) = (kind as u16, self.order.len() as u64);
        self.order.push(kind);
        match self.runs.last_mut() {
            Some((last, _, end)) if *last == kind => *end = at + 1,
            _ => self.runs.push((kind, at, at + 1)),
        }
    }

    /// How many layers it has.
    pub fn layers(&self) -> u32 {
        self.order.len() as u32
    }

    /// Each kind of layer, once, in the order of their first layers.
    pub fn kinds(&self) -> &[Layer] {
        &self.kinds
    }

    /// How many layers of a kind have numbers in `range`.
    pub fn layers_of(&self, kind: usize, range: &std::ops::Range<u64>) -> u64 {
        let runs = self.runs.iter().filter(|(of, ..)| usize::from(*of) == kind);
        runs.map(|(_, start, end)| range.end.min(*end).saturating_sub(range.start.max(*start))).sum()
    }

    /// The kind of each layer, in order.
    pub fn order(&self) -> &[u16] {
        &self.order
    }

    /// Each kind of layer with how many layers are of it.
    pub fn counted_kinds(&self) -> impl Iterator<Item = (&Layer, u64)> {
        let count =
            |index: usize| self.order.iter().filter(|kind| usize::from(**kind) == index).count() as u64;
        self.kinds.iter().enumerate().map(move |(index, layer)| (layer, count(index)))
    }

    /// Every operation with how often it stands in the model.
    pub fn operations(&self) -> impl Iterator<Item = (&Operation, u64)> {
        let layers = self
            .counted_kinds()
            .flat_map(|(layer, count)| layer.operations().map(move |operation| (operation, count)));
        let once = |operation| (operation, 1);
        self.embedding.iter().map(once).chain(layers).chain(self.head.iter().map(once))
    }
}
