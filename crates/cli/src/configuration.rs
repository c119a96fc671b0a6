//! Configurations in files: a `config.json`, a `params.json`, or a folder with one of them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use mlsysim::transformer::Transformer;
use mlsysim::transformer::configuration::LONGEST;
use mlsysim::{Library, Name, library};

use crate::output::Failure;
use crate::target;

/// What is looked for in a folder, the first that is there being read.
const NAMES: [&str; 2] = ["config.json", "params.json"];

/// A model of the registry, or that of a file or a folder.
///
/// What looks like a path is one; any other name is the registry's first, so that no file in the
/// folder where the command runs changes what it means.
pub fn named(name: &str) -> Result<Transformer, Failure> {
    named_in(Path::new(""), name)
}

/// The same where a file in `folder` names it: its path is relative to that folder.
pub fn named_in(folder: &Path, name: &str) -> Result<Transformer, Failure> {
    let path = &folder.join(name);
    let is_path = path.extension().is_some_and(|extension| extension == "json")
        || name.contains(std::path::is_separator)
        || matches!(name, "." | "..");
    if is_path || library().value(name).is_err() && path.exists() {
        return read(path);
    }
    if library().value(name).is_err() {
        return Err(target::unknown(name).into());
    }
    Ok(Transformer::named(name)?)
}

/// Reads the model that the file at `path`, or the folder, describes; it is called as the user wrote
/// the path.
pub fn read(path: &Path) -> Result<Transformer, Failure> {
    let file = found(path)?;
    let refused = |message: String| Failure::Refused(format!("{}: {message}", file.display()));
    let text = text(&file).map_err(refused)?;
    let mut model = Transformer::from_config(&text).map_err(|error| refused(error.to_string()))?;
    if model.name.is_empty() {
        model.name = Name::from(path.display().to_string());
    }
    Ok(model)
}

/// The file itself, or the one within the folder.
fn found(path: &Path) -> Result<PathBuf, Failure> {
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    let files = NAMES.map(|name| path.join(name));
    files.into_iter().find(|file| file.exists()).ok_or_else(|| {
        let [first, second] = NAMES;
        Failure::Refused(format!(
            "{}: the folder has neither a `{first}` nor a `{second}`; name the file if it is called otherwise",
            path.display()
        ))
    })
}

/// The text of a file that is no longer than a configuration can be, or what is wrong with it.
fn text(path: &Path) -> Result<String, String> {
    let said = |error: io::Error| error.to_string();
    // A file that is too long is not even opened; a pipe has no length, and is read up to the limit.
    let metadata = fs::metadata(path).map_err(said)?;
    if !metadata.is_file() && !is_handed_over(path) {
        return Err("this is no regular file".to_string());
    }
    let length = metadata.len();
    if length > LONGEST as u64 {
        return Err(too_long(&format!("{length} bytes")));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(said)?.take(LONGEST as u64 + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() > LONGEST {
        return Err(too_long("more"));
    }
    // Some editors write a mark of the byte order before the first character.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    String::from_utf8(bytes.to_vec()).map_err(|_| "the file is no UTF-8 text".to_string())
}

/// Whether the shell hands a stream over by this name, which another command writes.
///
/// Any other pipe or device could keep us waiting for ever.
pub fn is_handed_over(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path == Path::new("/dev/stdin") || path.starts_with("/proc/self/fd")
}

fn too_long(what: &str) -> String {
    let most = LONGEST >> 20;
    format!("a configuration has a few kilobytes, and at most {most} MiB are read; this one has {what}")
}
