//! What the tests share: the data in `tests/`, and one comparison of values with golden ones.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod arithmetic;
pub mod differences;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mlsysim::quantity::Exponents;
use mlsysim::{DynQuantity, Library, Object, Unit, Value, library};
use serde_json::Value as Json;

/// A file below the repository's root.
pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The text of a file below `tests/`.
pub fn text(path: &str) -> String {
    let path = root("tests").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text of a file below `data/measurements/`.
pub fn measurements(path: &str) -> String {
    let path = root("data/measurements").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A JSON file below `tests/`.
pub fn json(path: &str) -> Json {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The objects of a file with one JSON object a line, below `tests/`.
pub fn lines(path: &str) -> Vec<Json> {
    let text = text(path);
    let read = |(index, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}, line {}: {error}", index + 1))
    };
    text.lines().enumerate().map(read).collect()
}

/// Every record of the golden scenarios, group by group.
pub fn golden_scenarios() -> Vec<Json> {
    let mut files: Vec<_> = fs::read_dir(root("tests/golden/scenarios"))
        .unwrap_or_else(|error| panic!("tests/golden/scenarios: {error}"))
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    files.sort();
    files.iter().flat_map(|file| lines(&format!("golden/scenarios/{file}"))).collect()
}

/// Where two values differ, and how.
#[derive(Debug)]
pub struct Mismatch {
    /// The way to the place, from the value that was compared.
    pub path: String,
    /// What stands there.
    pub ours: Json,
    /// What the golden value says.
    pub theirs: Json,
}

/// The places in which `ours` differs from `theirs` by more than `tolerance`, relative, in base units.
///
/// The golden unit may be looser than ours, since the reference takes bytes, tokens, parameters,
/// dollars and counts for plain numbers; a unit of another dimension is a mismatch.
pub fn mismatches(path: &str, ours: &Json, theirs: &Json, tolerance: f64) -> Vec<Mismatch> {
    let mut found = Vec::new();
    compare(path, ours, theirs, tolerance, &mut found);
    found
}

fn compare(path: &str, ours: &Json, theirs: &Json, tolerance: f64, found: &mut Vec<Mismatch>) {
    let agree = match (base(ours), base(theirs)) {
        (Some(ours), Some(theirs)) => {
            near(ours.number, theirs.number, tolerance) && theirs.loosely_measures(&ours)
        }
        (None, None) => match (ours, theirs) {
            // A set of the reference is sorted; it is a list here.
            (Json::Array(_), Json::Object(two)) if two.keys().eq(["set"]) => {
                return compare(path, ours, &two["set"], tolerance, found);
            }
            // What the reference cannot answer is absent here, with a reason of our own.
            (Json::Object(one), Json::Object(two))
                if two.keys().eq(["error"]) && two["error"].is_string() =>
            {
                one.get("error").and_then(|error| error.get("kind")).is_some_and(|kind| kind == "absent")
            }
            // A record that no registry holds: unset fields may be left out, as may the record's name.
            (Json::Object(one), Json::Object(two)) if spelled_out(one) && spelled_out(two) => {
                let named = |record: &Json| library().description(record["type"].as_str()?);
                let (ours, theirs) = (&ours["fields"], &theirs["fields"]);
                let names = [ours, theirs].map(|fields| fields.as_object().unwrap().keys());
                let names: BTreeSet<_> = names.into_iter().flatten().collect();
                for name in names.into_iter().filter(|name| *name != "name" || theirs.get(name).is_some()) {
                    compare(&format!("{path}.fields.{name}"), &ours[name], &theirs[name], tolerance, found);
                }
                match (named(&one.clone().into()), named(&two.clone().into())) {
                    (Some(one), Some(two)) => std::ptr::eq(one, two),
                    _ => one["type"] == two["type"],
                }
            }
            (Json::Object(one), Json::Object(two)) => {
                // The fields of a record have no order, the keys of a map keep theirs.
                let ordered = path.ends_with(".fields") || one.keys().eq(two.keys());
                let same_keys = one.len() == two.len() && two.keys().all(|key| one.contains_key(key));
                if ordered && same_keys {
                    for (key, theirs) in two {
                        compare(&format!("{path}.{key}"), &one[key], theirs, tolerance, found);
                    }
                    return;
                }
                false
            }
            (Json::Array(one), Json::Array(two)) if one.len() == two.len() => {
                for (index, (ours, theirs)) in one.iter().zip(two).enumerate() {
                    compare(&format!("{path}[{index}]"), ours, theirs, tolerance, found);
                }
                return;
            }
            _ => ours == theirs,
        },
        _ => false,
    };
    if !agree {
        found.push(Mismatch { path: path.to_string(), ours: ours.clone(), theirs: theirs.clone() });
    }
}

/// Whether an object is a record by its type and fields, and no result of a solver.
fn spelled_out(object: &serde_json::Map<String, Json>) -> bool {
    let result = |name: &str| name.ends_with("Result");
    object.len() == 2
        && object.get("type").and_then(Json::as_str).is_some_and(|name| !result(name))
        && object.get("fields").is_some_and(Json::is_object)
}

/// A number in base units.
struct Base {
    number: f64,
    dimension: Exponents,
}

impl Base {
    fn loosely_measures(&self, ours: &Base) -> bool {
        self.dimension.is_none() || self.dimension.without_counts() == ours.dimension.without_counts()
    }
}

/// The number that a JSON number or `{"value", "unit"}` is.
fn base(json: &Json) -> Option<Base> {
    let quantity = match json {
        Json::Number(number) => DynQuantity::new(number.as_f64()?, Unit::none()),
        Json::Object(map) if map.len() == 2 => {
            let unit = map.get("unit")?.as_str()?;
            let unit = Unit::parse(unit).unwrap_or_else(|error| panic!("{json}: {error}"));
            DynQuantity::new(map.get("value")?.as_f64()?, unit)
        }
        _ => return None,
    };
    Some(Base { number: quantity.base(), dimension: quantity.dimension() })
}

/// Whether two numbers are equal up to `tolerance`, relative to the larger one.
pub fn near(one: f64, two: f64, tolerance: f64) -> bool {
    one == two || (one - two).abs() <= tolerance * one.abs().max(two.abs())
}

/// The record at `path`, or nothing where a group of single figures stands there.
pub fn record(path: &str) -> Option<Object> {
    match library().value(path) {
        Ok(Value::Object(object)) => Some(object),
        Ok(Value::Map(_)) => None,
        other => panic!("{path} is no entry: {other:?}"),
    }
}

/// The paths of all figures in the group at `path`.
pub fn figures(path: &str) -> Vec<String> {
    match library().value(path) {
        Ok(Value::Map(map)) => map.keys().flat_map(|key| figures(&format!("{path}.{key}"))).collect(),
        _ => vec![path.to_string()],
    }
}
