//! Conventions that no other tool checks.

use std::fs;
use std::path::Path;

use mlsysim::registry::Source;
use mlsysim::{Value, library};

use crate::Result;
use crate::shell::{files, root};

/// How long a file of code may be.
const LINES: usize = 400;

/// Crates that may print: the command and this tool.
const PRINTING: [&str; 2] = ["crates/cli/", "crates/xtask/"];

/// Crates that do no input or output, start no threads and read no clock.
const PURE: [&str; 4] = ["crates/quantity/", "crates/scenario/", "crates/registry/", "crates/models/"];

/// Checks them all and reports every fault.
///
/// # Errors
///
/// The faults, each with its file.
pub fn check() -> Result {
    let mut faults = Vec::new();
    for file in files()? {
        // Pictures and the like are no text.
        let Ok(text) = fs::read_to_string(root().join(&file)) else { continue };
        let name = file.to_string_lossy().replace('\\', "/");
        let code = matches!(file.extension().and_then(|extension| extension.to_str()), Some("rs" | "py"));
        if code && text.lines().count() > LINES {
            faults.push(format!("{name}: {} lines, of at most {LINES}", text.lines().count()));
        }
        faults.extend(library_code(&name, &text));
        faults.extend(machine_paths(&name, &text));
    }
    faults.extend(sources()?);
    if faults.is_empty() {
        return Ok(());
    }
    Err(faults.join("\n").into())
}

/// What a library does not do: print, and panic by `unwrap` or `expect`.
fn library_code(name: &str, text: &str) -> Vec<String> {
    let library = name.starts_with("crates/")
        && name.contains("/src/")
        && Path::new(name).extension().is_some_and(|extension| extension == "rs");
    if !library {
        return Vec::new();
    }
    let prints = PRINTING.iter().any(|crate_| name.starts_with(crate_));
    let mut faults = Vec::new();
    // What follows the first test module is tests.
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    for (index, line) in code.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("//") {
            continue;
        }
        let impure =
            ["std::fs", "std::net", "std::thread", "std::process", "std::env", "Instant::now", "SystemTime"];
        let pure = PURE.iter().any(|crate_| name.starts_with(crate_));
        if let (true, Some(found)) = (pure, impure.iter().find(|word| line.contains(**word))) {
            faults.push(format!("{name}:{}: `{found}` in a crate that touches nothing outside", index + 1));
        }
        let called = |macro_: &&&str| {
            line.match_indices(**macro_).any(|(at, _)| {
                !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            })
        };
        let printing = ["println!(", "print!(", "eprintln!(", "eprint!(", "dbg!("];
        if let (false, Some(found)) = (prints, printing.iter().find(called)) {
            faults.push(format!("{name}:{}: `{found}` in a library; only the command prints", index + 1));
        }
        let panicking = [concat!(".unwrap", "()"), concat!(".expect", "(\"")];
        if let Some(found) = panicking.iter().find(|call| line.contains(**call)) {
            faults.push(format!("{name}:{}: `{found}` outside tests; return an error", index + 1));
        }
    }
    faults
}

/// Absolute paths that only one machine has.
fn machine_paths(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in ["home", "Users", "root", "work"] {
            let path = format!("/{folder}/");
            let starts = |(at, _): (usize, &str)| {
                let before = line[..at].chars().next_back();
                before.is_none_or(|before| !before.is_alphanumeric() && !"./-_~})>".contains(before))
            };
            if line.match_indices(&path).any(starts) {
                faults.push(format!("{name}:{}: `{path}…` is the path of one machine", index + 1));
            }
        }
    }
    faults
}

/// Figures of the registry and named cases without a source that exists.
fn sources() -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut used = |place: String, key: &str| {
        if Source::find(key).is_none() {
            faults.push(format!("{place}: the source `{key}` is not in data/sources"));
        }
    };
    for path in library().paths("") {
        let entry = library().entry(path)?;
        used(path.to_string(), &entry.source);
        for (below, annotation) in &entry.annotations {
            if let Some(key) = &annotation.source {
                used(format!("{path}.{below}"), key);
            }
        }
    }
    for (group, name) in library().case_names() {
        let case = library().case(name)?;
        let referred = |value: &Value| matches!(value, Value::Text(text) if text.starts_with('@'));
        if case.source.is_none() && !case.written().values().all(referred) {
            faults
                .push(format!("Scenarios.{group}.{name}: a case whose inputs are stated names their source"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_and_panicking_are_found_in_code_only() {
        let text = "/// `x.unwrap()`\nfn f() {\n    eprintln!(\"\");\n    x.unwrap();\n}\n\n#[cfg(test)]\nmod tests { println!() }\n";
        let faults = library_code("crates/models/src/lib.rs", text);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains(":3:") && faults[1].contains(":4:"), "{faults:?}");
        assert_eq!(library_code("crates/cli/src/main.rs", text).len(), 1);
        assert!(library_code("crates/models/tests/all.rs", text).is_empty());
    }

    #[test]
    fn a_web_address_is_no_path_of_a_machine() {
        let folder = "home";
        assert_eq!(machine_paths("a", &format!("see \"/{folder}/me/file\"")).len(), 1);
        assert!(machine_paths("a", &format!("https://e.org/{folder}/page")).is_empty());
    }
}
