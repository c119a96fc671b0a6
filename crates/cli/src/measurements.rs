//! Folders of published measurements, and of calibrations.

use std::borrow::Cow;
use std::collections::HashSet;
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

/// A user's own folder on top of another, whose texts say what words stand for.
pub struct OnTop {
    pub own: Folder,
    pub below: Folder,
}

impl Texts for OnTop {
    fn text(&self, file: &str) -> Result<Cow<'_, str>> {
        match (self.own.has(file), file.ends_with(".toml")) {
            (true, true) => Ok(joined(&self.own.text(file)?, &self.below.text(file)?).into()),
            (true, false) => self.own.text(file),
            (false, _) => self.below.text(file),
        }
    }

    /// A table of the folder below has none of the user's rows.
    fn has(&self, file: &str) -> bool {
        self.own.has(file)
    }
}

/// The sections of `own`, and those of `below` that it does not have. Own ones come first, so that an
/// error in one of them is at its own line.
fn joined(own: &str, below: &str) -> String {
    // `[RTX_3090.peaks]` is of `[RTX_3090]`; a quoted name may have dots of its own.
    let header = |line: &str| {
        let name = line.strip_prefix('[')?;
        let end = match name.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map(|end| end + 1),
            None => name.find(['.', ']']),
        };
        name.get(..end?).map(str::to_string)
    };
    let known: HashSet<String> = own.lines().filter_map(header).collect();
    let mut is_known = false;
    let others = below.lines().filter(|line| {
        is_known = header(line).map_or(is_known, |section| known.contains(&section));
        !is_known
    });
    let mut lines: Vec<&str> = own.lines().collect();
    lines.extend(others);
    lines.join("\n")
}

/// The calibrations in a folder that `calibrate` wrote.
pub fn calibrations(folder: &Path) -> Result<CalibrationSet> {
    let folder = Folder(folder.to_path_buf());
    CalibrationSet::read(|name| folder.text(&format!("{name}.toml")))
}
