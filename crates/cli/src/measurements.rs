//! Folders of published measurements, and of calibrations.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use mlsysim::predict::CalibrationSet;
use mlsysim::validation::Texts;
use mlsysim::{Error, Result};

/// A folder.
pub struct Folder(pub PathBuf);

impl Folder {
    /// The folder at `path`, which the option called `name` gives.
    pub fn open(name: &str, path: &Path) -> Result<Self> {
        match path.is_dir() {
            true => Ok(Folder(path.to_path_buf())),
            false => Err(Error::input(name, format!("`{}` is no folder", path.display()))),
        }
    }
}

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
    let named = folder.display();
    let refused = |message: String| Error::input("calibration", message);
    if !folder.is_dir() {
        return Err(refused(format!("`{named}` is no folder; `mlsysim calibrate --out DIR` writes one")));
    }
    let texts = Folder(folder.to_path_buf());
    let text = |name: &str| {
        let file = format!("{name}.toml");
        match texts.has(&file) {
            true => texts.text(&file),
            false => Err(refused(format!("`{named}` has no `{file}`, which `mlsysim calibrate` writes"))),
        }
    };
    CalibrationSet::read(text).map(Cow::Owned)
}
