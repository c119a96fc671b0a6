//! The layer model with two links, all its outputs; wanted in less than 300 ns.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mlsysim::named;
use mlsysim::scenarios::training::TensorParallelLayerScenario;

fn outputs(criterion: &mut Criterion) {
    let Ok(case) = named::<TensorParallelLayerScenario>("Gpt3TensorParallelLayerTp8") else {
        panic!("the named case does not build");
    };
    criterion.bench_function("layer", |bencher| bencher.iter(|| black_box(black_box(&case).result())));
}

criterion_group!(benches, outputs);
criterion_main!(benches);
