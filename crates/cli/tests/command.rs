//! What the command prints and how it exits, as snapshots.

mod shared;

/// Runs the command and snapshots its exit code and both of its streams.
#[track_caller]
fn check(name: &str, arguments: &[&str], input: &str) {
    insta::assert_snapshot!(name, shared::told(arguments, input));
}

#[test]
fn lists() {
    check("list_systems_csv", &["list", "systems", "-o", "csv"], "");
    check("list_solvers_json", &["list", "solvers", "-o", "json"], "");
    check("list_unknown", &["list", "hardwear"], "");
    check("list_unknown_group", &["list", "scenarios", "--group", "cooking"], "");
}

#[test]
fn shows() {
    check("show_entry", &["show", "Systems.Nodes.DGX_H100"], "");
    check("show_short_name", &["show", "InfiniBand_NDR"], "");
    check("show_figure", &["show", "Hardware.Cloud.H100.nvlink.bandwidth", "-o", "json"], "");
    check("show_below", &["show", "Systems.Pods"], "");
    check("show_part", &["show", "Hardware.Cloud.H100.nvlink"], "");
    check("show_record", &["show", "StorageTier"], "");
    check("show_case", &["show", "Gpt3TensorParallelLayerTp8"], "");
    check("show_type", &["show", "TensorParallelSpeedupScenario"], "");
    check("show_unknown", &["show", "Hardware.Cloud.H10"], "");
}

#[test]
fn runs() {
    let named = "Llama2_70BPrefillTensorParallel8";
    check("run_text", &["run", named], "");
    check("run_json", &["run", named, "-o", "json"], "");
    check("run_markdown", &["run", named, "-o", "markdown"], "");
    check("run_csv", &["run", "Gpt3TensorParallelLayerTp8", "-o", "csv"], "");
    check("run_changed", &["run", named, "--set", "tp_size=4", "--set", "allreduce_time=100 us"], "");
    check(
        "run_changed_entry",
        &["run", named, "--set", "serial_layer_times.attention=6 ms", "-o", "csv"],
        "",
    );
    check(
        "run_reference",
        &["run", "Gpt3TensorParallelLayerTp8", "--set", "accelerator=@Hardware.Cloud.A100", "-o", "csv"],
        "",
    );
    check("run_noted_csv", &["run", named, "--set", "tp_size=1", "-o", "csv"], "");
    check("run_file", &["run", "own.toml", "-o", "csv"], "");
}

/// What cannot be done is answered with what it would take, and exits with a code of its own.
#[test]
fn says_what_is_infeasible() {
    check("run_infeasible", &["run", "Llama3_70B_DecodeH100"], "");
    check("run_infeasible_json", &["run", "Llama3_70B_ServingH100", "-o", "json"], "");
    check(
        "run_device_too_small",
        &["run", "Llama3_70B_DecodeH100", "--set", "hardware=@T4", "-o", "csv"],
        "",
    );
    check("run_feasible", &["run", "Llama3_70B_DecodeH100", "--set", "tp_size=2", "-o", "csv"], "");
}

#[test]
fn refuses() {
    let named = "Llama2_70BPrefillTensorParallel8";
    check("run_unknown", &["run", "Llama2_70BPrefilTensorParallel8"], "");
    check("run_entry", &["run", "H100"], "");
    check("run_out_of_range", &["run", named, "--set", "tp_size=0"], "");
    check("run_misspelt", &["run", named, "--set", "allreduce_tmie=1 ms"], "");
    check("run_no_value", &["run", named, "--set", "tp_size"], "");
    check("run_broken_file", &["run", "broken.toml"], "");
    check("run_wrong_file", &["run", "wrong.toml"], "");
    check("run_missing_file", &["run", "nowhere.toml"], "");
    check("explain_unknown_output", &["explain", "Llama2_70BPrefillTensorParallel8.speedp"], "");
    check("explain_unknown_phase", &["explain", "Llama2_70BPrefillTensorParallel8.sharded(decode)"], "");
    check("explain_unknown_figure", &["explain", "Gpt3TensorParallelLayerTp8.result.compute_tme"], "");
    check(
        "explain_too_many",
        &["explain", "Llama2_70BPrefillTensorParallel8.sharded(attention,attention)"],
        "",
    );
    check("show_nothing", &["show", ""], "");
    check("run_bits_or_bytes", &["run", "Gpt3TensorParallelLayerTp8", "--set", "links.NVLink=450 Gb/s"], "");
    check("run_too_many", &["run", named, "--set", "tp_size=1e20"], "");
    check("usage", &["run"], "");
}

#[test]
fn explains() {
    check("explain_output", &["explain", "Llama2_70BPrefillTensorParallel8.speedup"], "");
    check("explain_figure", &["explain", "Gpt3TensorParallelLayerTp8.result.compute_time"], "");
    check(
        "explain_changed",
        &["explain", "Gpt3TensorParallelLayerTp8.result.transfer_times", "--set", "links.NVLink=1 GB/s"],
        "",
    );
    check("explain_every_key", &["explain", "Llama2_70BPrefillTensorParallel8.sharded"], "");
    check("explain_call", &["explain", "Llama2_70BPrefillTensorParallel8.sharded(attention)"], "");
    check("explain_solver", &["explain", "Gpt3TensorParallelLayerTp8"], "");
    check(
        "explain_json",
        &["explain", "Llama2_70BPrefillTensorParallel8.sharded_compute_time", "-o", "json"],
        "",
    );
    check("explain_csv", &["explain", "Gpt3TensorParallelLayerTp8", "-o", "csv"], "");
}

#[test]
fn evaluates_lines_in_order() {
    let lines = concat!(
        r#"{"id": "a", "type": "TensorParallelSpeedup", "inputs": {"serial_layer_times": {"x": "8 ms"}, "tp_size": 8, "allreduce_time": "0 s", "layers": 2}}"#,
        "\n{broken\n\n",
        r#"{"id": "b", "type": "TensorParallelSpeedup", "inputs": {"tp_size": 8}, "group": "ignored"}"#,
        "\n",
        r#"{"id": "c", "type": "TensorParallelSpeedup", "inputs": {"tp_size": 8, "tp_size": 8}}"#,
        "\n[1, 2]\n",
        r#"{"id": "d", "type": "TensorParallelSpeedup", "inputs": {"serial_layer_times": {"x": "0 ms"}, "tp_size": 8, "allreduce_time": "0 s", "layers": 2}, "calls": {"sharded(first)": ["x"], "sharded(none)": ["y"], "shard(x)": ["x"]}}"#,
        "\n",
    );
    check("eval", &["eval"], lines);
    check("eval_missing_file", &["eval", "nowhere.jsonl"], "");
}

#[test]
fn describes_itself() {
    check("schema", &["schema", "TensorParallelLayerScenario"], "");
    check("schema_unknown", &["schema", "TensorParallelLyer"], "");
    check("help", &["--help"], "");
}
