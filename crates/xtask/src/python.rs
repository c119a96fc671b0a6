//! The Python package: built, installed into an environment of its own, tested and type-checked.

use std::fs;
use std::path::PathBuf;

use crate::Result;
use crate::docs::SOURCE;
use crate::generated::below;
use crate::shell::{command, read, root, run, target};

/// What the checks need beside the package.
const TOOLS: [&str; 3] = ["maturin>=1.9.4,<2", "pytest>=8", "mypy>=1.14"];

/// Builds the package and installs it with what it needs.
///
/// # Errors
///
/// It does not build, or what it needs cannot be installed.
pub fn install() -> Result {
    if !program("python").is_file() {
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(&mut command(system, &["-m", "venv", &environment().display().to_string()]))?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(command(program("python"), &pip).args(TOOLS))?;
    let wheels = target().join("wheels");
    if wheels.is_dir() {
        fs::remove_dir_all(&wheels)?;
    }
    let out = wheels.display().to_string();
    run(command(program("maturin"), &["build", "--quiet", "--out", &out]).current_dir(root().join("python")))?;
    let wheel = below(&wheels)?.pop().ok_or("maturin built no wheel")?;
    let wheel = wheel.display().to_string();
    // Once with what it needs; once more in any case, since its version may be that of an older one.
    run(command(program("python"), &pip).arg(format!("{wheel}[test]")))?;
    run(command(program("python"), &pip).args(["--force-reinstall", "--no-deps", &wheel]))
}

/// Runs the tests of the package, the examples in its documentation and those of the manual.
///
/// # Errors
///
/// A test fails.
pub fn tests() -> Result {
    let package = installed()?;
    let pytest = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--import-mode=importlib"];
    let examples = ["--config-file", "python/pyproject.toml", "--doctest-modules", "--doctest-glob=*.md"];
    let places = ["python/tests", "python/README.md", "README.md", SOURCE];
    run(command(program("python"), &pytest).args(examples).args(places).arg(package))
}

/// Checks the types of the package as a user sees it, and of its tests.
///
/// # Errors
///
/// A type is wrong or missing.
pub fn types() -> Result {
    let cache = target().join("mypy").display().to_string();
    let arguments = ["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", &cache];
    run(command(program("python"), &arguments).args(["--package", "mlsysim"]))?;
    let tests = root().join("python/tests");
    if below(&tests)?.iter().any(|file| file.extension().is_some_and(|extension| extension == "py")) {
        run(command(program("python"), &arguments).arg(tests))?;
    }
    Ok(())
}

/// The folder of the installed package.
fn installed() -> Result<PathBuf> {
    let asked = "import mlsysim, pathlib; print(pathlib.Path(mlsysim.__file__).parent)";
    let mut python = command(program("python"), &["-c", asked]);
    Ok(PathBuf::from(read(&mut python)?.trim()))
}

fn environment() -> PathBuf {
    target().join("venv")
}

/// A program of the environment.
fn program(name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    environment().join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
