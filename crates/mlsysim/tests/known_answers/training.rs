//! The rows about pipelines, layouts and the exchanges of training.

use std::sync::Arc;

use mlsysim::physics::pipeline::pipeline_bubble;
use mlsysim::quantity::{Bandwidth, Time};
use mlsysim::registry::{Fleet, HardwareNode, Workload};
use mlsysim::scenarios::training::{
    ParallelLayoutScenario, PipelineScheduleScenario, TensorParallelScenario,
};
use mlsysim::solvers::ZeroShardingModel;
use mlsysim::units::{MILLISECOND, SECOND};
use mlsysim::{Define, Library, Value, library, named};

use super::Row;

fn entry<T: Define>(path: &str) -> Arc<T> {
    let Ok(Value::Object(object)) = library().value(path) else { panic!("{path} is no entry") };
    object.downcast::<T>().unwrap()
}

pub fn bubble_with_and_without_interleaving(row: &Row) {
    let pipeline = PipelineScheduleScenario { stages: 8, microbatches: 32 };
    row.check(pipeline.bubble(), "0.179487");
    // The derivation has the interleaved schedule of the same pipeline.
    assert_eq!(format!("{:.6}", pipeline_bubble(8, 2 * 32)), "0.098592");
}

pub fn all_reduces_of_a_training_step(row: &Row) {
    let case: TensorParallelScenario = named("Gpt3TensorParallelStepDgxH100").unwrap();
    let both = TensorParallelScenario { collectives_per_layer: 4, ..case.clone() }.result().unwrap();
    assert_eq!(both.collectives_per_step as f64, row.right("384"));
    row.check(both.communication_time / MILLISECOND, "300.648");
    // The default is that of the reference, one pass; the answer says so.
    assert_eq!(case.collectives_per_layer, 2);
    let notes = mlsysim::Item::notes(&case);
    assert!(notes.iter().any(|note| note.text.contains("`collectives_per_layer` is 4")), "{notes:?}");
}

/// The layout of the rows with the inputs that matter for the time of its compute.
fn layout(
    workload: &str,
    shape: [u64; 3],
    batch_tokens: f64,
    flops_per_param_token: f64,
) -> ParallelLayoutScenario {
    ParallelLayoutScenario {
        workload: entry::<Workload>(workload),
        tp_size: shape[0],
        pp_size: shape[1],
        dp_size: shape[2],
        microbatches: 16,
        batch_tokens,
        flops_per_param_token,
        accelerator: entry::<HardwareNode>("Hardware.Cloud.H100"),
        precision: "bf16_dense".into(),
        local_efficiency: 0.40,
        link_bandwidth: Bandwidth::from_base(50e9),
        overlap_fraction: 0.0,
        gradient_precision: "bf16".into(),
        window_resolution: None,
        device_memory: None,
    }
}

pub fn compute_of_a_replica_is_shared(row: &Row) {
    let case = layout("Models.Language.Llama3_70B", [8, 2, 32], 512.0 * 4096.0, 8.0);
    assert_eq!(case.n_devices(), Ok(512));
    let compute: Time = case.result().unwrap().compute_time;
    row.check(compute / SECOND, "5.8479");
}

pub fn published_layout_fills_the_cluster(row: &Row) {
    let case = layout("Models.Language.Llama3_405B", [8, 16, 128], 16e6, 6.0);
    assert_eq!(case.n_devices().unwrap() as f64, row.right("16384"));
    let fleet = entry::<Fleet>("Systems.Clusters.Meta_Llama3_16K_H100");
    assert_eq!(case.n_devices(), Ok(fleet.total_accelerators()));
}

pub fn no_schedule_reaches_the_published_utilization(row: &Row) {
    assert!(row.right_value.contains("41%"));
    for (chunks, bubble) in [(1, 48.4), (4, 19.0), (8, 10.5)] {
        let percent = 100.0 * pipeline_bubble(16, chunks * 16);
        assert!((percent - bubble).abs() < 0.05, "{percent}");
        assert!(0.42 * (1.0 - percent / 100.0) < 0.41);
    }
}

/// ZeRO-2 of 7.5 billion parameters on 64 devices.
pub fn zero_2_shards_gradients_and_optimizer_state(row: &Row) {
    let model = Workload::from_inputs([("parameters", "7.5e9 param")]).unwrap();
    let (activations, link_bandwidth) = (None, None);
    let sharding = ZeroShardingModel { model: Arc::new(model), n_devices: 64, activations, link_bandwidth };
    row.check(sharding.solve().unwrap().stage_state["ZeRO-2"].base() / 1e9, "16.64");
}
