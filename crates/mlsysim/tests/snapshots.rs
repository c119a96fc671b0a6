//! What a user sees of the two named cases: derivations, answers and schemas, word by word.
//!
//! `cargo insta review` shows what a change does to them.
#![allow(clippy::unwrap_used)]

use mlsysim::{Derivation, Map, Value, library, schema};

const CASES: [&str; 2] = ["Llama2_70BPrefillTensorParallel8", "Gpt3TensorParallelLayerTp8"];

#[test]
fn derivations() {
    for name in CASES {
        let case = library().case(name).unwrap();
        let mut text = String::new();
        for (_, output) in case.item().description().results() {
            let arguments: Vec<Value> = output.arguments.iter().map(|_| Value::text("attention")).collect();
            let derived = Derivation::of_output(&case, output.name, &arguments, library()).unwrap();
            text.push_str(&format!("{derived}\n\n"));
        }
        insta::assert_snapshot!(format!("derivation_{name}"), text.trim_end());
    }
}

#[test]
fn derivations_for_programs() {
    for (name, output) in [(CASES[0], "speedup"), (CASES[1], "result")] {
        let case = library().case(name).unwrap();
        let derived = Derivation::of_output(&case, output, &[], library()).unwrap();
        insta::assert_json_snapshot!(format!("derivation_json_{name}"), derived);
    }
}

#[test]
fn answers() {
    for name in CASES {
        let case = library().case(name).unwrap();
        insta::assert_json_snapshot!(format!("answer_{name}"), case.answer(name.into(), &Map::new()));
    }
}

/// An output that an instance does not have stands in its place with the reason.
#[test]
fn absent_output() {
    let case = library().case(CASES[0]).unwrap();
    let nothing = Map::from_iter([
        ("allreduce_time".into(), Value::from("0 ms")),
        (
            "serial_layer_times".into(),
            Value::Map(Map::from_iter([("attention".into(), Value::from("0 ms"))])),
        ),
    ]);
    let case = case.variant(nothing, library()).unwrap();
    insta::assert_json_snapshot!(case.answer(serde_json::Value::Null, &Map::new()));
}

#[test]
fn schemas() {
    for description in library().catalogue().filter(|description| description.group().is_some()) {
        if CASES
            .iter()
            .any(|name| library().case(name).unwrap().item().description().name == description.name)
        {
            insta::assert_json_snapshot!(format!("schema_{}", description.name), schema(description));
        }
    }
}
