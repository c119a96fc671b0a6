//! The catalogue and the registry are whole: everything is described, built, sourced and in its unit.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mlsysim::registry::{HardwareNode, RECORDS, Source};
use mlsysim::{Derivation, Description, Library, Map, Object, Unit, Value, library};
use mlsysim_scenario::Type;

/// Every scenario, solver and record.
fn definitions() -> Vec<&'static Description> {
    library().catalogue().chain(RECORDS.iter().map(|describe| describe())).collect()
}

/// The dimension that the quantities in a type have.
fn dimension(value: &Type) -> Option<mlsysim::quantity::Exponents> {
    match value {
        Type::Quantity(dimension) => Some(dimension.exponents),
        Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => dimension(inner),
        _ => None,
    }
}

#[test]
fn every_unit_has_the_dimension_of_its_value() {
    let check = |name: &str, unit: &str, value: &Type| {
        let unit = Unit::parse(unit).unwrap_or_else(|error| panic!("{name}: {error}"));
        match dimension(value) {
            // Nothing stated stands for the coherent unit.
            Some(needed) if !unit.text().is_empty() => assert_eq!(unit.dimension(), needed, "{name}"),
            Some(_) => {}
            None => assert!(unit.text().is_empty(), "{name} is no quantity but has the unit {unit}"),
        }
    };
    for definition in definitions() {
        for field in definition.fields {
            check(&format!("{}.{}", definition.name, field.name), field.unit, &field.value);
        }
        for output in definition.outputs() {
            check(&format!("{}.{}", definition.name, output.name), output.unit, &output.value);
        }
    }
}

#[test]
fn everything_is_documented() {
    for definition in definitions() {
        let name = definition.name;
        let summary = definition.doc.summary();
        assert!(summary.ends_with(['.', '?']), "the first sentence of {name}: {summary}");
        if definition.group().is_some() {
            for section in ["Assumptions", "Excludes", "Derivation"] {
                let text = definition.doc.section(section).unwrap_or("");
                assert!(text.len() > 10, "{name} says nothing under {section}");
            }
        }
        let fields = definition.fields.iter().map(|field| (field.name, field.doc));
        let outputs = definition.outputs().iter().map(|output| (output.name, output.doc));
        for (part, doc) in fields.chain(outputs) {
            assert!(
                doc.summary().ends_with(['.', '?']),
                "the first sentence of {name}.{part}: {}",
                doc.summary()
            );
        }
        let notes = definition.outputs().iter().map(|output| output.name).collect::<BTreeSet<_>>();
        assert_eq!(notes.len(), definition.outputs().len(), "{name} has two outputs of one name");
    }
}

#[test]
fn names_are_unique_and_lead_to_their_type() {
    let mut seen = BTreeSet::new();
    for definition in definitions() {
        assert!(seen.insert(definition.name), "two types are called {}", definition.name);
        assert!(library().description(definition.name).is_some_and(|found| found.name == definition.name));
    }
}

#[test]
fn every_entry_builds_and_every_figure_of_it_can_be_looked_up() {
    let mut entries = 0;
    for path in library().paths("") {
        entries += 1;
        let Some(object) = common::record(path) else {
            for figure in common::figures(path) {
                let value = library().value(&figure).unwrap_or_else(|error| panic!("{figure}: {error}"));
                assert!(!value.is_null(), "{figure}");
            }
            continue;
        };
        assert_eq!(object.path(), Some(path));
        check_figures(path, &object);
    }
    assert!(entries > 30);
}

fn check_figures(path: &str, object: &Object) {
    for (index, field) in object.description().fields.iter().enumerate() {
        let path = format!("{path}.{}", field.name);
        let found = library().value(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        match (object.item().field(index), found) {
            (Value::Object(part), Value::Object(_)) => check_figures(&path, &part),
            // A part that refers into a group of figures stands there as figures.
            (Value::Object(part), Value::Map(figures)) => {
                for key in figures.keys() {
                    assert!(part.description().field(key).is_some(), "{path}.{key}");
                }
            }
            (own, found) => {
                let [own, found] = [own, found].map(|value| serde_json::to_value(value).unwrap());
                let differing = common::mismatches(&path, &own, &found, 1e-15);
                assert!(differing.is_empty(), "{differing:#?}");
            }
        }
    }
}

#[test]
fn every_named_case_builds_and_answers() {
    let golden = common::golden_scenarios();
    for (group, name) in library().case_names() {
        let case = library().case(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(case.name.as_deref(), Some(name), "the name in the file of {name}");
        assert_eq!(case.item().description().group(), Some(group), "{name} lies in the wrong folder");
        assert!(!case.title.is_empty() && !case.description.is_empty(), "{name} says nothing of itself");
        assert!(case.source.is_some(), "{name} does not say where its own figures come from");
        let answer = case.answer(name.into(), &Map::new());
        // An output may lack an optional input, as it does in the reference.
        let record = golden.iter().find(|record| record["id"] == name);
        for (output, value) in &answer.outputs {
            // A case of our own may lack what an optional input would give, and nothing else.
            let kind = value.as_ref().err().map(mlsysim::Error::kind);
            let absent = record.map_or(kind == Some(mlsysim::ErrorKind::Absent), |record| {
                record["outputs"][&**output].get("error").is_some()
            });
            assert!(value.is_ok() || absent, "{name}.{output}: {value:?}");
        }
    }
}

/// Every number explains itself, down to inputs that say where they come from.
#[test]
fn every_output_of_every_case_can_be_derived() {
    let mut derived = 0;
    for (_, name) in library().case_names() {
        let case = library().case(name).unwrap();
        for (_, output) in case.item().description().results().filter(|(_, output)| !output.is_method()) {
            let derivation = Derivation::of_output(&case, output.name, &[], library()).unwrap();
            assert_eq!(derivation.value, case.output(output.name, &[]), "{name}.{}", output.name);
            assert!(derivation.equation.is_some(), "{name}.{}", output.name);
            derived += 1;
        }
    }
    assert!(derived > 500, "{derived}");
}

#[test]
fn every_figure_has_a_source_that_exists() {
    for path in library().paths("") {
        let entry = library().entry(path).unwrap();
        let own = entry.annotations.values().filter_map(|annotation| annotation.source.as_ref());
        for key in own.chain([&entry.source]) {
            let source =
                Source::find(key).unwrap_or_else(|| panic!("{path}: the source `{key}` does not exist"));
            assert!(!source.title.is_empty(), "{key}");
        }
        assert!(entry.about.ends_with('.'), "{path}: {}", entry.about);
        // An annotation belongs to a figure that is there.
        for figure in entry.annotations.keys() {
            let figure = format!("{path}.{figure}");
            assert!(library().value(&figure).is_ok_and(|value| !value.is_null()), "{figure} is annotated");
            assert!(library().origin(&figure).is_some(), "{figure} has no origin");
        }
    }
}

/// What is computed from figures comes from where they do.
#[test]
fn every_computed_figure_has_an_origin() {
    let mut checked = 0;
    for path in library().paths("") {
        let Some(object) = common::record(path) else { continue };
        checked += check_origins(path, &object);
    }
    assert!(checked > 50, "{checked}");
}

fn check_origins(path: &str, object: &Object) -> usize {
    let mut checked = 0;
    for (index, output) in object.description().results().filter(|(_, output)| output.arguments.is_empty()) {
        if object.item().output(index, &[]).is_ok() {
            let figure = format!("{path}.{}", output.name);
            let origin = library().origin(&figure).unwrap_or_else(|| panic!("{figure} has no origin"));
            assert!(!origin.source.is_empty(), "{figure}");
            checked += 1;
        }
    }
    for (index, field) in object.description().fields.iter().enumerate() {
        if let Value::Object(part) = object.item().field(index) {
            checked += check_origins(&format!("{path}.{}", field.name), &part);
        }
    }
    checked
}

/// Every link says in its own file how its bandwidth is counted; there is no default.
#[test]
fn every_link_states_its_direction() {
    let mut links = 0;
    for path in library().paths("Hardware") {
        let Some(object) = common::record(path) else { continue };
        let Some(node) = object.downcast::<HardwareNode>() else { continue };
        for (name, link) in [("nvlink", &node.nvlink), ("interconnect", &node.interconnect)] {
            let Some(link) = link else { continue };
            links += 1;
            let entry = library().entry(path).unwrap();
            let Some(Value::Map(written)) = entry.fields.get(name) else { panic!("{path} writes no {name}") };
            assert_eq!(written.get("direction"), Some(&Value::text(&*link.direction)), "{path}.{name}");
            let both = if &*link.direction == "per_direction" { 1.0 } else { 2.0 };
            assert_eq!(link.bandwidth_per_direction().base() * both, link.bandwidth.base(), "{path}.{name}");
        }
    }
    assert!(links > 10);
}

/// A device that states any dense 16-bit peak answers for `fp16_dense`, with that very figure.
#[test]
fn every_device_with_a_16_bit_peak_serves_fp16_dense() {
    let dense = ["fp16_dense", "bf16_dense", "fp16", "bf16"];
    let mut devices = 0;
    for path in library().paths("Hardware") {
        let Some(object) = common::record(path) else { continue };
        let Some(node) = object.downcast::<HardwareNode>() else { continue };
        let stated: Vec<_> = dense.iter().filter_map(|key| node.compute.precision_flops.get(*key)).collect();
        assert_eq!(node.peak("fp16_dense").is_ok(), !stated.is_empty(), "{path}");
        if let Ok(peak) = node.peak("fp16_dense") {
            assert!(stated.contains(&&peak), "{path}");
            devices += 1;
        }
    }
    assert!(devices >= 10, "{devices}");
}

/// No file of `data/` is left out, and none lies where nothing reads it.
#[test]
fn every_file_of_the_data_is_embedded() {
    let entries: BTreeSet<String> = library().paths("").map(str::to_string).collect();
    let cases = library().case_names().map(|(group, name)| format!("Scenarios.{group}.{name}"));
    let calibrations = ["attention", "collectives", "gemm", "serving", "speed-ups", "training"];
    let calibrations = calibrations.into_iter().filter(|name| mlsysim::registry::calibration(name).is_some());
    let calibrations = calibrations.map(|name| format!("calibration.{name}"));
    let known: BTreeSet<String> = entries.into_iter().chain(cases).chain(calibrations).collect();
    let root = common::root("data");
    let mut files = BTreeSet::new();
    collect(&root, &mut files);
    let dotted = |path: PathBuf| {
        let path = path.strip_prefix(&root).unwrap().with_extension("");
        path.iter().map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join(".")
    };
    // Sources are read beside the entries, and what measurements stand for by the tests that hold them.
    let is_entry = |path: &String| !path.starts_with("sources.") && !path.starts_with("measurements.");
    let files: BTreeSet<String> = files.into_iter().map(dotted).filter(is_entry).collect();
    assert_eq!(files, known);
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.insert(path);
        }
    }
}
