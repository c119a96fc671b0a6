//! One entry of the registry: its fields, and where each figure comes from.

use std::collections::HashMap;

use mlsysim_scenario::{Error, Map, Name, Origin, Result, Value};

use crate::document::Document;
use crate::source::{Source, text};

/// An entry as its file states it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The dotted path.
    pub path: Name,
    /// The name of the record's type.
    pub kind: String,
    /// What the entry is, in a sentence.
    pub about: String,
    /// The source of every figure that names no other.
    pub source: String,
    /// The fields, without their annotations.
    pub fields: Map<Value>,
    /// What is said of single figures, by their path below the entry.
    pub annotations: HashMap<String, Annotation>,
}

/// What is said of one figure beside its value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Annotation {
    /// The figure's own source.
    pub source: Option<String>,
    /// What a reader should know.
    pub note: Option<String>,
    /// Whether nobody has seen the figure in its source.
    pub unverified: bool,
}

impl Entry {
    /// Reads the file of the entry at `path`.
    ///
    /// # Errors
    ///
    /// The text is no TOML or lacks a section.
    pub(crate) fn read(path: &str, content: &str) -> Result<Entry> {
        let document = Document::read(content)?;
        let (Some(Value::Map(header)), Some(Value::Map(fields))) =
            (document.sections.get("entry"), document.sections.get("fields"))
        else {
            return Err(Error::malformed(format!("{path} needs the sections [entry] and [fields]")));
        };
        let needed = |key: &str| {
            text(header, key).ok_or_else(|| Error::malformed(format!("{path} needs `{key}` in [entry]")))
        };
        let mut annotations = HashMap::new();
        Ok(Entry {
            path: path.into(),
            kind: needed("type")?,
            about: needed("about")?,
            source: needed("source")?,
            fields: stripped(fields, "", &mut annotations),
            annotations,
        })
    }

    /// Where the figure at `below` comes from: its own source, or the entry's.
    pub fn origin(&self, below: &str) -> Origin {
        let annotation = self.annotation(below);
        let key = annotation.and_then(|own| own.source.as_deref()).unwrap_or(&self.source);
        let source = Source::find(key);
        let unchecked = source.is_none_or(|source| source.checked.is_none());
        Origin {
            source: source.map_or_else(|| key.to_string(), Source::citation),
            url: source.and_then(|source| source.url.clone()),
            note: annotation.and_then(|own| own.note.clone()),
            unverified: annotation.is_some_and(|own| own.unverified) || unchecked,
        }
    }

    /// What is said of the figure at `below`, or of the nearest part of the entry around it.
    fn annotation(&self, below: &str) -> Option<&Annotation> {
        let mut path = below;
        loop {
            if let Some(annotation) = self.annotations.get(path) {
                return Some(annotation);
            }
            path = &path[..path.rfind('.')?];
        }
    }
}

/// The fields without annotations, which go to `annotations` by path.
fn stripped(fields: &Map<Value>, path: &str, annotations: &mut HashMap<String, Annotation>) -> Map<Value> {
    let strip = |(key, value): (&Name, &Value)| {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        let value = match value {
            Value::Map(map) => match annotated(map) {
                Some((value, annotation)) => {
                    annotations.insert(path, annotation);
                    value
                }
                None => Value::Map(stripped(map, &path, annotations)),
            },
            Value::List(items) => {
                let strip = |(index, item): (usize, &Value)| match item {
                    Value::Map(map) => Value::Map(stripped(map, &format!("{path}.{index}"), annotations)),
                    plain => plain.clone(),
                };
                Value::List(items.iter().enumerate().map(strip).collect())
            }
            plain => plain.clone(),
        };
        (key.clone(), value)
    };
    fields.iter().map(strip).collect()
}

/// The value and annotation in `{ value = …, source = …, note = …, unverified = … }`.
fn annotated(map: &Map<Value>) -> Option<(Value, Annotation)> {
    let value = map.get("value")?;
    if !map.keys().all(|key| matches!(&**key, "value" | "source" | "note" | "unverified")) {
        return None;
    }
    let annotation = Annotation {
        source: text(map, "source"),
        note: text(map, "note"),
        unverified: matches!(map.get("unverified"), Some(Value::Bool(true))),
    };
    Some((value.clone(), annotation))
}
