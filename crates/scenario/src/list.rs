//! What equations do with lists, sizes, counted steps, and the entries of two maps.

use std::ops::Add;

use indexmap::IndexMap;

use crate::{Map, Name, Total};

/// Values of a list.
pub trait Entries<V> {
    /// A value for each entry, in order.
    fn entries<T>(&self, value: impl Fn(&V) -> T) -> Vec<T>;

    /// The sum of each entry and of all before it.
    fn running_total(&self) -> Vec<V>
    where
        V: Copy + Default + Add<Output = V>;

    /// The last entry, nothing where the list is empty.
    fn latest(&self) -> V
    where
        V: Copy + Default;
}

impl<V> Entries<V> for [V] {
    fn entries<T>(&self, value: impl Fn(&V) -> T) -> Vec<T> {
        self.iter().map(value).collect()
    }

    fn running_total(&self) -> Vec<V>
    where
        V: Copy + Default + Add<Output = V>,
    {
        let mut sum = V::default();
        self.iter()
            .map(|entry| {
                sum = sum + *entry;
                sum
            })
            .collect()
    }

    fn latest(&self) -> V
    where
        V: Copy + Default,
    {
        self.last().copied().unwrap_or_default()
    }
}

impl Total for [f64] {
    type Output = f64;

    fn total(&self) -> f64 {
        // From positive zero: `f64`'s own sum of nothing is −0.
        self.iter().fold(0.0, Add::add)
    }
}

impl Total for [i64] {
    type Output = i64;

    fn total(&self) -> i64 {
        self.iter().copied().fold(0, i64::saturating_add)
    }
}

/// Values by size.
pub trait Sizes {
    /// A value for each size of the list, under the size as its key.
    fn by_size<T>(&self, value: impl Fn(u64) -> T) -> Map<T>;
}

impl Sizes for [u64] {
    fn by_size<T>(&self, value: impl Fn(u64) -> T) -> Map<T> {
        let mut values = IndexMap::with_capacity(self.len());
        values.extend(self.iter().map(|size| (size.to_string().into(), value(*size))));
        values
    }
}

/// Values step by step.
pub trait Steps {
    /// A value for each whole number from 0 that is below this one.
    fn steps<T>(self, value: impl Fn(u64) -> T) -> Vec<T>;
}

impl Steps for u64 {
    fn steps<T>(self, value: impl Fn(u64) -> T) -> Vec<T> {
        (0..self).map(value).collect()
    }
}

/// Values of two maps together.
pub trait Paired<V> {
    /// A value for each key that both maps have, in the order of the first.
    fn paired<W, T>(&self, other: &Map<W>, value: impl Fn(&V, &W) -> T) -> Map<T>;
}

impl<V> Paired<V> for Map<V> {
    fn paired<W, T>(&self, other: &Map<W>, value: impl Fn(&V, &W) -> T) -> Map<T> {
        let both = |(key, one)| Some((Clone::clone(key), value(one, other.get(key)?)));
        self.iter().filter_map(both).collect()
    }
}

/// Values that build on one another.
pub trait Running<V> {
    /// A value for each entry, made from the value before it, the first from `start`.
    fn running<T: Copy>(&self, start: T, value: impl Fn(T, &V) -> T) -> Map<T>;

    /// The last entry, or `otherwise` where there is none.
    fn last_or(&self, otherwise: V) -> V;
}

impl<V: Copy> Running<V> for Map<V> {
    fn running<T: Copy>(&self, start: T, value: impl Fn(T, &V) -> T) -> Map<T> {
        let mut before = start;
        let next = |(key, entry): (&Name, &V)| {
            before = value(before, entry);
            (key.clone(), before)
        };
        self.iter().map(next).collect()
    }

    fn last_or(&self, otherwise: V) -> V {
        self.values().next_back().copied().unwrap_or(otherwise)
    }
}

/// Figures of a result that may be undefined while the others are not.
pub trait Defined {
    /// The number, or nothing where its equation divides by zero.
    fn defined(self) -> Option<f64>;
}

impl Defined for f64 {
    fn defined(self) -> Option<f64> {
        self.is_finite().then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_of_both_maps() {
        let one: Map<u64> = [("a".into(), 1), ("b".into(), 2)].into_iter().collect();
        let two: Map<u64> = [("b".into(), 5), ("c".into(), 7)].into_iter().collect();
        let sums: Map<u64> = [("b".into(), 7)].into_iter().collect();
        assert_eq!(one.paired(&two, |one, two| one + two), sums);
    }
}
