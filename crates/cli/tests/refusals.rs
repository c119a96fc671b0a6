//! What `import` and `account` refuse, and in which words.

#![allow(clippy::expect_used, reason = "a test that cannot write its files has failed")]

mod shared;

use std::fs;
use std::path::PathBuf;

/// A layout that a model does not allow, and why.
const LAYOUTS: &[(&str, &str, &str)] = &[
    (
        "Llama3_70B",
        "tp=7",
        "tp: the 64 heads do not divide by `7`; it can be `1`, `2`, `4`, `8`, `16`, `32` and `64`",
    ),
    ("Llama3_70B", "pp=81", "pp: `81` stages are more than the 80 layers; it can be 1 to 80"),
    ("Llama3_70B", "vpp=2", "vpp: chunks are interleaved over the stages of a pipeline, but pp is `1`"),
    (
        "Llama3_70B",
        "pp=4,vpp=3",
        "vpp: the 80 layers make no equal chunks, `3` on each of 4 stages; it can be `1`, `2`, `4`, `5`, `10` and `20`; `stages` can list unequal ones",
    ),
    ("Llama3_70B", "pp=2,stages=[40,39]", "stages: they have 79 layers together, but the model has 80"),
    (
        "Llama3_70B",
        "pp=4,stages=[40,40]",
        "stages: one number of layers for each of pp `4` stages is needed, but 2 were given",
    ),
    (
        "Llama3_70B",
        "sp",
        "sp: sequence parallelism shares tokens among the ranks of a tensor-parallel group, but tp is `1`",
    ),
    (
        "Llama3_70B",
        "dp=8,shard=4",
        "shard: nothing is shared among replicas with zero `0`; set zero to 1, 2 or 3",
    ),
    ("Llama3_70B", "dp=2,ep=2", "ep: the model has no experts to spread over `2`"),
    (
        "Mixtral_8x7B",
        "ep=8,dp=4",
        "ep: experts cannot be spread over `8` of tp 1 · dp 4 · cp 1 / etp 1 = 4 ranks; it can be `1`, `2` and `4`",
    ),
    (
        "Mixtral_8x7B",
        "ep=16,dp=16",
        "ep: the 8 experts do not divide by `16`; it can be `1`, `2`, `4` and `8`",
    ),
    ("Llama3_70B", "tpp=8", "tpp: a layout has no such degree; did you mean `tp`?"),
    ("Llama3_70B", "tp=8,pp=2,tp=8", "tp: it is given twice"),
    (
        "Llama3_70B",
        "tp=eight",
        "tp: a whole number of at least 1 and at most 65535 is needed, but \"eight\" was given",
    ),
    ("Llama3_70B", "tp=0", "tp: a whole number of at least 1 and at most 65535 is needed, but `0` was given"),
    (
        "Llama3_70B",
        "dp=65536",
        "dp: a whole number of at least 1 and at most 65535 is needed, but `65536` was given",
    ),
];

#[test]
fn layouts() {
    for (model, layout, message) in LAYOUTS {
        refused(&["account", model, "--layout", layout], message, shared::FOLDER.into());
    }
}

/// Options of `predict Llama3_8B`, and why they are refused.
const PREDICTIONS: &[(&[&str], &str)] = &[
    (&[], "on: a machine is needed, such as `--on DGX_H100` or `--on Training_512_H100`"),
    (&["--on", "DGX_H10O"], "on: nothing is called `DGX_H10O`; did you mean `DGX_H100`?"),
    (
        &["--on", "DGX_A100", "--practice", "products=fp8"],
        "practice.products: NVIDIA A100 states no peak for `fp8`, only for `fp32`, `tf32`, `tf32_sparse`, `fp16_dense`, `fp16_sparse`, `bf16_dense`, `bf16_sparse`, `int8` and `int8_sparse`; state it with `--state \"peak.fp8=… TFLOP/s\"`, or in `state` of Python and of plan files, or choose another precision of products",
    ),
    (
        &["--on", "DGX_H100", "--precision", "fp32"],
        "precision: bf16, fp16, fp8, fp8_block or nvfp4 is needed, but `fp32` was given",
    ),
    (
        &["--on", "DGX_H100", "--practice", "products=fp32"],
        "practice.products: bf16, fp16, fp8, fp8_block or nvfp4 is needed, but `fp32` was given",
    ),
    (
        &["--on", "DGX_H100", "--practice", "atention=fused"],
        "practice.atention: a practice has no such setting; did you mean `attention`?",
    ),
    (
        &["--on", "DGX_H100", "--practice", "attention=fusd"],
        "practice.attention: `fused` or `unfused` is needed, but \"fusd\" was given; did you mean `fused`?",
    ),
    (
        &["--on", "DGX_H100", "--practice", "attention=fused", "--unfused-attention"],
        "practice.attention: `fused` was given, but memory is to be reckoned with attention that is not",
    ),
    (
        &["--on", "DGX_H100", "--prefill", "512", "--context", "512", "--answer", "9"],
        "context: prompts that are answered begin with nothing cached, but 512 cached tokens were given; leave them out, or leave out the answer for the prefill alone",
    ),
    (
        &["--on", "DGX_H100", "--practice", "max_batch=0"],
        "practice.max_batch: a whole number of at least 1 is needed, but `0` was given",
    ),
    (
        &["--on", "DGX_H100", "--practice", "class=graph"],
        "practice.class: `graphs`, `launched`, `compiled` or `eager` is needed, but \"graph\" was given",
    ),
    (&["--on", "DGX_H100", "--practice", "graphs,graphs"], "practice.graphs: it is given twice"),
    (
        &["--on", "DGX_H100", "--practice", "graphs=2"],
        "practice.graphs: `true` or `false` is needed, but `2` was given",
    ),
    (
        &["--on", "DGX_H100", "--explain", "passes.attention.qury"],
        "a predicted step has no part `passes.attention.qury`; did you mean `passes.attention.query`?",
    ),
    (&["--on", "DGX_H100", "--price", "@Infrastructure.Pricing.Fleet.GpuHourRev.rate"], "price: "),
    (
        &["--on", "DGX_H100", "--power=-5 W"],
        "power: a Power of at least 0 W is needed, but \"-5 W\" was given",
    ),
    (
        &["--scenario", "RingVsTreeSmallBuffer"],
        "scenario: `AllReduceScheduleScenario` states no time that a model and a machine imply",
    ),
    (
        &["--scenario", "OverlapBudget7B64Gpu"],
        "on: no input of the case refers to a machine; give `--on`, such as `--on DGX_H100`",
    ),
    (
        &["--scenario", "Llama2_70BPrefillTensorParallel8", "--layout", "tp=4"],
        "layout: the case says what is done",
    ),
];

#[test]
fn predictions() {
    for (options, message) in PREDICTIONS {
        let told = shared::told(&[&["predict", "Llama3_8B"], *options].concat(), "");
        let refused = told.contains(&format!("\nerror: {message}")) && told.ends_with("exit code 1");
        assert!(refused, "{options:?}: {told}");
    }
}

/// Options of `tp`, and why they are refused.
const DEGREES: &[(&[&str], &str)] = &[
    (&["Llama3_8B"], "on: a machine is needed, such as `--on DGX_H100` or `--on Training_512_H100`"),
    (&["Llama3_8", "--on", "DGX_H100"], "nothing is called `Llama3_8`; did you mean `Llama3_8B`"),
    (
        &["Llama3_8B", "--on", "DGX_H100", "--layout", "tp=8"],
        "tp: the degree is what is varied, but `8` was given; leave it out",
    ),
    (&["Llama3_8B", "--on", "DGX_H100", "--prefill", "2048", "--price", "2.5 USD"], "price: "),
    (&["Llama3_8B", "--on", "DGX_H100", "--prefill", "0"], "prefill: a whole number of at least 1"),
    (
        &["--scenario", "RingVsTreeSmallBuffer"],
        "scenario: the cases of `TensorParallelSpeedupScenario` state times that can be split, this is a `AllReduceScheduleScenario`",
    ),
    (
        &["--scenario", "Llama2_70BPrefillTensorParallel8", "--decode", "8@512"],
        "decode: the case says what is done",
    ),
];

#[test]
fn degrees() {
    for (options, message) in DEGREES {
        let told = shared::told(&[&["tp"], *options].concat(), "");
        let refused = told.contains(&format!("\nerror: {message}")) && told.ends_with("exit code 1");
        assert!(refused, "{options:?}: {told}");
    }
}

/// Options of `account Llama3_70B`, and why they are refused.
const OPTIONS: &[(&[&str], &str)] = &[
    (
        &["--layout", "tp=8,dp=2", "--devices", "15"],
        "devices: tp 8 · pp 1 · dp 2 · cp 1 takes 16 of them, but `15` were given",
    ),
    (&["--devices", "many"], "devices: a whole number is needed, but `many` was given"),
    (&["--stage", "1"], "stage: there are stages 0 to 0, but `1` was given"),
    (&["--stage", "-1"], "stage: a whole number is needed, but `-1` was given"),
    (
        &["--layout", "dp=4", "--batch", "6"],
        "batch: `6` sequences do not divide by dp 4 replicas; 4 or 8 would",
    ),
    (
        &["--batch", "0"],
        "batch: a whole number of at least 1 and at most 1073741824 is needed, but `0` was given",
    ),
    (
        &["--batch", "12", "--micro-batch", "5"],
        "micro-batch: the 12 sequences of a replica do not divide by `5`; it can be `1`, `2`, `3`, `4`, `6` and `12`",
    ),
    (
        &["--layout", "cp=8", "--seq", "1000"],
        "seq: `1000` tokens make no 16 equal parts for cp 8; 992 or 1008 would",
    ),
    (
        &["--layout", "cp=8", "--prefill", "1000"],
        "prefill: `1000` tokens make no 16 equal parts for cp 8; 992 or 1008 would",
    ),
    (
        &["--layout", "tp=8,sp", "--seq", "1001"],
        "sp: the 1001 tokens of a micro-batch do not divide by tp `8`, which sequence parallelism needs",
    ),
    (
        &["--seq", "2147483648"],
        "seq: a whole number of at least 1 and at most 1073741824 is needed, but `2147483648` was given",
    ),
    (
        &["--precision", "fp17"],
        "precision: `fp17` is no precision of storage; those are `fp32`, `tf32`, `bf16`, `fp16`, `fp8`, `int8` and `int4`",
    ),
    (
        &["--gradients", "fp17"],
        "gradients: `fp17` is no precision of storage; those are `fp32`, `tf32`, `bf16`, `fp16`, `fp8`, `int8` and `int4`",
    ),
    (
        &["--kv-precision", "fp17"],
        "kv-precision: `fp17` is no precision of storage; those are `fp32`, `tf32`, `bf16`, `fp16`, `fp8`, `int8` and `int4`",
    ),
    (
        &["--recompute", "ful"],
        "recompute: `none`, `selective` or `full` is needed, but \"ful\" was given; did you mean `full`?",
    ),
    (&["--context", "5"], "context: training has no KV cache, but `5` was given"),
    (
        &["--decode", "64"],
        "decode: how many tokens are cached is needed too, as in `64@8192`, but `64` was given",
    ),
    (
        &["--decode", "64@8", "--context", "9"],
        "decode: `64@8` and --context `9` both say how many tokens are cached",
    ),
    (
        &["--decode", "x@8"],
        "decode: a whole number of at least 1 and at most 1073741824 is needed, but \"x\" was given",
    ),
    (
        &["--seq", "32k"],
        "seq: a whole number of at least 1 and at most 1073741824 is needed, but \"32k\" was given; write `32000` or `32768`",
    ),
    (
        &["--prefill", "8K"],
        "prefill: `8 K` is Temperature, but a whole number of at least 1 and at most 1073741824 is needed; write `8000` or `8192`",
    ),
    (&["--stage", "1k"], "stage: a whole number is needed, but `1k` was given; write `1000` or `1024`"),
    (
        &["--optimizer", "adam"],
        "optimizer: it is about the memory of devices; say which with `--on`, such as `--on DGX_H100`",
    ),
    (&["--decode", "64@x"], "decode: a whole number of at most 1073741824 is needed, but \"x\" was given"),
    (
        &["--decode", "64@8", "--recompute", "full"],
        "recompute: only a backward pass computes again, and decode has none",
    ),
    (&["--explain", "atention"], "an account has no line `atention`; did you mean `attention`?"),
    (
        &["--explain", "flops.forward.mpl"],
        "an account has no line `flops.forward.mpl`; did you mean `flops.forward.mlp`?",
    ),
    (
        &["--explain", "energy"],
        "an account has no line `energy`; there are `parameters.PART`, `flops.PASS.PART`, `bytes.PASS.PART` and `sent.GROUP`; parts are `embedding`, `attention`, `mlp`, `experts`, `shared_experts`, `router`, `norms`, `head` and `other`, passes `forward`, `backward` and `recompute`, groups `tp`, `cp`, `ep`, `etp`, `pp`, `dp` and `edp`, and `total` stands for all of them",
    ),
];

#[test]
fn options() {
    for (options, message) in OPTIONS {
        refused(&[&["account", "Llama3_70B"], *options].concat(), message, shared::FOLDER.into());
    }
}

/// Names that are no model's, and what is said of them.
const MODELS: &[(&str, &str)] = &[
    ("Llama3_70", "nothing is called `Llama3_70`; did you mean `Llama3_70B`?"),
    ("H100", "`H100` is no model; `mlsysim list models` shows them all"),
    ("ResNet50", "model: ResNet-50 has no published configuration; `mlsysim import FILE` reads one"),
    ("nowhere.json", "nowhere.json: No such file or directory (os error 2)"),
    ("./nowhere", "./nowhere: No such file or directory (os error 2)"),
];

#[test]
fn models() {
    for (model, message) in MODELS {
        refused(&["account", model], message, shared::FOLDER.into());
    }
}

#[test]
fn a_family_near_a_known_one() {
    let folder = folder("near_family");
    let text = r#"{"model_type": "lama", "hidden_size": 4096, "num_hidden_layers": 2,
        "num_attention_heads": 32, "vocab_size": 32000, "intermediate_size": 11008}"#;
    fs::write(folder.join("near.json"), text).expect("a file");
    let output = shared::run(&["import", "near.json", "-o", "csv"], b"", &folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("note: the family `lama` is not known (did you mean `llama`?); "), "{said}");
    assert_eq!(output.status.code(), Some(0));
}

/// A file that is no configuration, and what is said of it.
const FILES: &[(&str, &[u8], &str)] = &[
    ("broken.json", b"{broken", "this is no JSON: key must be a string at line 1 column 2"),
    ("cut.json", b"{\"hidden_size\": 40", "this is no JSON: EOF while parsing an object at line 1 column 18"),
    ("empty.json", b"", "this is no JSON: EOF while parsing a value at line 1 column 0"),
    ("list.json", b"[1]", "a configuration is a JSON object, `{\"model_type\": …}`"),
    ("latin.json", b"{\"model_type\": \"\xff\"}", "the file is no UTF-8 text"),
    (
        "lacking.json",
        b"{\"model_type\": \"llama\", \"hidden_size\": 4096, \"vocab_sise\": 1000}",
        "num_attention_heads: the configuration of llama lacks `num_attention_heads`, `num_hidden_layers`, `vocab_size` and `intermediate_size`; did you mean `vocab_size` by `vocab_sise`?",
    ),
];

#[test]
fn files() {
    let folder = folder("files");
    for (name, text, message) in FILES {
        fs::write(folder.join(name), text).expect("a file");
        refused(&["import", name], &format!("{name}: {message}"), folder.clone());
        refused(&["account", name], &format!("{name}: {message}"), folder.clone());
    }
    fs::create_dir_all(folder.join("bare")).expect("a folder");
    let message = "bare: the folder has neither a `config.json` nor a `params.json`; name the file if it is called otherwise";
    refused(&["import", "bare"], message, folder.clone());
    refused(&["import", "gone"], "gone: No such file or directory (os error 2)", folder);
}

#[test]
fn deep_and_long_files() {
    let folder = folder("deep_and_long_files");
    let deep = "{\"a\":".repeat(100_000);
    fs::write(folder.join("deep.json"), deep).expect("a file");
    refused(
        &["import", "deep.json"],
        "deep.json: this is no JSON: recursion limit exceeded at line 1 column 636",
        folder.clone(),
    );
    let said = "a configuration has a few kilobytes, and at most 4 MiB are read; this one has";
    // A file of holes: its length is known before anything is read.
    let long = fs::File::create(folder.join("long.json")).expect("a file");
    long.set_len(1 << 33).expect("a long file");
    refused(&["import", "long.json"], &format!("long.json: {said} 8589934592 bytes"), folder.clone());
    // A pipe says no length, and is not read to its end.
    if cfg!(unix) {
        let output = shared::run(&["import", "/dev/stdin"], &vec![b' '; (4 << 20) + 1], &folder);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("error: /dev/stdin: {said} more\n"));
    }
}

/// Runs the command and compares its one line of complaint.
#[track_caller]
fn refused(arguments: &[&str], message: &str, folder: PathBuf) {
    let output = shared::run(arguments, b"", folder);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("error: {message}\n"), "{arguments:?}");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

/// An empty folder for the files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}
