//! Figures of machines that a user states: what is refused, and how what is stated is told.

mod shared;

/// What `--state` refuses of a figure, and why.
const FIGURES: &[(&str, &str)] = &[
    ("peak.bf61=1 TFLOP/s", "peak.bf61: a machine has no such figure; did you mean `peak.bf16`?"),
    ("l2_cache=50 MiB", "l2_cache: a machine has no such figure; did you mean `memory.l2_cache`?"),
    ("memory.capcity=80 GB", "memory.capcity: a machine has no such figure; did you mean `memory.capacity`?"),
    (
        "bandwidth=3 TB/s",
        "bandwidth: a machine has no such figure; did you mean one of `memory.bandwidth`, `link.bandwidth` and `network.bandwidth`?",
    ),
    ("peak=3 TFLOP/s", "peak: a machine has no such figure; did you mean one of `peak.bf16`, "),
    ("colour=3", "colour: a machine has no such figure; there are `peak.bf16`, "),
    ("peak.bf16", "peak.bf16: its value is needed too, as in `peak.bf16=989 TFLOP/s`"),
    ("=3 W", "state: the name of a figure is needed in `=3 W`"),
    ("peak.bf16=0 TFLOP/s", "peak.bf16: a FlopRate above 0 flop/s is needed, but \"0 TFLOP/s\" was given"),
    (
        "memory.bandwidth=-1 TB/s",
        "memory.bandwidth: a Bandwidth above 0 B/s is needed, but \"-1 TB/s\" was given",
    ),
    ("memory.capacity=inf GiB", "memory.capacity: `inf GiB` is not a finite number"),
    ("link.bandwidth=nan GB/s", "link.bandwidth: `nan GB/s` is not a finite number"),
    ("memory.l2_cache=", "memory.l2_cache: an empty text is no quantity"),
    ("tdp=700", "tdp: `700` has no unit, but a Power is needed, such as \"700 W\""),
    (
        "peak.fp8=10 GB/s",
        "peak.fp8: `10 GB/s` is Bandwidth, but a FlopRate is needed, such as \"10 TFLOP/s\"",
    ),
    ("tdp=600 W,tdp=700 W", "tdp: it is given twice"),
    ("peak.bf16=1 TFLOP/s,peak.fp16=1 TFLOP/s", "peak.fp16: `peak.bf16` states the same peak"),
    ("network.latency=3 us", "network.latency: it is about a network, but DGX H100 has none"),
];

#[test]
fn figures() {
    let train = ["plan", "train", "--model", "Llama3_8B", "--batch", "8", "--seq", "1024"];
    for (figure, message) in FIGURES {
        for command in
            [&["predict", "Llama3_8B"][..], &["account", "Llama3_8B"], &["tp", "Llama3_8B"], &train]
        {
            let told = shared::told(&[command, &["--on", "DGX_H100", "--state", figure]].concat(), "");
            let refused = told.contains(&format!("\nerror: {message}")) && told.ends_with("exit code 1");
            assert!(refused, "{figure}: {told}");
        }
    }
}

/// A device without any peak: each command says as what it can be stated, and takes it.
#[test]
fn a_missing_figure_can_be_stated() {
    let workstation = ["--on", "Workstation_M3Max"];
    let stated = ["--state", "peak.bf16=28.4 TFLOP/s", "--state", "memory.capacity=192 GiB"];
    let train = ["plan", "train", "--model", "Llama3_8B", "--batch", "1", "--seq", "1024"];
    for command in [
        &["predict", "Llama3_8B", "--prefill", "1024"][..],
        &["account", "Llama3_8B", "--prefill", "1024"],
        &["tp", "Llama3_8B", "--prefill", "1024"],
        &train,
    ] {
        let told = shared::told(&[command, &workstation].concat(), "");
        let hint = "precision: MacBook Pro (M3 Max) states no peak for `bf16`, nor any other; state it with `--state \"peak.bf16=… TFLOP/s\"`";
        assert!(told.contains(hint) && told.ends_with("exit code 1"), "{told}");
        let told = shared::told(&[command, &workstation, &stated].concat(), "");
        assert!(told.contains("stated by the user") && told.ends_with("exit code 0"), "{told}");
    }
}

/// Derivations name the user as the source of what the user stated, and the device of the rest.
#[test]
fn a_stated_figure_is_shown_as_such() {
    let on = ["Llama3_8B", "--on", "DGX_H100", "--decode", "8@128", "--explain"];
    let state = ["--state", "peak.fp16=500 TFLOP/s"];
    let told = shared::told(&[&["account"], &on[..], &["bound.time"], &state].concat(), "");
    assert!(told.contains("source: stated by the user, `peak.fp16`"), "{told}");
    assert!(told.contains("source: the memory of NVIDIA H100"), "{told}");
    let told = shared::told(&[&["predict"], &on[..], &state].concat(), "");
    assert!(told.contains("note: `peak.fp16` is stated by the user: 500 TFLOP/s"), "{told}");
}
