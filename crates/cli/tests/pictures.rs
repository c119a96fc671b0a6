//! The picture of a plan: what is in it, and where it is not written.

#![allow(clippy::expect_used, reason = "a test that gets no answer has failed")]

mod shared;

use std::fs;
use std::path::PathBuf;

/// A plan whose best layout has a pipeline.
const STAGED: [&str; 12] = [
    "plan",
    "train",
    "--model",
    "Llama3_8B",
    "--on",
    "DGX_H100",
    "--seq",
    "2048",
    "--fix",
    "pp=4,vpp=1,dp=2,schedule=1f1b",
    "--top",
    "1",
];

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pictures").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What a plan of so many sequences draws.
fn drawn(name: &str, batch: &str) -> String {
    let folder = folder(name);
    let arguments = [&STAGED[..], &["--batch", batch, "--plot", "plan.svg"]].concat();
    let output = shared::run(&arguments, b"", &folder);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    fs::read_to_string(folder.join("plan.svg")).expect("a picture")
}

#[test]
fn a_plan_is_drawn() {
    // An element on each line, so that what changes can be seen.
    insta::assert_snapshot!("plan_picture", drawn("small", "16").replace("><", ">\n<"));
}

#[test]
fn what_is_left_out_is_said() {
    let svg = drawn("many", "4096");
    for said in ["The step begins: ", "The step ends; ", "are left out", "capacity of a device, 80 GiB"] {
        assert!(svg.contains(said), "{said}");
    }
}

#[test]
fn a_picture_is_written_once_and_nothing_is_searched_before() {
    let folder = folder("once");
    fs::write(folder.join("there.svg"), "mine").expect("a file");
    let cases = [
        ("there.svg", "plot: `there.svg` exists already; choose another name"),
        ("plan.png", "plot: a picture is an SVG file, such as `picture.svg`, but `plan.png` was given"),
        ("no/plan.svg", "plot: `no/plan.svg` cannot be written: `no` is no folder, or read-only"),
    ];
    for (path, message) in cases {
        // The model does not exist: that would be said of a search that began.
        let arguments = ["plan", "train", "--model", "Llama3_8", "--on", "DGX_H100", "--plot", path];
        let output = shared::run(&arguments, b"", &folder);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.trim_end(), format!("error: {message}"), "{path}");
        assert_eq!(output.status.code(), Some(1), "{path}");
    }
    assert_eq!(fs::read_to_string(folder.join("there.svg")).expect("a file"), "mine");
}

#[test]
fn what_does_not_fit_is_not_drawn() {
    let folder = folder("infeasible");
    let arguments =
        ["plan", "train", "--model", "Llama3_70B", "--on", "DGX_H100", "--batch", "8", "--seq", "4096"];
    let output = shared::run(&[&arguments[..], &["--plot", "plan.svg"]].concat(), b"", &folder);
    assert_eq!((output.status.code(), folder.join("plan.svg").exists()), (Some(2), false));
}
