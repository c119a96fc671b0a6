//! An output that is one number costs no memory, so that a sweep runs at the speed of arithmetic.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::hint::black_box;

use allocation_counter::measure;
use mlsysim::named;
use mlsysim::registry::HardwareNode;
use mlsysim::scenarios::serving::TensorParallelSpeedupScenario;
use mlsysim::solvers::TensorParallelLayerModel;
use mlsysim::transformer::{Accounting, Division, Layout, Recompute, Step, Transformer};
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

#[test]
fn accounting_for_a_layout_allocates_nothing() {
    let models = ["Llama3_70B", "DeepSeek_V3"].map(|name| Transformer::named(name).unwrap());
    let layouts = ["tp=8,pp=4,dp=16,sp", "tp=2,dp=64,ep=64,etp=1,cp=2"];
    let layouts = layouts.map(|text| Layout::parse(text).unwrap());
    let training = Step { recompute: Recompute::Selective, ..Step::training(512, 8192) };
    let steps = [training, Step::prefill(512, 8192, 4096)];
    for (model, layout) in models.iter().zip(&layouts) {
        let shared = Layout { zero: 3, ..layout.clone() };
        check("an account of shared weights", || {
            let division = Division::new(model, &shared).unwrap();
            let accounting = Accounting::new(&division, &steps[0]).unwrap();
            accounting.account(0).unwrap().total_parameters()
        });
        for step in &steps {
            check("an account", || {
                let division = Division::new(model, layout).unwrap();
                let accounting = Accounting::new(&division, step).unwrap();
                accounting.account(0).unwrap().total_parameters()
            });
        }
    }
}

/// An import allocates a few times for each key of the configuration and for each layer, which is
/// made and then found to be like one before.
#[test]
fn an_import_allocates_a_few_times_for_each_layer() {
    let text = common::text("configurations/deepseek-ai__DeepSeek-V3.json");
    let deeper = text.replace("\"num_hidden_layers\": 61", "\"num_hidden_layers\": 161");
    assert_ne!(text, deeper);
    let [count, deep] = [&text, &deeper].map(|text| {
        let import = || drop(black_box(Transformer::from_config(text).unwrap()));
        measure(import).count_total
    });
    println!("importing DeepSeek-V3 allocates {count} times");
    assert!(count <= 1000, "{count}");
    assert!(deep - count <= 10 * 100, "{} for a hundred layers more", deep - count);
}
