//! What holds for every prediction of serving, whatever its numbers.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use mlsysim::machine::Machine;
use mlsysim::predict::{
    Cost, Engine, Flow, PartTime, Piece, Practice, Pricing, Question, ServingClass, StepPrediction, Workload,
    serve, shipped,
};
use mlsysim::transformer::{Accounting, Division, Layout, Part, Pass, Step, Transformer};
use proptest::prelude::*;

/// Roundings of some operations.
const ROUNDING: f64 = 1.0 + 1e-9;

const SERVERS: [&str; 3] = ["DGX_A100", "DGX_H100", "DGX_B200"];
const MODELS: [&str; 3] = ["Llama3_8B", "Llama3_70B", "Mixtral_8x7B"];
const CLASSES: [ServingClass; 4] =
    [ServingClass::Graphs, ServingClass::Launched, ServingClass::Compiled, ServingClass::Eager];

/// A workload of some kind.
fn workload(kind: usize, batch: u64, prompt: u64, answer: u64) -> Workload {
    match kind {
        0 => Workload::DecodeStep { batch, context: prompt },
        1 => Workload::Prefill { batch, prompt, context: answer % 3 * answer },
        2 => Workload::StaticBatch { batch, prompt, answer },
        3 => Workload::Load { prompt, answer, requests: None },
        _ => Workload::Load { prompt, answer, requests: Some(batch) },
    }
}

fn server(index: usize) -> Machine {
    Machine::named(SERVERS[index % SERVERS.len()]).unwrap()
}

/// The machine with so many times the peaks, the bandwidth of memory and that of its links.
fn scaled(machine: &Machine, peak: f64, bandwidth: f64) -> Machine {
    let mut device = (*machine.device).clone();
    let (mut compute, mut memory) = ((*device.compute).clone(), (*device.memory).clone());
    for (_, rate) in compute.precision_flops.iter_mut() {
        *rate = peak * *rate;
    }
    memory.bandwidth = bandwidth * memory.bandwidth;
    device.compute = Arc::new(compute);
    device.memory = Arc::new(memory);
    Machine { device: Arc::new(device), ..machine.clone() }
}

fn served(
    model: usize,
    tp: u64,
    machine: &Machine,
    engine: &Engine,
    workload: Workload,
) -> Option<StepPrediction> {
    let model = Transformer::named(MODELS[model % MODELS.len()]).unwrap();
    let layout = Layout { tp, ..Layout::parse("tp=1").unwrap() };
    // A model may be too large for its devices.
    serve(&model, &layout, machine, engine, workload).ok()
}

/// Whether every part is the sum of its own.
fn adds_up(part: &PartTime) -> bool {
    let sum: f64 = part.parts.iter().map(|each| each.time.base()).sum();
    part.parts.is_empty() || (sum / part.time.base() - 1.0).abs() < 1e-9 && part.parts.iter().all(adds_up)
}

/// What a prefill of `new` tokens behind `cached` ones takes apart into, on an H100 whose memory is too
/// fast to count, and what each piece computes there.
fn pieces(model: &Transformer, layout: &Layout, new: u64, cached: u64) -> Vec<(Piece, f64)> {
    let machine = scaled(&server(1), 1.0, 1e12);
    let practice = Practice::default();
    let pricing = Pricing::new(&machine, &practice, shipped().unwrap().kernels()).unwrap();
    let flow = Flow { sequences: 0.0, context: 0, prompts: 1.0, prompt: new, behind: cached };
    let peak = pricing.products.peak().base();
    let computed = |piece: &Piece| match &piece.cost {
        Cost::Product { question, .. } => question.speed_of_light().base() * peak,
        Cost::Attention { question, .. } => question.speed_of_light().base() * peak,
        Cost::Moves(_) | Cost::Exchange(..) => 0.0,
    };
    let pieces = pricing.iteration(model, layout, flow).unwrap();
    let told = |(piece, times): (Piece, f64)| {
        let flops = times * computed(&piece);
        (piece, flops)
    };
    pieces.into_iter().map(told).collect()
}

/// The arithmetic of those, without the vocabulary.
fn arithmetic(pieces: &[(Piece, f64)]) -> f64 {
    pieces.iter().filter(|(piece, _)| piece.part != Part::Head).map(|(_, flops)| flops).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_prefill_behind_cached_tokens_computes_what_is_accounted_for(
        model in 0..4usize, tp in 0..4u32, new in 1..5000u64, cached in 0..20_000u64,
    ) {
        let model = Transformer::named([MODELS.as_slice(), &["DeepSeek_V3"]].concat()[model]).unwrap();
        let layout = Layout { tp: 1 << tp, ..Layout::parse("tp=1").unwrap() };
        let division = Division::new(&model, &layout).unwrap();
        let account = Accounting::new(&division, &Step::prefill(1, new, cached)).unwrap().account(0).unwrap();
        let head = account.flops[Pass::Forward as usize][Part::Head].base();
        let accounted = account.pass_flops(Pass::Forward).base() - head;
        let ours = arithmetic(&pieces(&model, &layout, new, cached));
        prop_assert!((ours / accounted - 1.0).abs() < 1e-9, "{ours} {accounted}");
    }

    #[test]
    fn a_prompt_in_chunks_computes_as_much_and_is_no_faster(
        model in 0..3usize, at in 0..3usize, first in 1..8000u64, second in 1..8000u64,
    ) {
        let named = Transformer::named(MODELS[model]).unwrap();
        let layout = Layout::parse("tp=8").unwrap();
        let computed = |new, cached| arithmetic(&pieces(&named, &layout, new, cached));
        let (chunks, whole) = (computed(first, 0) + computed(second, first), computed(first + second, 0));
        prop_assert!((chunks / whole - 1.0).abs() < 1e-9);
        let time = |prompt, context| {
            let workload = Workload::Prefill { batch: 1, prompt, context };
            served(model, 8, &server(at), &Engine::default(), workload).unwrap().total.time
        };
        prop_assert!(time(first, 0) + time(second, first) >= time(first + second, 0) / ROUNDING);
    }

    #[test]
    fn more_cached_tokens_are_never_faster_and_leave_products_as_they_are(
        model in 0..3usize, at in 0..3usize, class in 0..4usize, ends_prompts_apart in any::<bool>(),
        batch in 1..9u64, prompt in 1..5000u64, context in 0..9000u64, more in 1..9000u64,
    ) {
        let engine = Engine { class: CLASSES[class], ends_prompts_apart, ..Engine::default() };
        let time = |context| {
            let workload = Workload::Prefill { batch, prompt, context };
            served(model, 8, &server(at), &engine, workload).unwrap().total
        };
        let [less, more_cached] = [context, context + more].map(time);
        prop_assert!(less.time <= more_cached.time * ROUNDING);
        prop_assert!(less.bound <= more_cached.bound * ROUNDING);
        let model = Transformer::named(MODELS[model]).unwrap();
        let products = |context| {
            let all = pieces(&model, &Layout::parse("tp=8").unwrap(), prompt, context);
            all.into_iter().filter(|(piece, _)| matches!(piece.cost, Cost::Product { .. })).collect::<Vec<_>>()
        };
        prop_assert_eq!(products(context), products(context + more));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn bounds_lie_below_and_parts_add_up(
        kind in 0..5usize, batch in 1..300u64, prompt in 1..6000u64, answer in 1..3000u64,
        model in 0..3usize, tp in 0..4u32, at in 0..3usize, class in 0..4usize,
        tunes in any::<bool>(), ends_prompts_apart in any::<bool>(),
    ) {
        let engine = Engine { class: CLASSES[class], tunes, ends_prompts_apart, ..Engine::default() };
        let workload = workload(kind, batch, prompt, answer);
        if let Some(predicted) = served(model, 1 << tp, &server(at), &engine, workload) {
            let total = &predicted.total;
            prop_assert!(total.bound <= total.low && total.low <= total.time && total.time <= total.high);
            prop_assert!(total.high.base().is_finite() && total.time.base() > 0.0);
            prop_assert!((predicted.parts.time / total.time - 1.0).abs() < 1e-9);
            prop_assert!(adds_up(&predicted.parts));
        }
    }

    #[test]
    fn a_faster_device_is_never_slower(
        kind in 0..3usize, batch in 1..300u64, prompt in 1..6000u64, answer in 1..3000u64,
        model in 0..3usize, tp in 0..4u32, at in 0..3usize, class in 0..4usize,
        peak in 1.0..8.0f64, bandwidth in 1.0..8.0f64,
    ) {
        let engine = Engine { class: CLASSES[class], ..Engine::default() };
        let workload = workload(kind, batch, prompt, answer);
        let machine = server(at);
        let better = scaled(&machine, peak, bandwidth);
        let both = [&machine, &better].map(|machine| served(model, 1 << tp, machine, &engine, workload));
        if let [Some(slower), Some(faster)] = both {
            prop_assert!(faster.total.time <= slower.total.time * ROUNDING);
            prop_assert!(faster.total.bound <= slower.total.bound * ROUNDING);
        }
    }

    #[test]
    fn fewer_bytes_are_never_slower_and_one_rank_exchanges_nothing(
        batch in 1..300u64, context in 1..6000u64, model in 0..3usize, tp in 0..4u32, at in 0..3usize,
    ) {
        let engine = Engine::default();
        let mut small = engine.clone();
        small.practice.cache = "fp8".into();
        let workload = Workload::DecodeStep { batch, context };
        let whole = served(model, 1 << tp, &server(at), &engine, workload).unwrap();
        let fewer = served(model, 1 << tp, &server(at), &small, workload).unwrap();
        prop_assert!(fewer.total.time <= whole.total.time * ROUNDING);
        let exchanged = whole.parts.at(&["decode steps", "exchange over tp"]);
        prop_assert_eq!(exchanged.is_some(), tp > 0);
    }

    #[test]
    fn one_more_token_or_sequence_changes_little(
        kind in 0..5usize, batch in 64..300u64, prompt in 256..4000u64, answer in 64..3000u64,
        model in 0..2usize, at in 0..3usize, tunes in any::<bool>(),
    ) {
        let engine = Engine { tunes, ..Engine::default() };
        let ask = |batch, prompt| {
            served(model, 8, &server(at), &engine, workload(kind, batch, prompt, answer)).unwrap().total.time
        };
        let one = ask(batch, prompt);
        for other in [ask(batch + 1, prompt), ask(batch, prompt + 1)] {
            // Engines reduce payloads beyond 8 MiB otherwise, where the regime changes.
            prop_assert!((other / one - 1.0).abs() < 0.15, "{one:?} {other:?}");
        }
    }
}

#[test]
fn what_cannot_be_served_is_refused_by_name() {
    let machine = Machine::named("DGX_H100").unwrap();
    let model = Transformer::named("Llama3_70B").unwrap();
    let layout = Layout::parse("tp=8").unwrap();
    let refused = |engine: &Engine, workload| {
        serve(&model, &layout, &machine, engine, workload).unwrap_err().to_string()
    };
    let engine = Engine::default();
    assert_eq!(
        refused(&engine, Workload::Prefill { batch: 0, prompt: 1, context: 0 }),
        "batch: a whole number from 1 to 1073741824 is needed, but `0` was given"
    );
    let alone = Layout::parse("tp=1").unwrap();
    let workload = Workload::Load { prompt: 128, answer: 128, requests: None };
    let error = serve(&model, &alone, &machine, &engine, workload).unwrap_err();
    assert_eq!(error.field(), Some("layout"));
    let mut other = engine.clone();
    other.practice.products = "fp99".into();
    assert!(refused(&other, Workload::DecodeStep { batch: 1, context: 1 }).starts_with("precision: "));
}
