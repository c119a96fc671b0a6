//! How many layouts of a training are priced a second, and what a pruned search saves.
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a benchmark tells what it measured")]

use std::time::Instant;

use mlsysim_models::machine::Machine;
use mlsysim_models::transformer::Transformer;
use mlsysim_search::{Found, Search, TrainingPlan};

/// Layouts a second on one core that Calculon prices, for comparison.
const CALCULON: f64 = 300.0;

fn main() {
    let model = Transformer::named("GPT3").expect("a model");
    let machine = Machine::named("Training_1K_A100").expect("a machine");
    // A batch of six million tokens, whose divisors leave ten million layouts and more.
    let plan = TrainingPlan::new(model, machine, 1024, 3072, 2048);
    let threads = std::env::var("RAYON_NUM_THREADS").unwrap_or_else(|_| "all".to_string());
    println!("GPT-3 175B on 1,024 A100 80GB, {threads} threads");
    let exhaustive = timed("exhaustive", |search| search.exhaustive(), &plan);
    let pruned = timed("pruned", |search| search.pruned(), &plan);
    assert_eq!(exhaustive.0.best, pruned.0.best, "both find the same");
    println!("pruned takes 1/{:.0} of the time", exhaustive.1 / pruned.1);
    let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = peak.lines().find(|line| line.starts_with("VmHWM"));
    println!("{}", peak.unwrap_or("peak memory not known"));
}

fn timed(name: &str, run: impl Fn(&Search) -> Found, plan: &TrainingPlan) -> (Found, f64) {
    let mut times: Vec<f64> = Vec::new();
    let mut last = None;
    for _ in 0..3 {
        let start = Instant::now();
        let search = Search::new(plan).expect("a plan");
        last = Some(run(&search));
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let found = last.expect("a search");
    let rate = found.legal as f64 / times[1];
    println!(
        "{name:<10} {:>12} legal, {:>12} priced, {:>12} fit, {:.3} s (median of 3), {:.2} million a second, {:.0} times Calculon",
        found.legal,
        found.priced,
        found.fitting,
        times[1],
        rate / 1e6,
        rate / CALCULON
    );
    (found, times[1])
}
