//! What `account --on` prints, as snapshots, what it says as JSON, and what it refuses.

#![allow(clippy::expect_used, reason = "a test that gets no JSON has failed")]

mod shared;

use serde_json::Value;

/// Snapshots what the command prints and its exit code.
#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    insta::assert_snapshot!(name, shared::told(&[&["account"], arguments].concat(), ""));
}

/// What the command prints as JSON, and its exit code.
#[track_caller]
fn json(arguments: &[&str]) -> (Value, i32) {
    let output = shared::run(&[&["account"], arguments, &["-o", "json"]].concat(), b"", shared::FOLDER);
    let code = output.status.code().expect("no signal");
    (serde_json::from_slice(&output.stdout).expect("one JSON value"), code)
}

/// A cluster of 2,048 DGX H100 devices, as many as the published run of DeepSeek-V3 had.
const CLUSTER: [&str; 6] = ["--on", "DGX_H100", "--nodes", "256", "--fabric", "InfiniBand_NDR"];

const RACKS: [&str; 6] = ["--on", "DGX_GB200", "--nodes", "4", "--fabric", "InfiniBand_NDR"];

#[test]
fn training() {
    check(
        "placed_llama",
        &[
            "Llama3_70B",
            "--layout",
            "tp=8,pp=4,dp=16,sp",
            "--batch",
            "512",
            "--seq",
            "8192",
            "--on",
            "Training_512_H100",
        ],
    );
    check(
        "placed_llama_rack",
        &[
            "Llama3_70B",
            "--layout",
            "tp=8,dp=8,sp,zero=1",
            "--batch",
            "64",
            "--seq",
            "8192",
            "--on",
            "DGX_GB200",
            "-o",
            "markdown",
        ],
    );
    let mixtral = ["Mixtral_8x7B", "--layout", "tp=2,ep=8,dp=256,zero=1", "--on", "Training_512_H100"];
    check("placed_mixtral", &mixtral);
    check(
        "placed_mixtral_rack",
        &["Mixtral_8x7B", "--layout", "tp=2,ep=4,dp=36,zero=1", "--on", "DGX_GB200"],
    );
    let deepseek =
        ["DeepSeek_V3", "--layout", "pp=16,ep=64,dp=128,zero=1", "--batch", "15360", "--seq", "4096"];
    check("placed_deepseek", &[deepseek.as_slice(), &["--recompute", "full"], &CLUSTER].concat());
    let deepseek = ["DeepSeek_V3", "--layout", "pp=4,dp=72,ep=8,zero=1", "--batch", "4608", "--seq", "4096"];
    check("placed_deepseek_rack", &[deepseek.as_slice(), &["--recompute", "full"], &RACKS].concat());
}

/// Stages next to each other, on rails, through half of the ports; and a host without peer-to-peer.
#[test]
fn wired() {
    let layout = "tp=2,pp=8,dp=2,order=tp-cp-pp-ep-dp";
    let on = ["--on", "DGX_H100", "--nodes", "4", "--fabric", "InfiniBand_NDR_Oversub2to1"];
    let step = ["Llama3_70B", "--layout", layout, "--batch", "16", "--stage", "3"];
    let wiring = ["--wiring", "rail_domains=4,ports=4"];
    check("placed_wired", &[step.as_slice(), &on, &wiring].concat());
    let hosted = ["--wiring", "peer_to_peer=false,host_memory=400 GB/s"];
    check(
        "served_through_host",
        &[decode("Llama3_8B", "tp=8", "8@1024", "DGX_H100").as_slice(), &hosted].concat(),
    );
    for (name, more) in [
        ("refused_host", ["--wiring", "peer_to_peer=false"]),
        ("refused_wiring", ["--wiring", "rails=4"]),
        ("refused_order", ["--layout", "tp=8,order=tp-cp-dp-pp"]),
    ] {
        check(name, &[["Llama3_8B", "--on", "DGX_H100"].as_slice(), &more].concat());
    }
}

/// A step of decoding on a system.
fn decode<'a>(model: &'a str, layout: &'a str, decode: &'a str, on: &'a str) -> [&'a str; 7] {
    [model, "--layout", layout, "--decode", decode, "--on", on]
}

#[test]
fn serving() {
    check("served_llama", &decode("Llama3_70B", "tp=8", "64@8192", "DGX_H100"));
    check("served_llama_rack", &decode("Llama3_70B", "tp=8,dp=8", "512@8192", "DGX_GB200"));
    check("served_mixtral", &decode("Mixtral_8x7B", "tp=2,ep=4,dp=4", "256@4096", "DGX_H100"));
    check("served_mixtral_rack", &decode("Mixtral_8x7B", "tp=2,ep=4,dp=4", "256@4096", "DGX_GB200"));
    let deepseek = decode("DeepSeek_V3", "dp=64,ep=64", "4096@4096", "Training_512_H100");
    check("served_deepseek", &deepseek);
    let rack = decode("DeepSeek_V3", "dp=64,ep=64", "4096@4096", "DGX_GB200");
    check("served_deepseek_rack", &[rack.as_slice(), &["-o", "csv"]].concat());
}

/// What does not fit is told whole, with what would, and exits with 2.
#[test]
fn what_does_not_fit() {
    let llama = ["Llama3_70B", "--layout", "tp=8,dp=8,sp", "--batch", "64", "--seq", "8192"];
    let on = ["--on", "DGX_H100", "--nodes", "8", "--fabric", "InfiniBand_NDR"];
    check("misfit_memory", &[llama.as_slice(), &on, &["-o", "markdown"]].concat());
    check("misfit_csv", &[llama.as_slice(), &on, &["-o", "csv"]].concat());
    check("misfit_devices", &["Llama3_70B", "--layout", "tp=8,dp=128", "--on", "Training_512_H100"]);
    check("misfit_nothing", &["Llama3_70B", "--layout", "tp=8", "--on", "DGX_H100", "-o", "csv"]);
}

#[test]
fn explains_lines() {
    let llama = [
        "Llama3_70B",
        "--layout",
        "tp=8,pp=4,dp=16,sp",
        "--batch",
        "512",
        "--seq",
        "8192",
        "--recompute",
        "full",
        "--on",
        "Training_512_H100",
        "--explain",
    ];
    for line in ["memory.weights", "memory.activations", "memory.optimizer", "bound.network"] {
        let name = format!("explain_{}", line.replace('.', "_"));
        check(&name, &[llama.as_slice(), &[line]].concat());
    }
    check("explain_bound_arithmetic_csv", &[llama.as_slice(), &["bound.arithmetic", "-o", "csv"]].concat());
    let served = ["Llama3_70B", "--layout", "tp=8", "--decode", "64@8192", "--on", "DGX_H100", "--explain"];
    check("explain_memory_cache", &[served.as_slice(), &["memory.cache"]].concat());
    // Without a line it is every total, those of the machine too.
    let (all, _) = json(&served);
    let names: Vec<&str> =
        all.as_array().expect("a list").iter().filter_map(|line| line["name"].as_str()).collect();
    assert_eq!(names[names.len() - 2..], ["memory.total", "bound.time"]);
}

/// The report says what the text says, in numbers that a program can take.
#[test]
fn reports() {
    let (report, code) = json(&[
        "Llama3_70B",
        "--layout",
        "tp=8,pp=4,dp=16,sp",
        "--batch",
        "512",
        "--seq",
        "8192",
        "--on",
        "Training_512_H100",
    ]);
    assert_eq!(code, 0);
    assert_eq!(report["machine"]["devices"], 512);
    assert_eq!(report["machine"]["link"]["value"], 450e9);
    // Stage 0: two bytes for each parameter, four for its gradient, twelve for the optimizer.
    let held = 2_270_756_864.0;
    for (part, bytes) in [("weights", 2.0), ("gradients", 4.0), ("optimizer", 12.0)] {
        assert_eq!(report["memory"][part]["value"], bytes * held, "{part}");
    }
    assert_eq!(report["memory"]["capacity"]["value"], 80.0 * 1_073_741_824.0);
    assert_eq!(report["memory"]["kinds"]["activations"], "exact");
    assert_eq!(report["fit"]["fits"], true);
    assert_eq!(report["fit"]["binds"], Value::Null);
    // What groups take in a step is what the bound of the same stage takes.
    assert_eq!(report["stage"], report["bound"]["stage"]);
    for (of_group, of_bound) in [("on_links", "links"), ("on_network", "network")] {
        let groups = report["groups"].as_array().expect("a list");
        let sum: f64 = groups.iter().filter_map(|group| group[of_group]["value"].as_f64()).sum();
        let bound = report["bound"][of_bound]["value"].as_f64().expect("a time");
        assert!((sum / bound - 1.0).abs() < 1e-12, "{of_bound}: {sum} and {bound}");
    }
    // Each gather sends seven eighths of 8192 tokens at 450 GB/s.
    let gather = &report["exchanges"][0];
    assert_eq!((&gather["what"], &gather["link"]), (&"block input".into(), &"links".into()));
    let once = 7.0 / 8.0 * 8192.0 * 8192.0 * 2.0 / 450e9;
    let told = gather["least_time"]["value"].as_f64().expect("a time");
    assert!((told / once - 1.0).abs() < 1e-12, "{told}");
}

/// The nearest layout can be pasted, and fits.
#[test]
fn alternatives_fit() {
    let on = ["--on", "DGX_H100", "--nodes", "2", "--fabric", "InfiniBand_NDR"];
    let (report, code) = json(&[&["Llama3_70B", "--layout", "tp=8,dp=2"], on.as_slice()].concat());
    assert_eq!(code, 2);
    assert_eq!(report["fit"]["binds"], "memory");
    let lacking = report["fit"]["lacking"]["value"].as_f64().expect("bytes");
    assert_eq!(Some(-lacking), report["memory"]["free"]["value"].as_f64());
    let nearest = &report["fit"]["nearest"];
    let [layout, recompute] = [&nearest["layout"], &nearest["step"]["fields"]["recompute"]];
    let [layout, recompute] = [layout, recompute].map(|text| text.as_str().expect("a text"));
    let again = ["Llama3_70B", "--layout", layout, "--recompute", recompute];
    let (report, code) = json(&[again.as_slice(), &on].concat());
    assert_eq!((code, &report["fit"]["fits"]), (0, &true.into()));
    assert_eq!(report["memory"]["free"], nearest["free"]);
}

/// Options of `account Llama3_70B`, and why they are refused.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["--on", "H100"],
        "on: a server or a cluster is needed, but `H100` is a device; did you mean one of `DGX_H100`, `GrandTeton_H100`, `HGX_H100_EPYC` and `Kempner_H100_4GPU`?",
    ),
    (
        &["--on", "GB200_NVL72"],
        "on: a server or a cluster is needed, but `GB200_NVL72` is a device; did you mean `DGX_GB200`?",
    ),
    (
        &["--on", "Llama3_70B"],
        "on: a server or a cluster is needed, but `Llama3_70B` is a model; `mlsysim list systems` shows those of Systems.Nodes",
    ),
    (&["--on", "DGX_H10"], "on: nothing is called `DGX_H10`; did you mean `DGX_H100`?"),
    (
        &["--on", "Training_512_H10"],
        "on: nothing is called `Training_512_H10`; did you mean `Training_512_H100`?",
    ),
    (
        &["--on", "nowhere"],
        "on: nothing is called `nowhere`; `mlsysim list systems` shows those of Systems.Nodes and Systems.Clusters",
    ),
    (
        &["--on", "Training_512_H100", "--nodes", "4"],
        "nodes: `Training_512_H100` is a cluster with 64 servers on a network of its own; leave this out, or name a server",
    ),
    (
        &["--on", "DGX_H100", "--nodes", "4"],
        "fabric: `4` servers need a network between them, such as `InfiniBand_NDR`, or its figure: state it with `--state \"network.bandwidth=… GB/s\"`, or in `state` of Python and of plan files",
    ),
    (
        &["--on", "DGX_H100", "--nodes", "0"],
        "nodes: a whole number of at least 1 and at most 1048576 is needed, but `0` was given",
    ),
    (&["--on", "DGX_H100", "--nodes", "-2"], "nodes: a whole number is needed, but `-2` was given"),
    (
        &["--on", "DGX_H100", "--nodes", "2", "--fabric", "InfiniBand_NRD"],
        "fabric: nothing is called `InfiniBand_NRD`; did you mean `InfiniBand_NDR`?",
    ),
    (
        &["--on", "DGX_H100", "--fabric", "H100"],
        "fabric: `H100` is no network; `mlsysim list systems` shows those of Systems.Fabrics",
    ),
    // A group that needs a network, on a server alone.
    (
        &["--layout", "tp=16", "--on", "DGX_H100"],
        "on: a group of 16 ranks reaches beyond the 8 devices of DGX H100, which has no network; give it one (`fabric`) or state its `network.bandwidth`, and as many servers as the layout needs (`nodes`)",
    ),
    (
        &["--on", "DGX_A100", "--precision", "fp8"],
        "precision: NVIDIA A100 states no peak for `fp8`, only for `fp32`, `tf32`, `tf32_sparse`, `fp16_dense`, `fp16_sparse`, `bf16_dense`, `bf16_sparse`, `int8` and `int8_sparse`; state it with `--state \"peak.fp8=… TFLOP/s\"`, or in `state` of Python and of plan files",
    ),
    (
        &["--on", "DGX_H100", "--precision", "int4"],
        "precision: NVIDIA H100 states no peak for `int4`, only for `fp32`, `tf32`, `tf32_sparse`, `fp16_dense`, `fp16_sparse`, `bf16_dense`, `bf16_sparse`, `fp8`, `fp8_sparse`, `int8` and `int8_sparse`; state it with `--state \"peak.int4=… TFLOP/s\"`, or in `state` of Python and of plan files",
    ),
    (
        &["--on", "DGX_H100", "--precision", "fp4"],
        "precision: `fp4` is no precision of storage; those are `fp32`, `tf32`, `bf16`, `fp16`, `fp8`, `int8` and `int4`",
    ),
    (
        &["--on", "DGX_H100", "--optimizer", "adm"],
        "optimizer: `adam`, `adam_16bit`, `adam_8bit`, `adafactor`, `sgd`, `sgd_momentum` or `muon` is needed, but \"adm\" was given; did you mean `adam`?",
    ),
    (
        &["--on", "DGX_H100", "--schedule", "x"],
        "schedule: `1f1b`, `gpipe`, `zb-h1` or `zb-h2` is needed, but \"x\" was given",
    ),
    (
        &["--on", "DGX_H100", "--gradient-copies", "some"],
        "gradient-copies: `none`, `updated` or `all` is needed, but \"some\" was given",
    ),
    (
        &["--on", "DGX_H100", "--kv-block", "0"],
        "kv-block: a whole number of at least 1 and at most 1048576 is needed, but `0` was given",
    ),
    (
        &["--on", "DGX_H100", "--framework-memory", "-1 GiB"],
        "framework-memory: a Bytes of at least 0 B is needed, but \"-1 GiB\" was given",
    ),
    (
        &["--on", "DGX_H100", "--framework-memory", "1"],
        "framework-memory: `1` has no unit, but a Bytes is needed, such as \"1 GiB\"",
    ),
    (
        &["--on", "DGX_H100", "--fragmentation", "-0.1"],
        "fragmentation: a number of at least 0 and below 1 is needed, but `-0.1` was given",
    ),
    (
        &["--on", "DGX_H100", "--fragmentation", "1"],
        "fragmentation: a number of at least 0 and below 1 is needed, but `1` was given",
    ),
    (
        &["--on", "DGX_H100", "--recompute-layers", "3"],
        "recompute-layers: `3` layers are to be computed again, but recompute is `none`; it has to be `full`",
    ),
    (
        &["--on", "DGX_H100", "--recompute", "full", "--recompute-layers", "90"],
        "recompute-layers: stage 0 has 80 layers, but `90` are to be computed again",
    ),
    (
        &["--explain", "memory.weights"],
        "explain: `memory.weights` is a line of a step on a machine; add `--on SYSTEM`",
    ),
    (
        &["--on", "DGX_H100", "--explain", "memory.wights"],
        "a step on a machine has no line `memory.wights`; did you mean `memory.weights`?",
    ),
];

#[test]
fn refusals() {
    for (options, message) in REFUSED {
        let output = shared::run(&[&["account", "Llama3_70B"], *options].concat(), b"", shared::FOLDER);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.trim_end(), format!("error: {message}"), "{options:?}");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{options:?}");
    }
}

/// What is about a machine needs one.
#[test]
fn options_that_need_a_machine() {
    for options in [
        ["--nodes", "2"].as_slice(),
        &["--fabric", "InfiniBand_NDR"],
        &["--optimizer", "adam"],
        &["--schedule", "gpipe"],
        &["--recompute-layers", "2"],
        &["--unfused-attention"],
        &["--unfused-gate"],
        &["--dropout"],
        &["--loss-beside"],
        &["--stage-outputs"],
        &["--gradient-copies", "all"],
        &["--cast-weights"],
        &["--kv-block", "16"],
        &["--framework-memory", "1 GiB"],
        &["--fragmentation", "0.1"],
    ] {
        let output = shared::run(&[&["account", "Llama3_70B"], options].concat(), b"", shared::FOLDER);
        let said = String::from_utf8_lossy(&output.stderr);
        let of_memory = format!("error: {}: it is about the memory of devices", &options[0][2..]);
        let is_named = said.contains("--on <SYSTEM>") && said.contains(options[0]);
        assert!(is_named || said.starts_with(&of_memory), "{options:?}: {said}");
        assert_eq!(output.status.code(), Some(1), "{options:?}");
    }
}

/// Each option of memory changes the part that it is about, and no other.
#[test]
fn options_change_what_they_are_about() {
    let on = ["--on", "DGX_H100", "--nodes", "2", "--fabric", "InfiniBand_NDR"];
    let held = |layout: &str, options: &[&str]| {
        json(&[&["Llama3_8B", "--layout", layout, "--batch", "4"], options, &on].concat()).0["memory"].take()
    };
    let changed = |layout: &str, options: &[&str], base: &[&str]| {
        let (before, after) = (held(layout, base), held(layout, &[base, options].concat()));
        let parts =
            ["weights", "gathered", "gradients", "optimizer", "activations", "logits", "working", "cache"];
        let differ = parts.iter().chain(&["overhead"]).filter(|part| before[**part] != after[**part]);
        differ.copied().collect::<Vec<&str>>()
    };
    let full = ["--recompute", "full"];
    for (options, base, part) in [
        (["--optimizer", "adam_8bit"].as_slice(), [].as_slice(), "optimizer"),
        (&["--unfused-attention"], &[], "activations"),
        (&["--unfused-gate"], &[], "activations"),
        (&["--dropout"], &[], "activations"),
        (&["--gradient-copies", "all"], &[], "gradients"),
        (&["--cast-weights"], &[], "weights"),
        (&["--recompute-layers", "2"], &full, "activations"),
        (&["--framework-memory", "2 GiB"], &[], "overhead"),
        (&["--fragmentation", "0.1"], &[], "overhead"),
    ] {
        assert_eq!(changed("dp=2", options, base), [part], "{options:?}");
    }
    assert_eq!(changed("dp=2", &["--loss-beside"], &[]), ["logits"]);
    // All micro-batches are in flight on every stage, so that another one may be the fullest.
    let total = |options: &[&str]| held("pp=2", options)["total"]["value"].as_f64();
    assert!(total(&["--schedule", "gpipe"]) > total(&["--schedule", "1f1b"]));
    assert_eq!(changed("pp=2", &["--stage-outputs"], &[]), ["activations"]);
    let served = |block| json(&["Llama3_8B", "--decode", "4@100", "--kv-block", block, "--on", "DGX_H100"]).0;
    let cached = |block| served(block)["memory"]["cache"]["value"].as_f64();
    // 101 tokens are 7 blocks of 16, or one of 128.
    assert_eq!(cached("16").map(|bytes| bytes * 128.0), cached("128").map(|bytes| bytes * 112.0));
}
