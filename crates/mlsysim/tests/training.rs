//! Scenarios of training: groups of one, mixtures of experts, and layouts that cannot be.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::near;
use mlsysim::registry::{Fleet, Workload};
use mlsysim::scenarios::training::{
    DataParallelScaleOutScenario, FleetMfuScenario, ParallelLayoutScenario, TensorParallelScenario,
    TrainingRunScenario,
};
use mlsysim::{Define, Item, Library, Value, library, named};

fn entry<T: Define>(path: &str) -> Arc<T> {
    let Ok(Value::Object(object)) = library().value(path) else { panic!("{path} is no entry") };
    object.downcast::<T>().unwrap()
}

#[test]
fn a_group_of_one_exchanges_nothing() {
    let case: TensorParallelScenario = named("Gpt3TensorParallelStepDgxH100").unwrap();
    let alone = TensorParallelScenario { tp_size: 1, ..case }.result().unwrap();
    assert_eq!(alone.communication_time.base(), 0.0);
    assert_eq!(alone.compute_fraction, 1.0);

    let case: DataParallelScaleOutScenario = named("Gpt2DataParallelOneNode").unwrap();
    let alone = DataParallelScaleOutScenario { devices_per_node: 1, ..case }.result().unwrap();
    assert_eq!(alone.communication_time.base(), 0.0);
    assert_eq!((alone.speedup, alone.efficiency), (1.0, 1.0));

    let case: ParallelLayoutScenario = named("Gpt3DataParallel1K").unwrap();
    let alone = ParallelLayoutScenario { dp_size: 1, ..case }.result().unwrap();
    assert_eq!((alone.allreduce_time.base(), alone.exposed_time.base()), (0.0, 0.0));
    assert_eq!((alone.efficiency, alone.efficiency_no_overlap), (1.0, 1.0));
}

/// Two replicas send half of what many do.
#[test]
fn the_exchange_takes_the_time_of_its_bytes() {
    let case: ParallelLayoutScenario = named("Gpt3DataParallel1K").unwrap();
    for dp_size in [2, 3, 8, 1024] {
        let result = ParallelLayoutScenario { dp_size, ..case.clone() }.result().unwrap();
        let time = result.ring_bytes / case.link_bandwidth;
        assert_eq!(result.allreduce_time, time, "{dp_size}");
        let factor = 2.0 * (dp_size as f64 - 1.0) / dp_size as f64;
        assert!(near(result.ring_bytes / result.dp_shard, factor, 1e-15), "{dp_size}");
    }
}

#[test]
fn a_mixture_of_experts_is_priced_by_its_active_parameters() {
    let model = entry::<Workload>("Models.Language.DeepSeek_V3");
    let (all, active) = (model.parameters.unwrap(), model.active_parameters.unwrap());
    let case: TrainingRunScenario = named("Gpt3PretrainingFrontier8K").unwrap();
    let flops = TrainingRunScenario { workload: model.clone(), ..case }.result().unwrap().total_flops;
    assert!(near(flops.base(), 6.0 * active.base() * model.training_tokens.unwrap().base(), 1e-15));

    // Gradients and state are those of all experts.
    let case: ParallelLayoutScenario = named("Gpt3ThreeDParallel1K").unwrap();
    let result = ParallelLayoutScenario { workload: model.clone(), ..case.clone() }.result().unwrap();
    assert!(near(result.step_flops.base(), 6.0 * active.base() * case.batch_tokens, 1e-15));
    assert!(near(result.state_total.base(), 16.0 * all.base(), 1e-15));

    // An equation of a scenario is that of the reference, and says what it counts.
    let case: FleetMfuScenario = named("Llama2_70BFleetMfu128").unwrap();
    let case = FleetMfuScenario { workload: model, ..case };
    assert!(near(case.node_useful_work().unwrap().base(), 6.0 * all.base() * 2204.0, 1e-15));
    assert!(case.notes().iter().any(|note| note.text.contains("mixture of experts")));
}

/// What a layout, a fleet or a job cannot be: the input at fault.
#[test]
fn contradictions_are_refused() {
    let refused = |name: &str, change: (&str, Value)| {
        let case = library().case(name).unwrap();
        let error = case.variant([(change.0.into(), change.1)].into_iter().collect(), library()).unwrap_err();
        (error.field().unwrap().to_string(), error.message().to_string())
    };
    for (name, input, value, message) in [
        ("Gpt3ThreeDParallel1K", "pp_size", Value::from(128), "at most 96 stages"),
        ("Gpt3ThreeDParallel1K", "tp_size", Value::from(7), "do not divide by `7`"),
        ("Gpt3ThreeDParallel1K", "overlap_fraction", Value::from(3.0), "at most 1"),
        ("Gpt3ThreeDParallel1K", "gradient_precision", Value::from("fp16_dense"), "no precision of storage"),
        ("Gpt3ThreeDParallel1K", "precision", Value::from("fp7"), "states no peak for \"fp7\""),
        ("Gpt3TensorParallelStepDgxH100", "tp_size", Value::from(7), "do not divide by `7`"),
        ("Gpt2DataParallelOneNode", "nodes", Value::from(4), "the bandwidth between them"),
        ("Gpt2DataParallelOneNode", "precision", Value::from("half"), "no precision of storage"),
        ("Gpt3GradientSync", "precision", Value::from("half"), "no precision of storage"),
        ("Gpt3PretrainingFrontier8K", "precision", Value::from("fp64"), "states no peak for \"fp64\""),
        ("Gpt2XlRunOnOneH100", "peak_precision", Value::from("fp7"), "states no peak for \"fp7\""),
        ("H100RingAttentionChunk", "precision", Value::from("fp7"), "states no peak for \"fp7\""),
    ] {
        let (field, text) = refused(name, (input, value));
        let expected =
            if name == "Gpt2DataParallelOneNode" && input == "nodes" { "inter_bandwidth" } else { input };
        assert_eq!(field, expected, "{name}.{input}: {text}");
        assert!(text.contains(message), "{name}.{input}: {text}");
    }
}

/// The reference takes the 16-bit peak where a precision has none; an A100 has none in 8 bits.
#[test]
fn a_fleet_computes_in_a_precision_that_it_has() {
    let case: TrainingRunScenario = named("Gpt3PretrainingFrontier8K").unwrap();
    let fleet = entry::<Fleet>("Systems.Clusters.Training_1K_A100");
    let error = TrainingRunScenario { fleet: fleet.clone(), ..case.clone() }.checked().unwrap_err();
    assert_eq!(error.field(), Some("precision"));
    assert!(TrainingRunScenario { fleet, precision: "bf16_dense".into(), ..case }.checked().is_ok());
}
