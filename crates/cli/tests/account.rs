//! What `import` and `account` print, as snapshots, and what they say as JSON.

#![allow(clippy::expect_used, reason = "a test that gets no JSON has failed")]

mod shared;

use serde_json::Value;

/// Snapshots what the command prints and its exit code.
#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    insta::assert_snapshot!(name, shared::told(arguments, ""));
}

/// What the command prints as JSON.
#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let output = shared::run(&[arguments, &["-o", "json"]].concat(), b"", shared::FOLDER);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

const CONFIGURATIONS: &str = "../../../tests/configurations";

fn configuration(name: &str) -> String {
    format!("{CONFIGURATIONS}/{name}.json")
}

#[test]
fn imports() {
    check("import_dense", &["import", &configuration("meta-llama__Meta-Llama-3-70B")]);
    check("import_experts", &["import", &configuration("deepseek-ai__DeepSeek-V3")]);
    check("import_tied", &["import", &configuration("Qwen__Qwen3-0.6B")]);
    check("import_csv", &["import", &configuration("mistralai__Mixtral-8x22B-v0.1"), "-o", "csv"]);
    check("import_markdown", &["import", &configuration("openai__gpt-oss-120b"), "-o", "markdown"]);
    check("import_json", &["import", &configuration("allenai__OLMoE-1B-7B-0924"), "-o", "json"]);
}

/// A folder, a file in it and a pipe are read alike.
#[test]
fn imports_from_anywhere() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("imports_from_anywhere");
    let text =
        std::fs::read(format!("{}/{}", shared::FOLDER, configuration("Qwen__Qwen2-7B"))).expect("a file");
    let marked = [b"\xef\xbb\xbf", text.as_slice()].concat();
    for (name, text) in [("older/params.json", &text), ("newer/config.json", &text), ("mine", &marked)] {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let read = |path: &str, input: &[u8]| {
        let output = shared::run(&["import", path, "-o", "csv"], input, &folder);
        assert!(output.status.success(), "{path}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let known = read("newer", b"");
    assert!(known.ends_with("total,7615616512\nactive,7615616512\n"), "{known}");
    for path in ["newer/config.json", "older", "older/params.json", "mine"] {
        assert_eq!(read(path, b""), known, "{path}");
    }
    if cfg!(unix) {
        assert_eq!(read("/dev/stdin", &text), known);
    }
}

#[test]
fn accounts_for_training() {
    let llama =
        ["account", "Llama3_70B", "--layout", "tp=8,pp=4,dp=16,sp", "--batch", "512", "--seq", "8192"];
    check("account_llama", &llama);
    check("account_llama_stage", &[llama.as_slice(), &["--stage", "1", "--recompute", "selective"]].concat());
    check("account_llama_csv", &[llama.as_slice(), &["--recompute", "full", "-o", "csv"]].concat());
    check("account_mixtral", &["account", "Mixtral_8x7B", "--layout", "tp=2,ep=8,dp=8"]);
    check(
        "account_mixtral_markdown",
        &["account", "Mixtral_8x7B", "--layout", "tp=2,ep=8,dp=8", "-o", "markdown"],
    );
    let deepseek =
        ["account", "DeepSeek_V3", "--layout", "pp=16,ep=64,dp=128", "--batch", "15360", "--seq", "4096"];
    check("account_deepseek", &deepseek);
    check("account_deepseek_csv", &[deepseek.as_slice(), &["--stage", "14", "-o", "csv"]].concat());
    check(
        "account_shards",
        &["account", "Llama3_8B", "--layout", "dp=64,cp=2,zero=3,shard=8", "--devices", "128"],
    );
}

#[test]
fn accounts_for_inference() {
    check("account_decode", &["account", "DeepSeek_V3", "--layout", "tp=8", "--decode", "64@8192"]);
    let prefill = ["--prefill", "2048", "--batch", "4", "--context", "6144", "--kv-precision", "fp8"];
    let model = configuration("meta-llama__Meta-Llama-3-70B");
    check("account_prefill", &[&["account", &model, "--layout", "tp=8,sp"], prefill.as_slice()].concat());
}

#[test]
fn explains_lines() {
    let llama = ["account", "Llama3_70B", "--layout", "tp=8,pp=4,dp=16,sp", "--explain"];
    for line in ["attention", "flops.forward.attention", "bytes.backward.head", "sent.pp"] {
        check(&format!("explain_{}", line.replace('.', "_")), &[llama.as_slice(), &[line]].concat());
    }
    check("explain_account_csv", &[llama.as_slice(), &["norms", "-o", "csv"]].concat());
    check("explain_account_json", &[llama.as_slice(), &["norms", "-o", "json"]].concat());
    let mixtral = ["account", "Mixtral_8x7B", "--layout", "tp=2,ep=8,dp=8", "--explain", "sent.ep"];
    check("explain_sent_ep", &mixtral);
    // Operations of layers of several kinds share their names; each stands for itself in the sum.
    let deepseek = ["account", "DeepSeek_V3", "--layout", "pp=16,ep=64,dp=128", "--explain", "norms"];
    let derived = json(&deepseek);
    assert_eq!(derived["substituted"], "21504 + 21504 + 7168 + 7168");
    assert_eq!(derived["value"], 57344);
    // Without a line it is every total that is not zero.
    let all = json(&["account", "Llama3_8B", "--decode", "8", "--context", "1024", "--explain"]);
    let names: Vec<&str> =
        all.as_array().expect("a list").iter().filter_map(|line| line["name"].as_str()).collect();
    assert_eq!(names, ["parameters.total", "flops.forward.total", "bytes.forward.total"]);
}

/// The report says what the text says, in numbers that a program can take.
#[test]
fn reports() {
    let report =
        json(&["account", "Llama3_70B", "--layout", "tp=8,pp=4,dp=16,sp", "--batch", "512", "--seq", "8192"]);
    let keys: Vec<&str> = report.as_object().expect("an object").keys().map(String::as_str).collect();
    let told =
        ["model", "layout", "step", "devices", "stage", "layers", "parameters", "flops", "bytes", "sent"];
    assert!(
        told.iter().chain(&["operations", "exchanges", "notes"]).all(|key| keys.contains(key)),
        "{keys:?}"
    );
    assert_eq!(report["devices"], 512);
    assert_eq!(report["stage"], 3);
    assert_eq!(report["micro_batches"], 32);
    assert_eq!(report["step"]["fields"]["sequence"], 8192);
    // The last stage: 20 of the 80 layers, the norm behind them and the head, an eighth of each matrix.
    let layer: u64 = 8192 * (1024 + 128 + 128 + 1024) + 3 * 8192 * 3584 + 2 * 8192;
    assert_eq!(report["parameters"]["total"], 20 * layer + 8192 + 8192 * (128_256 / 8));
    // Two operations a parameter and token, of 20 layers and 32 micro-batches of 8192 tokens.
    let mlp = 2.0 * 32.0 * 8192.0 * 20.0 * 3.0 * 8192.0 * 3584.0;
    assert_eq!(report["flops"]["forward"]["mlp"]["value"], mlp);
    assert_eq!(report["flops"]["backward"]["mlp"]["value"], 2.0 * mlp);
    // Each micro-batch leaves once, in a part of an eighth of its tokens.
    assert_eq!(report["sent"]["pp"]["value"], 32.0 * 8192.0 / 8.0 * 8192.0 * 2.0);
}

/// Stages that are not the default one have what they have.
#[test]
fn stages_add_up() {
    let layout = "tp=2,pp=4,dp=2";
    let total: u64 = (0..4)
        .map(|stage| json(&["account", "Llama3_8B", "--layout", layout, "--stage", &stage.to_string()]))
        .map(|report| report["parameters"]["total"].as_u64().expect("a count"))
        .sum();
    // Norms are whole on both ranks; everything else is halved.
    let norms = 65 * 4096;
    assert_eq!(total, (8_030_261_248 - norms) / 2 + norms);
}

/// Whole numbers are read alike by all options, and what no file is is refused at once.
#[test]
fn numbers_and_files() {
    let told = |[batch, devices, stage]: [&str; 3]| {
        let options = ["--layout", "tp=8", "--batch", batch, "--devices", devices, "--stage", stage];
        json(&[["account", "Llama3_8B"].as_slice(), &options].concat())
    };
    assert_eq!(told(["1e1", "8e0", "0e0"]), told(["10", "8", "0"]));
    check("refused_stage", &["account", "Llama3_8B", "--stage", "0.5"]);
    check("refused_device", &["account", "/dev/zero"]);
}
