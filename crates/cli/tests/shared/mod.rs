//! Running the command, for every test of it.

#![allow(clippy::expect_used, reason = "a test that cannot start its command has failed")]
#![allow(dead_code, reason = "each test uses its part of it")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The folder that commands run in, unless a test needs another.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// Runs the command in `folder` with `input` on its standard input.
pub fn run(arguments: &[&str], input: &[u8], folder: impl AsRef<Path>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mlsysim"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command may end before it has read everything.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the command ends")
}

/// What the command prints on both of its streams, and its exit code.
pub fn told(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input.as_bytes(), FOLDER);
    // What the registry and the catalogue hold grows; a list is known by its head.
    let lines = if arguments[0] == "list" { 2 } else { usize::MAX };
    let printed = String::from_utf8_lossy(&output.stdout);
    let printed: String = printed.split_inclusive('\n').take(lines).collect();
    format!(
        "$ mlsysim {}\n{printed}{}exit code {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().expect("no signal"),
    )
}
