//! The manual holds together: every page is in the table of contents, every link leads somewhere,
//! and a reader's browser fetches nothing from elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::SOURCE;
use crate::Result;
use crate::generated::below;
use crate::shell::root;

/// Checks the pages of the manual.
///
/// # Errors
///
/// Each page that is not linked, each link to nothing and each remote part, with its page.
pub fn check() -> Result {
    let source = root().join(SOURCE);
    let mut pages = BTreeMap::new();
    for path in below(&source)? {
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path)?;
            pages.insert(path.strip_prefix(&source)?.to_path_buf(), text);
        }
    }
    let mut faults = Vec::new();
    let contents = Path::new("SUMMARY.md");
    let linked = pages.get(contents).map_or_else(Vec::new, |text| targets(text));
    for path in pages.keys().filter(|path| *path != contents) {
        if !linked.iter().any(|target| Path::new(target) == path) {
            faults.push(format!("{}: SUMMARY.md does not link it", path.display()));
        }
    }
    for (path, text) in &pages {
        for fault in remote(text).into_iter().chain(broken(path, text, &pages)) {
            faults.push(format!("{}: {fault}", path.display()));
        }
    }
    if faults.is_empty() {
        println!("{} pages: every one is linked, every link leads somewhere", pages.len());
        return Ok(());
    }
    Err(format!("the manual has faults:\n  {}", faults.join("\n  ")).into())
}

/// Checks the HTML in `docs/book` for parts from elsewhere.
///
/// # Errors
///
/// The pages that have some.
pub fn check_html() -> Result {
    let mut faults = Vec::new();
    for path in below(&root().join("docs/book"))? {
        if path.extension().is_some_and(|extension| extension == "html") {
            let faulty = remote(&fs::read_to_string(&path)?);
            faults.extend(faulty.into_iter().map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// Scripts, styles, images and frames that a browser would fetch from elsewhere.
fn remote(text: &str) -> Vec<String> {
    let tags = ["<script", "<link", "<img", "<iframe", "<object", "<embed", "<source", "<video", "<audio"];
    let mut found = Vec::new();
    for (start, _) in text.match_indices('<') {
        let tag = &text[start..];
        let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
        let fetches = tags.iter().any(|name| tag.starts_with(name));
        if fetches && ["=\"http", "='http", "=\"//", "='//"].iter().any(|sign| tag.contains(sign)) {
            found.push(format!("`{tag}>` fetches from elsewhere"));
        }
    }
    for (start, _) in text.match_indices("![") {
        let image = &text[start..text.len().min(start + 300).max(start)];
        if let Some(target) = targets(image).first().filter(|target| target.starts_with("http")) {
            found.push(format!("the image {target} is fetched from elsewhere"));
        }
    }
    found
}

/// Links to pages or headings that do not exist.
fn broken(path: &Path, text: &str, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let mut faults = Vec::new();
    for target in targets(text) {
        if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
        let found = if file.is_empty() { path.to_path_buf() } else { joined(path, file) };
        match pages.get(&found) {
            Some(page) if !heading.is_empty() && !headings(page).any(|known| known == heading) => {
                faults.push(format!("the link `{target}` leads to no heading"));
            }
            None if !root().join(SOURCE).join(&found).is_file() => {
                faults.push(format!("the link `{target}` leads to no page"));
            }
            _ => {}
        }
    }
    faults
}

/// The targets of all links outside code.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let mut code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for (start, _) in line.match_indices("](") {
            let rest = &line[start + 2..];
            if let Some(end) = rest.find(')') {
                targets.push(rest[..end].to_string());
            }
        }
    }
    targets
}

/// Where a relative link leads, from the page at `from`.
fn joined(from: &Path, to: &str) -> PathBuf {
    let mut path = from.parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(to).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// The anchors of a page's headings, as mdBook makes them.
fn headings(page: &str) -> impl Iterator<Item = String> {
    page.lines().filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_do_not_count() {
        assert_eq!(targets("[a](b.md#c)\n```\n[x](y)\n```\n"), ["b.md#c"]);
    }

    #[test]
    fn remote_parts_are_found() {
        assert_eq!(remote("<script src=\"https://e.x/a.js\"></script> ![i](http://e.x/i.png)").len(), 2);
        assert!(remote("[a page](https://e.x) <img src=\"own.png\">").is_empty());
    }

    #[test]
    fn links_are_relative_to_their_page() {
        assert_eq!(joined(Path::new("a/b.md"), "../c/d.md"), Path::new("c/d.md"));
    }
}
