//! Embeds every file of `data/` under its dotted path, sorted for binary search, and the
//! configurations of models, the calibrations and the words of measurements by name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../../data");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut Vec::new(), &mut files)?;
    // What beside measurements says how to read them, and what was fitted on them, is text for whoever reads them, not an entry.
    let is_text = |dotted: &str| dotted.starts_with("measurements.") || dotted.starts_with("calibration.");
    files.retain(|(dotted, _): &(String, PathBuf)| !is_text(dotted));
    files.sort();
    let mut table = String::from("&[\n");
    for (dotted, path) in files {
        let path = path.canonicalize()?;
        writeln!(table, "    ({dotted:?}, include_str!({:?})),", path.display().to_string())
            .map_err(io::Error::other)?;
    }
    table.push(']');
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    for (folder, extension) in [("configurations", "json"), ("calibration", "toml"), ("measurements", "toml")]
    {
        let mut texts = String::from("&[\n");
        for (name, path) in files_of(&root.join(folder), extension)? {
            writeln!(texts, "    ({name:?}, include_str!({:?})),", path.display().to_string())
                .map_err(io::Error::other)?;
        }
        texts.push(']');
        fs::write(Path::new(&out).join(format!("{folder}.rs")), texts)?;
    }
    fs::write(Path::new(&out).join("files.rs"), table)
}

/// The files of `folder` whose names end with `extension`, by their names without it, sorted.
fn files_of(folder: &Path, extension: &str) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path().canonicalize()?;
        if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
            && path.extension().is_some_and(|found| found == extension)
        {
            files.push((stem.to_string(), path.clone()));
        }
    }
    files.sort();
    Ok(files)
}

/// Every TOML file below `folder`, with the names on the way to it joined by dots.
fn collect(folder: &Path, names: &mut Vec<String>, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        names.push(stem.to_string());
        if path.is_dir() {
            collect(&path, names, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push((names.join("."), path.clone()));
        }
        names.pop();
    }
    Ok(())
}
