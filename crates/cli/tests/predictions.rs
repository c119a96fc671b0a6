//! What `calibrate` and `validate` do with the published measurements, and what they refuse.

#![allow(clippy::expect_used, reason = "a test that gets no answer has failed")]

mod shared;

use std::fs;
use std::path::{Path, PathBuf};

use mlsysim::predict::{AttentionCoefficients, Calibration, Coefficients};
use serde_json::Value;

const MEASUREMENTS: &str = "../../../data/measurements";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn the_shipped_calibration_is_what_the_command_writes() {
    let out = folder("calibrated");
    let path = out.display().to_string();
    let told = shared::told(
        &["calibrate", "--only", "attention", "--data", MEASUREMENTS, "--out", &path, "-o", "csv"],
        "",
    );
    assert!(told.contains("attention,decode_start,") && told.ends_with("exit code 0"), "{told}");
    let read = |path: PathBuf| -> Calibration<AttentionCoefficients> {
        let text = fs::read_to_string(&path).expect("a file");
        Calibration::read(&text).expect("a calibration")
    };
    let (written, shipped) = (
        read(out.join("attention.toml")),
        read(Path::new(shared::FOLDER).join("../../../data/calibration/attention.toml")),
    );
    assert_eq!(written.sources, shipped.sources);
    assert_eq!(
        (written.groups.len(), written.families.len()),
        (shipped.groups.len(), shipped.families.len())
    );
    let values = written.coefficients.values().into_iter().zip(shipped.coefficients.values());
    for ((written, shipped), coefficient) in values.zip(AttentionCoefficients::ALL) {
        assert!((written / shipped).ln().abs() < 1e-3, "{}: {written} and {shipped}", coefficient.name);
    }
}

#[test]
fn validate_accounts_for_every_row() {
    let rows = folder("rows.csv");
    let _ = fs::remove_file(&rows);
    let path = rows.display().to_string();
    let arguments = ["validate", "--only", "kernels", "--data", MEASUREMENTS, "--rows", &path, "-o", "json"];
    let output = shared::run(&arguments, b"", shared::FOLDER);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout);
    let told: Value = serde_json::from_str(&printed).expect("one JSON value");
    let count = |of: &Value| of.as_u64().expect("a count");
    let scores = told["scores"].as_array().expect("a list").iter();
    let scored: u64 = scores.map(|score| count(&score["rows"])).sum();
    let left_out: u64 = told["not_modelled"].as_object().expect("reasons").values().map(count).sum();
    assert_eq!(scored, count(&told["predicted"]));
    assert_eq!(scored + left_out, count(&told["rows"]));
    let sweeps = &told["speed_ups"];
    let not_told: u64 = sweeps["not_modelled"].as_object().expect("reasons").values().map(count).sum();
    let speed_ups = count(&sweeps["predicted"]);
    assert_eq!(count(&sweeps["rows"]), speed_ups + count(&sweeps["references"]) + not_told);
    let written = fs::read_to_string(&rows).expect("a file");
    assert_eq!(written.lines().count() as u64 - 1, scored + left_out + speed_ups + not_told);
    let again = shared::told(&arguments, "");
    let expected = "rows.csv` exists already; choose another name";
    assert!(again.contains(expected) && again.ends_with("exit code 1"), "{again}");
    assert_eq!(fs::read_to_string(&rows).expect("a file"), written);
}

#[test]
fn what_cannot_be_read_is_named() {
    for (arguments, expected) in [
        (vec!["validate", "--data", "nowhere"], "nowhere/machines.toml: "),
        (vec!["calibrate", "--data", "nowhere"], "nowhere/machines.toml: "),
        (vec!["validate", "--data", MEASUREMENTS, "--calibration", "nowhere"], "nowhere/gemm.toml: "),
        (vec!["validate", "--only", "kernel"], "a similar value exists: 'kernels'"),
        (vec!["calibrate", "--only", "gem"], "a similar value exists: 'gemm'"),
    ] {
        let told = shared::told(&arguments, "");
        assert!(told.contains(expected) && told.ends_with("exit code 1"), "{told}");
    }
}

#[test]
fn a_malformed_calibration_is_refused() {
    let own = folder("malformed");
    fs::create_dir_all(&own).expect("a folder");
    let shipped = Path::new(shared::FOLDER).join("../../../data/calibration");
    for name in ["gemm", "attention", "collectives"] {
        let text = fs::read_to_string(shipped.join(format!("{name}.toml"))).expect("a file");
        let broken = text.replace("[coefficients.decode_start]", "[coefficients.decode_strt]");
        fs::write(own.join(format!("{name}.toml")), broken).expect("a file");
    }
    let path = own.display().to_string();
    let told = shared::told(&["validate", "--data", MEASUREMENTS, "--calibration", &path], "");
    let expected = "decode_start: a table is needed, but there is none; is it `decode_strt`?";
    assert!(told.contains(expected) && told.ends_with("exit code 1"), "{told}");
}
