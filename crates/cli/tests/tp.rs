//! What `tp` prints, and laws of what it says: it adds up, and degree 1 is the reference.

#![allow(clippy::expect_used, reason = "a test that gets no JSON has failed")]

mod shared;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    insta::assert_snapshot!(name, shared::told(&[&["tp"], arguments].concat(), ""));
}

/// What the command prints as JSON.
#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let output = shared::run(&[&["tp"], arguments, &["-o", "json"]].concat(), b"", shared::FOLDER);
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

#[test]
fn pages() {
    check("prefill", &["Llama3_70B", "--prefill", "2048", "--on", "DGX_H100"]);
    check("scenario", &["--scenario", "Llama2_70BPrefillTensorParallel8"]);
}

/// Steps of which the laws hold: dense and of experts, served and trained, within a server and across.
const STEPS: &[&[&str]] = &[
    &["Llama3_70B", "--prefill", "2048", "--on", "DGX_H100"],
    &["Llama3_70B", "--decode", "64@4096", "--on", "DGX_H100", "--nodes", "4", "--fabric", "InfiniBand_NDR"],
    &["Llama3_70B", "--batch", "8", "--layout", "sp,pp=2", "--on", "Training_512_H100"],
    &["Mixtral_8x7B", "--decode", "64@4096", "--on", "DGX_A100", "--practice", "class=eager"],
    &["DeepSeek_V3", "--decode", "8@4096", "--on", "DGX_H100"],
];

/// A time in seconds, of text such as `4.5 ms` or a number.
fn seconds(value: &Value) -> f64 {
    let quantity = value.as_object().and_then(|value| value.get("value")).unwrap_or(value);
    quantity.as_f64().unwrap_or_else(|| panic!("no time: {value}"))
}

#[test]
fn a_split_adds_up() {
    for step in STEPS {
        let told = json(step);
        let degrees = told["degrees"].as_array().expect("degrees");
        assert!(degrees.len() > 1, "{step:?}");
        for degree in degrees {
            let split = &degree["step"];
            let losses = split["losses"].as_object().expect("losses");
            let total = losses.values().map(seconds).sum::<f64>() + seconds(&split["ideal"]);
            let time = seconds(&degree["time"]);
            assert!((total / time - 1.0).abs() < 1e-9, "{step:?}, {}: {total} is not {time}", degree["tp"]);
            let layer =
                degree["layer"]["losses"].as_object().expect("losses").values().map(seconds).sum::<f64>()
                    + seconds(&degree["layer"]["ideal"]);
            assert!(layer > 0.0 && layer < time, "{step:?}, {}: a layer takes {layer}", degree["tp"]);
            // What a split does not divide costs nothing less than before.
            assert!(seconds(&losses["not_split"]) > -1e-12, "{step:?}, {}", degree["tp"]);
        }
    }
}

#[test]
fn degree_1_is_the_reference() {
    for step in STEPS {
        let told = json(step);
        let one = &told["degrees"][0];
        assert_eq!((&one["tp"], &one["speed_up"], &one["efficiency"]), (&1.into(), &1.0.into(), &1.0.into()));
        assert!(one["gain"].is_null());
        assert_eq!((&one["speed_up_low"], &one["speed_up_high"]), (&1.0.into(), &1.0.into()));
        for (name, loss) in one["step"]["losses"].as_object().expect("losses") {
            assert!(seconds(loss).abs() < 1e-15, "{step:?}: {name}");
        }
        for degree in told["degrees"].as_array().expect("degrees").iter().skip(1) {
            assert!(seconds(&degree["step"]["losses"]["exchange_latency"]) > 0.0, "{step:?}");
            let [low, faster, high] =
                ["speed_up_low", "speed_up", "speed_up_high"].map(|name| seconds(&degree[name]));
            assert!(0.0 < low && low < faster && faster < high, "{step:?}");
        }
    }
}

#[test]
fn a_case_at_its_own_degree_is_the_case() {
    let name = "Llama2_70BPrefillTensorParallel8";
    let told = json(&["--scenario", name]);
    let degrees = told["degrees"].as_array().expect("degrees");
    let own = degrees.iter().find(|degree| degree["tp"] == 8).expect("its own degree");
    let output = shared::run(&["run", name, "-o", "json"], b"", shared::FOLDER);
    let run: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    let speed_up = run.pointer("/outputs/speedup").unwrap_or_else(|| panic!("{run:#}"));
    assert_eq!(seconds(&own["speed_up"]), seconds(speed_up));
    assert_eq!(degrees[0]["speed_up"], 1.0);
}

#[test]
fn a_picture_is_written_once() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tp");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let draw = |path: &str| {
        let arguments = ["tp", "Llama3_8B", "--decode", "8@1024", "--on", "DGX_H100", "--plot", path];
        let output = shared::run(&arguments, b"", &folder);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).to_string())
    };
    assert_eq!(draw("tp.svg"), (Some(0), String::new()));
    let picture = fs::read_to_string(folder.join("tp.svg")).expect("a picture");
    assert!(picture.starts_with("<svg") && picture.contains("TP 8") && picture.contains("exchange latency"));
    let said = |message: &str| (Some(1), format!("error: plot: {message}\n"));
    assert_eq!(draw("tp.svg"), said("`tp.svg` exists already; choose another name"));
    assert_eq!(
        draw("tp.png"),
        said("a picture is an SVG file, such as `picture.svg`, but `tp.png` was given")
    );
    assert_eq!(
        draw("none/tp.svg"),
        said("`none/tp.svg` cannot be written: `none` is no folder, or read-only")
    );
}
