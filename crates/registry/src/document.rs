//! TOML as values, with the place of each in the text.

use std::collections::HashMap;
use std::ops::Range;

use mlsysim_scenario::{Error, Map, Result, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A TOML text as values by section, with the place of each key.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) sections: Map<Value>,
    places: HashMap<String, Range<usize>>,
    text: String,
}

impl Document {
    /// Reads a TOML text.
    ///
    /// # Errors
    ///
    /// The text is no TOML; the error says in which line and column.
    pub fn read(text: &str) -> Result<Document> {
        let mut places = HashMap::new();
        let sections = match DeTable::parse(text) {
            Ok(table) => read_table(table.get_ref(), "", &mut places),
            Err(error) => {
                let (line, column) = position(text, error.span().map_or(0, |span| span.start));
                return Err(Error::malformed(error.message()).at(line, column));
            }
        };
        Ok(Document { sections: sections?, places, text: text.to_string() })
    }

    /// The top-level tables.
    pub fn sections(&self) -> &Map<Value> {
        &self.sections
    }

    /// The same error with the line and column of `path`, or of the nearest part of it that is
    /// written down.
    pub fn locate(&self, error: Error, path: &str) -> Error {
        let mut path = path.replace('[', ".").replace(']', "");
        loop {
            if let Some(place) = self.places.get(&path) {
                let (line, column) = position(&self.text, place.start);
                return error.at(line, column);
            }
            match path.rfind('.') {
                Some(end) => path.truncate(end),
                None => return error.at(1, 1),
            }
        }
    }
}

fn read_table(table: &DeTable, path: &str, places: &mut HashMap<String, Range<usize>>) -> Result<Map<Value>> {
    let mut map = Map::with_capacity(table.len());
    // The parser sorts keys; the order of the text is the one that its author meant.
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let name = key.get_ref().as_ref();
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        places.insert(path.clone(), key.span());
        map.insert(name.into(), read_value(value, &path, places)?);
    }
    Ok(map)
}

fn read_value(
    value: &Spanned<DeValue>,
    path: &str,
    places: &mut HashMap<String, Range<usize>>,
) -> Result<Value> {
    Ok(match value.get_ref() {
        DeValue::String(text) => match text.strip_prefix('@') {
            Some(path) => Value::Reference(path.into()),
            None => Value::text(text),
        },
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(integer) => {
            let digits = i64::from_str_radix(integer.as_str(), integer.radix());
            // Larger than any whole number that an input takes: refused, but as it was written.
            digits.or(Err(integer.as_str())).map_or_else(number, Value::Integer)
        }
        DeValue::Float(float) => number(float.as_str()),
        DeValue::Datetime(date) => Value::text(date.to_string()),
        DeValue::Array(items) => {
            let read = |(index, item): (usize, &Spanned<DeValue>)| {
                let path = format!("{path}.{index}");
                places.insert(path.clone(), item.span());
                read_value(item, &path, places)
            };
            Value::List(items.iter().enumerate().map(read).collect::<Result<_>>()?)
        }
        DeValue::Table(table) => Value::Map(read_table(table, path, places)?),
    })
}

fn number(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::text(text), Value::Number)
}

/// Line and column of a byte offset, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
    (line, column)
}
