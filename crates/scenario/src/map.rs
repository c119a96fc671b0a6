//! What equations do with maps and optional inputs.

use indexmap::IndexMap;
use mlsysim_quantity::Quantity;

use crate::error::suggestion;
use crate::{Error, Map, Name, Result};

/// Sums, look-ups and element-wise equations over inputs by name.
pub trait MapExt<V> {
    /// The entry at `key`, which is the argument called `argument`.
    ///
    /// # Errors
    ///
    /// There is no such key; the message lists those that there are.
    fn at(&self, argument: &str, key: &str) -> Result<&V>;

    /// A value for each entry, under the same keys.
    fn each<T>(&self, value: impl Fn(&V) -> T) -> Map<T>;
}

impl<V> MapExt<V> for Map<V> {
    fn at(&self, argument: &str, key: &str) -> Result<&V> {
        self.get(key).ok_or_else(|| {
            let keys = self.keys().map(Name::as_ref);
            let hint = suggestion(key, keys);
            Error::input(argument, format!("`{key}` is not among the keys; {hint}"))
        })
    }

    fn each<T>(&self, value: impl Fn(&V) -> T) -> Map<T> {
        let mut values = IndexMap::with_capacity(self.len());
        values.extend(self.iter().map(|(key, item)| (key.clone(), value(item))));
        values
    }
}

/// Sums over all entries.
pub trait Total {
    /// The type of the sum.
    type Output;

    /// The sum of all entries.
    fn total(&self) -> Self::Output;
}

impl<D> Total for Map<Quantity<D>> {
    type Output = Quantity<D>;

    fn total(&self) -> Quantity<D> {
        self.values().sum()
    }
}

/// Optional inputs that an output needs.
pub trait OptionExt<T> {
    /// The value of the optional input called `name`.
    ///
    /// # Errors
    ///
    /// The input is not set, so that the output does not exist.
    fn needed(&self, name: &str) -> Result<T>;
}

impl<T: Clone> OptionExt<T> for Option<T> {
    fn needed(&self, name: &str) -> Result<T> {
        self.clone().ok_or_else(|| Error::absent(format!("needs the input `{name}`, which is not set")))
    }
}
