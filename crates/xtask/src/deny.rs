//! Licences, duplicates and origins of the dependencies, by cargo-deny.

use std::path::PathBuf;

use crate::Result;
use crate::shell::{self, cargo, command, is_there, run};

/// The version that is installed where there is none.
const VERSION: &str = "0.20.2";

/// Checks the dependencies against `deny.toml`, installing cargo-deny first if need be.
pub fn check() -> Result {
    let deny = program()?;
    run(&mut command(deny, &["--workspace", "check", "licenses", "bans", "sources"]))
}

/// Cargo-deny from the path or from `target/tools`.
fn program() -> Result<PathBuf> {
    if is_there("cargo-deny", "--version") {
        return Ok("cargo-deny".into());
    }
    let tools = shell::target().join("tools");
    let program = tools.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        println!("installing cargo-deny {VERSION} into {}", tools.display());
        let root = tools.display().to_string();
        let arguments =
            ["install", "--quiet", "--locked", "--root", &root, "--version", VERSION, "cargo-deny"];
        run(&mut cargo(&arguments))?;
    }
    Ok(program)
}
