//! Every bad input is refused with one clear message that names it, from JSON and from TOML alike.
//!
//! The cases and their exact messages stand in `tests/bad_inputs.jsonl`, which the Python package's
//! tests read too; a message is changed there, after reading it as a user would.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use mlsysim::registry::read_case;
use mlsysim::{Case, Library, Line, Map, Result, Value, library};
use serde_json::Value as Json;

/// The cases, each a JSON object with `name`, `type`, `inputs`, perhaps `calls`, and what is wrong.
fn cases() -> Vec<Json> {
    let cases = common::lines("bad_inputs.jsonl");
    let names: BTreeSet<_> = cases.iter().map(|case| case["name"].to_string()).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    cases
}

/// Fails unless the error names the field and says what the case expects.
fn check(case: &Json, error: &Json) {
    let name = case["name"].as_str().unwrap();
    assert_eq!(error["message"], case["message"], "the message of `{name}`");
    assert_eq!(error.get("field").unwrap_or(&Json::Null), &case["field"], "the field of `{name}`");
}

#[test]
fn a_line_of_eval_is_refused() {
    for case in cases() {
        let answer = serde_json::to_value(Line::evaluate(&case.to_string(), 1, library())).unwrap();
        match case.get("calls") {
            // A call that is wrong takes the place of its own output and of no other.
            Some(calls) => {
                let label = calls.as_object().unwrap().keys().next().unwrap();
                check(&case, &answer["outputs"][label]["error"]);
                assert_eq!(answer["outputs"].as_object().unwrap().values().filter(is_error).count(), 1);
            }
            None => check(&case, &answer["error"]),
        }
    }
}

fn is_error(output: &&Json) -> bool {
    output.get("error").is_some()
}

#[test]
fn a_case_is_refused() {
    for case in cases() {
        if let Err(error) = build(&case) {
            check(&case, &serde_json::to_value(&error).unwrap());
        }
    }
}

/// The case built from its values, and its call made, as the Rust API does.
fn build(case: &Json) -> Result<()> {
    let kind = case["type"].as_str().unwrap();
    let Some(description) = library().description(kind).filter(|description| description.group().is_some())
    else {
        return Ok(());
    };
    let Value::Map(inputs) = serde_json::from_value(case["inputs"].clone()).unwrap() else {
        panic!("{case}")
    };
    let built = Case::new(description, inputs, library())?;
    let calls = case["calls"].as_object().unwrap_or_else(|| panic!("`{}` is accepted", case["name"]));
    let (label, arguments) = calls.iter().next().unwrap();
    let arguments: Vec<Value> = serde_json::from_value(arguments.clone()).unwrap();
    let output = built.output(label.split('(').next().unwrap(), &arguments);
    output.map(|value| panic!("`{}` is answered with {value}", case["name"]))
}

#[test]
fn a_file_is_refused_at_the_line_of_the_input() {
    let mut checked = 0;
    for case in cases() {
        let (Some(text), None) = (toml(&case), case.get("calls")) else { continue };
        let error = read_case(&text, Map::new(), library()).map(|_| ()).unwrap_err();
        let name = case["name"].as_str().unwrap();
        check(&case, &serde_json::to_value(&error).unwrap());
        let found = error.place().unwrap_or_else(|| panic!("`{name}` has no place"));
        assert_eq!(found, place(&text, case["field"].as_str().unwrap()), "the place of `{name}` in\n{text}");
        checked += 1;
    }
    assert!(checked > 80, "{checked}");
}

/// Line and column of the key of `field`; of the section where the key is missing.
fn place(text: &str, field: &str) -> (usize, usize) {
    let key = format!("{} = ", field.rsplit('.').next().unwrap());
    let column = |line: &str, key: &str| match line.find(key) {
        Some(0) => Some(1),
        // Within an inline table; a longer key that ends alike is another one.
        Some(at) if line[..at].ends_with([' ', '[']) => Some(at + 1),
        _ => None,
    };
    let find =
        |key: &str| text.lines().enumerate().find_map(|(index, line)| Some((index + 1, column(line, key)?)));
    find(&key).or_else(|| find("inputs]")).unwrap()
}

/// The case as a TOML text; nothing where TOML has no such value.
fn toml(case: &Json) -> Option<String> {
    let mut text = format!("# {}\n[case]\ntype = {}\n\n[inputs]\n", case["name"].as_str()?, case["type"]);
    let inputs = case["inputs"].as_object()?;
    let (maps, plain): (Vec<_>, Vec<_>) = inputs.iter().partition(|(_, value)| is_section(value));
    for (name, value) in plain {
        text.push_str(&format!("{name} = {}\n", toml_value(value)?));
    }
    for (name, map) in maps {
        text.push_str(&format!("\n[inputs.{name}]\n"));
        for (key, value) in map.as_object()? {
            text.push_str(&format!("{key} = {}\n", toml_value(value)?));
        }
    }
    Some(text)
}

/// Whether a value is written as a section of its own: a map that means nothing else.
fn is_section(value: &Json) -> bool {
    let special = ["value", "ref", "nonfinite", "type"];
    value.as_object().is_some_and(|map| !map.is_empty() && !special.iter().any(|key| map.contains_key(*key)))
}

fn toml_value(value: &Json) -> Option<String> {
    Some(match value {
        Json::Null => return None,
        Json::Object(map) => match map.iter().next() {
            Some((key, path)) if key == "ref" => format!("\"@{}\"", path.as_str()?),
            Some((key, word)) if key == "nonfinite" => word.as_str()?.to_string(),
            // The type of a record is that of the input; a file cannot state another.
            Some((key, kind)) if key == "type" && library().description(kind.as_str()?).is_none() => {
                return None;
            }
            Some((key, _)) if key == "type" => toml_value(&map["fields"])?,
            _ => {
                let entries = map.iter().map(|(key, value)| Some(format!("{key} = {}", toml_value(value)?)));
                format!("{{ {} }}", entries.collect::<Option<Vec<_>>>()?.join(", "))
            }
        },
        Json::Array(items) => {
            format!("[{}]", items.iter().map(toml_value).collect::<Option<Vec<_>>>()?.join(", "))
        }
        // A number with an exponent is a TOML float.
        plain => plain.to_string(),
    })
}

/// Lines that are no JSON, or say something twice, with the exact answer to each.
#[test]
fn an_unreadable_line_is_refused() {
    for case in common::lines("bad_lines.jsonl") {
        let line = Line::evaluate(case["line"].as_str().unwrap(), 3, library());
        assert_eq!(serde_json::to_value(&line).unwrap(), case["answer"], "{}", case["line"]);
    }
}

/// Inputs that are answered, with a note on what is remarkable about the answer.
#[test]
fn what_is_remarkable_is_noted() {
    for case in common::lines("noted_inputs.jsonl") {
        let name = case["name"].as_str().unwrap();
        let answer = serde_json::to_value(Line::evaluate(&case.to_string(), 1, library())).unwrap();
        let notes = answer.get("notes").unwrap_or(&Json::Null);
        assert_eq!(notes, case.get("notes").unwrap_or(&Json::Null), "the notes of `{name}`");
        for (output, expected) in case["outputs"].as_object().unwrap() {
            let found = common::mismatches(output, &answer["outputs"][output], expected, 1e-12);
            assert!(found.is_empty(), "`{name}`: {found:#?}");
        }
    }
}
