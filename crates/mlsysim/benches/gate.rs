//! A time from text to a typed quantity.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mlsysim::DynQuantity;
use mlsysim::quantity::{QuantityError, Time};

fn read(text: &str) -> Result<Time, QuantityError> {
    Time::try_from(&text.parse::<DynQuantity>()?)
}

fn gate(criterion: &mut Criterion) {
    criterion.bench_function("gate", |bencher| bencher.iter(|| read(black_box("0.3 ms"))));
}

criterion_group!(benches, gate);
criterion_main!(benches);
