//! An output that is one number costs no memory, so that a sweep runs at the speed of arithmetic.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;

use allocation_counter::measure;
use mlsysim::named;
use mlsysim::registry::HardwareNode;
use mlsysim::scenarios::serving::TensorParallelSpeedupScenario;
use mlsysim::solvers::TensorParallelLayerModel;
use mlsysim::{Library, Value, library};

/// Fails if `output` allocates.
fn check<T>(name: &str, output: impl FnOnce() -> T) {
    let allocated = measure(|| {
        black_box(output());
    });
    assert_eq!(allocated.count_total, 0, "{name} allocates");
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(black_box(Box::new(1)))).count_total, 1);
}

#[test]
fn speedup_allocates_nothing() {
    let case: TensorParallelSpeedupScenario = named("Llama2_70BPrefillTensorParallel8").unwrap();
    check("sharded", || case.sharded("attention"));
    check("serial_layer_time", || case.serial_layer_time());
    check("sharded_compute_time", || case.sharded_compute_time());
    check("parallel_layer_time", || case.parallel_layer_time());
    check("speedup", || case.speedup());
    check("serial_total", || case.serial_total());
    check("parallel_total", || case.parallel_total());
}

#[test]
fn a_layer_allocates_for_its_links_only() {
    let case = library().case("Gpt3TensorParallelLayerTp8").unwrap();
    let (index, _) = case.item().description().output("result").unwrap();
    let solver = case.item().solver(index).unwrap();
    let layer = solver.as_any().downcast::<TensorParallelLayerModel>().unwrap();
    check("layer_flops", || layer.layer_flops());
    check("compute_time", || layer.compute_time());
    check("layer_bytes", || layer.layer_bytes());
}

#[test]
fn figures_of_a_device_allocate_nothing() {
    let Value::Object(object) = library().value("Hardware.Cloud.H100").unwrap() else { panic!("no entry") };
    let h100 = object.downcast::<HardwareNode>().unwrap();
    check("peak", || h100.peak("fp16_dense"));
    check("ridge_point", || h100.ridge_point(None));
    check("bandwidth_per_direction", || h100.nvlink.as_ref().unwrap().bandwidth_per_direction());
}
