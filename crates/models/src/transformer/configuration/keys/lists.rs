//! The lists and objects within a configuration.

use serde_json::{Map, Value};

use super::{Keys, LARGEST, brief};
use crate::transformer::Dimension;

impl<'a> Keys<'a> {
    /// A count that has to be there, or a list of one for each layer, which all have to be the same.
    pub fn uniform_count(&self, names: &[&'static str]) -> u32 {
        let Some((name, Value::Array(items))) = self.find(names) else { return self.count(names) };
        match items.split_first() {
            Some((first, rest)) if rest.iter().all(|item| item == first) => {
                self.whole(name, first, 0, LARGEST).unwrap_or(1)
            }
            _ => {
                self.refuse(name, "only the same value for every layer is read, but they differ");
                1
            }
        }
    }

    /// The texts of a list, such as the kind of each layer.
    pub fn texts(&self, name: &'static str) -> Option<Vec<&'a str>> {
        let (name, value) = self.find(&[name])?;
        let texts = value.as_array().and_then(|items| items.iter().map(Value::as_str).collect());
        if texts.is_none() {
            self.refuse(name, format!("a list of names is needed, but `{}` was given", brief(value)));
        }
        texts
    }

    /// The whole numbers of a list, such as the layers without experts.
    pub fn counts(&self, name: &'static str) -> Option<Vec<u32>> {
        let (name, value) = self.find(&[name])?;
        self.list_of_counts(name, value)
    }

    fn list_of_counts(&self, name: &'static str, value: &Value) -> Option<Vec<u32>> {
        let counts = value.as_array().and_then(|items| {
            items.iter().map(|item| u32::try_from(item.as_u64()?).ok()).collect::<Option<Vec<u32>>>()
        });
        if counts.is_none() {
            self.refuse(name, format!("a list of whole numbers is needed, but `{}` was given", brief(value)));
        }
        counts
    }

    /// The keys of an object within this one, such as MPT's `attn_config`.
    pub fn within(&self, name: &'static str) -> Option<&'a Map<String, Value>> {
        let (name, value) = self.find(&[name])?;
        if !value.is_object() {
            self.refuse(name, format!("an object is needed, but `{}` was given", brief(value)));
        }
        value.as_object()
    }

    /// A size of such an object; nothing where it is absent or null.
    pub fn size_below(
        &self,
        dimension: Dimension,
        object: &Map<String, Value>,
        name: &'static str,
    ) -> Option<u32> {
        let size = self.count_below(object, name)?;
        self.came_from(dimension, size, name);
        Some(size)
    }

    /// A count of such an object, 1 or more; nothing where it is absent or null.
    pub fn count_below(&self, object: &Map<String, Value>, name: &'static str) -> Option<u32> {
        let value = object.get(name).filter(|value| !value.is_null())?;
        self.whole(name, value, 1, LARGEST)
    }

    /// The whole numbers of a list of such an object.
    pub fn counts_below(&self, object: &'a Map<String, Value>, name: &'static str) -> Option<Vec<u32>> {
        let value = object.get(name).filter(|value| !value.is_null())?;
        self.list_of_counts(name, value)
    }
}
