//! Pictures: SVG files that are not there yet.

use std::path::Path;

use mlsysim::Error;

use crate::files;
use crate::output::Failure;

/// Refuses a path that a picture cannot be written to, before anything is worked out.
pub fn check(path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("svg")) {
        let message =
            format!("a picture is an SVG file, such as `picture.svg`, but `{}` was given", path.display());
        return Err(Error::input("plot", message));
    }
    files::check("plot", path)
}

/// Writes a picture to a file that is not there yet.
pub fn write(path: &Path, svg: &str) -> Result<(), Failure> {
    Ok(files::write("plot", path, svg)?)
}
