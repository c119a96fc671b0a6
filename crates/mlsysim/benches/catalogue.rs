//! The typical output of the whole catalogue; the median is wanted in less than 200 ns.
//!
//! Every attribute of every named case is timed through the same door that `eval` uses. Criterion
//! then measures the one that is the median, so that its figure stands among the others.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use mlsysim::{Item, library};

/// How often an output is evaluated for a first estimate.
const TIMES: u32 = 200;

/// Every attribute of every named case that exists there, with a first estimate of its time.
fn outputs() -> Vec<(f64, Arc<dyn Item>, usize)> {
    let mut outputs = Vec::new();
    for (_, name) in library().case_names() {
        let Ok(case) = library().case(name) else { continue };
        let item = case.item();
        for (index, output) in item.description().results() {
            if output.is_method() || item.output(index, &[]).is_err() {
                continue;
            }
            let start = Instant::now();
            for _ in 0..TIMES {
                let _ = black_box(item.output(index, &[]));
            }
            outputs.push((start.elapsed().as_secs_f64() / f64::from(TIMES), item.clone(), index));
        }
    }
    outputs.sort_by(|one, other| one.0.total_cmp(&other.0));
    outputs
}

fn median(criterion: &mut Criterion) {
    let outputs = outputs();
    let (_, item, index) = &outputs[outputs.len() / 2];
    criterion.bench_function("catalogue_median", |bencher| {
        bencher.iter(|| black_box(item.output(black_box(*index), &[])));
    });
}

criterion_group!(benches, median);
criterion_main!(benches);
