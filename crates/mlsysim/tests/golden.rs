//! The named scenarios of the reference give the same numbers here.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::differences::Differences;
use common::{golden_scenarios, json, mismatches};
use mlsysim::{Description, Line, Value, library};
use mlsysim_scenario::Type;
use serde_json::{Value as Json, json};

/// How far an output may be from the golden one, relative: its equation may be ordered otherwise.
const TOLERANCE: f64 = 1e-9;

/// How far an input may be, and an output of the two tensor-parallel pages: a few roundings.
const ROUNDINGS: f64 = 1e-12;

fn tolerance(kind: &Json) -> f64 {
    let pages = ["TensorParallelSpeedupScenario", "TensorParallelLayerScenario"];
    if pages.iter().any(|page| kind == page) { ROUNDINGS } else { TOLERANCE }
}

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
        let found = mismatches(
            &path,
            ours.unwrap_or(&Json::Null),
            theirs.unwrap_or(&Json::Null),
            tolerance(&record["type"]),
        );
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
        // A case of our own has nothing to agree with.
        let Some(record) = golden.iter().find(|record| record["id"] == name) else { continue };
        let case = library().case(name).unwrap();
        let item = case.item();
        let description = item.description();
        assert_eq!(record["type"], description.name, "{name}");
        assert_eq!(record["group"], group, "{name}");

        let inputs = description.fields.iter().enumerate();
        let inputs: serde_json::Map<String, Json> = inputs
            .map(|(index, field)| {
                // A record that the case spells out compares as what it is.
                let spelled_out =
                    matches!((case.input(index), &field.value), (Value::Map(_), Type::Object(_)));
                let input = if spelled_out { item.field(index) } else { case.input(index).clone() };
                (field.name.to_string(), serde_json::to_value(input).unwrap())
            })
            .collect();
        let path = format!("{name}.fields");
        let found = mismatches(&path, &Json::Object(inputs), &record["inputs"], ROUNDINGS);
        assert!(found.is_empty(), "{found:#?}");

        // The case as it is written and the golden inputs give the same answer to the last bit.
        let written = case.answer(record["id"].clone(), &mlsysim::Map::new());
        let mut record = record.clone();
        record["calls"] = Json::Null;
        let line = Line::evaluate(&record.to_string(), 1, library());
        assert_eq!(serde_json::to_value(&written).unwrap(), serde_json::to_value(&line).unwrap(), "{name}");
    }
}

#[test]
fn types_are_those_of_the_reference() {
    let golden = json("golden/types.json");
    let scenarios = library().catalogue().filter(|description| description.group().is_some());
    let mut shared = 0;
    for description in scenarios {
        let name = description.name;
        // A type of our own has nothing to agree with.
        let Some(theirs) = golden.get(name) else { continue };
        shared += 1;
        let mut ours = described(description);
        // A field that takes anything there has a type here.
        for (field, shape) in theirs["fields"].as_object().unwrap() {
            if shape["annotation"] == "Any" {
                ours["fields"][field]["annotation"] = json!("Any");
            }
        }
        assert_eq!(ours, *theirs, "{name}");
    }
    assert_eq!(shared, golden.as_object().unwrap().len(), "a type of the reference is missing");
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
        outputs().filter(|output| !output.is_method()).map(|output| output.name).collect();
    properties.sort_unstable();
    let methods = outputs().filter(|output| output.is_method()).map(|output| {
        let arguments = output.arguments.iter().map(|argument| {
            let left_out = if matches!(argument.field.value, Type::Optional(_)) { "?" } else { "" };
            format!("{}{left_out}", argument.field.name)
        });
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
        let Some(theirs) = golden[description.name]["fields"].as_object() else { continue };
        let theirs: Vec<_> = theirs.keys().collect();
        assert_eq!(names, theirs, "{}", description.name);
    }
}
