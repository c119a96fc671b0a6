//! What a rank holds, against counts that papers publish.
#![allow(clippy::unwrap_used)]

use mlsysim::quantity::Bytes;
use mlsysim::transformer::{
    Accounting, Division, GradientCopies, Layout, Memory, MemoryPolicy, Recompute, Step, Transformer,
};
use serde_json::json;

const LAYERS: u64 = 24;
const HIDDEN: u64 = 2048;
const HEADS: u64 = 16;
const SEQUENCE: u64 = 1024;
const VOCABULARY: u64 = 51_200;

fn gpt() -> Transformer {
    let config = json!({
        "model_type": "gpt2", "n_embd": HIDDEN, "n_head": HEADS, "n_layer": LAYERS, "vocab_size": VOCABULARY,
        "n_positions": SEQUENCE
    });
    Transformer::from_config(&config.to_string()).unwrap()
}

fn held(layout: &str, recompute: Recompute, policy: &MemoryPolicy) -> Memory {
    let (model, layout) = (gpt(), Layout::parse(layout).unwrap());
    let division = Division::new(&model, &layout).unwrap();
    let step = Step { recompute, ..Step::training(layout.dp, SEQUENCE) };
    let accounting = Accounting::new(&division, &step).unwrap();
    accounting.memory(&accounting.account(0).unwrap(), policy).unwrap()
}

/// Attention that is not fused, with dropout: what the paper counts.
fn eager() -> MemoryPolicy {
    MemoryPolicy { fused_attention: false, dropout: true, ..MemoryPolicy::default() }
}

/// Of Korthikanti et al. (2022), equations 1, 2 and 4, and table 2: bytes of the activations of all
/// layers for `each` bytes of a token's width, and `scores` of a pair.
fn published(each: f64, scores: f64) -> f64 {
    let [s, h, a, l] = [SEQUENCE, HIDDEN, HEADS, LAYERS].map(|size| size as f64);
    s * h * l * (each + scores * a * s / h)
}

fn assert_near(ours: Bytes, published: f64) {
    assert!((ours.base() / published - 1.0).abs() < 1e-9, "{} B, published {published} B", ours.base());
}

#[test]
fn activations_are_those_of_the_paper() {
    let all = |layout| held(layout, Recompute::Nothing, &eager()).activations;
    assert_near(all("tp=1"), published(34.0, 5.0));
    assert_near(all("tp=4"), published(10.0 + 24.0 / 4.0, 5.0 / 4.0));
    assert_near(all("tp=4,sp"), published(34.0 / 4.0, 5.0 / 4.0));
}

#[test]
fn full_recomputation_keeps_inputs_and_one_layer() {
    let layer = published(34.0, 5.0) / LAYERS as f64;
    assert_near(held("tp=1", Recompute::Full, &eager()).activations, published(2.0, 0.0) + layer);
}

#[test]
fn state_is_that_of_zero() {
    let parameters = gpt().counts().total as f64;
    for (layout, weights, gradients, optimizer) in [
        ("dp=8", 2.0, 4.0, 12.0),
        ("dp=8,zero=1", 2.0, 4.0, 12.0 / 8.0),
        ("dp=8,zero=2", 2.0, 4.0 / 8.0, 12.0 / 8.0),
        ("dp=8,zero=3", 2.0 / 8.0, 4.0 / 8.0, 12.0 / 8.0),
    ] {
        let memory = held(layout, Recompute::Nothing, &MemoryPolicy::default());
        assert_near(memory.weights, weights * parameters);
        assert_near(memory.gradients, gradients * parameters);
        assert_near(memory.optimizer, optimizer * parameters);
    }
}

#[test]
fn second_gradients_and_cast_weights_are_counted() {
    let parameters = gpt().counts().total as f64;
    let with = |gradient_copies| MemoryPolicy { gradient_copies, ..MemoryPolicy::default() };
    for (copies, each) in
        [(GradientCopies::Nothing, 4.0), (GradientCopies::Updated, 4.5), (GradientCopies::All, 8.0)]
    {
        let memory = held("dp=8,zero=1", Recompute::Nothing, &with(copies));
        assert_near(memory.gradients, each * parameters);
    }
    let cast = MemoryPolicy { cast_weights: true, ..MemoryPolicy::default() };
    assert_eq!(held("dp=8,zero=3", Recompute::Nothing, &cast).weights, Bytes::ZERO);
}

#[test]
fn the_loss_and_its_gradient_take_six_or_ten_bytes_of_a_score() {
    let scores = (SEQUENCE * VOCABULARY) as f64;
    let beside = MemoryPolicy { loss_in_place: false, ..MemoryPolicy::default() };
    assert_near(held("tp=1", Recompute::Nothing, &MemoryPolicy::default()).logits, 6.0 * scores);
    assert_near(held("tp=1", Recompute::Nothing, &beside).logits, 10.0 * scores);
}

#[test]
fn the_widest_backward_pass_is_that_of_the_head() {
    let memory = held("tp=1", Recompute::Nothing, &MemoryPolicy::default());
    // The head is tied: its table is a weight of the embedding.
    let table = 2.0 * (VOCABULARY * HIDDEN) as f64;
    assert_near(memory.working, table + 2.0 * (SEQUENCE * HIDDEN) as f64);
}
