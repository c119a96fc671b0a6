//! Where figures come from.

use std::collections::HashMap;
use std::sync::LazyLock;

use mlsysim_scenario::{Map, Value};

use crate::FILES;
use crate::document::Document;

/// A datasheet, paper or page that figures come from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Source {
    /// What it is: `datasheet`, `paper`, `documentation`, …
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Who wrote or published it.
    pub authors: Option<String>,
    /// Where it can be read.
    pub url: Option<String>,
    /// When it appeared.
    pub date: Option<String>,
    /// When somebody last saw the figures in it; nothing if nobody has.
    pub checked: Option<String>,
}

static SOURCES: LazyLock<HashMap<String, Source>> = LazyLock::new(|| {
    let files = FILES.iter().filter(|(path, _)| path.starts_with("sources."));
    let documents = files.filter_map(|(_, text)| Document::read(text).ok());
    let entries = documents.flat_map(|document| document.sections);
    entries.filter_map(|(key, value)| Some((key.to_string(), Source::read(&value)?))).collect()
});

impl Source {
    /// The source called `key` in the files of `data/sources/`.
    pub fn find(key: &str) -> Option<&'static Source> {
        SOURCES.get(key)
    }

    fn read(value: &Value) -> Option<Source> {
        let Value::Map(fields) = value else { return None };
        Some(Source {
            kind: text(fields, "kind")?,
            title: text(fields, "title")?,
            authors: text(fields, "authors"),
            url: text(fields, "url"),
            date: text(fields, "date"),
            checked: text(fields, "checked"),
        })
    }

    /// Authors, title and date in one line.
    pub fn citation(&self) -> String {
        let mut line = String::new();
        if let Some(authors) = &self.authors {
            line.push_str(authors);
            line.push_str(", ");
        }
        line.push_str(&self.title);
        if let Some(date) = &self.date {
            line.push_str(&format!(" ({date})"));
        }
        line
    }
}

pub(crate) fn text(fields: &Map<Value>, key: &str) -> Option<String> {
    match fields.get(key) {
        Some(Value::Text(text)) => Some(text.to_string()),
        Some(Value::Integer(number)) => Some(number.to_string()),
        _ => None,
    }
}
