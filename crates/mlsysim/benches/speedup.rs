//! All eight outputs of the speed-up scenario; wanted in less than 100 ns.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mlsysim::named;
use mlsysim::scenarios::serving::TensorParallelSpeedupScenario;

fn outputs(criterion: &mut Criterion) {
    let Ok(case) = named::<TensorParallelSpeedupScenario>("Llama2_70BPrefillTensorParallel8") else {
        panic!("the named case does not build");
    };
    criterion.bench_function("speedup", |bencher| {
        bencher.iter(|| {
            let case = black_box(&case);
            black_box((
                case.sharded("attention"),
                case.sharded("feed-forward"),
                case.serial_layer_time(),
                case.sharded_compute_time(),
                case.parallel_layer_time(),
                case.speedup(),
                case.serial_total(),
                case.parallel_total(),
            ))
        });
    });
}

criterion_group!(benches, outputs);
criterion_main!(benches);
