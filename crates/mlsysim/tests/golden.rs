//! The named scenarios of the reference give the same numbers here.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::differences::Differences;
use common::{golden_scenarios, json, mismatches};
use mlsysim::{Description, Line, library};
use serde_json::{Value as Json, json};

/// How far a number may be from the golden one: the error of a few roundings.
const TOLERANCE: f64 = 1e-12;

/// What was compared, for the summary.
#[derive(Default)]
struct Tally {
    types: BTreeSet<String>,
    cases: usize,
    outputs: usize,
    agreeing: usize,
    missing: BTreeMap<String, usize>,
}

#[test]
fn every_output_agrees_or_is_listed_as_different() {
    let differences = Differences::read("output");
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for record in golden_scenarios() {
        let kind = record["type"].as_str().unwrap().to_string();
        if library().catalogue().all(|description| description.name != kind) {
            *tally.missing.entry(kind).or_default() += 1;
            continue;
        }
        tally.types.insert(kind);
        tally.cases += 1;
        check(&record, &differences, &mut tally, &mut wrong);
    }
    println!(
        "golden scenarios: {} types, {} cases, {} outputs, {} agreeing, {} listed as different; {} types with {} cases not yet in the catalogue",
        tally.types.len(),
        tally.cases,
        tally.outputs,
        tally.agreeing,
        differences.used(),
        tally.missing.len(),
        tally.missing.values().sum::<usize>(),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tally.agreeing > 0, "nothing was compared");
    differences.assert_all_used();
}

/// Evaluates one golden record as a line of `eval` and compares each output.
fn check(record: &Json, differences: &Differences, tally: &mut Tally, wrong: &mut Vec<String>) {
    let id = record["id"].as_str().unwrap();
    let line = Line::evaluate(&record.to_string(), 1, library());
    let answer = serde_json::to_value(&line).unwrap();
    assert_eq!(answer["id"], record["id"]);
    let Some(outputs) = answer["outputs"].as_object() else {
        return wrong.push(format!("{id}: {answer}"));
    };
    let golden = record["outputs"].as_object().unwrap();
    let names: BTreeSet<_> = outputs.keys().chain(golden.keys()).collect();
    for name in names {
        tally.outputs += 1;
        let (ours, theirs) = (outputs.get(name), golden.get(name));
        let path = format!("{id}.{name}");
        let found = mismatches(&path, ours.unwrap_or(&Json::Null), theirs.unwrap_or(&Json::Null), TOLERANCE);
        if found.is_empty() {
            tally.agreeing += 1;
        }
        // A figure of a result is listed as `result.figure`.
        let unlisted =
            found.iter().filter(|mismatch| !differences.allow(&mismatch.path.replace(".fields.", ".")));
        wrong.extend(unlisted.map(|mismatch| {
            format!("{}: {} is not the golden {}", mismatch.path, mismatch.ours, mismatch.theirs)
        }));
    }
}

#[test]
fn named_cases_have_the_inputs_of_the_golden_ones() {
    let golden = golden_scenarios();
    for (group, name) in library().case_names() {
        let record = golden.iter().find(|record| record["id"] == name);
        let record = record.unwrap_or_else(|| panic!("{name} is no case of the reference"));
        let case = library().case(name).unwrap();
        let description = case.item().description();
        assert_eq!(record["type"], description.name, "{name}");
        assert_eq!(record["group"], group, "{name}");

        let inputs = description.fields.iter().enumerate();
        let inputs: serde_json::Map<String, Json> = inputs
            .map(|(index, field)| (field.name.to_string(), serde_json::to_value(case.input(index)).unwrap()))
            .collect();
        let path = format!("{name}.fields");
        let found = mismatches(&path, &Json::Object(inputs), &record["inputs"], TOLERANCE);
        assert!(found.is_empty(), "{found:#?}");

        // The case as it is written and the golden inputs give the same answer to the last bit.
        let written = case.answer(record["id"].clone(), &mlsysim::Map::new());
        let line = Line::evaluate(&record.to_string(), 1, library());
        assert_eq!(serde_json::to_value(&written).unwrap(), serde_json::to_value(&line).unwrap(), "{name}");
    }
}

#[test]
fn types_are_those_of_the_reference() {
    let golden = json("golden/types.json");
    let scenarios = library().catalogue().filter(|description| description.group().is_some());
    for description in scenarios {
        let name = description.name;
        assert!(golden.get(name).is_some(), "{name} is no type of the reference");
        assert_eq!(described(description), golden[name], "{name}");
    }
}

/// A description in the form of `types.json`.
fn described(description: &Description) -> Json {
    let fields = description.fields.iter().map(|field| {
        let mut shape = json!({"annotation": field.value.python(), "required": field.default.is_none()});
        if let Some(default) = field.default {
            shape["default"] = serde_json::to_value(default()).unwrap();
        }
        (field.name.to_string(), shape)
    });
    let outputs = || description.results().map(|(_, output)| output);
    let mut properties: Vec<_> =
        outputs().filter(|output| output.arguments.is_empty()).map(|output| output.name).collect();
    properties.sort_unstable();
    let methods = outputs().filter(|output| !output.arguments.is_empty()).map(|output| {
        let arguments = output.arguments.iter().map(|argument| argument.field.name);
        (output.name.to_string(), arguments.collect::<Json>())
    });
    json!({
        "base": "BaseScenario",
        "fields": fields.collect::<serde_json::Map<_, _>>(),
        "properties": properties,
        "methods": methods.collect::<serde_json::Map<_, _>>(),
        "group": description.group(),
    })
}

/// The order of fields is part of the interface: Python takes them by keyword, pages by order.
#[test]
fn fields_stand_in_the_order_of_the_reference() {
    let golden = json("golden/types.json");
    for description in library().catalogue().filter(|description| description.group().is_some()) {
        let names: Vec<_> = description.fields.iter().map(|field| field.name).collect();
        let theirs: Vec<_> = golden[description.name]["fields"].as_object().unwrap().keys().collect();
        assert_eq!(names, theirs, "{}", description.name);
    }
}
