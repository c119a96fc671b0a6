//! Arithmetic: all ranks together do that of the model, and named replicas of it.

use mlsysim::Define;
use mlsysim::transformer::{Account, Convention, Mask, Part, Pass, Recompute, attention_pairs};
use proptest::prelude::*;

use crate::ROUNDING;
use crate::cases::{Case, Cut, cases};
use crate::common::near;

/// Whether a query sees a key, one by one.
pub fn sees(mask: Mask, query: u64, key: u64) -> bool {
    match mask {
        Mask::Full => true,
        Mask::Causal => key <= query,
        Mask::Window(width) => key <= query && query - key < u64::from(width),
        // Whichever keys are chosen, there are as many as in a window.
        Mask::Chosen(most) => key <= query && query - key < u64::from(most),
        Mask::Chunk(length) => key <= query && query / u64::from(length) == key / u64::from(length),
    }
}

/// The pairs of `new` queries behind `cached` tokens, one by one.
pub fn pairs(mask: Mask, new: u64, cached: u64) -> u64 {
    let all = cached + new;
    (cached..all).map(|query| (0..all).filter(|key| sees(mask, query, *key)).count() as u64).sum()
}

/// The multiplications and additions of a forward pass of the whole step.
#[derive(Debug, Default)]
struct Arithmetic {
    layers: f64,
    attention: f64,
    head: f64,
    undivided: f64,
    kv_heads: f64,
    padding: f64,
}

impl Arithmetic {
    fn of(case: &Case) -> Self {
        let (sizes, layout) = (&case.sizes, &case.layout);
        let tokens = case.tokens() as f64;
        let per_token = sizes.experts.map_or(0, |experts| experts.per_token);
        let product = |rows: u64, columns: u64| 2.0 * rows as f64 * columns as f64 * tokens;
        let mut own = Arithmetic::default();
        let more = (layout.tp - 1) as f64;
        for matrix in sizes.dense_matrices() {
            let flops = product(matrix.rows, matrix.columns);
            own.layers += flops;
            match matrix.cut {
                Cut::Whole => own.undivided += more * flops,
                Cut::Router if !layout.sp => own.undivided += more * flops,
                Cut::KvColumns => {
                    let heads = u64::from(sizes.kv_heads);
                    own.kv_heads += layout.tp.saturating_sub(heads) as f64 * flops / heads as f64;
                }
                _ => {}
            }
        }
        for matrix in sizes.expert_matrices() {
            own.layers += f64::from(per_token) * product(matrix.rows, matrix.columns);
        }
        let scores = 2.0 * f64::from(sizes.heads) * sizes.key_and_value() as f64 * f64::from(sizes.layers);
        own.attention = scores * (case.step.batch * pairs(sizes.mask, case.step.sequence, 0)) as f64;
        own.head = product(u64::from(sizes.hidden), u64::from(sizes.vocabulary));
        own.padding = product(u64::from(sizes.hidden), case.padded_vocabulary()) - own.head;
        own
    }

    /// What may be computed again: everything in layers.
    fn in_layers(&self) -> f64 {
        self.layers + self.attention + self.undivided + self.kv_heads
    }

    fn total(&self) -> f64 {
        self.in_layers() + self.head + self.padding
    }
}

/// The arithmetic of all ranks of all stages and replicas in a pass.
fn all_ranks(case: &Case, pass: Pass) -> f64 {
    let stages: f64 = case.accounts(|_, accounts| accounts.iter().map(|account| flops(account, pass)).sum());
    (case.layout.tp * case.layout.cp * case.layout.dp) as f64 * stages
}

fn flops(account: &Account, pass: Pass) -> f64 {
    account.pass_flops(pass).base()
}

proptest! {
    /// All ranks together do the forward pass of the global batch, and named replicas of work.
    #[test]
    fn ranks_do_the_arithmetic_of_the_model(case in cases()) {
        let (ours, whole) = (all_ranks(&case, Pass::Forward), Arithmetic::of(&case));
        prop_assert!(near(ours, whole.total(), ROUNDING), "{ours} is not that of {whole:?}");
    }

    /// The backward pass has two products for each of the forward pass.
    #[test]
    fn the_backward_pass_is_two_forward_passes(case in cases()) {
        let (ours, whole) = (all_ranks(&case, Pass::Backward), Arithmetic::of(&case));
        prop_assert!(near(ours, 2.0 * whole.total(), ROUNDING), "{ours} is not twice that of {whole:?}");
    }

    /// What is computed again is exactly the forward pass of it.
    #[test]
    fn recomputation_is_a_forward_pass(case in cases()) {
        let (ours, whole) = (all_ranks(&case, Pass::Recompute), Arithmetic::of(&case));
        let expected = match case.step.recompute {
            Recompute::Nothing => 0.0,
            Recompute::Selective => whole.attention,
            Recompute::Full => whole.in_layers(),
        };
        prop_assert!(near(ours, expected, ROUNDING), "{ours} is not {expected}, of {whole:?}");
    }

    /// With sequence parallelism a router works on each token once, without it once on each rank of a
    /// layer.
    #[test]
    fn routers_work_on_the_tokens_between_blocks(case in cases()) {
        let times = if case.layout.sp { 1 } else { case.layout.tp };
        let routers = case.sizes.dense_matrices().into_iter().filter(|matrix| matrix.cut == Cut::Router);
        let weights: u64 = routers.map(|matrix| matrix.rows * matrix.columns).sum();
        let of_router = |account: &Account| account.flops[Pass::Forward as usize][Part::Router].base();
        let ours: f64 = case.accounts(|_, accounts| accounts.iter().map(of_router).sum());
        let ranks = case.layout.tp * case.layout.cp * case.layout.dp;
        prop_assert!(near(ranks as f64 * ours, (2 * times * weights * case.tokens()) as f64, ROUNDING));
    }

    /// Six operations for each weight of a matrix that a token passes, and the pairs of attention,
    /// three times: what has to be computed, whatever the layout.
    #[test]
    fn the_masked_convention_counts_matrices_and_pairs(case in cases()) {
        let (model, sequence) = (case.sizes.model(), case.step.sequence);
        let masked = model.training_flops(Convention::Masked, sequence, Recompute::Nothing).unwrap().base();
        let counts = model.counts();
        let biases: u64 = {
            let experts = case.sizes.experts.map_or(0, |experts| u64::from(experts.per_token));
            let dense = case.sizes.dense_matrices().into_iter().map(|matrix| (matrix, 1));
            let routed = case.sizes.expert_matrices().into_iter().map(|matrix| (matrix, experts));
            dense.chain(routed).filter(|(matrix, _)| matrix.bias).map(|(matrix, times)| times * matrix.columns).sum()
        };
        // A tied table is counted once, under the embedding, and is a matrix nonetheless.
        let tables = if case.sizes.tied { 0 } else { counts.parts[Part::Embedding] };
        let matrices = counts.active - tables - case.sizes.norm_weights() - biases;
        let scores = 6.0 * f64::from(case.sizes.heads) * case.sizes.key_and_value() as f64 * f64::from(case.sizes.layers);
        let attention = scores * pairs(case.sizes.mask, sequence, 0) as f64 / sequence as f64;
        prop_assert!(near(masked, 6.0 * matrices as f64 + attention, ROUNDING));
        prop_assert!(masked >= 6.0 * matrices as f64);
    }

    /// Conventions that count more never count less; recomputing a layer adds its forward pass.
    #[test]
    fn conventions_are_ordered(case in cases()) {
        let (model, sequence) = (case.sizes.model(), case.step.sequence);
        let count = |convention, recompute| model.training_flops(convention, sequence, recompute).unwrap().base();
        let plain = |convention| count(convention, Recompute::Nothing);
        prop_assert!(plain(Convention::NonEmbedding) <= plain(Convention::Parameters));
        prop_assert!(plain(Convention::Parameters) < plain(Convention::Palm));
        prop_assert!(plain(Convention::Masked) <= plain(Convention::Square) * (1.0 + ROUNDING));
        prop_assert!(near(plain(Convention::Masked), plain(Convention::Hardware), ROUNDING));
        let head = 2.0 * case.sizes.table(u64::from(case.sizes.vocabulary)) as f64;
        let full = count(Convention::Hardware, Recompute::Full);
        prop_assert!(near(full, plain(Convention::Masked) * 4.0 / 3.0 - head, ROUNDING));
    }

    /// More micro-batches of the same batch do the same arithmetic.
    #[test]
    fn micro_batches_share_the_arithmetic(case in cases()) {
        let mut one = case.clone();
        one.step.micro_batch = case.step.batch / case.layout.dp;
        one.step = one.step.checked().unwrap();
        for pass in Pass::ALL {
            prop_assert!(near(all_ranks(&case, *pass), all_ranks(&one, *pass), ROUNDING));
        }
    }

    /// Pairs are those that one finds by looking at every query and key.
    #[test]
    fn pairs_are_those_that_are_seen(new in 0..60u64, cached in 0..60u64, width in 1..130u32) {
        for mask in [Mask::Full, Mask::Causal, Mask::Window(width), Mask::Chunk(width), Mask::Chosen(width)] {
            prop_assert_eq!(attention_pairs(mask, new, cached), pairs(mask, new, cached), "{:?}", mask);
        }
    }

    /// A prompt in two parts makes the pairs of the whole, under every mask that looks back.
    #[test]
    fn pairs_of_parts_add_up(new in 0..1u64 << 20, more in 0..1u64 << 20, cached in 0..1u64 << 20, width in 1..1u32 << 21) {
        for mask in [Mask::Causal, Mask::Window(width), Mask::Chunk(width), Mask::Chosen(width)] {
            let parts = attention_pairs(mask, new, cached) + attention_pairs(mask, more, cached + new);
            prop_assert_eq!(attention_pairs(mask, new + more, cached), parts, "{:?}", mask);
        }
    }

    /// A window or a chunk that the sequence does not fill hides nothing.
    #[test]
    fn long_windows_hide_nothing(new in 1..1u64 << 20, cached in 0..1u64 << 20, more in 0..1000u32) {
        let width = (new + cached) as u32 + more;
        let causal = attention_pairs(Mask::Causal, new, cached);
        for mask in [Mask::Window(width), Mask::Chunk(width), Mask::Chosen(width)] {
            prop_assert_eq!(attention_pairs(mask, new, cached), causal, "{:?}", mask);
        }
        prop_assert!(attention_pairs(Mask::Full, new, cached) >= causal);
    }
}
