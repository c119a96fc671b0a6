//! What holds for every instance of the tensor-parallel scenarios, whatever its numbers.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::near;
use mlsysim::quantity::{Bandwidth, FlopRate, Time};
use mlsysim::registry::{Workload, read_case};
use mlsysim::scenarios::serving::TensorParallelSpeedupScenario;
use mlsysim::solvers::{TensorParallelLayerModel, TensorParallelLayerResult};
use mlsysim::{Define, DynQuantity, Line, Map, Name, Value, library};
use proptest::prelude::*;

/// Some roundings, one after the other.
const ROUNDING: f64 = 1e-14;

fn phases() -> impl Strategy<Value = Map<Time>> {
    let phase = ("[a-z]{1,8}", 1e-6..1e3f64);
    proptest::collection::vec(phase, 1..5).prop_map(|phases| {
        phases.into_iter().map(|(name, time)| (name.into(), Time::from_base(time))).collect()
    })
}

prop_compose! {
    fn speedup()(
        serial_layer_times in phases(),
        tp_size in 1..1024u64,
        allreduce_time in 0.0..1.0f64,
        collectives_per_layer in 0..8u64,
        layers in 1..200u64,
    ) -> TensorParallelSpeedupScenario {
        let allreduce_time = Time::from_base(allreduce_time);
        TensorParallelSpeedupScenario { serial_layer_times, tp_size, allreduce_time, collectives_per_layer, layers }
    }
}

prop_compose! {
    /// A layer over a group that divides its 64 heads, with links of any speed.
    fn layer()(
        exponent in 0..7u32,
        tokens in 1..1_000_000u64,
        peak in 1e9..1e16f64,
        local_efficiency in 0.01..=1.0f64,
        links in proptest::collection::vec(1e6..1e13f64, 1..4),
        collectives_per_layer in 0..6u64,
    ) -> TensorParallelLayerModel {
        let model = [("name", "M"), ("layers", "80"), ("hidden_dim", "8192"), ("heads", "64"), ("parameters", "7e10 param")];
        let links = links.into_iter().enumerate();
        TensorParallelLayerModel {
            model: Arc::new(Workload::from_inputs(model).unwrap()),
            tp_size: 2u64.pow(exponent),
            tokens,
            peak_flops: FlopRate::from_base(peak),
            local_efficiency,
            links: links.map(|(index, link)| (format!("{index}").into(), Bandwidth::from_base(link))).collect(),
            collectives_per_layer,
        }
    }
}

fn solved(layer: &TensorParallelLayerModel) -> TensorParallelLayerResult {
    layer.clone().checked().unwrap().solve().unwrap()
}

proptest! {
    /// One device without collectives is neither faster nor slower than itself, to the last bit.
    #[test]
    fn a_group_of_one_without_collectives_gains_nothing(case in speedup()) {
        let alone = TensorParallelSpeedupScenario { tp_size: 1, collectives_per_layer: 0, ..case };
        prop_assert_eq!(alone.speedup(), 1.0);
        prop_assert_eq!(alone.parallel_total(), alone.serial_total());
    }

    /// No group is faster than its size, and more devices never compute longer.
    #[test]
    fn more_devices_never_compute_longer(case in speedup()) {
        prop_assert!(case.speedup() <= case.tp_size as f64 * (1.0 + ROUNDING));
        let more = TensorParallelSpeedupScenario { tp_size: case.tp_size + 1, ..case.clone() };
        prop_assert!(more.sharded_compute_time() <= case.sharded_compute_time());
        prop_assert!(more.speedup() >= case.speedup());
    }

    /// Communication never makes a layer faster.
    #[test]
    fn more_communication_is_never_faster(case in speedup(), extra in 0.0..1.0f64) {
        let more = TensorParallelSpeedupScenario {
            collectives_per_layer: case.collectives_per_layer + 1,
            allreduce_time: case.allreduce_time + Time::from_base(extra),
            ..case.clone()
        };
        prop_assert!(more.parallel_layer_time() >= case.parallel_layer_time());
    }

    /// The totals are those of the layers, and the phases add up to the layer.
    #[test]
    fn totals_are_sums(case in speedup()) {
        prop_assert_eq!(case.serial_total(), case.layers * case.serial_layer_time());
        prop_assert_eq!(case.parallel_total(), case.layers * case.parallel_layer_time());
        let phases: Time = case.serial_layer_times.keys().map(|phase| case.sharded(phase).unwrap()).sum();
        prop_assert!(near(phases.base(), case.sharded_compute_time().base(), ROUNDING));
    }

    /// The speed-up does not depend on the unit of time: written in other units it is the same.
    #[test]
    fn speedup_is_the_same_in_every_unit(case in speedup(), unit in proptest::sample::select(vec!["s", "µs", "ns", "min", "h", "d"])) {
        let unit = mlsysim::Unit::parse(unit).unwrap();
        let written = |time: &Time| Value::Quantity(DynQuantity::new(unit.from_base(time.base()), unit.clone()));
        let times: Map<Value> = case.serial_layer_times.iter().map(|(phase, time)| (phase.clone(), written(time))).collect();
        let same = TensorParallelSpeedupScenario::from_inputs([
            ("serial_layer_times", Value::Map(times)),
            ("tp_size", Value::from(case.tp_size as i64)),
            ("allreduce_time", written(&case.allreduce_time)),
            ("collectives_per_layer", Value::from(case.collectives_per_layer as i64)),
            ("layers", Value::from(case.layers as i64)),
        ]).unwrap();
        prop_assert!(near(same.speedup(), case.speedup(), ROUNDING));
    }

    /// Times that all grow alike leave the speed-up as it is.
    #[test]
    fn speedup_is_invariant_under_scale(case in speedup(), scale in 1e-3..1e3f64) {
        let scaled = TensorParallelSpeedupScenario {
            serial_layer_times: case.serial_layer_times.iter().map(|(phase, time)| (phase.clone(), *time * scale)).collect(),
            allreduce_time: case.allreduce_time * scale,
            ..case.clone()
        };
        prop_assert!(near(scaled.speedup(), case.speedup(), ROUNDING));
    }

    /// Bytes move if and only if there is somebody to send them to and something to send.
    #[test]
    fn bytes_move_between_devices_only(layer in layer()) {
        let silent = layer.tp_size == 1 || layer.collectives_per_layer == 0;
        let result = solved(&layer);
        prop_assert_eq!(result.layer_bytes.base() == 0.0, silent);
        prop_assert_eq!(result.transfer_times.values().all(|time| time.base() == 0.0), silent);
    }

    /// A faster link is never slower, and moves the same bytes.
    #[test]
    fn more_bandwidth_is_never_slower(layer in layer(), factor in 1.0..100.0f64) {
        let faster = TensorParallelLayerModel {
            links: layer.links.iter().map(|(name, link)| (name.clone(), *link * factor)).collect(),
            ..layer.clone()
        };
        let (slow, fast) = (solved(&layer), solved(&faster));
        prop_assert_eq!(slow.layer_bytes, fast.layer_bytes);
        for (name, time) in &slow.transfer_times {
            prop_assert!(fast.transfer_times[name] <= *time);
        }
    }

    /// More devices compute less each, but send more; the work of the whole layer stays.
    #[test]
    fn a_larger_group_computes_less_and_sends_more(layer in layer()) {
        let larger = TensorParallelLayerModel { tp_size: 64, ..layer.clone() };
        let (small, large) = (solved(&layer), solved(&larger));
        prop_assert_eq!(small.layer_flops, large.layer_flops);
        prop_assert!(large.compute_time <= small.compute_time);
        prop_assert!(large.layer_bytes >= small.layer_bytes);
        // No device sends twice the payload for each collective, however large the group.
        let payload = 2.0 * layer.tokens as f64 * 8192.0;
        prop_assert!(large.layer_bytes.base() <= 2.0 * payload * layer.collectives_per_layer as f64);
    }

    /// A rate at an efficiency is as good as the lower rate itself.
    #[test]
    fn efficiency_scales_the_peak(layer in layer()) {
        let lower = TensorParallelLayerModel {
            peak_flops: layer.peak_flops * layer.local_efficiency,
            local_efficiency: 1.0,
            ..layer.clone()
        };
        prop_assert!(near(solved(&lower).compute_time.base(), solved(&layer).compute_time.base(), ROUNDING));
    }

    /// What the Rust API computes is what a line of `eval` answers.
    #[test]
    fn a_line_answers_what_the_methods_do(case in speedup()) {
        let times: Map<Value> = case.serial_layer_times.iter()
            .map(|(phase, time)| (phase.clone(), Value::text(format!("{} s", time.base())))).collect();
        let line = serde_json::json!({"type": "TensorParallelSpeedup", "inputs": {
            "serial_layer_times": times,
            "tp_size": case.tp_size,
            "allreduce_time": {"value": case.allreduce_time.base(), "unit": "s"},
            "collectives_per_layer": case.collectives_per_layer,
            "layers": case.layers,
        }});
        let Line::Answer(answer) = Line::evaluate(&line.to_string(), 1, library()) else { panic!("{line}") };
        prop_assert_eq!(answer.outputs["speedup"].clone(), Ok(Value::Number(case.speedup())));
    }

    /// A variant without a change is the case itself, and one that is changed back equals it.
    #[test]
    fn a_variant_without_change_is_equal(name in proptest::sample::select(named()), degree in proptest::sample::select(vec![1i64, 2, 4, 8])) {
        let case = library().case(name).unwrap();
        let same = case.variant(Map::new(), library()).unwrap();
        prop_assert_eq!(same.object(), case.object());
        prop_assert_eq!(same.written(), case.written());
        let change = |value: Value| Map::from_iter([(Name::from("tp_size"), value)]);
        let changed = case.variant(change(Value::Integer(degree)), library()).unwrap();
        let back = changed.variant(change(case.written()["tp_size"].clone()), library()).unwrap();
        prop_assert_eq!(back.object(), case.object());
        prop_assert_eq!(changed.object() == case.object(), degree == 8);
    }

    /// Whatever stands in a line or a file, the answer is an answer or a refusal.
    #[test]
    fn no_line_panics(text in ".{0,80}") {
        let line = Line::evaluate(&text, 1, library());
        prop_assert!(serde_json::to_string(&line).is_ok());
        prop_assert!(line.is_refused());
    }

    #[test]
    fn no_file_panics(text in "[\\[\\]a-z0-9 =\"'{}.,\n#@-]{0,80}") {
        let read = read_case(&text, Map::new(), library());
        prop_assert!(read.is_err_and(|error| error.place().is_some()));
    }

    /// A value in place of any input: any JSON that is no longer than a short text.
    #[test]
    fn no_value_panics(value in json(), field in 0..5usize, name in proptest::sample::select(named())) {
        let case = library().case(name).unwrap();
        let field = case.item().description().fields[field].name;
        let mut inputs = serde_json::to_value(Value::Map(case.written().clone())).unwrap();
        inputs[field] = value;
        let kind = case.item().description().name;
        let line = serde_json::json!({"type": kind, "inputs": inputs});
        let text = serde_json::to_string(&Line::evaluate(&line.to_string(), 1, library())).unwrap();
        prop_assert!(!text.contains("nonfinite"), "{}", text);
    }
}

fn named() -> Vec<&'static str> {
    let tensor_parallel = ["Llama2_70BPrefillTensorParallel8", "Gpt3TensorParallelLayerTp8"];
    library().case_names().map(|(_, name)| name).filter(|name| tensor_parallel.contains(name)).collect()
}

/// Any JSON, now and then with the keys that mean something here.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![
        "[ -~µ²·]{0,12}",
        (any::<f64>(), proptest::sample::select(vec!["ms", "s", "GB", "GB/s", "%", "", "°C"]))
            .prop_map(|(number, unit)| format!("{number} {unit}")),
        proptest::sample::select(vec!["@Models.Language.GPT3", "@Hardware.Cloud.H100.tdp", "@", "Models"])
            .prop_map(str::to_string),
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        any::<f64>().prop_map(
            |number| serde_json::Number::from_f64(number).map_or(serde_json::Value::Null, Into::into)
        ),
        text.prop_map(Into::into),
        proptest::sample::select(vec!["nan", "inf", "-inf"])
            .prop_map(|word| serde_json::json!({"nonfinite": word})),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let key = prop_oneof![
            "[a-z]{1,4}",
            proptest::sample::select(vec!["ref", "value", "unit", "type", "fields", "set", "name"])
                .prop_map(str::to_string)
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            proptest::collection::vec((key, inner), 0..4)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}
