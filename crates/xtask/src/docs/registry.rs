//! A page for each part of the registry: the figures of its entries with their sources.

use mlsysim::registry::Entry;
use mlsysim::{Library, Map, Origin, Value, library};

use super::{Page, Part};
use crate::Result;

/// The pages of the registry.
///
/// # Errors
///
/// An entry cannot be read.
pub fn part() -> Result<Part> {
    let mut tops: Vec<&str> = library().paths("").filter_map(|path| path.split('.').next()).collect();
    tops.dedup();
    let mut index = String::from(
        "# Registry\n\nHardware, models and systems, each figure with its source. A dotted path leads to an \
         entry or to a figure in it, as in `@Hardware.Cloud.H100.memory.bandwidth`. A figure that nobody has \
         seen in its source is marked *unverified*.\n\n| Part | Entries |\n| --- | --- |\n",
    );
    let mut pages = Vec::new();
    for top in tops {
        let paths: Vec<&str> = library().paths(top).collect();
        let file = top.to_lowercase();
        index.push_str(&format!("| [{top}]({file}.md) | {} |\n", paths.len()));
        let mut text = format!("# {top}\n\n");
        for path in paths {
            let found = library().entry(path)?;
            text.push_str(&entry(&found));
        }
        let path = format!("reference/registry/{file}.md");
        pages.push(Page { path, title: top.to_string(), text: text.trim_end().to_string() + "\n" });
    }
    let first = Page { path: "reference/registry/index.md".into(), title: "Registry".into(), text: index };
    pages.insert(0, first);
    Ok(Part { pages })
}

/// One entry: what it is, its figures and where each comes from.
fn entry(entry: &Entry) -> String {
    let name = entry.path.split_once('.').map_or(&*entry.path, |(_, name)| name);
    let mut rows = Vec::new();
    flatten(&entry.fields, "", &mut rows);
    let mut sources: Vec<Origin> = Vec::new();
    let mut table = String::from("| Figure | Value | Source | Note |\n| --- | --- | --- | --- |\n");
    for (below, value) in rows {
        let path = format!("{}.{below}", entry.path);
        let origin = library().origin(&path).unwrap_or_else(|| entry.origin(&below));
        let known = sources.iter().position(|known| known.source == origin.source);
        let number = known.unwrap_or_else(|| {
            sources.push(origin.clone());
            sources.len() - 1
        });
        let mark = if origin.unverified { " *unverified*" } else { "" };
        let note = cell(origin.note.as_deref().unwrap_or(""));
        table.push_str(&format!("| `{below}` | {} | {}{mark} | {note} |\n", cell(&value), number + 1));
    }
    let mut text = format!("## {name}\n\n{}\n\nPath: `{}`\n\n{table}\n", entry.about, entry.path);
    for (index, source) in sources.iter().enumerate() {
        let citation = cell(&source.source);
        match &source.url {
            Some(url) => text.push_str(&format!("{}. [{citation}]({})\n", index + 1, address(url))),
            None => text.push_str(&format!("{}. {citation}\n", index + 1)),
        }
    }
    text.push('\n');
    text
}

/// The figures by their path below the entry, as the file writes them.
fn flatten(fields: &Map<Value>, path: &str, rows: &mut Vec<(String, String)>) {
    for (key, value) in fields {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match value {
            Value::Map(map) => flatten(map, &path, rows),
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    let path = format!("{path}.{index}");
                    match item {
                        Value::Map(map) => flatten(map, &path, rows),
                        plain => rows.push((path, plain.to_string())),
                    }
                }
            }
            Value::Text(text) if text.starts_with('@') => rows.push((path, format!("`{text}`"))),
            plain => rows.push((path, plain.to_string())),
        }
    }
}

/// A text in one line, fit for a table and for the name of a link.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', r"\|").replace('[', r"\[").replace(']', r"\]").replace('<', "&lt;").replace('_', r"\_")
}

/// An address that a link may hold: parentheses would end it.
fn address(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29")
}
