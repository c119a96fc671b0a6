//! What `plan` prints and refuses; the plans of `examples/` are kept.

#![allow(clippy::expect_used, reason = "a test that gets no answer has failed")]

mod shared;

use std::fs;
use std::path::PathBuf;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// Options of a plan that is small.
const SMALL: [&str; 10] =
    ["plan", "train", "--model", "Llama3_8B", "--on", "DGX_H100", "--batch", "64", "--seq", "4096"];

fn with<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&SMALL, options].concat()
}

#[test]
fn examples_are_kept() {
    let mut plans: Vec<PathBuf> =
        fs::read_dir(EXAMPLES).expect("a folder").map(|file| file.expect("a file").path()).collect();
    plans.sort();
    assert!(plans.len() >= 5, "{plans:?}");
    for plan in plans {
        let name = plan.file_name().expect("a name").to_string_lossy().to_string();
        let output = shared::run(&["plan", &name, "-o", "json"], b"", EXAMPLES);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
        let required = told["require"].as_array().expect("a list");
        assert!(required.iter().all(|one| one["met"] == true), "{name}: {required:?}");
        assert!(told["layouts"].as_array().is_some_and(|layouts| layouts.len() >= 3), "{name}");
        let parts = told["layouts"][0]["parts"].as_array().expect("a list");
        let sum: f64 = parts.iter().map(|part| part["s"].as_f64().expect("a number")).sum();
        let step = told["layouts"][0]["step_s"].as_f64().expect("a number");
        assert!((sum / step - 1.0).abs() < 1e-9, "{name}: parts of {sum} s make a step of {step} s");
    }
}

/// A plan, and what its name is among the snapshots.
#[test]
fn plans_are_told() {
    let cases: [(&str, &[&str]); 10] = [
        (
            "plan_text",
            &["--top", "3", "--tokens", "15e12", "--region", "US_Avg", "--require", "memory.free > 1 GiB"],
        ),
        ("plan_markdown", &["--top", "2", "--goal", "time=1,cost=1", "--devices", "4,8", "-o", "markdown"]),
        (
            "plan_csv",
            &[
                "--top",
                "2",
                "--fix",
                "tp=2|4",
                "--forbid",
                "zero=3,pp>1",
                "--tokens",
                "1e12",
                "--region",
                "Norway",
                "-o",
                "csv",
            ],
        ),
        (
            "plan_required_csv",
            &["--top", "2", "--require", "step_time < 5 s", "--require", "memory.free > 40 GiB", "-o", "csv"],
        ),
        (
            "plan_not_kept_csv",
            &["--require", "step_time < 1 ms", "--require", "memory.free > 1 GiB", "-o", "csv"],
        ),
        ("plan_front", &["--top", "1", "--pareto", "time,memory", "--fix", "cp=1,tp<=2,shard>=4"]),
        (
            "plan_not_kept",
            &["--top", "1", "--require", "step_time < 1 ms", "--require", "memory.free > 79 GiB"],
        ),
        (
            "plan_kept",
            &[
                "--top",
                "2",
                "--require",
                "step_time < 5 s",
                "--require",
                "memory.free > 40 GiB",
                "--exhaustive",
                "-o",
                "json",
            ],
        ),
        ("plan_zero_bubble", &["--top", "2", "--fix", "pp=4,tp=2,vpp=1,schedule=zb-h1|zb-h2"]),
        ("plan_infeasible", &["--devices", "1", "--fix", "recompute=none", "--batch", "64"]),
    ];
    for (name, options) in cases {
        let mut arguments = with(options);
        if name == "plan_infeasible" {
            arguments.truncate(arguments.len() - 2);
        }
        insta::assert_snapshot!(name, shared::told(&arguments, ""));
    }
}

#[test]
fn longer_sequences_than_a_model_is_made_for_are_noted() {
    let of = |model: &str| {
        let options = ["--on", "DGX_H100", "--batch", "64", "--seq", "8192", "--top", "1"];
        shared::told(&[&["plan", "train", "--model", model], options.as_slice()].concat(), "")
    };
    let said = of("Llama2_7B");
    assert!(said.contains("note: sequences of 8192 tokens are longer than the 4096 that"), "{said}");
    // A model that has a row for each position knows no others.
    let said = of("GPT2");
    assert!(said.contains("error: seq: the model has rows for 1024 positions"), "{said}");
}

#[test]
fn the_schema_of_plan_files_is_told() {
    insta::assert_snapshot!("plan_schema", shared::told(&["schema", "plan"], ""));
}

/// Options that are refused, and in which words.
const REFUSED: &[(&[&str], &str)] = &[
    (&["--goal", "tiem"], "goal: there is no goal `tiem`; did you mean `time`?"),
    (&["--goal", "time=0"], "goal: a weight above 0 is needed, but `time=0` was given"),
    (
        &["--pareto", "time,speed"],
        "pareto: there is no figure `speed`; there are `time`, `memory` and `cost`",
    ),
    (&["--pareto", "time,time"], "pareto: `time` stands there twice"),
    (&["--fix", "tpp=8"], "fix: there is no axis `tpp`; did you mean `tp`?"),
    (&["--fix", "tp=eight"], "fix: a whole number is needed for `tp`, but `eight` was given"),
    (&["--fix", "tp=8..2"], "fix: `8..2` of `tp` is an empty range"),
    (&["--fix", "tp!8"], "fix: there is no axis `tp!8`; did you mean `tp`?"),
    (&["--fix", ""], "fix: nothing is stated; write `tp=8` or `pp<=4`"),
    (
        &["--forbid", "recompute=ful"],
        "forbid: `recompute` can be `none`, `selective` and `full`, but `ful` was given; did you mean `full`?",
    ),
    (
        &["--devices", "9"],
        "fabric: `2` servers need a network between them, such as `InfiniBand_NDR`, or its figure: state it with `--state \"network.bandwidth=… GB/s\"`, or in `state` of Python and of plan files",
    ),
    (
        &["--schedule", "gpipe"],
        "schedule: a plan chooses the order of passes; write `--fix schedule=gpipe` for one of them",
    ),
    (
        &["--recompute-layers", "2"],
        "recompute-layers: a plan computes all layers of a stage again, or none; leave it out",
    ),
    (
        &["--devices", "0"],
        "devices: a whole number of at least 1 and at most 1073741824 is needed, but `0` was given",
    ),
    (
        &["--top", "1001"],
        "top: a whole number of at least 1 and at most 1000 is needed, but `1001` was given",
    ),
    (&["--require", "step_time"], "require: `step_time` has no `<` or `>`; write `step_time < 12 s`"),
    (
        &["--require", "step_tiem < 12 s"],
        "require: there is no figure `step_tiem`; did you mean `step_time`?",
    ),
    (
        &["--require", "step_time < 12 GiB"],
        "require: `step_time` is a time, such as `1 s`, but `12 GiB` was given",
    ),
    (&["--require", "step_time < 12"], "require: `step_time` is a time, such as `1 s`, but `12` was given"),
    (
        &["--require", "run.time < 12 day"],
        "require: `run.time < 12 day` is about a whole run; state its `tokens`",
    ),
    (
        &["--tokens", "many"],
        "tokens: a number above 0 and at most 1000000000000000000 is needed, but \"many\" was given",
    ),
    (
        &["--tokens", "1T"],
        "tokens: a number above 0 and at most 1000000000000000000 is needed, but \"1T\" was given; write `1e12`",
    ),
    (
        &["--tokens", "300B"],
        "tokens: `300 B` is Bytes, but a number above 0 and at most 1000000000000000000 is needed; write `3e11`",
    ),
    (
        &["--price", "cheap"],
        "price: `cheap` does not begin with a number; write a number and a unit, such as \"1 USD/h\"",
    ),
    (
        &["--tokens", "1e300"],
        "tokens: a number above 0 and at most 1000000000000000000 is needed, but `1e300` was given",
    ),
    (&["--price", "2.5"], "price: `2.5` has no unit, but a Price is needed, such as \"2.5 USD/h\""),
    (
        &["--tokens", "1e12", "--price", "-2 USD/h"],
        "price: a Price above 0 USD/s is needed, but \"-2 USD/h\" was given",
    ),
    (&["--price", "2 USD/h"], "price: it is about a whole run; state its `tokens` too, such as 300e9"),
    (&["--region", "Norway"], "region: it is about a whole run; state its `tokens` too, such as 300e9"),
    (
        &["--tokens", "1e12", "--region", "US_Avrg"],
        "region: no region is called `US_Avrg`; did you mean `US_Avg`?",
    ),
    (&["--fix", "tp=3"], "fix: `tp=3` leaves no legal layout; `tp` can be `1`, `2`, `4` and `8`"),
    (&["--fix", "ep=2"], "fix: `ep=2` leaves no legal layout; `ep` can be `1`"),
    (
        &["--fix", "micro_batch>64"],
        "fix: `micro_batch>=65` leaves no legal layout; `micro_batch` can be `1`, `2`, `4`, `8`, `16`, `32` and `64`",
    ),
    (
        &["--fix", "zero=1,shard=3"],
        "fix: `shard=3` leaves no legal layout beside what is wanted of `zero`; `shard` can be `2`, `4` and `8`",
    ),
    (
        &["--fix", "schedule=zb-h1,recompute=full"],
        "fix: `recompute=full` leaves no legal layout beside what is wanted of `schedule`; `recompute` can be `none` and `selective`",
    ),
    (
        &["--fix", "tp=8", "--forbid", "tp=8"],
        "fix: `tp=8` with `tp=8` forbidden leaves no legal layout; `tp` can be `1`, `2`, `4` and `8`",
    ),
    (
        &["--gradients", "fp17"],
        "gradients: `fp17` is no precision of storage; those are `fp32`, `tf32`, `bf16`, `fp16`, `fp8`, `int8` and `int4`",
    ),
    (&["--forbid", "pp<=8"], "forbid: `pp<=8` leaves no legal layout; `pp` can be `1`, `2`, `4` and `8`"),
    (
        &["--fix", "tp=3,pp=5"],
        "fix: no legal layout is as `pp` and `tp` are wanted to be; leave one of them open",
    ),
];

#[test]
fn options_are_refused() {
    for (options, message) in REFUSED {
        let output = shared::run(&with(options), b"", shared::FOLDER);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.trim_end(), format!("error: {message}"), "{options:?}");
        assert_eq!(output.status.code(), Some(1), "{options:?}");
    }
}

#[test]
fn options_beside_a_plan_file_are_refused() {
    for (option, value) in [
        ("goal", "time"),
        ("top", "1"),
        ("tokens", "1e12"),
        ("fix", "tp=8"),
        ("optimizer", "adam"),
        ("fragmentation", "0.1"),
        ("dropout", ""),
    ] {
        let mut arguments =
            vec!["plan".into(), "../../../examples/gpt3_1024_a100.toml".into(), format!("--{option}")];
        arguments.extend((!value.is_empty()).then(|| value.to_string()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = shared::run(&arguments, b"", shared::FOLDER);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with(&format!("error: {option}: ")), "{said}");
        assert!(said.contains("says all of a plan"), "{said}");
        assert_eq!(output.status.code(), Some(1), "{option}");
    }
}

#[test]
fn the_model_of_a_plan_file_lies_beside_it() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("beside");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("plans/small")).expect("a folder");
    let config = r#"{"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
        "vocab_size": 32000, "intermediate_size": 4096}"#;
    fs::write(folder.join("plans/small/config.json"), config).expect("a file");
    for (name, model) in [("file.toml", "small/config.json"), ("folder.toml", "small")] {
        let text = format!(
            "model = \"{model}\"\n[system]\non = \"DGX_H100\"\n[training]\nbatch = 8\nsequence = 1024\n"
        );
        fs::write(folder.join("plans").join(name), text).expect("a file");
        // Wherever the command runs.
        for (from, path) in
            [(folder.clone(), format!("plans/{name}")), (folder.join("plans"), name.to_string())]
        {
            let output = shared::run(&["plan", &path, "-o", "csv"], b"", &from);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
    }
}

/// Plan files that are refused: the name, the text, and the words.
const FILES: &[(&str, &str, &str)] = &[
    ("none.toml", "", "model"),
    ("key.toml", "modle = \"GPT3\"", "did you mean `model`?"),
    ("broken.toml", "model = ", "broken.toml:1:9"),
    (
        "value.toml",
        "model = \"GPT3\"\n[system]\non = \"DGX_A100\"\n[training]\nbatch = 0\nsequence = 2048\n",
        "value.toml:5:1",
    ),
    (
        "system.toml",
        "model = \"GPT3\"\n[system]\non = \"DGX_A10\"\n[training]\nbatch = 8\nsequence = 2048\n",
        "nothing is called `DGX_A10`; did you mean `DGX_A100`?",
    ),
    ("broken.yaml", "model: [", "this is no YAML"),
    ("list.yaml", "- 1\n", "a plan is a map"),
    ("plan.json", "{}", "is neither `train` nor a plan file"),
];

#[test]
fn files_are_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plans");
    fs::create_dir_all(&folder).expect("a folder");
    for (name, text, words) in FILES {
        fs::write(folder.join(name), text).expect("a file");
        let output = shared::run(&["plan", name], b"", &folder);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{name}: {said}");
        assert_eq!(output.status.code(), Some(1), "{name}");
    }
    let output = shared::run(&["plan", "nowhere.toml"], b"", &folder);
    assert!(String::from_utf8_lossy(&output.stderr).contains("No such file"));
}

/// Figures that a plan file states, and why they are refused, with the place.
const STATED: &[(&str, &str)] = &[
    (
        "peak.bf61 = \"1 TFLOP/s\"",
        "5:6: system.state.peak.bf61: there is no precision `bf61`; did you mean `peak.bf16`?",
    ),
    (
        "memory.capacity = \"0 GiB\"",
        "5:8: system.state.memory.capacity: a Bytes above 0 B is needed, but \"0 GiB\" was given",
    ),
    ("memory.capcity = \"1 GiB\"", "5:8: system.state.memory.capcity: "),
    ("tdp = \"700 GB\"", "5:1: system.state.tdp: `700 GB` is Bytes, but a Power is needed"),
];

/// Plan files state figures of the machine in a table of their own.
#[test]
fn plan_files_state_figures() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stated");
    fs::create_dir_all(&folder).expect("a folder");
    let plan = |figure: &str| {
        let text = format!(
            "model = \"Llama3_8B\"\n[system]\non = \"Workstation_M3Max\"\n[system.state]\n{figure}\n[training]\nbatch = 1\nsequence = 1024\n"
        );
        fs::write(folder.join("own.toml"), text).expect("a file");
        shared::run(&["plan", "own.toml"], b"", &folder)
    };
    for (figure, message) in STATED {
        let said = plan(figure);
        let said = String::from_utf8_lossy(&said.stderr);
        assert!(said.starts_with(&format!("error: own.toml:{message}")), "{figure}: {said}");
    }
    let told = plan("peak.bf16 = \"28.4 TFLOP/s\"\nmemory.capacity = \"192 GiB\"");
    let said = String::from_utf8_lossy(&told.stdout);
    assert_eq!(told.status.code(), Some(0), "{told:?}");
    assert!(said.contains("note: `memory.capacity` is stated by the user: 192 GiB"), "{said}");
}
