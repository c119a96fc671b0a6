//! Folders of published measurements, and of calibrations.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use mlsysim::predict::CalibrationSet;
use mlsysim::validation::Texts;
use mlsysim::{Error, Result};

/// A folder.
pub struct Folder(pub PathBuf);

impl Texts for Folder {
    fn text(&self, file: &str) -> Result<Cow<'_, str>> {
        let path = self.0.join(file);
        let text = fs::read_to_string(&path);
        text.map(Cow::Owned).map_err(|error| Error::malformed(format!("{}: {error}", path.display())))
    }

    fn has(&self, file: &str) -> bool {
        self.0.join(file).exists()
    }
}

/// The calibrations in a folder that `calibrate` wrote, or those of this command.
pub fn calibrations(folder: Option<&Path>) -> Result<Cow<'static, CalibrationSet>> {
    let Some(folder) = folder else { return CalibrationSet::shipped().map(Cow::Borrowed) };
    let folder = Folder(folder.to_path_buf());
    CalibrationSet::read(|name| folder.text(&format!("{name}.toml"))).map(Cow::Owned)
}
