//! The page of units, from the vocabulary.

use mlsysim::quantity::VOCABULARY;

use super::{Page, Part, capital};

const ABOUT: &str = "\
# Units

A quantity is written as a number and a unit: `0.3 ms`, `450 GB/s`, `989 TFLOP/s`, `80 GiB`, `400 Gbps`. Units multiply with \
`*` and divide with `/`, and take the prefixes below. Decimal and binary multiples keep their own meaning: \
80 GB is 8 × 10¹⁰ bytes and 80 GiB is 80 × 2³⁰. Bytes, FLOPs, parameters, tokens and money are dimensions of their \
own, so that none of them is mistaken for another.

The command line, files, Rust and Python share this vocabulary.
";

/// The page of units.
pub fn part() -> Part {
    let mut text = String::from(ABOUT);
    for section in sections() {
        text.push_str(&format!("\n## {}\n", section.title));
        for paragraph in &section.about {
            text.push_str(&format!("\n{paragraph}\n"));
        }
        let table = "\n| Name | Symbol | Other spellings | Definition |\n| --- | --- | --- | --- |\n";
        text.push_str(table);
        for line in &section.lines {
            text.push_str(&row(line));
        }
    }
    Part { pages: vec![Page { path: "reference/units.md".into(), title: "Units".into(), text }] }
}

/// Definitions under one heading.
#[derive(Default)]
struct Section {
    title: String,
    about: Vec<String>,
    lines: Vec<&'static str>,
}

/// The sections of the vocabulary: two empty lines stand between them, and the first sentence of
/// the comment at the head is the heading. The section about the file itself has no definitions.
fn sections() -> Vec<Section> {
    let mut sections = Vec::new();
    for block in VOCABULARY.split("\n\n\n") {
        let mut section = Section::default();
        let mut comment = String::new();
        for line in block.trim().lines().chain([""]) {
            if let Some(said) = line.strip_prefix('#') {
                comment.push_str(said.trim());
                comment.push(' ');
                continue;
            }
            if !comment.is_empty() {
                section.about.push(comment.trim().to_string());
                comment.clear();
            }
            let definition = line.split('#').next().unwrap_or("").trim();
            if !definition.is_empty() {
                section.lines.push(definition);
            }
        }
        if section.lines.is_empty() {
            continue;
        }
        if !section.about.is_empty() {
            let first = section.about.remove(0);
            let (title, rest) = first.split_once(['.', ':']).unwrap_or((&first, ""));
            section.title = title.trim().to_string();
            if !rest.trim().is_empty() {
                section.about.insert(0, capital(rest.trim()));
            }
        }
        sections.push(section);
    }
    sections
}

/// One definition as a row of the table.
fn row(line: &str) -> String {
    let mut parts = line.split('=').map(str::trim);
    let (name, definition) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let spellings: Vec<&str> = parts.collect();
    let code = |text: &&str| format!("`{text}`");
    let symbol = spellings.first().filter(|symbol| **symbol != "_").map(code).unwrap_or_default();
    let others: Vec<String> = spellings.iter().skip(1).map(code).collect();
    format!("| `{name}` | {symbol} | {} | `{definition}` |\n", others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_is_in_a_section_with_a_title() {
        let sections = sections();
        let told: usize = sections.iter().map(|section| section.lines.len()).sum();
        let lines = VOCABULARY.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        assert_eq!(told, lines.filter(|line| !line.is_empty()).count());
        assert!(sections.iter().all(|section| !section.title.is_empty()));
    }
}
