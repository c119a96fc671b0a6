//! The manual: which pages there are, and how its HTML is made.

mod console;
mod examples;
mod figures;
pub mod links;
mod mathml;
mod reference;
mod registry;
mod summary;
mod units;

use std::fs;
use std::path::PathBuf;

use crate::shell::{self, command, is_there, root, run};
use crate::{Result, generated};

/// Where the pages of the manual stand.
pub const SOURCE: &str = "docs/src";

/// A generated page.
pub struct Page {
    /// The path below [`SOURCE`].
    pub path: String,
    /// The title in the table of contents.
    pub title: String,
    /// The page as Markdown.
    pub text: String,
}

/// Every generated file of the manual by its path from the root: the reference, the table of
/// contents, the pages written by hand with their commands' output filled in, and the list of
/// pages whose Rust examples are tested.
pub fn pages() -> Result<Vec<(PathBuf, String)>> {
    let mut parts = reference::parts()?;
    parts.extend([registry::part()?, units::part()]);
    let mut files = vec![(SOURCE.to_string() + "/SUMMARY.md", summary::text(&parts))];
    let mut hand = generated::below(&root().join(SOURCE))?;
    hand.extend(["README.md", "CONTRIBUTING.md"].map(|page| root().join(page)));
    for path in hand {
        let path = path.strip_prefix(root())?.to_string_lossy().replace('\\', "/");
        let own = path.ends_with("SUMMARY.md") || path.starts_with("docs/src/reference/");
        if path.ends_with(".md") && !own && root().join(&path).is_file() {
            let text = fs::read_to_string(root().join(&path))?;
            files.push((path, text));
        }
    }
    for page in parts.into_iter().flat_map(|part| part.pages) {
        files.push((format!("{SOURCE}/{}", page.path), page.text));
    }
    let program = shell::mlsysim()?;
    for (path, text) in &mut files {
        *text = console::filled(text, path, &program)?;
        let told = path.starts_with("docs/src/guide/") || path.ends_with("/introduction.md");
        let unshown = if told { figures::unshown(text) } else { Vec::new() };
        if !unshown.is_empty() {
            return Err(format!("{path}: no command on the page prints {}", unshown.join(", ")).into());
        }
    }
    files.push(("crates/mlsysim/src/pages.rs".to_string(), summary::tested(&files)));
    Ok(files.into_iter().map(|(path, text)| (path.into(), text)).collect())
}

/// A part of the reference: a page about it and the pages below that.
pub struct Part {
    /// The first page is the part's own.
    pub pages: Vec<Page>,
}

/// Makes the HTML manual with mdBook.
pub fn book() -> Result {
    generated::check()?;
    let tools = shell::target().join("tools");
    let mut program = PathBuf::from("mdbook");
    if !is_there("mdbook", "--version") {
        program = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    }
    if !is_there(&program.to_string_lossy(), "--version") {
        println!("installing mdbook into {}", tools.display());
        let folder = tools.display().to_string();
        let features = ["--no-default-features", "--features", "search"];
        let install = ["install", "--quiet", "--locked", "--root", &folder, "--version", "0.5.4", "mdbook"];
        run(shell::cargo(&install).args(features))?;
    }
    run(&mut command(program, &["build", "docs"]))?;
    links::check_html()
}

/// The text with a capital at its head.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
