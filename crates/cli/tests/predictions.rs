//! What `calibrate` and `validate` do with the published measurements, and what they refuse.

#![allow(clippy::expect_used, reason = "a test that gets no answer has failed")]

mod shared;

use std::fs;
use std::path::{Path, PathBuf};

use mlsysim::predict::{AttentionCoefficients, Calibration, Coefficients, SpeedUps};
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
fn the_shipped_intervals_of_speed_ups_are_what_the_command_writes() {
    let out = folder("speed-ups");
    let path = out.display().to_string();
    let told = shared::told(
        &["calibrate", "--only", "speed-ups", "--data", MEASUREMENTS, "--out", &path, "-o", "csv"],
        "",
    );
    assert!(told.contains("speed-ups: intervals of ") && told.ends_with("exit code 0"), "{told}");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file");
        SpeedUps::read(&text).expect("intervals")
    };
    let written = read(out.join("speed-ups.toml"));
    let shipped = read(Path::new(shared::FOLDER).join("../../../data/calibration/speed-ups.toml"));
    assert_eq!(written.sources, shipped.sources);
    for (written, shipped) in [(written.bands, shipped.bands), (written.bands_beyond, shipped.bands_beyond)] {
        assert!(written.0.keys().eq(shipped.0.keys()) && written.0.len() == 3);
        for (written, shipped) in written.0.values().zip(shipped.0.values()) {
            let off = [written.low / shipped.low, written.high / shipped.high];
            assert!(off.iter().all(|ratio| ratio.ln().abs() < 1e-3), "{written:?} and {shipped:?}");
        }
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
        (vec!["validate", "--data", "nowhere"], "error: data: `nowhere` is no folder"),
        (vec!["validate", "--data", "snapshots"], "error: data: there is none of the tables `gemm.csv`, "),
        (vec!["calibrate", "--data", "nowhere"], "error: data: `nowhere` is no folder"),
        (vec!["calibrate", "--data", "snapshots"], "snapshots/gemm.csv: "),
        (
            vec!["validate", "--data", MEASUREMENTS, "--calibration", "nowhere"],
            "error: calibration: `nowhere` is no folder; `mlsysim calibrate --out DIR` writes one",
        ),
        (
            vec!["validate", "--data", MEASUREMENTS, "--calibration", "snapshots"],
            "error: calibration: `snapshots` has no `gemm.toml`, which `mlsysim calibrate` writes",
        ),
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

/// Rows of one's own move what predict, tp, plan and validate say, and only coefficients of their kind.
#[test]
fn own_rows_move_predictions() {
    let (own, out) = (folder("own"), folder("own-calibration"));
    fs::create_dir_all(&own).expect("a folder");
    let published = fs::read_to_string(Path::new(shared::FOLDER).join(MEASUREMENTS).join("training.csv"));
    let published = published.expect("a table");
    let is_head_or_vtrain = |(at, line): &(usize, &str)| *at == 0 || line.contains(",vtrain_multi,");
    let rows = published.lines().enumerate().filter(is_head_or_vtrain).map(|(_, line)| line).take(60);
    let rows: Vec<String> = rows.map(|line| line.replace(",full,", ",none,")).collect();
    fs::write(own.join("training.csv"), rows.join("\n")).expect("a file");
    let (own, path) = (own.display().to_string(), out.display().to_string());
    let told = shared::told(&["calibrate", "--own", &own, "--data", MEASUREMENTS, "--out", &path], "");
    assert!(told.contains("note: training: 59 rows moved ") && told.ends_with("exit code 0"), "{told}");
    assert!(told.contains("note: gemm: no rows of it; all 17 coefficients stay ours"), "{told}");
    for name in ["gemm", "attention", "collectives", "serving", "training"] {
        let read = |folder: &Path| fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a file");
        let is_same = read(&out) == read(&Path::new(shared::FOLDER).join("../../../data/calibration"));
        assert_eq!(is_same, name != "training", "{name}");
    }
    let model = ["Llama3_8B", "--on", "DGX_A100", "--batch", "8"];
    let predict = [&["predict"][..], &model, &["--layout", "tp=8,sp"]].concat();
    let tp = [&["tp"][..], &model].concat();
    let plan =
        vec!["plan", "train", "--model", "Llama3_8B", "--on", "DGX_A100", "--batch", "8", "--seq", "2048"];
    for arguments in [predict, tp, plan] {
        let with = [&arguments[..], &["--calibration", &path, "-o", "csv"]].concat();
        let own = shared::run(&with, b"", shared::FOLDER);
        let ours = shared::run(&[&arguments[..], &["-o", "csv"]].concat(), b"", shared::FOLDER);
        assert!(own.status.success() && ours.status.success(), "{own:?}");
        assert_ne!(own.stdout, ours.stdout, "{with:?}");
        let missing = [&arguments[..], &["--calibration", "nowhere"]].concat();
        let told = shared::told(&missing, "");
        assert!(
            told.contains("error: calibration: `nowhere` is no folder") && told.ends_with("exit code 1"),
            "{told}"
        );
    }
    for (arguments, expected) in [
        (["--own", "nowhere", "--out", &path], "own: `nowhere` is no folder"),
        (["--own", "snapshots", "--out", &path], "own: `snapshots` has none of the tables gemm.csv, "),
    ] {
        let told = shared::told(&[&["calibrate"][..], &arguments].concat(), "");
        assert!(told.contains(expected) && told.ends_with("exit code 1"), "{told}");
    }
    let told = shared::told(&["calibrate", "--own", "snapshots"], "");
    assert!(told.contains("--out <DIR>") && told.ends_with("exit code 1"), "{told}");
}

/// A folder with some of the tables and without a word of what they mean is replayed as far as it goes, and
/// each row of it is accounted for.
#[test]
fn a_folder_of_others_is_replayed() {
    let (own, rows) = (folder("others"), folder("others.csv"));
    let _ = fs::remove_file(&rows);
    fs::create_dir_all(&own).expect("a folder");
    let published = fs::read_to_string(Path::new(shared::FOLDER).join(MEASUREMENTS).join("training.csv"));
    let mut lines: Vec<String> = published.expect("a table").lines().take(6).map(str::to_string).collect();
    lines[2] = lines[2].replace("A100-SXM4-80GB", "A1000");
    lines[4] = lines[4].replace(",Megatron-DeepSpeed,", ",Alpa,");
    lines[3] = lines[3].split(',').take(5).collect::<Vec<_>>().join(",");
    fs::write(own.join("training.csv"), lines.join("\n")).expect("a file");
    let (own, path) = (own.display().to_string(), rows.display().to_string());
    let told = shared::told(&["validate", "--data", &own, "--rows", &path, "-o", "csv"], "");
    for expected in [
        "note: 5 rows, of which 3 are predicted, with 3 times, and 2 are not modelled",
        // Of a framework that nobody knows, with the band of what is beyond the calibration.
        "\"kept apart: training step, dense\",1,1,",
        "note: there is no `serving.csv`",
        "note: 1 not modelled: device not modelled: A1000",
        "note: 1 not modelled: unread: 4 cells, but there are 51 columns",
    ] {
        assert!(told.contains(expected) && told.ends_with("exit code 0"), "{told}");
    }
    assert_eq!(fs::read_to_string(&rows).expect("a file").lines().count(), 6);
}
