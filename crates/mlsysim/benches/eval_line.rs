//! A line of JSON in, a line of JSON out; wanted in less than 5 µs.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mlsysim::{Line, library};

const LINE: &str = r#"{"id":"a","type":"TensorParallelSpeedupScenario","inputs":{"serial_layer_times":{"attention":"12 ms","feed-forward":"18 ms"},"tp_size":8,"allreduce_time":"0.3 ms","layers":80}}"#;

fn eval_line(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lines");
    group.throughput(Throughput::Elements(1));
    group.bench_function("eval_line", |bencher| {
        let mut output = Vec::new();
        bencher.iter(|| {
            output.clear();
            let line = Line::evaluate(black_box(LINE), 1, library());
            assert!(serde_json::to_writer(&mut output, &line).is_ok());
            output.len()
        });
    });
    group.finish();
}

criterion_group!(benches, eval_line);
criterion_main!(benches);
