//! Prefill and decoding: a token at a time costs what the tokens cost at once.

use mlsysim::transformer::blocks::Grouped;
use mlsysim::transformer::{
    Accounting, Division, Group, Layer, Layout, Mask, Part, Pass, Phase, Shares, Step, Transformer,
    cached_keys_read,
};
use proptest::prelude::*;

use crate::ROUNDING;
use crate::cases::{Sizes, latent_sizes, sizes};
use crate::common::near;
use crate::work::sees;

/// The arithmetic of a forward pass on one rank, without the projection onto the vocabulary.
fn forward(model: &Transformer, layout: &Layout, step: &Step) -> f64 {
    let division = Division::new(model, layout).unwrap();
    let account = Accounting::new(&division, step).unwrap().account(0).unwrap();
    let flops = account.flops[Pass::Forward as usize];
    account.pass_flops(Pass::Forward).base() - flops[Part::Head].base()
}

fn layout(tp: u32) -> Layout {
    Layout { tp: 1 << tp, ..Layout::whole() }
}

proptest! {
    /// Decoding a token behind `context` others is the difference of two prefills, where heads are
    /// grouped.
    #[test]
    fn decoding_is_a_difference_of_prefills(sizes in sizes(), batch in 1..5u64, context in 1..200u64, tp in 0..4u32) {
        // A token of a full mask would be seen by those before it.
        let is_new_alone = sizes.mask != Mask::Full;
        let sizes = Sizes { latent: None, mask: if is_new_alone { sizes.mask } else { Mask::Causal }, ..sizes };
        let (model, layout) = (sizes.model(), layout(tp));
        let prefill = |tokens| forward(&model, &layout, &Step::prefill(batch, tokens, 0));
        let decoded = forward(&model, &layout, &Step::decode(batch, context));
        prop_assert!(near(decoded, prefill(context + 1) - prefill(context), 1e-9));
    }

    /// Decoding with latents attends to the latents themselves: a head's score has the numbers of a
    /// latent and of its rotary key, and what it weighs are latents; what makes keys and values of
    /// latents works on the one query and the one result.
    #[test]
    fn decoding_attends_to_latents(sizes in latent_sizes(), batch in 1..5u64, context in 1..200u64) {
        let sizes = Sizes { mask: Mask::Causal, ..sizes };
        let Some(latent) = sizes.latent else { return Ok(()) };
        let per_token = sizes.experts.map_or(0, |experts| u64::from(experts.per_token));
        let dense: u64 = sizes.dense_matrices().iter().map(|matrix| matrix.rows * matrix.columns).sum();
        let routed: u64 = sizes.expert_matrices().iter().map(|matrix| matrix.rows * matrix.columns).sum();
        let widths = u64::from(2 * latent.kv_rank + latent.rotary) * u64::from(sizes.heads * sizes.layers);
        let expected = 2 * batch * (dense + per_token * routed + (context + 1) * widths);
        let decoded = forward(&sizes.model(), &Layout::whole(), &Step::decode(batch, context));
        prop_assert!(near(decoded, expected as f64, ROUNDING), "{decoded} is not {expected}");
    }

    /// A prefill behind a cache makes keys and values of all its latents anew.
    #[test]
    fn prefills_make_keys_of_latents(sizes in latent_sizes(), new in 1..50u64, context in 0..50u64) {
        let sizes = Sizes { mask: Mask::Causal, experts: None, ..sizes };
        let Some(latent) = sizes.latent else { return Ok(()) };
        let flops = |context| forward(&sizes.model(), &Layout::whole(), &Step::prefill(1, new, context));
        let heads = u64::from(sizes.heads * sizes.layers);
        let keys = 2 * u64::from(latent.kv_rank * (latent.content + latent.value)) * context * heads;
        let pairs = 2 * sizes.key_and_value() * heads * new * context;
        prop_assert!(near(flops(context), flops(0) + (keys + pairs) as f64, ROUNDING));
    }

    /// A prompt in two prefills costs what it costs in one, where keys and values are cached as they
    /// are attended to.
    #[test]
    fn prefills_add_up(sizes in sizes(), first in 1..100u64, second in 1..100u64, tp in 0..4u32) {
        prop_assume!(sizes.mask != Mask::Full);
        let sizes = Sizes { latent: None, ..sizes };
        let (model, layout) = (sizes.model(), layout(tp));
        let flops = |new, cached| forward(&model, &layout, &Step::prefill(1, new, cached));
        prop_assert!(near(flops(first, 0) + flops(second, first), flops(first + second, 0), ROUNDING));
    }

    /// More new tokens and more cached ones never make a prefill cheaper, in arithmetic or in bytes.
    #[test]
    fn prefills_grow(sizes in sizes(), new in 1..100u64, cached in 0..100u64, tp in 0..4u32) {
        prop_assume!(!matches!(sizes.mask, Mask::Chunk(_)));
        let (model, layout) = (sizes.model(), layout(tp));
        let cost = |new, cached| {
            let step = Step::prefill(1, new, cached);
            let division = Division::new(&model, &layout).unwrap();
            let account = Accounting::new(&division, &step).unwrap().account(0).unwrap();
            (account.pass_flops(Pass::Forward).base(), account.pass_bytes(Pass::Forward).base())
        };
        let (flops, bytes) = cost(new, cached);
        for (more, seen) in [(new + 1, cached), (new, cached + 1)] {
            let (more_flops, more_bytes) = cost(more, seen);
            prop_assert!(more_flops >= flops && more_bytes >= bytes);
        }
    }

    /// Serving has no backward pass, computes nothing again, and sends no gradients.
    #[test]
    fn serving_goes_forward_only(sizes in sizes(), context in 1..100u64, tp in 0..4u32) {
        let (model, layout) = (sizes.model(), layout(tp));
        let division = Division::new(&model, &layout).unwrap();
        let decode = (sizes.mask != Mask::Full).then(|| Step::decode(2, context));
        for step in [Step::prefill(2, 16, context)].into_iter().chain(decode) {
            let accounting = Accounting::new(&division, &step).unwrap();
            let account = accounting.account(0).unwrap();
            for pass in [Pass::Backward, Pass::Recompute] {
                prop_assert_eq!(account.pass_flops(pass).base(), 0.0);
                prop_assert_eq!(account.pass_bytes(pass).base(), 0.0);
            }
            for exchange in accounting.merged_exchanges(&account) {
                prop_assert_eq!(exchange.pass, Some(Pass::Forward), "{}", exchange.what);
            }
        }
    }

    /// In a ring every rank gets the keys and values of all new and all cached tokens of the others.
    #[test]
    fn a_ring_shows_each_rank_the_cache(sizes in sizes(), parts in 1..4u64, context in 0..100u64, cp in 1..3u32) {
        let sizes = Sizes { mask: Mask::Causal, latent: None, ..sizes };
        let (model, cp) = (sizes.model(), 1 << cp);
        let layout = Layout { cp, ..Layout::whole() };
        let (division, step) = (Division::new(&model, &layout).unwrap(), Step::prefill(2, 2 * cp * parts, context));
        let account = Accounting::new(&division, &step).unwrap().account(0).unwrap();
        let numbers = u64::from(sizes.kv_heads * sizes.layers) * sizes.key_and_value();
        let expected = (cp - 1) * 2 * (step.sequence + context) * numbers * 2;
        let ours = cp as f64 * account.sent.by_group[Group::Context as usize].base();
        prop_assert!(near(ours, expected as f64, ROUNDING), "{ours} is not {expected}");
    }

    /// The cached tokens that are read are those that some new token sees.
    #[test]
    fn cached_keys_are_those_that_are_seen(new in 1..60u64, cached in 0..60u64, width in 1..130u32) {
        for mask in [Mask::Full, Mask::Causal, Mask::Window(width), Mask::Chunk(width)] {
            let is_seen = |key: &u64| (cached..cached + new).any(|query| sees(mask, query, *key));
            let seen = (0..cached).filter(is_seen).count() as u64;
            prop_assert_eq!(cached_keys_read(mask, new, cached), seen, "{:?}", mask);
        }
    }

    /// A token more in the cache is read once by every layer that sees it, as it is cached; and each
    /// step reads every weight that tokens pass.
    #[test]
    fn decoding_reads_the_cache_and_the_weights(sizes in sizes(), batch in 1..5u64, context in 0..200u64) {
        let sizes = Sizes { mask: Mask::Causal, ..sizes };
        let (model, whole) = (sizes.model(), Layout::whole());
        let division = Division::new(&model, &whole).unwrap();
        let bytes = |context| {
            let step = Step { kv_precision: "fp8".into(), ..Step::decode(batch, context) };
            Accounting::new(&division, &step).unwrap().account(0).unwrap().pass_bytes(Pass::Forward).base()
        };
        let counts = model.counts();
        let cache = (batch * counts.cached_per_token) as f64;
        prop_assert!(near(bytes(context + 1) - bytes(context), cache, 1e-9));
        let tables = if sizes.tied { 0 } else { counts.parts[Part::Embedding] };
        prop_assert!(bytes(context) > 2.0 * (counts.active - tables) as f64 + context as f64 * cache);
    }

    /// What an account says of the cache is what a token leaves: on all ranks that of the model, and
    /// KV heads or latents that several ranks keep; an encoder keeps nothing.
    #[test]
    fn ranks_cache_what_tokens_leave(sizes in sizes(), tp in 0..4u32) {
        let (model, layout) = (sizes.model(), layout(tp));
        let (division, step) = (Division::new(&model, &layout).unwrap(), Step::prefill(1, 1, 1));
        let account = Accounting::new(&division, &step).unwrap().account(0).unwrap();
        let per_layer = match sizes.latent {
            None if sizes.mask == Mask::Full => 0,
            Some(latent) => layout.tp * u64::from(latent.kv_rank + latent.rotary),
            None => 2 * u64::from(sizes.kv_heads).max(layout.tp) * u64::from(sizes.head_width),
        };
        prop_assert_eq!(layout.tp * account.cached_per_token, u64::from(sizes.layers) * per_layer);
    }
}

/// One token is not shared among ranks that share sequences.
#[test]
fn decoding_needs_whole_sequences() {
    let model = Transformer::named("Llama3_8B").unwrap();
    let layout = Layout { cp: 2, ..Layout::whole() };
    let division = Division::new(&model, &layout).unwrap();
    let error = Accounting::new(&division, &Step::decode(2, 100)).unwrap_err();
    assert_eq!(error.field(), Some("cp"));
    assert!(error.message().contains("it can be 1"), "{error}");
}

/// A layer that attends to what an earlier layer has cached caches nothing, and reads as much.
#[test]
fn layers_that_share_a_cache_read_it_each() {
    let own = Grouped { kv_heads: 2, ..Grouped::new(64, 8, 8) };
    let shared = Grouped { reuses_cache: true, ..own };
    let [own, shared] = [own, shared].map(|attention| {
        let mut model = Transformer::new("attention", 64, 8);
        model.push(Layer::of([attention.operations()]));
        model
    });
    let scores = |model: &Transformer| {
        let (whole, step) = (Layout::whole(), Step::decode(3, 500));
        let division = Division::new(model, &whole).unwrap();
        let accounting = Accounting::new(&division, &step).unwrap();
        let operation = model.kinds()[0].operations().find(|operation| operation.name == "scores").unwrap();
        let moved =
            operation.forward_bytes(&Shares::WHOLE, &accounting.load, Phase::Decode, &accounting.elements);
        (moved.base(), accounting.account(0).unwrap().cached_per_token)
    };
    let kept = 2.0 * 2.0 * 8.0;
    // Queries and results of eight heads, keys and values of two, of three sequences in 16 bits.
    assert_eq!(scores(&own), (3.0 * 2.0 * (2.0 * 64.0 + kept + 500.0 * kept), kept as u64));
    assert_eq!(scores(&shared), (scores(&own).0, 0));
}
