//! Files that are not there yet.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use mlsysim::{Error, Result};

/// Refuses the path of an `option` that is there already, or whose folder cannot be written to, before
/// anything is worked out.
pub fn check(option: &str, path: &Path) -> Result<()> {
    if path.exists() {
        return Err(exists(option, path));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_written_to =
        folder.metadata().is_ok_and(|found| found.is_dir() && !found.permissions().readonly());
    if is_written_to {
        return Ok(());
    }
    let [path, folder] = [path, folder].map(Path::display);
    Err(Error::input(option, format!("`{path}` cannot be written: `{folder}` is no folder, or read-only")))
}

/// Writes a file that is not there yet.
pub fn write(option: &str, path: &Path, text: &str) -> Result<()> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => exists(option, path),
        _ => Error::input(option, format!("`{}` cannot be written: {error}", path.display())),
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

fn exists(option: &str, path: &Path) -> Error {
    Error::input(option, format!("`{}` exists already; choose another name", path.display()))
}
