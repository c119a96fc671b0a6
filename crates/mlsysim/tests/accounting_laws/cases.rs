//! Small models of every kind and layouts that they allow, with a second description of their
//! weights: as a list of matrices, from which the laws compute what should come out.

use mlsysim::Define;
use mlsysim::transformer::blocks::{
    Experts, FeedForward, Grouped, HeadNorm, Latent, NormWeights, block_norm, head, hidden, token_table,
};
use mlsysim::transformer::{
    Account, Accounting, ContextExchange, Division, Layer, Layout, Mask, Operation, Order, Recompute,
    Routing, Step, Transformer,
};
use proptest::prelude::*;

/// What a small model is made of.
#[derive(Clone, Debug)]
pub struct Sizes {
    pub hidden: u32,
    pub layers: u32,
    pub heads: u32,
    pub kv_heads: u32,
    pub head_width: u32,
    pub head_norms: bool,
    pub feed_forward: u32,
    pub gated: bool,
    pub bias: bool,
    pub vocabulary: u32,
    pub tied: bool,
    pub mask: Mask,
    pub latent: Option<LatentSizes>,
    pub experts: Option<ExpertSizes>,
}

/// Latent attention in place of grouped.
#[derive(Clone, Copy, Debug)]
pub struct LatentSizes {
    pub query_rank: Option<u32>,
    pub kv_rank: u32,
    pub content: u32,
    pub rotary: u32,
    pub value: u32,
}

/// Experts behind the first layers, which are dense.
#[derive(Clone, Copy, Debug)]
pub struct ExpertSizes {
    pub experts: u32,
    pub per_token: u32,
    pub width: u32,
    pub shared: Option<u32>,
    pub dense_layers: u32,
    pub router_bias: bool,
}

/// How tensor parallelism cuts a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    Columns,
    /// Columns of KV heads: where there are fewer than ranks, several ranks have the same.
    KvColumns,
    Rows,
    /// Not at all.
    Whole,
    /// Not at all, and it works on the tokens between blocks.
    Router,
}

/// A matrix: its rows, its columns, and whether each column has a bias.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    pub rows: u64,
    pub columns: u64,
    pub bias: bool,
    pub cut: Cut,
}

impl Matrix {
    pub fn weights(&self) -> u64 {
        self.rows * self.columns + if self.bias { self.columns } else { 0 }
    }
}

/// A model, a layout that it allows, and a step of training that the layout allows.
#[derive(Clone, Debug)]
pub struct Case {
    pub sizes: Sizes,
    pub layout: Layout,
    pub step: Step,
}

impl Sizes {
    pub fn model(&self) -> Transformer {
        let mut model = Transformer::new("small", self.hidden, self.vocabulary);
        model.embedding.push(token_table(self.vocabulary, hidden(self.hidden)));
        for layer in 0..self.layers {
            let network = if self.is_routed(layer) { self.mixture() } else { self.network().operations() };
            let normed = |name, operations: Vec<Operation>| {
                std::iter::once(block_norm(name, self.hidden, NormWeights::Scale)).chain(operations).collect()
            };
            model.push(Layer::of([normed("attention_norm", self.attention()), normed("mlp_norm", network)]));
        }
        model.head.push(block_norm("last_norm", self.hidden, NormWeights::Scale));
        model.head.push(head(self.vocabulary, hidden(self.hidden), false, self.tied));
        model.tied = self.tied;
        model.routing = self.experts.map(|experts| Routing::new(experts.experts, experts.per_token));
        model
    }

    pub fn is_routed(&self, layer: u32) -> bool {
        self.experts.is_some_and(|experts| layer >= experts.dense_layers)
    }

    /// How many layers have experts.
    pub fn routed_layers(&self) -> u64 {
        (0..self.layers).filter(|layer| self.is_routed(*layer)).count() as u64
    }

    fn network(&self) -> FeedForward {
        FeedForward::new(self.hidden, self.feed_forward, self.gated).with_bias(self.bias)
    }

    fn mixture(&self) -> Vec<Operation> {
        let Some(experts) = self.experts else { return Vec::new() };
        let each = FeedForward::new(self.hidden, experts.width, self.gated).with_bias(self.bias);
        let routed = Experts::new(each, experts.experts, experts.per_token);
        let routed = Experts { router_bias: experts.router_bias, ..routed };
        let shared = experts.shared.map(|width| FeedForward { width, ..each }.shared_experts());
        routed.operations().into_iter().chain(shared.into_iter().flatten()).collect()
    }

    fn attention(&self) -> Vec<Operation> {
        match self.latent {
            Some(latent) => Latent {
                hidden: self.hidden,
                heads: self.heads,
                query_rank: latent.query_rank,
                kv_rank: latent.kv_rank,
                content_width: latent.content,
                rotary_width: latent.rotary,
                value_width: latent.value,
                bias: self.bias,
                indexer: None,
                mask: self.mask,
            }
            .operations(),
            None => {
                let norm = match self.head_norms {
                    true => HeadNorm::Shared(NormWeights::Scale),
                    false => HeadNorm::None,
                };
                Grouped {
                    kv_heads: self.kv_heads,
                    output_bias: self.bias,
                    query_norm: norm,
                    key_norm: norm,
                    mask: self.mask,
                    ..Grouped::new(self.hidden, self.heads, self.head_width).with_input_bias(self.bias)
                }
                .operations()
            }
        }
    }

    /// The matrices of attention in a layer.
    pub fn attention_matrices(&self) -> Vec<Matrix> {
        let [hidden, heads, kv_heads, width] =
            [self.hidden, self.heads, self.kv_heads, self.head_width].map(u64::from);
        let matrix = |rows, columns, bias, cut| Matrix { rows, columns, bias, cut };
        let Some(latent) = self.latent else {
            return vec![
                matrix(hidden, heads * width, self.bias, Cut::Columns),
                matrix(hidden, kv_heads * width, self.bias, Cut::KvColumns),
                matrix(hidden, kv_heads * width, self.bias, Cut::KvColumns),
                matrix(heads * width, hidden, self.bias, Cut::Rows),
            ];
        };
        let [rank, content, rotary, value] =
            [latent.kv_rank, latent.content, latent.rotary, latent.value].map(u64::from);
        let mut matrices = vec![
            matrix(hidden, rank + rotary, self.bias, Cut::Whole),
            matrix(rank, heads * content, false, Cut::Columns),
            matrix(rank, heads * value, false, Cut::Columns),
            matrix(heads * value, hidden, self.bias, Cut::Rows),
        ];
        match latent.query_rank.map(u64::from) {
            Some(query_rank) => {
                matrices.push(matrix(hidden, query_rank, self.bias, Cut::Whole));
                matrices.push(matrix(query_rank, heads * (content + rotary), false, Cut::Columns));
            }
            None => matrices.push(matrix(hidden, heads * (content + rotary), false, Cut::Columns)),
        }
        matrices
    }

    /// The matrices of a network of `width`.
    pub fn network_matrices(&self, width: u32) -> Vec<Matrix> {
        let (hidden, width) = (u64::from(self.hidden), u64::from(width));
        let up = Matrix { rows: hidden, columns: width, bias: self.bias, cut: Cut::Columns };
        let down = Matrix { rows: width, columns: hidden, bias: self.bias, cut: Cut::Rows };
        if self.gated { vec![up, up, down] } else { vec![up, down] }
    }

    /// Every matrix of the layers that is no expert's.
    pub fn dense_matrices(&self) -> Vec<Matrix> {
        let mut matrices = Vec::new();
        for layer in 0..self.layers {
            matrices.extend(self.attention_matrices());
            match self.experts.filter(|_| self.is_routed(layer)) {
                Some(experts) => {
                    matrices.push(Matrix {
                        rows: u64::from(self.hidden),
                        columns: u64::from(experts.experts),
                        bias: experts.router_bias,
                        cut: Cut::Router,
                    });
                    matrices
                        .extend(experts.shared.into_iter().flat_map(|width| self.network_matrices(width)));
                }
                None => matrices.extend(self.network_matrices(self.feed_forward)),
            }
        }
        matrices
    }

    /// The matrices of one expert of each layer that has some.
    pub fn expert_matrices(&self) -> Vec<Matrix> {
        let Some(experts) = self.experts else { return Vec::new() };
        (0..self.routed_layers()).flat_map(|_| self.network_matrices(experts.width)).collect()
    }

    /// The numbers of all norms.
    pub fn norm_weights(&self) -> u64 {
        let within = match self.latent {
            Some(latent) => latent.kv_rank + latent.query_rank.unwrap_or(0),
            None if self.head_norms => 2 * self.head_width,
            None => 0,
        };
        u64::from(self.layers) * u64::from(2 * self.hidden + within) + u64::from(self.hidden)
    }

    /// The rows of the table of tokens.
    pub fn table(&self, rows: u64) -> u64 {
        rows * u64::from(self.hidden)
    }

    /// The widths of a key and a value together.
    pub fn key_and_value(&self) -> u64 {
        u64::from(match self.latent {
            Some(latent) => latent.content + latent.rotary + latent.value,
            None => 2 * self.head_width,
        })
    }
}

impl Case {
    /// What `check` finds of the accounts of all stages.
    pub fn accounts<T>(&self, check: impl FnOnce(&Accounting, &[Account]) -> T) -> T {
        let model = self.sizes.model();
        let division = Division::new(&model, &self.layout).unwrap();
        let accounting = Accounting::new(&division, &self.step).unwrap();
        let accounts: Vec<Account> =
            (0..self.layout.pp).map(|stage| accounting.account(stage).unwrap()).collect();
        check(&accounting, &accounts)
    }

    /// The tokens of the step in all replicas together.
    pub fn tokens(&self) -> u64 {
        self.step.batch * self.step.sequence
    }

    /// The vocabulary with what is added so that each rank has as much.
    pub fn padded_vocabulary(&self) -> u64 {
        let (rows, tp) = (u64::from(self.sizes.vocabulary), self.layout.tp);
        let is_right = |padded: &u64| match rows % tp {
            0 => *padded == rows,
            _ => padded.is_multiple_of(tp * self.layout.vocabulary_multiple),
        };
        (rows..).find(is_right).unwrap()
    }
}

fn eights(most: u32) -> impl Strategy<Value = u32> {
    (1..=most).prop_map(|count| 8 * count)
}

prop_compose! {
    fn latents()(
        query_rank in proptest::option::of(1..9u32), kv_rank in 1..9u32, content in 1..5u32, rotary in 1..5u32, value in 1..5u32,
    ) -> LatentSizes {
        LatentSizes { query_rank, kv_rank, content, rotary, value }
    }
}

prop_compose! {
    fn mixtures()(
        experts in eights(2), per_token in 1..5u32, width in eights(2), shared in proptest::option::of(eights(2)),
        dense_layers in 0..2u32, router_bias: bool,
    ) -> ExpertSizes {
        ExpertSizes { experts, per_token, width, shared, dense_layers, router_bias }
    }
}

fn masks() -> impl Strategy<Value = Mask> {
    prop_oneof![
        3 => Just(Mask::Causal),
        1 => Just(Mask::Full),
        1 => (1..100u32).prop_map(Mask::Window),
        1 => (1..100u32).prop_map(Mask::Chunk),
        1 => (1..100u32).prop_map(Mask::Chosen),
    ]
}

prop_compose! {
    /// A small model of any kind.
    pub fn sizes()(
        hidden in eights(4), layers in prop::sample::select(vec![2u32, 4, 6, 8, 12]), heads in eights(2),
        kv_heads in prop::sample::select(vec![1u32, 2, 4, 8, 0]), head_width in 1..6u32, head_norms: bool,
        feed_forward in eights(4), (gated, bias, tied) in any::<(bool, bool, bool)>(), vocabulary in 50..400u32,
        mask in masks(), latent in proptest::option::weighted(0.25, latents()),
        experts in proptest::option::weighted(0.5, mixtures()),
    ) -> Sizes {
        let kv_heads = if kv_heads == 0 { heads } else { kv_heads };
        Sizes { hidden, layers, heads, kv_heads, head_width, head_norms, feed_forward, gated, bias, vocabulary, tied, mask, latent, experts }
    }
}

/// A small model with latent attention.
pub fn latent_sizes() -> impl Strategy<Value = Sizes> {
    (sizes(), latents()).prop_map(|(sizes, latent)| Sizes { latent: Some(latent), ..sizes })
}

/// The largest of `1, 2, 4, …` up to `wanted` that divides `number`.
fn power_dividing(number: u64, wanted: u64) -> u64 {
    let mut degree = wanted;
    while !number.is_multiple_of(degree) {
        degree /= 2;
    }
    degree
}

/// `layers` in `count` parts, cut at random places.
fn partition(layers: u64, count: u64, mut random: u64) -> Vec<u64> {
    let mut parts = vec![1; count as usize];
    for _ in count..layers {
        let index = (random % count) as usize;
        random = random.rotate_right(5).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        parts[index] += 1;
    }
    parts
}

prop_compose! {
    /// A layout that `sizes` allows, with a step of training that it allows.
    fn layouts(sizes: Sizes)(
        tp in 0..4u32, sp: bool, pp in 1..5u64, chunks in 1..4u64, uneven in proptest::option::of(any::<u64>()),
        dp in 1..5u64, zero in 0..4u64, shard in proptest::option::of(0..3u32), ep in 0..4u32,
        etp in proptest::option::of(0..4u32), cp in 0..3u32, all_to_all: bool,
        sequence in 1..4u64, micro_batch in 1..4u64, micro_batches in 1..4u64,
        recompute in prop::sample::select(Recompute::ALL), gradients in prop::sample::select(vec!["bf16", "fp32"]),
    ) -> Case {
        let (tp, cp) = (1 << tp, 1 << cp);
        let layers = u64::from(sizes.layers);
        let pp = pp.min(layers);
        let vpp = if pp > 1 && layers.is_multiple_of(pp * chunks) { chunks } else { 1 };
        let stages = uneven.filter(|_| vpp == 1).map(|random| partition(layers, pp, random));
        let ranks = tp * dp * cp;
        let etp = etp.filter(|_| sizes.experts.is_some()).map(|etp| power_dividing(ranks, 1 << etp));
        let ep = if sizes.experts.is_some() { power_dividing(ranks / etp.unwrap_or(tp), 1 << ep) } else { 1 };
        let replicas = ranks / (ep * etp.unwrap_or(tp));
        let shard = shard.filter(|_| zero > 0).map(|shard| power_dividing(dp * cp, 1 << shard))
            .filter(|shard| replicas.is_multiple_of((*shard).min(replicas)));
        let divides = (u64::from(sizes.heads) / tp).is_multiple_of(cp);
        let cp_by = if all_to_all && divides { ContextExchange::AllToAll } else { ContextExchange::Ring };
        let layout = Layout { tp, sp: sp && tp > 1, pp, vpp, stages, dp, zero, shard, ep, etp, cp, cp_by, order: Order::DEFAULT, vocabulary_multiple: 16 };
        let step = Step {
            micro_batch, recompute, gradients: gradients.into(),
            ..Step::training(dp * micro_batch * micro_batches, sequence * 2 * cp * tp)
        };
        Case { sizes: sizes.clone(), layout: layout.checked().unwrap(), step: step.checked().unwrap() }
    }
}

/// Any small model, a layout and a step.
pub fn cases() -> impl Strategy<Value = Case> {
    sizes().prop_flat_map(layouts)
}

/// The same without experts.
pub fn dense_cases() -> impl Strategy<Value = Case> {
    sizes().prop_map(|sizes| Sizes { experts: None, ..sizes }).prop_flat_map(layouts)
}
