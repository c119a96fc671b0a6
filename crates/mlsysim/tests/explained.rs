//! Every part of a prediction explains itself: the equation that is printed gives the number beside it,
//! out of nothing but the parts that are printed below it.
#![allow(clippy::unwrap_used)]

mod common;

use common::arithmetic::Reader;
use common::near;
use mlsysim::machine::Machine;
use mlsysim::predict::{
    AttentionKernel, CalibrationSet, Engine, Forecast, Practice, Served, ServingClass, Terms, Workload,
};
use mlsysim::transformer::{
    Accounting, Division, Layout, MemoryPolicy, Recompute, Schedule, Step, Transformer,
};
use mlsysim::{Derivation, Value};

/// Sums and products of numbers in full; only roundings differ.
const ROUNDING: f64 = 1e-9;

/// What equations call that is no arithmetic.
const FUNCTIONS: [&str; 6] = ["max", "min", "sqrt", "partly_overlapped", "launched_time", "crossing_share"];

#[test]
fn the_reader_reads_arithmetic() {
    assert_eq!(Reader::value("2 × (3 + 4) / 7 - 1"), Some(1.0));
    assert_eq!(Reader::value("max(1, 8 / 16) × 1.5e3"), Some(1500.0));
    assert_eq!(Reader::value("1e-3 × 2e3"), Some(2.0));
    assert_eq!(Reader::value("ceil(9 / 2) + floor(9 / 2)"), Some(9.0));
    assert_eq!(Reader::value("2 × 3 × FLOP"), Some(6.0));
    assert_eq!(Reader::value("12 + hidden"), None);
    assert_eq!(Reader::value("2 ×"), None);
}

/// The number of a value, in base units.
fn base(value: &Value) -> f64 {
    match value {
        Value::Integer(whole) => *whole as f64,
        Value::Number(number) => *number,
        Value::Quantity(quantity) => quantity.base(),
        other => panic!("{other} is no number"),
    }
}

/// The equation with numbers in full in place of the names of parts; a name that is neither a part nor
/// a function is the error.
fn in_full(equation: &str, parts: &[Derivation]) -> Result<String, String> {
    let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut text, mut rest, mut used) = (String::new(), equation, vec![false; parts.len()]);
    while let Some(letter) = rest.chars().next() {
        let length = rest.find(|letter| !in_word(letter)).unwrap_or(rest.len()).max(letter.len_utf8());
        let (word, after) = rest.split_at(length);
        let named = |index: &usize| parts[*index].label == word;
        let next = (0..parts.len()).filter(named).min_by_key(|index| (used[*index], *index));
        match next {
            Some(index) => {
                used[index] = true;
                text.push_str(&format!("{:e}", base(parts[index].value.as_ref().unwrap())));
            }
            None if word == "µs" => text.push_str("× 1e-6"),
            None if letter.is_alphabetic() && !FUNCTIONS.contains(&word) => return Err(word.to_string()),
            None => text.push_str(word),
        }
        rest = after;
    }
    Ok(text)
}

/// Checks `derived` and all below it; how many equations there were, and how many were arithmetic.
fn check(derived: &Derivation) -> [u64; 2] {
    let mut seen =
        derived.parts.iter().map(check).fold([0, 0], |sum, each| [sum[0] + each[0], sum[1] + each[1]]);
    let Some(equation) = &derived.equation else { return seen };
    let written = in_full(equation, &derived.parts);
    let written = written.unwrap_or_else(|word| panic!("`{word}` of `{equation}` is no part of\n{derived}"));
    seen[0] += 1;
    if let Some(value) = Reader::value(&written) {
        let own = base(derived.value.as_ref().unwrap());
        seen[1] += 1;
        assert!(near(own, value, ROUNDING), "{equation} is {own:e}, but {written} is {value:e}\n{derived}");
    }
    seen
}

/// Whether most equations are arithmetic that was checked, so that the laws here say something.
fn most_are_read([equations, read]: [u64; 2]) -> bool {
    equations > 1000 && 5 * read > 4 * equations
}

/// Checks the step and every part of it.
fn check_all(forecast: &Forecast) -> [u64; 2] {
    let paths = forecast.predicted.parts.paths();
    let paths = paths.iter().map(|(path, _)| path.as_str()).chain([""]);
    paths.fold([0, 0], |sum, path| {
        let seen = check(&forecast.explain(path).unwrap());
        [sum[0] + seen[0], sum[1] + seen[1]]
    })
}

#[test]
fn every_part_of_a_step_of_training_explains_itself() {
    let mut seen = [0, 0];
    let shipped = CalibrationSet::shipped().unwrap();
    for (model, layout) in [
        ("Llama3_8B", "tp=8,sp,dp=2"),
        ("Llama3_8B", "tp=2,pp=2,vpp=2,dp=4,zero=1"),
        ("Llama3_8B", "dp=16,zero=3"),
        ("Llama3_8B", "cp=4,tp=4,dp=2,zero=2"),
        ("Mixtral_8x7B", "pp=4,ep=8,dp=8,zero=1"),
        ("Mixtral_8x7B", "tp=8,etp=1,ep=8,dp=1"),
        ("Mixtral_8x7B", "pp=2,vpp=2,ep=8,dp=8"),
    ] {
        for (machine, products) in [("Training_1K_A100", "bf16"), ("Training_512_H100", "fp8")] {
            for (attention, graphs) in [(AttentionKernel::Fused, false), (AttentionKernel::Unfused, true)] {
                let (model, layout) = (Transformer::named(model).unwrap(), Layout::parse(layout).unwrap());
                let machine = Machine::named(machine).unwrap();
                let step = Step::training(8 * layout.pp * layout.dp, 2048);
                let step = Step { recompute: Recompute::Full, ..step };
                let division = Division::new(&model, &layout).unwrap();
                let accounting = Accounting::new(&division, &step).unwrap();
                let practice = Practice {
                    products: products.into(),
                    attention,
                    graphs,
                    overlaps: graphs,
                    ..Practice::default()
                };
                let (policy, engine) = (MemoryPolicy::default(), Engine { practice, ..Engine::default() });
                let told = Forecast::new(&accounting, &machine, &policy, &engine, Terms::default(), shipped)
                    .unwrap();
                let [equations, read] = check_all(&told);
                seen = [seen[0] + equations, seen[1] + read];
            }
        }
    }
    assert!(most_are_read(seen), "{seen:?}");
}

#[test]
fn orders_that_put_off_passes_explain_themselves() {
    let shipped = CalibrationSet::shipped().unwrap();
    let mut seen = [0, 0];
    for (layout, batch) in [("pp=4,tp=2", 16), ("pp=4,dp=2,zero=1", 4), ("pp=8,sp,tp=4", 64)] {
        for schedule in Schedule::ALL {
            let (model, layout) = (Transformer::named("Llama3_8B").unwrap(), Layout::parse(layout).unwrap());
            let machine = Machine::named("Training_512_H100").unwrap();
            let division = Division::new(&model, &layout).unwrap();
            let step = Step::training(batch, 2048);
            let accounting = Accounting::new(&division, &step).unwrap();
            let policy = MemoryPolicy { schedule: *schedule, ..MemoryPolicy::default() };
            let engine = Engine::default();
            let terms = Terms::default();
            let told = Forecast::new(&accounting, &machine, &policy, &engine, terms, shipped).unwrap();
            let [equations, read] = check_all(&told);
            let memory = check(&told.explain("memory.activations").unwrap());
            seen = [seen[0] + equations + memory[0], seen[1] + read + memory[1]];
        }
    }
    assert!(most_are_read(seen), "{seen:?}");
}

#[test]
fn every_part_of_serving_explains_itself() {
    let workloads = [
        Workload::DecodeStep { batch: 32, context: 2048 },
        Workload::Prefill { batch: 2, prompt: 1500, context: 0 },
        Workload::Prefill { batch: 2, prompt: 500, context: 1000 },
        Workload::StaticBatch { batch: 8, prompt: 512, answer: 128 },
        Workload::Load { prompt: 1024, answer: 256, requests: Some(64) },
    ];
    let shipped = CalibrationSet::shipped().unwrap();
    let mut seen = [0, 0];
    for (model, layout) in
        [("Llama3_8B", "tp=1"), ("Llama3_70B", "tp=8"), ("Mixtral_8x7B", "tp=2,etp=1,ep=2")]
    {
        let classes = ServingClass::ALL.iter();
        for (class, products) in classes.flat_map(|class| ["bf16", "int4", "fp8"].map(|each| (class, each))) {
            let (model, layout) = (Transformer::named(model).unwrap(), Layout::parse(layout).unwrap());
            let machine = Machine::named("DGX_H100").unwrap();
            let is_eight = products == "fp8";
            let practice = Practice {
                products: products.into(),
                cache: if is_eight { "fp8" } else { "bf16" }.into(),
                unpacks_beyond: (*class == ServingClass::Launched).then_some(4),
                prescales: *class == ServingClass::Graphs,
                attends_in_cache_precision: is_eight,
                ..Practice::default()
            };
            let (tunes, ends_prompts_apart) = (is_eight, *class == ServingClass::Launched);
            let engine = Engine { class: *class, practice, tunes, ends_prompts_apart, ..Engine::default() };
            for workload in workloads {
                let served = Served { model: &model, layout: &layout, machine: &machine, engine: &engine };
                let step = served.last_step(workload, &Step::decode(1, 1)).unwrap();
                let division = Division::new(&model, &layout).unwrap();
                let accounting = Accounting::new(&division, &step).unwrap();
                let (policy, terms, served) = (MemoryPolicy::default(), Terms::default(), Some(workload));
                let told = Forecast::serving(&accounting, &machine, &policy, &engine, terms, shipped, served);
                let [equations, read] = check_all(&told.unwrap());
                seen = [seen[0] + equations, seen[1] + read];
            }
        }
    }
    assert!(most_are_read(seen), "{seen:?}");
}
