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

    /// The entries at `keys`, which are the argument called `argument`, in that order.
    ///
    /// # Errors
    ///
    /// There is no such key; the message lists those that there are.
    fn along(&self, argument: &str, keys: &[Name]) -> Result<Vec<V>>
    where
        V: Clone;

    /// A value for each entry, under the same keys.
    fn each<T>(&self, value: impl Fn(&V) -> T) -> Map<T>;

    /// The first `count` entries, or all where there are fewer.
    fn leading(&self, count: u64) -> Vec<V>
    where
        V: Clone;

    /// The entries of this map and then those of another.
    fn joined(self, other: Self) -> Self;
}

impl<V> MapExt<V> for Map<V> {
    fn at(&self, argument: &str, key: &str) -> Result<&V> {
        self.get(key).ok_or_else(|| {
            let keys = self.keys().map(Name::as_ref);
            let hint = suggestion(key, keys);
            Error::input(argument, format!("`{key}` is not among the keys; {hint}"))
        })
    }

    fn along(&self, argument: &str, keys: &[Name]) -> Result<Vec<V>>
    where
        V: Clone,
    {
        keys.iter().map(|key| self.at(argument, key).cloned()).collect()
    }

    fn each<T>(&self, value: impl Fn(&V) -> T) -> Map<T> {
        let mut values = IndexMap::with_capacity(self.len());
        values.extend(self.iter().map(|(key, item)| (key.clone(), value(item))));
        values
    }

    fn leading(&self, count: u64) -> Vec<V>
    where
        V: Clone,
    {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.values().take(count).cloned().collect()
    }

    fn joined(mut self, other: Self) -> Self {
        self.extend(other);
        self
    }
}

/// The values by name, in the order in which they stand.
pub fn table<T, const N: usize>(entries: [(&str, T); N]) -> Map<T> {
    entries.into_iter().map(|(name, value)| (name.into(), value)).collect()
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

impl<D> Total for [Quantity<D>] {
    type Output = Quantity<D>;

    fn total(&self) -> Quantity<D> {
        self.iter().sum()
    }
}

/// Counts stop at the largest that there is: their sum is then no exact number either.
impl Total for [u64] {
    type Output = u64;

    fn total(&self) -> u64 {
        self.iter().copied().fold(0, u64::saturating_add)
    }
}

impl Total for Map<u64> {
    type Output = u64;

    fn total(&self) -> u64 {
        self.values().copied().fold(0, u64::saturating_add)
    }
}

/// Maps out of lists.
pub trait ListExt<T> {
    /// A value for each entry, under the key that the entry has.
    ///
    /// # Errors
    ///
    /// There is no value for one of the entries.
    fn under<V>(&self, key: impl Fn(&T) -> Name, value: impl Fn(&T) -> Result<V>) -> Result<Map<V>>;

    /// The entry at `place`, counted from 0.
    ///
    /// # Errors
    ///
    /// The list is shorter.
    fn entry(&self, place: usize) -> Result<T>
    where
        T: Clone;
}

impl<T> ListExt<T> for [T] {
    fn under<V>(&self, key: impl Fn(&T) -> Name, value: impl Fn(&T) -> Result<V>) -> Result<Map<V>> {
        self.iter().map(|entry| Ok((key(entry), value(entry)?))).collect()
    }

    fn entry(&self, place: usize) -> Result<T>
    where
        T: Clone,
    {
        let found = self.get(place).cloned();
        found.ok_or_else(|| Error::absent(format!("the list has no entry at {place}, counted from 0")))
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
