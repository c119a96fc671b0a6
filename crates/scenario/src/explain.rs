//! A derivation as text for people and as JSON for programs.

use std::fmt::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::derivation::brief;
use crate::{Derivation, Origin};

/// The derivation as an indented tree.
impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text, "", "", &mut Vec::new())?;
        f.write_str(text.trim_end())
    }
}

impl Derivation {
    /// Writes this node behind `first` and everything below it behind `rest`.
    ///
    /// What stands in `shown` already is named, but not derived again.
    fn write<'a>(
        &'a self,
        text: &mut String,
        first: &str,
        rest: &str,
        shown: &mut Vec<&'a Self>,
    ) -> fmt::Result {
        let again = shown.iter().any(|known| known.label == self.label && known.value == self.value);
        let above = if again { "  (see above)" } else { "" };
        match &self.value {
            Ok(value) if value.is_null() => writeln!(text, "{first}{} is not set{above}", self.label)?,
            Ok(value) => writeln!(text, "{first}{} = {}  [{}]{above}", self.label, brief(value), self.kind)?,
            Err(error) => writeln!(text, "{first}{}: {error}{above}", self.label)?,
        }
        if again {
            return Ok(());
        }
        shown.push(self);
        let bar = if self.parts.is_empty() { "  " } else { "│ " };
        let mut say = |line: &str| writeln!(text, "{rest}{bar}  {line}");
        if !self.meaning.is_empty() {
            say(&self.meaning.split_whitespace().collect::<Vec<_>>().join(" "))?;
        }
        if let Some(equation) = &self.equation {
            say(&format!("= {equation}"))?;
        }
        if let Some(substituted) =
            self.substituted.as_deref().filter(|text| Some(*text) != self.equation.as_deref())
        {
            say(&format!("= {substituted}"))?;
        }
        if !self.equation_source.is_empty() {
            say(&format!("by {}", self.equation_source))?;
        }
        if let Some(reference) = &self.reference {
            say(&format!("@{reference}"))?;
        }
        if let Some(origin) = &self.origin {
            say(&format!("source: {origin}"))?;
        }
        for note in &self.notes {
            say(&format!("note: {note}"))?;
        }
        for (index, part) in self.parts.iter().enumerate() {
            let last = index + 1 == self.parts.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            part.write(text, &format!("{rest}{branch}"), &format!("{rest}{below}"), shown)?;
        }
        Ok(())
    }
}

/// The source in one line, with its address, note and whether anybody has checked it.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if let Some(url) = &self.url {
            write!(f, ", {url}")?;
        }
        if let Some(note) = &self.note {
            write!(f, " ({note})")?;
        }
        if self.unverified {
            f.write_str(" [unverified]")?;
        }
        Ok(())
    }
}

impl Serialize for Derivation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.label)?;
        match &self.value {
            Ok(value) => map.serialize_entry("value", value)?,
            Err(error) => map.serialize_entry("error", error)?,
        }
        map.serialize_entry("kind", self.kind.word())?;
        let texts = [
            ("meaning", Some(self.meaning)),
            ("equation", self.equation.as_deref()),
            ("substituted", self.substituted.as_deref()),
            ("equation_source", Some(self.equation_source)),
            ("reference", self.reference.as_deref()),
        ];
        for (key, text) in texts {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                map.serialize_entry(key, text)?;
            }
        }
        if let Some(origin) = &self.origin {
            map.serialize_entry("origin", origin)?;
        }
        if !self.notes.is_empty() {
            map.serialize_entry("notes", &self.notes)?;
        }
        if !self.parts.is_empty() {
            map.serialize_entry("parts", &self.parts)?;
        }
        map.end()
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("source", &self.source)?;
        if let Some(url) = &self.url {
            map.serialize_entry("url", url)?;
        }
        if let Some(note) = &self.note {
            map.serialize_entry("note", note)?;
        }
        map.serialize_entry("unverified", &self.unverified)?;
        map.end()
    }
}
