//! What devices held in published steps of training, against what is modelled.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mlsysim::quantity::units::GIBIBYTE;
use mlsysim::validation::{Exclusion, KnownModels, MemoryCase, MemorySettings, Spread, Table, TrainingRow};

#[test]
fn modelled_memory_is_as_far_from_measured_as_the_table_says() {
    let settings = MemorySettings::read(&common::measurements("memory.toml")).unwrap();
    let models = KnownModels::read(&common::measurements("models.toml")).unwrap();
    let table = Table::<TrainingRow>::read(&common::measurements("training.csv")).unwrap();
    assert_eq!(table.unread, []);
    let mut cases: BTreeMap<String, Vec<MemoryCase>> = BTreeMap::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    for row in &table.rows {
        match settings.case(row, &models) {
            Ok(Some(case)) => cases.entry(case.source.clone()).or_default().push(case),
            Ok(None) => {}
            Err(reason) => *left_out.entry(reason).or_default() += 1,
        }
    }
    let mut told = String::new();
    writeln!(told, "{:<22} {:>5} {:>8} {:>8} {:>8}", "source", "rows", "median", "90th", "bias").unwrap();
    for (source, cases) in &cases {
        let errors: Vec<f64> = cases.iter().map(MemoryCase::error).collect();
        let Spread { count, median, ninetieth, bias } = Spread::of(&errors).unwrap();
        let [median, ninetieth, bias] = [median, ninetieth, bias].map(|share| 100.0 * share);
        writeln!(told, "{source:<22} {count:>5} {median:>7.1}% {ninetieth:>7.1}% {bias:>+7.1}%").unwrap();
    }
    for (reason, count) in &left_out {
        writeln!(told, "left out: {count} {reason}").unwrap();
    }
    told.push_str("\nGiB                         measured modelled    error  made of\n");
    for case in cases.values().flatten() {
        let gib = |bytes: mlsysim::quantity::Bytes| bytes / GIBIBYTE;
        let parts = case.memory.entries().map(|(name, bytes)| format!("{name} {:.2}", gib(bytes)));
        let parts =
            parts.iter().filter(|part| !part.ends_with(" 0.00")).cloned().collect::<Vec<_>>().join(", ");
        let error = 100.0 * case.error();
        let [measured, modelled] = [case.measured, case.memory.total()].map(gib);
        writeln!(told, "{:<27} {measured:>8.2} {modelled:>8.2} {error:>+7.1}%  {parts}", case.id).unwrap();
    }
    // Row by row it stands in the snapshot.
    for line in told.lines().take_while(|line| !line.is_empty()) {
        println!("measured memory: {line}");
    }
    insta::assert_snapshot!("memory", told);
    let causes = Table::<Exclusion>::read(&common::measurements("memory_causes.csv")).unwrap();
    let far = cases.values().flatten().filter(|case| case.error().abs() > FAR);
    let far: BTreeSet<&str> = far.map(|case| case.id.as_str()).collect();
    let explained: BTreeSet<&str> = causes.rows.iter().map(|row| row.row_id.as_str()).collect();
    assert_eq!(far, explained, "the rows that are off by more than {FAR} are those that the list names");
}

/// Rows that are off by more than this share have to be in the list, with what is known of the cause.
const FAR: f64 = 0.15;
