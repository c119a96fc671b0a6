//! `Keys`: the keys of a configuration, read with every fault remembered, so that a family's
//! reader is free of checks and the user hears of all missing keys at once.

mod lists;

use std::cell::RefCell;

use mlsysim_quantity::nearest;
use mlsysim_scenario::{Error, Name, Result, listed};
use serde_json::{Map, Value};

use crate::transformer::{Dimension, Size, Transformer};

/// The largest size that is believed; no matrix of a model has a longer side.
const LARGEST: u64 = 1 << 31;

/// The longest key that may be a misspelling, and how many are looked at.
const LONGEST_KEY: usize = 64;
const MOST_KEYS: usize = 1_000;

/// The keys of one configuration.
pub struct Keys<'a> {
    object: &'a Map<String, Value>,
    /// The whole configuration; the same as `object` where no text model is within it.
    whole: &'a Map<String, Value>,
    /// The way to `object` from the whole: empty, or `text_config.`.
    within: &'static str,
    model_type: &'a str,
    missing: RefCell<Vec<&'static str>>,
    assumed: RefCell<Vec<(&'static str, u32)>>,
    /// The keys that were read, which are no misspellings of others.
    read: RefCell<Vec<&'static str>>,
    fault: RefCell<Option<Error>>,
    origins: RefCell<Vec<(Size, Name)>>,
    notes: RefCell<Vec<String>>,
}

/// Where multimodal models keep the configuration of their language model.
const NESTED: [&str; 5] =
    ["text_config", "llm_config", "language_config", "thinker_config", "language_model"];

impl<'a> Keys<'a> {
    /// The keys of `object`, or of the text model within it.
    ///
    /// # Errors
    ///
    /// `model_type` is no text.
    pub fn of(object: &'a Map<String, Value>) -> Result<Self> {
        let whole = object;
        let outer = match object.get("model_type") {
            Some(Value::String(text)) => text.as_str(),
            None | Some(Value::Null) => "",
            Some(other) => {
                let message = format!("a name such as \"llama\" is needed, but `{}` was given", brief(other));
                return Err(Error::input("model_type", message));
            }
        };
        let (mut object, mut within) = (object, "");
        // A model that hears and speaks keeps its language model within its thinking part.
        for _ in 0..2 {
            let nested = NESTED.into_iter().find_map(|name| Some((name, object.get(name)?)));
            match nested {
                Some((name, Value::Object(inner))) if !has_layers(object) => (object, within) = (inner, name),
                Some((name, other)) if !other.is_object() && !other.is_null() && !has_layers(object) => {
                    let message =
                        format!("the configuration of a model is needed, but `{}` was given", brief(other));
                    return Err(Error::input(name, message));
                }
                _ => break,
            }
        }
        let inner = object.get("model_type").and_then(Value::as_str).unwrap_or(outer);
        let model_type = if inner.is_empty() && is_llama_params(object) { "llama_params" } else { inner };
        Ok(Keys {
            object,
            whole,
            within,
            model_type,
            missing: RefCell::default(),
            assumed: RefCell::default(),
            read: RefCell::default(),
            fault: RefCell::default(),
            origins: RefCell::default(),
            notes: RefCell::default(),
        })
    }

    /// The family that the configuration names, of the text model where there are several.
    pub fn model_type(&self) -> &'a str {
        self.model_type
    }

    /// The value of the first of `names` that is there and not null.
    fn find(&self, names: &[&'static str]) -> Option<(&'static str, &'a Value)> {
        let is_there =
            |name: &&'static str| Some((*name, self.object.get(*name).filter(|value| !value.is_null())?));
        let found = names.iter().find_map(is_there)?;
        self.read.borrow_mut().push(found.0);
        Some(found)
    }

    /// The one of `names` that is there, or else the first.
    pub fn given(&self, names: &[&'static str]) -> &'static str {
        self.find(names).map_or(names[0], |(name, _)| name)
    }

    /// Whether the configuration has `name`, and it is not null.
    pub fn has(&self, name: &'static str) -> bool {
        self.find(&[name]).is_some()
    }

    /// Whether the configuration says anything of `name`, were it only that it is null.
    pub fn says(&self, name: &'static str) -> bool {
        self.object.contains_key(name)
    }

    /// Whether it is the text model within another configuration.
    pub fn is_nested(&self) -> bool {
        !self.within.is_empty()
    }

    /// Whether the whole configuration has `name`, such as that of a vision tower, and it is not null.
    pub fn has_around(&self, name: &'static str) -> bool {
        self.whole.get(name).is_some_and(|value| !value.is_null())
    }

    /// Whether the head has the weights of the embedding: what the whole configuration says, then
    /// what that of the text model within it says, then what the class assumes.
    pub fn tied(&self, otherwise: bool) -> bool {
        let name = "tie_word_embeddings";
        match self.whole.get(name) {
            Some(Value::Bool(flag)) => *flag,
            None | Some(Value::Null) => self.flag(name, otherwise),
            Some(other) => {
                self.refuse(name, format!("`true` or `false` is needed, but `{}` was given", brief(other)));
                otherwise
            }
        }
    }

    /// Every key that is there and not null, with its value.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.object.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.as_str(), value))
    }

    /// The value of `name`, if it is there and not null.
    pub fn value(&self, name: &'static str) -> Option<&'a Value> {
        self.find(&[name]).map(|(_, value)| value)
    }

    /// A size that has to be there, by the first of `names` that is; 1 where it is not, which
    /// [`finish`](Keys::finish) reports.
    pub fn size(&self, dimension: Dimension, names: &[&'static str]) -> u32 {
        if let Some(value) = self.optional_size(dimension, names) {
            return value;
        }
        let assumed = self.assumed.borrow().iter().find(|(name, _)| names.contains(name)).copied();
        match assumed {
            Some((name, value)) => {
                self.note(format!("`{name}` is absent; {value}, which its family assumes, is counted with"));
                self.size_or(dimension, names, value)
            }
            None => {
                self.lacks(names[0]);
                1
            }
        }
    }

    fn lacks(&self, name: &'static str) {
        let mut missing = self.missing.borrow_mut();
        if !missing.contains(&name) {
            missing.push(name);
        }
    }

    /// Lets `name`, a size that has to be there, be `value` where it is not.
    pub fn assume(&self, name: &'static str, value: u32) {
        self.assumed.borrow_mut().push((name, value));
    }

    /// A size that may be absent or null.
    pub fn optional_size(&self, dimension: Dimension, names: &[&'static str]) -> Option<u32> {
        let (name, value) = self.find(names)?;
        let value = self.whole(name, value, 1, LARGEST)?;
        self.came_from(dimension, value, name);
        Some(value)
    }

    /// A size with what its class assumes where the file says nothing.
    pub fn size_or(&self, dimension: Dimension, names: &[&'static str], otherwise: u32) -> u32 {
        self.optional_size(dimension, names).unwrap_or_else(|| {
            self.derived(dimension, otherwise, "assumed by its family where the configuration says nothing")
        })
    }

    /// A size that follows from others, and how.
    pub fn derived(&self, dimension: Dimension, value: u32, how: &str) -> u32 {
        self.came_from(dimension, value, how);
        value
    }

    fn came_from(&self, dimension: Dimension, value: u32, origin: &str) {
        let size = Size { dimension, value };
        let mut origins = self.origins.borrow_mut();
        if !origins.iter().any(|(known, _)| *known == size) {
            origins.push((size, origin.into()));
        }
    }

    /// A count that shapes no matrix and has to be there, such as that of layers.
    pub fn count(&self, names: &[&'static str]) -> u32 {
        self.count_in(names, 0, LARGEST)
    }

    /// A count from `least` to `most` that has to be there.
    pub fn count_in(&self, names: &[&'static str], least: u64, most: u64) -> u32 {
        match self.optional_count_in(names, least, most) {
            Some(value) => value,
            None => {
                self.lacks(names[0]);
                1
            }
        }
    }

    /// A count, 0 included, that may be absent or null.
    pub fn optional_count(&self, names: &[&'static str]) -> Option<u32> {
        self.optional_count_in(names, 0, LARGEST)
    }

    /// A count from `least` to `most` that may be absent or null.
    pub fn optional_count_in(&self, names: &[&'static str], least: u64, most: u64) -> Option<u32> {
        let (name, value) = self.find(names)?;
        self.whole(name, value, least, most)
    }

    /// A flag with what its class assumes where the file says nothing.
    pub fn flag(&self, name: &'static str, otherwise: bool) -> bool {
        match self.find(&[name]) {
            None => otherwise,
            Some((_, Value::Bool(flag))) => *flag,
            Some((name, other)) => {
                self.refuse(name, format!("`true` or `false` is needed, but `{}` was given", brief(other)));
                otherwise
            }
        }
    }

    /// A number with what its class assumes where the file says nothing.
    pub fn number(&self, name: &'static str) -> Option<f64> {
        let (name, value) = self.find(&[name])?;
        let number = value.as_f64();
        if number.is_none() {
            self.refuse(name, format!("a number is needed, but `{}` was given", brief(value)));
        }
        number
    }

    /// A text, by the first of `names` that is there.
    pub fn text_of(&self, names: &[&'static str]) -> Option<&'a str> {
        let (name, value) = self.find(names)?;
        if !value.is_string() {
            self.refuse(name, format!("a text is needed, but `{}` was given", brief(value)));
        }
        value.as_str()
    }

    /// A text that has to be there.
    pub fn needed_text(&self, name: &'static str) -> Option<&'a str> {
        match self.find(&[name]) {
            Some((_, Value::String(text))) => Some(text),
            Some((_, other)) => {
                self.refuse(name, format!("a text is needed, but `{}` was given", brief(other)));
                None
            }
            None => {
                self.lacks(name);
                None
            }
        }
    }

    /// Something that the reader of the counts should know.
    pub fn note(&self, note: impl Into<String>) {
        self.notes.borrow_mut().push(note.into());
    }

    /// Refuses the value of `name`; the first refusal is the one that the user hears.
    ///
    /// Where a key is already missing, its place holder may be all that is wrong.
    pub fn refuse(&self, name: &str, message: impl Into<String>) {
        if !self.missing.borrow().is_empty() {
            return;
        }
        let field = if self.within.is_empty() { name.to_string() } else { format!("{}.{name}", self.within) };
        self.fault.borrow_mut().get_or_insert_with(|| Error::input(field, message));
    }

    fn whole(&self, name: &str, value: &Value, least: u64, most: u64) -> Option<u32> {
        let whole = value.as_u64().or_else(|| {
            value
                .as_f64()
                .filter(|number| number.fract() == 0.0 && *number >= 0.0)
                .map(|number| number as u64)
        });
        match whole.filter(|whole| (least..=most).contains(whole)) {
            Some(whole) => u32::try_from(whole).ok(),
            None => {
                self.refuse(
                    name,
                    format!(
                        "a whole number from {least} to {most} is needed, but `{}` was given",
                        brief(value)
                    ),
                );
                Some(1)
            }
        }
    }

    /// Hands what was gathered to `model`.
    ///
    /// Missing keys come before wrong ones: what was read in their place can make others look wrong.
    ///
    /// # Errors
    ///
    /// A key is missing or wrong; the message names every missing one.
    pub fn finish(self, model: &mut Transformer) -> Result<()> {
        let missing = self.missing.into_inner();
        if let Some(first) = missing.first() {
            // A key that something read, or that is null, is no misspelling; nor is one of a length that
            // no key has.
            let read = self.read.into_inner();
            let is_open =
                |name: &&str| name.len() <= LONGEST_KEY && !read.contains(name) && !missing.contains(name);
            let there: Vec<&str> =
                self.object.keys().map(String::as_str).filter(is_open).take(MOST_KEYS).collect();
            let near = missing.iter().find_map(|name| Some((name, nearest(name, there.iter().copied())?)));
            let hint =
                near.map_or(String::new(), |(name, near)| format!("; did you mean `{name}` by `{near}`?"));
            let place = if self.within.is_empty() { String::new() } else { format!(" in `{}`", self.within) };
            let family = match self.model_type {
                "" => "a model".to_string(),
                family => shortened(family),
            };
            let message = format!(
                "the configuration of {family} lacks {}{place}{hint}",
                listed(missing.iter().copied())
            );
            return Err(Error::input(*first, message));
        }
        if let Some(fault) = self.fault.into_inner() {
            return Err(fault);
        }
        model.origins.extend(self.origins.into_inner());
        model.notes.extend(self.notes.into_inner());
        Ok(())
    }
}

/// Whether the outer object of a multimodal configuration is the text model itself.
fn has_layers(object: &Map<String, Value>) -> bool {
    ["num_hidden_layers", "n_layer", "n_layers", "num_layers"]
        .iter()
        .any(|name| object.get(*name).is_some_and(|value| !value.is_null()))
}

/// Whether this is the `params.json` that Meta gives with the weights of Llama.
fn is_llama_params(object: &Map<String, Value>) -> bool {
    ["dim", "n_layers", "n_heads"].iter().all(|name| object.contains_key(*name))
}

/// A name or a value as a message shows it: its first few dozen characters.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn brief(value: &Value) -> String {
    shortened(&value.to_string())
}
