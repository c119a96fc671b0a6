//! What a variant of a named case knows of its inputs, and keeps when it is built again.
#![allow(clippy::unwrap_used)]

use mlsysim::{Case, Map, Value, library};

fn changes(name: &str, value: Value) -> Map<Value> {
    [(name.into(), value)].into_iter().collect()
}

#[test]
fn a_variant_knows_what_it_changed() {
    let case = library().case("Llama2_70BPrefillTensorParallel8").unwrap();
    assert_eq!(case.changed(), [] as [&str; 0]);
    let slow = case.variant(changes("allreduce_time", Value::text("1 ms")), library()).unwrap();
    let again = slow.variant(changes("allreduce_time", Value::text("2 ms")), library()).unwrap();
    assert_eq!(again.changed(), ["allreduce_time"]);
    let phases = Value::Map(changes("attention", Value::text("1 ms")));
    let phased = again.variant(changes("serial_layer_times", phases), library()).unwrap();
    assert_eq!(phased.changed(), ["allreduce_time", "serial_layer_times.attention"]);
}

#[test]
fn a_case_that_is_built_again_keeps_its_sources() {
    let case = library().case("Llama2_70BPrefillTensorParallel8").unwrap();
    let case = case.variant(changes("allreduce_time", Value::text("1 ms")), library()).unwrap();
    let written = Case::new(case.item().description(), case.written().clone(), library()).unwrap();
    let again = written.with_origin(
        case.title.clone(),
        case.description.clone(),
        case.source.clone(),
        case.changed().to_vec(),
    );
    assert_eq!(again.source_of("allreduce_time"), "given");
    for input in ["allreduce_time", "tp_size", "serial_layer_times.attention"] {
        assert_eq!(again.source_of(input), case.source_of(input));
    }
    assert_ne!(again.source_of("tp_size"), "given");
    assert_eq!((&again.title, &again.description), (&case.title, &case.description));
}
