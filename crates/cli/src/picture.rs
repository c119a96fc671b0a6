//! Pictures: files that are not there yet.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use mlsysim::Error;

use crate::output::Failure;

/// Refuses a path that a picture cannot be written to, before anything is worked out.
pub fn check(path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    let shown = path.display();
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("svg")) {
        let message = format!("a picture is an SVG file, such as `picture.svg`, but `{shown}` was given");
        return Err(Error::input("plot", message));
    }
    if path.exists() {
        return Err(Error::input("plot", format!("`{shown}` exists already; choose another name")));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_written_to =
        folder.metadata().is_ok_and(|found| found.is_dir() && !found.permissions().readonly());
    if !is_written_to {
        let message =
            format!("`{shown}` cannot be written: `{}` is no folder, or read-only", folder.display());
        return Err(Error::input("plot", message));
    }
    Ok(())
}

/// Writes a picture to a file that is not there yet.
pub fn write(path: &Path, svg: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let shown = path.display();
        let message = match error.kind() {
            ErrorKind::AlreadyExists => format!("`{shown}` exists already; choose another name"),
            _ => format!("`{shown}` cannot be written: {error}"),
        };
        Failure::from(Error::input("plot", message))
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(svg.as_bytes()).map_err(failed)
}
