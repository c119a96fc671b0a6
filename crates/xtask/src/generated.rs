//! Files that are made from the code: written by `cargo xtask docs`, compared by its `--check`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::root;
use crate::{Result, docs, stubs};

/// Folders in which every file is generated, so that one that no longer is can go.
const OWNED: [&str; 1] = ["docs/src/reference"];

/// Writes every generated file that differs, and removes those that have no type any more.
pub fn write() -> Result {
    let files = all()?;
    let stale = stale(&files)?;
    for (path, text) in &files {
        if stale.contains(path) {
            let full = root().join(path);
            fs::create_dir_all(full.parent().unwrap_or(&full))?;
            fs::write(full, text)?;
            println!("wrote {}", path.display());
        }
    }
    for path in stale.iter().filter(|path| !files.iter().any(|(known, _)| known == *path)) {
        fs::remove_file(root().join(path))?;
        println!("removed {}", path.display());
    }
    println!("{} generated files, {} changed", files.len(), stale.len());
    docs::links::check()
}

/// Whether every generated file is as it would be written.
///
/// # Errors
///
/// Some are not; the message names them.
pub fn check() -> Result {
    let files = all()?;
    let stale = stale(&files)?;
    if stale.is_empty() {
        println!("{} generated files are up to date", files.len());
        return docs::links::check();
    }
    let names: Vec<String> = stale.iter().map(|path| format!("  {}", path.display())).collect();
    Err(format!("these files are stale; `cargo xtask docs` writes them anew:\n{}", names.join("\n")).into())
}

/// Every generated file by its path from the root.
fn all() -> Result<Vec<(PathBuf, String)>> {
    let mut files = docs::pages()?;
    files.extend(stubs::stubs());
    Ok(files)
}

/// The files that are missing, differ, or are no longer made.
fn stale(files: &[(PathBuf, String)]) -> Result<Vec<PathBuf>> {
    let root = root();
    let differs =
        |(path, text): &&(PathBuf, String)| fs::read_to_string(root.join(path)).ok().as_ref() != Some(text);
    let mut stale: Vec<PathBuf> = files.iter().filter(differs).map(|(path, _)| path.clone()).collect();
    for folder in OWNED {
        for path in below(&root.join(folder))? {
            let path = path.strip_prefix(&root)?.to_path_buf();
            if !files.iter().any(|(known, _)| *known == path) {
                stale.push(path);
            }
        }
    }
    Ok(stale)
}

/// Every file below a folder, sorted; none where the folder does not exist.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(below(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}
