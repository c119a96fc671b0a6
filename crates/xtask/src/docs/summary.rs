//! The table of contents, and the list of pages whose Rust examples are tested.

use std::fmt::Write as _;

use super::{Part, SOURCE};

/// The pages written by hand, before the reference; the first stands above all parts.
const GUIDE: [(&str, &str); 12] = [
    ("Introduction", "introduction.md"),
    ("Exact accounting", "guide/accounting.md"),
    ("Does it fit?", "guide/fits.md"),
    ("How long does it take?", "guide/predict.md"),
    ("How far should I split?", "guide/splitting.md"),
    ("The best way to train on your machines", "guide/plan.md"),
    ("How far predictions are off", "guide/accuracy.md"),
    ("Splitting a layer over devices", "guide/tensor-parallelism.md"),
    ("Serving", "guide/serving.md"),
    ("The KV cache", "guide/memory_kv.md"),
    ("Training", "guide/training.md"),
    ("Communication", "guide/communication.md"),
];

/// `SUMMARY.md`, from which mdBook makes the table of contents.
pub fn text(parts: &[Part]) -> String {
    let mut text = String::from("# Summary\n\n");
    let [(title, path), guide @ ..] = GUIDE;
    let _ = writeln!(text, "[{title}]({path})\n\n# Guide\n");
    for (title, path) in guide {
        let _ = writeln!(text, "- [{title}]({path})");
    }
    text.push_str("\n# Reference\n\n");
    for part in parts {
        for (index, page) in part.pages.iter().enumerate() {
            let _ = writeln!(text, "{}- [{}]({})", if index == 0 { "" } else { "  " }, page.title, page.path);
        }
    }
    text.push_str("- [Differences from mlsysim 0.3.0](differences.md)\n");
    text
}

/// A module for each page with Rust examples, so that `cargo test --doc` runs them.
pub fn tested(files: &[(String, String)]) -> String {
    let mut text = String::from(
        "//! The Rust examples of the manual, run as documentation tests.\n//!\n\
         //! Written by `cargo xtask docs`.\n",
    );
    for (path, page) in files {
        if !page.contains("```rust\n") {
            continue;
        }
        let name = module(path.strip_prefix(SOURCE).unwrap_or(path));
        let _ = write!(text, "\n#[doc = include_str!(\"../../../{path}\")]\nmod {name} {{}}\n");
    }
    text
}

/// A module's name from a path: `/serving/TwoWords.md` is `serving_two_words`.
fn module(path: &str) -> String {
    let mut name = String::new();
    let mut before_small = false;
    for letter in path.trim_end_matches(".md").chars() {
        match letter {
            'A'..='Z' if before_small && !name.is_empty() => {
                name.push('_');
                name.push(letter.to_ascii_lowercase());
            }
            'A'..='Z' | 'a'..='z' | '0'..='9' => name.push(letter.to_ascii_lowercase()),
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
        before_small = letter.is_ascii_lowercase();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_after_their_page() {
        assert_eq!(module("/reference/serving/TwoWords.md"), "reference_serving_two_words");
        assert_eq!(module("README.md"), "readme");
        assert_eq!(module("/guide/tensor-parallelism.md"), "guide_tensor_parallelism");
    }
}
