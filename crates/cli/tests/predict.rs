//! What `predict` prints, as snapshots, what it says as JSON, and what it derives.

#![allow(clippy::expect_used, reason = "a test that gets no JSON has failed")]

mod shared;

use serde_json::Value;

/// Snapshots what the command prints and its exit code.
#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    insta::assert_snapshot!(name, shared::told(&[&["predict"], arguments].concat(), ""));
}

/// What the command prints as JSON, and its exit code.
#[track_caller]
fn json(arguments: &[&str]) -> (Value, i32) {
    let output = shared::run(&[&["predict"], arguments, &["-o", "json"]].concat(), b"", shared::FOLDER);
    let code = output.status.code().expect("no signal");
    (serde_json::from_slice(&output.stdout).expect("one JSON value"), code)
}

const LLAMA: [&str; 9] = [
    "Llama3_70B",
    "--layout",
    "tp=8,pp=4,dp=16,sp,zero=1",
    "--batch",
    "512",
    "--seq",
    "8192",
    "--on",
    "Training_512_H100",
];

const MIXTRAL: [&str; 5] =
    ["Mixtral_8x7B", "--layout", "tp=2,ep=8,dp=256,zero=1", "--on", "Training_512_H100"];

fn with<'a>(question: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [question, more].concat()
}

#[test]
fn steps_of_training() {
    check("llama", &LLAMA);
    check("mixtral_markdown", &with(&MIXTRAL, &["-o", "markdown"]));
    let fp8 = ["--practice", "products=fp8,attention=unfused", "--power", "600 W", "--price", "2 USD/h"];
    check("mixtral_fp8", &with(&MIXTRAL, &fp8));
    let unknown = [
        "Llama3_8B",
        "--layout",
        "tp=2",
        "--batch",
        "1",
        "--on",
        "DGX_GB200",
        "--practice",
        "products=mxfp8",
    ];
    check("beyond_the_calibration", &unknown);
}

#[test]
fn serving() {
    let on = ["Llama3_70B", "--layout", "tp=8", "--on", "DGX_H100"];
    check("decode", &with(&on, &["--decode", "64@8192", "--practice", "library=own,cache=fp8"]));
    check("prefill", &with(&on, &["--prefill", "2048", "--batch", "4", "-o", "markdown"]));
    check("prefill_behind_cached", &with(&on, &["--prefill", "2048", "--context", "30000"]));
    check(
        "static_batch",
        &with(&on, &["--prefill", "2048", "--answer", "256", "--batch", "32", "-o", "markdown"]),
    );
    check("load", &with(&on, &["--prefill", "2048", "--answer", "256", "--load"]));
    let whole = ["Llama3_70B", "--on", "DGX_H100", "--prefill", "2048", "--answer", "256", "--load", "64"];
    check("load_misfit", &whole);
    let explained = ["--decode", "64@8192", "--explain"];
    check("explain_decode", &with(&on, &[explained.as_slice(), &["decode_steps.attention.query"]].concat()));
    check("explain_decode_host", &with(&on, &[explained.as_slice(), &["decode_steps.beside"]].concat()));
}

/// The parts by path for programs, whole and in seconds, sum to the step.
#[test]
fn rows_for_programs() {
    let output = shared::run(&[&["predict"], LLAMA.as_slice(), &["-o", "csv"]].concat(), b"", shared::FOLDER);
    let text = String::from_utf8(output.stdout).expect("a text");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "part,seconds,share,kind,binds,bound_seconds,share_of_bound");
    let seconds = |row: &Vec<&str>| row[1].parse::<f64>().expect("a number");
    assert_eq!((rows[1][0], rows[1][2]), ("step", "1"));
    let parts: f64 = rows[2..].iter().filter(|row| !row[0].contains('.')).map(seconds).sum();
    assert!((parts / seconds(&rows[1]) - 1.0).abs() < 1e-9);
}

/// What does not fit is predicted all the same, told with what would fit, and exits with 2.
#[test]
fn what_does_not_fit() {
    check("misfit", &["Llama3_70B", "--layout", "tp=8", "--on", "DGX_H100", "-o", "markdown"]);
    let (told, code) = json(&["Llama3_70B", "--layout", "tp=8", "--on", "DGX_H100"]);
    assert_eq!((code, &told["fit"]["fits"]), (2, &Value::Bool(false)));
    assert!(told["time"]["value"].as_f64().expect("a time") > 0.0);
}

/// The times that cases state, beside those that are predicted.
#[test]
fn twins() {
    for case in [
        "Llama2_70BPrefillTensorParallel8",
        "Llama2_70BNodeTensorParallelStep",
        "Gpt3TensorParallelStepDgxH100",
        "Llama2_70BFleetMfu128",
        "Llama3_70B_ReplicaDecodeBudget",
    ] {
        check(&format!("twin_{case}"), &["--scenario", case]);
    }
    let own =
        ["Llama2_7B", "--scenario", "Llama2_70BPrefillTensorParallel8", "--on", "DGX_B200", "--seq", "8192"];
    check("twin_of_another_model", &with(&own, &["-o", "markdown"]));
    let overlap = ["--scenario", "OverlapBudget7B64Gpu", "--on", "DGX_H100", "--nodes", "8"];
    check("twin_overlap", &with(&overlap, &["--fabric", "InfiniBand_NDR", "-o", "markdown"]));
    let (told, code) = json(&["--scenario", "Llama2_70BPrefillTensorParallel8"]);
    assert_eq!(code, 0);
    let value = |of: &Value| of["value"].as_f64().expect("a number");
    let reduce = &told["inputs"][2];
    assert_eq!((&reduce["input"], value(&reduce["stated"])), (&"allreduce_time".into(), 0.3e-3));
    assert!(value(&reduce["low"]) < value(&reduce["predicted"]));
    assert!(value(&reduce["predicted"]) < value(&reduce["high"]));
}

#[test]
fn derivations() {
    for path in ["passes.attention.query", "passes.attention.scores", "replicas_exposed", "update"] {
        check(&format!("explain_{}", path.replace('.', "_")), &with(&LLAMA, &["--explain", path]));
    }
    check("explain_step", &with(&MIXTRAL, &["--explain"]));
    check("explain_exchange", &with(&MIXTRAL, &["--explain", "passes.exchange_over_ep.tokens_to_experts"]));
    check("explain_launches", &with(&MIXTRAL, &["--explain", "passes.launches", "-o", "markdown"]));
    check("explain_memory", &with(&MIXTRAL, &["--explain", "memory.weights"]));
}

/// The report holds the whole tree, whose parts sum to the time at each level and are derived to theirs.
#[test]
fn reports() {
    let serving =
        ["--layout", "tp=8", "--on", "DGX_H100", "--prefill", "512", "--answer", "64", "--batch", "8"];
    let served = with(&["Llama3_70B"], &serving);
    for question in [LLAMA.as_slice(), &MIXTRAL, &served] {
        let (report, code) = json(question);
        assert_eq!(code, 0);
        let devices = report["devices"].as_f64().expect("a number");
        let time = |part: &Value| part["time"]["value"].as_f64().expect("a time");
        assert!((time(&report["parts"]) / time(&report) - 1.0).abs() < 1e-9);
        let mut paths = Vec::new();
        sum(&report["parts"], &mut paths);
        assert!(paths.len() > 20);
        let energy = report["energy"]["energy"]["value"].as_f64().expect("an energy");
        assert!((energy / (devices * 700.0 * time(&report)) - 1.0).abs() < 1e-12);
        let tokens = &report["tokens_per_second"]["predicted"]["value"];
        assert!(tokens.as_f64().expect("a rate") > 0.0);
        let hfu = report["utilization"]["hardware"].as_f64();
        assert!(hfu.is_none_or(|share| share > 0.0 && share < 1.0));
        for (path, time) in paths {
            let (derived, _) = json(&with(question, &["--explain", &path]));
            let value = derived["value"]["value"].as_f64().expect("a number");
            let seconds = match derived["value"]["unit"].as_str().expect("a unit") {
                "s" => value,
                "ms" => 1e-3 * value,
                _ => 1e-6 * value,
            };
            assert!((seconds / time - 1.0).abs() < 1e-9, "{path}: {seconds} and {time}");
        }
    }
}

fn sum(part: &Value, paths: &mut Vec<(String, f64)>) {
    let time = |part: &Value| part["time"]["value"].as_f64().expect("a time");
    let parts = part["parts"].as_array().expect("a list");
    if !parts.is_empty() {
        let sum: f64 = parts.iter().map(time).sum();
        assert!((sum / time(part) - 1.0).abs() < 1e-9, "{}", part["name"]);
    }
    let path = part["path"].as_str().expect("a text").to_string();
    if !path.is_empty() {
        paths.push((path, time(part)));
    }
    parts.iter().for_each(|part| self::sum(part, paths));
}
