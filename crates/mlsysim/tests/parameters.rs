//! Parameters by part and KV bytes per token, against counts made by building the public model
//! classes of Hugging Face transformers 5.24: of real configurations (`tests/model_parameters.csv`,
//! `tests/configurations/`) and of varied ones of every family (`tests/family_parameters.jsonl`).
#![allow(clippy::unwrap_used)]

mod common;

use mlsysim::registry::Workload;
use mlsysim::transformer::{Counts, Part, Transformer};
use mlsysim::{Library, Value};
use serde::Deserialize;
use serde_json::Value as Json;

/// A row of `tests/model_parameters.csv`; the rest of its columns say where it comes from.
#[derive(Deserialize)]
struct Row {
    model: String,
    config_file: String,
    total: u64,
    active: u64,
    embedding: u64,
    attention: u64,
    mlp: u64,
    experts: u64,
    shared_experts: u64,
    router: u64,
    norms: u64,
    head: u64,
    other: u64,
    tied: bool,
    kv_bytes_per_token_full: Option<u64>,
}

impl Row {
    /// What is counted, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        let parts = [
            self.embedding,
            self.attention,
            self.mlp,
            self.experts,
            self.shared_experts,
            self.router,
            self.norms,
            self.head,
            self.other,
        ];
        let parts = Part::ALL.iter().map(|part| part.name()).zip(parts);
        parts.chain([("total", self.total), ("active", self.active)]).collect()
    }
}

fn rows() -> Vec<Row> {
    let text = common::text("model_parameters.csv");
    csv::Reader::from_reader(text.as_bytes())
        .into_deserialize()
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("model_parameters.csv: {error}"))
}

fn counted(counts: &Counts) -> Vec<(&'static str, u64)> {
    let parts = counts.parts.entries().map(|(part, count)| (part.name(), count));
    parts.chain([("total", counts.total), ("active", counts.active)]).collect()
}

/// What differs between a row and what is counted from its configuration.
fn check(row: &Row) -> Vec<String> {
    let text = common::text(&format!("configurations/{}", row.config_file));
    let model = match Transformer::from_config(&text) {
        Ok(model) => model,
        Err(error) => return vec![format!("{}: {error}", row.model)],
    };
    let counts = model.counts();
    let ours = counted(&counts);
    let mut wrong: Vec<String> = std::iter::zip(row.counts(), ours)
        .filter(|(expected, counted)| expected != counted)
        .map(|((name, expected), (_, counted))| {
            let difference = i128::from(counted) - i128::from(expected);
            format!("{}: {name} is {counted}, not {expected} ({difference:+})", row.model)
        })
        .collect();
    if model.tied != row.tied {
        wrong.push(format!("{}: tied is {}, not {}", row.model, model.tied, row.tied));
    }
    if let Some(expected) = row.kv_bytes_per_token_full {
        let counted = counts.kv_bytes_per_token_16_bit().base() as u64;
        if counted != expected {
            wrong.push(format!("{}: KV bytes per token are {counted}, not {expected}", row.model));
        }
    }
    wrong
}

#[test]
fn every_part_of_every_configuration_is_exact() {
    let rows = rows();
    let wrong: Vec<String> = rows.iter().flat_map(check).collect();
    println!(
        "parameters: {} of {} real configurations are exact in every part",
        rows.len() - refused(&wrong),
        rows.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn varied_configurations_of_every_family_are_exact() {
    let cases = common::lines("family_parameters.jsonl");
    let wrong: Vec<String> = cases.iter().flat_map(check_varied).collect();
    println!(
        "parameters: {} of {} varied configurations are exact in every part",
        cases.len() - refused(&wrong),
        cases.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What differs between the counts that a case states and those of its configuration.
fn check_varied(case: &Json) -> Vec<String> {
    let name = &case["name"];
    let model = match Transformer::from_config(&case["config"].to_string()) {
        Ok(model) => model,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let counts = model.counts();
    let cache = ("kv_bytes_per_token", counts.kv_bytes_per_token_16_bit().base() as u64);
    let different = |(part, counted): (&'static str, u64)| {
        let expected = case["counts"].get(part)?.as_u64();
        (expected != Some(counted)).then(|| format!("{name}: {part} is {counted}, not {expected:?}"))
    };
    counted(&counts).into_iter().chain([cache]).filter_map(different).collect()
}

#[test]
fn the_registry_states_the_exact_count_of_every_configuration() {
    let library = mlsysim::library();
    let mut checked = 0;
    for path in library.paths("Models") {
        let Ok(Value::Object(object)) = library.value(path) else { continue };
        let Some(workload) =
            object.downcast::<Workload>().filter(|workload| workload.configuration.is_some())
        else {
            continue;
        };
        let counted = Transformer::of(&workload).map(|model| model.counts().parameters());
        assert_eq!(counted.ok(), workload.exact_parameters, "{path}");
        checked += 1;
    }
    assert!(checked >= 15, "only {checked} models of the registry have a configuration");
}

/// How many models the lines are about.
fn refused(wrong: &[String]) -> usize {
    let mut models: Vec<&str> = wrong.iter().filter_map(|line| line.split(": ").next()).collect();
    models.dedup();
    models.len()
}
