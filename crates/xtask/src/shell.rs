//! Running programs, and where things are.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = here.as_deref().and_then(|here| here.ancestors().nth(2));
    root.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A command in the root of the repository.
pub fn command(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    // What `cargo run` sets for this tool is not meant for the crates that it builds.
    for (name, _) in env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG_")) {
        command.env_remove(name);
    }
    command
}

/// Cargo, in the root of the repository.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments);
    cargo.env_remove("CARGO_MANIFEST_DIR");
    cargo
}

/// Runs a command to its end, its output going where ours goes.
///
/// # Errors
///
/// The program is not there, or fails.
pub fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| format!("{}: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command)).into()) }
}

/// Runs a command to its end and returns what it printed.
///
/// # Errors
///
/// The program is not there, or fails; the message holds what it printed.
pub fn read(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{}: {error}", shown(command)))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed ({})\n{printed}{said}", shown(command), output.status).into())
}

/// Whether a program can be started.
pub fn is_there(program: &str, argument: &str) -> bool {
    let mut command = command(program, &[argument]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Every file that git knows or would add, by its path from the root.
///
/// # Errors
///
/// Git is not there, or this is no repository.
pub fn files() -> Result<Vec<PathBuf>> {
    let listed = read(&mut command("git", &["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let root = root();
    let mut files: Vec<PathBuf> = listed.lines().map(PathBuf::from).collect();
    files.retain(|file| root.join(file).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

/// The `mlsysim` program, built.
///
/// # Errors
///
/// It does not compile.
pub fn mlsysim() -> Result<PathBuf> {
    run(&mut cargo(&["build", "--quiet", "--package", "mlsysim-cli"]))?;
    Ok(target().join("debug").join(format!("mlsysim{}", env::consts::EXE_SUFFIX)))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    let line = words.join(" ");
    match line.char_indices().nth(200) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}
