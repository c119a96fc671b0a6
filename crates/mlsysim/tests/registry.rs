//! The registry holds what the reference holds, and derives from it what the reference derives.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::differences::Differences;
use common::{json, mismatches};
use mlsysim::{Library, Object, Result, Value, library};
use serde_json::Value as Json;

/// A figure is a figure: only the conversion of units may round.
const TOLERANCE: f64 = 1e-12;

/// What every comparison of figures adds to.
#[derive(Default)]
struct Tally {
    entries: usize,
    figures: usize,
    wrong: Vec<String>,
}

#[test]
fn every_figure_agrees_or_is_listed_as_different() {
    let golden = json("golden/registry.json");
    let differences = Differences::read("registry");
    let mut tally = Tally::default();
    for path in library().paths("") {
        let Some(object) = common::record(path) else {
            // The golden file does not hold every branch of the reference's registry.
            let branch = format!("{}.", path.split('.').next().unwrap());
            if golden.as_object().unwrap().keys().any(|known| known.starts_with(&branch)) {
                check_group(&golden, path, &differences, &mut tally);
            }
            continue;
        };
        let Some(record) = golden.get(path) else {
            // An entry of our own is a difference too.
            if !differences.allow(path) {
                tally.wrong.push(format!("{path} is no entry of the reference"));
            }
            continue;
        };
        tally.entries += 1;
        let kind = record["type"].as_str().unwrap();
        if !object.description().answers_to(kind) {
            tally.wrong.push(format!("{path} is a {}, not a {kind}", object.description().name));
        }
        check(path, &record["fields"], &differences, &mut tally);
    }
    println!(
        "golden registry: {} of {} entries, {} figures, {} listed as different",
        tally.entries,
        golden.as_object().unwrap().len(),
        tally.figures,
        differences.used(),
    );
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.figures > 0, "nothing was compared");
    differences.assert_all_used();
}

/// Compares a group of single figures, each of which is an entry of the reference.
fn check_group(golden: &Json, path: &str, differences: &Differences, tally: &mut Tally) {
    for figure in common::figures(path) {
        match stated(golden, &figure) {
            Some(Json::Null) => {}
            Some(theirs) => {
                tally.entries += 1;
                let ours = serde_json::to_value(library().value(&figure).unwrap()).unwrap();
                compare(&figure, &ours, &theirs, differences, tally);
            }
            None if ancestors(&figure).any(|path| differences.allow(path)) => {}
            None => tally.wrong.push(format!("{figure} is no figure of the reference")),
        }
    }
}

/// What the reference states at `path`: an entry, a field of one, or a part of its value.
fn stated(golden: &Json, path: &str) -> Option<Json> {
    ancestors(path).find_map(|owner| {
        let record = golden.get(owner)?;
        let mut found = record.get("fields").map_or_else(|| plain(record), Clone::clone);
        for key in path[owner.len()..].split('.').filter(|key| !key.is_empty()) {
            found = found.get(key)?.clone();
        }
        Some(found)
    })
}

/// The path itself, and each path that it lies below.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(owner, _)| owner))
}

/// A figure of the reference without the type that wraps it.
fn plain(record: &Json) -> Json {
    match (record.get("value"), record.get("unit")) {
        (Some(value), Some(unit)) => serde_json::json!({"value": value, "unit": unit}),
        (Some(value), None) => value.clone(),
        _ => record.clone(),
    }
}

/// Compares the fields that the reference states with those of our entry.
fn check(path: &str, fields: &Json, differences: &Differences, tally: &mut Tally) {
    for (name, theirs) in fields.as_object().unwrap().iter().filter(|(_, theirs)| !theirs.is_null()) {
        let path = format!("{path}.{name}");
        // By its path, so that what refers to another entry is that entry.
        let ours = library().value(&path).unwrap_or(Value::Null);
        match (&ours, theirs.get("fields")) {
            (Value::Object(_), Some(fields)) => check(&path, fields, differences, tally),
            _ => compare(&path, &serde_json::to_value(&ours).unwrap(), theirs, differences, tally),
        }
    }
}

/// Compares one figure, or a map of figures by key: the order of keys and keys of our own are free.
fn compare(path: &str, ours: &Json, theirs: &Json, differences: &Differences, tally: &mut Tally) {
    // Where theirs refers to an entry that is a part of a group here, ours is that part.
    if let Some(Ok(Value::Map(part))) =
        theirs.get("ref").and_then(Json::as_str).map(|path| library().value(path))
    {
        return compare(path, ours, &serde_json::to_value(part).unwrap(), differences, tally);
    }
    if let (Some(ours), Some(theirs), None) = (ours.as_object(), theirs.as_object(), theirs.get("unit")) {
        for (key, theirs) in theirs {
            let ours = ours.get(key).unwrap_or(&Json::Null);
            compare(&format!("{path}.{key}"), ours, theirs, differences, tally);
        }
        return;
    }
    tally.figures += 1;
    let theirs = &plain(theirs);
    let found = mismatches(path, ours, theirs, TOLERANCE);
    if !found.is_empty() && !ancestors(path).any(|path| differences.allow(path)) {
        tally.wrong.push(format!("{path}: {ours} is not the golden {theirs}"));
    }
}

/// The equations of our records, on the reference's own figures, give what the reference derives.
///
/// Every record of the reference whose type we have is built from its golden fields, also those
/// that `data/` does not hold, so that no difference in a figure hides one in an equation.
#[test]
fn derived_figures_follow_from_golden_fields() {
    let golden = json("golden/registry.json");
    let mut tally = Tally::default();
    for (path, record) in golden.as_object().unwrap() {
        derive(&golden, path, record, &mut tally);
    }
    println!("golden registry: {} derived figures of {} records", tally.figures, tally.entries);
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.figures > 0, "nothing was compared");
}

fn derive(golden: &Json, path: &str, record: &Json, tally: &mut Tally) {
    let Some(fields) = record.get("fields").and_then(Json::as_object) else { return };
    for (name, field) in fields {
        derive(golden, &format!("{path}.{name}"), field, tally);
    }
    let kind = record["type"].as_str().unwrap();
    let (Some(description), Some(figures)) = (library().description(kind), record.get("derived")) else {
        return;
    };
    let computed = |name: &str| description.output(name.split('(').next().unwrap()).is_some();
    let figures: Vec<_> = figures.as_object().unwrap().iter().filter(|(name, _)| computed(name)).collect();
    if figures.is_empty() {
        return;
    }
    let object = match build(golden, path, record) {
        Ok(object) => object,
        Err(error) => return tally.wrong.push(format!("{path}: {error}")),
    };
    tally.entries += 1;
    for (call, theirs) in figures {
        tally.figures += 1;
        let ours = output(&object, call).map_or(Json::Null, |value| serde_json::to_value(&value).unwrap());
        for mismatch in mismatches(&format!("{path}.{call}"), &ours, theirs, TOLERANCE) {
            tally
                .wrong
                .push(format!("{}: {} is not the golden {}", mismatch.path, mismatch.ours, mismatch.theirs));
        }
    }
}

/// The output of `name` or `name(argument)`; nothing where it does not exist for this record.
fn output(object: &Object, call: &str) -> Option<Value> {
    let (name, argument) =
        call.split_once('(').map_or((call, ""), |(name, rest)| (name, rest.trim_end_matches(')')));
    let (index, _) = object.description().output(name)?;
    let arguments = if argument.is_empty() { vec![] } else { vec![Value::text(argument)] };
    object.item().output(index, &arguments).ok()
}

/// The record at `path` of the reference, built from the fields that it states.
fn build(golden: &Json, path: &str, record: &Json) -> Result<Object> {
    let mut record = structure(golden, record);
    // What is nameless in the reference is called by its path here.
    let description = library().description(record["type"].as_str().unwrap()).unwrap();
    if description.field("name").is_some() && record["fields"].get("name").is_none() {
        record["fields"]["name"] = path.rsplit('.').next().into();
    }
    let value: Value = serde_json::from_value(record).unwrap();
    match mlsysim_scenario::resolve(library(), value)? {
        Value::Object(object) => Ok(object),
        other => panic!("{path} was built as {other}"),
    }
}

/// A golden record as a structure with the fields that are stated.
fn structure(golden: &Json, record: &Json) -> Json {
    let stated = record["fields"].as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
    let fields = stated.map(|(key, value)| (key.clone(), spelled_out(golden, value)));
    serde_json::json!({"type": record["type"], "fields": fields.collect::<serde_json::Map<_, _>>()})
}

/// The same JSON with the golden record in place of a reference to an entry that `data/` does not
/// hold.
fn spelled_out(golden: &Json, json: &Json) -> Json {
    match json {
        Json::Object(map) if map.contains_key("fields") => structure(golden, json),
        Json::Object(map) => match map.get("ref").and_then(Json::as_str) {
            Some(path) if library().value(path).is_err() && golden.get(path).is_some() => {
                structure(golden, &golden[path])
            }
            _ => map.iter().map(|(key, value)| (key.clone(), spelled_out(golden, value))).collect(),
        },
        Json::Array(items) => items.iter().map(|item| spelled_out(golden, item)).collect(),
        plain => plain.clone(),
    }
}
