//! What a model has in all: parameters by part, those that a token passes, and its KV cache.

use std::ops::{Index, IndexMut};

use mlsysim_quantity::units::BYTE;
use mlsysim_quantity::{Bytes, Params};

use crate::transformer::{Part, Shares, Transformer, Work};

/// A value for each part of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerPart<T>([T; Part::ALL.len()]);

impl<T> Index<Part> for PerPart<T> {
    type Output = T;

    fn index(&self, part: Part) -> &T {
        &self.0[part as usize]
    }
}

impl<T> IndexMut<Part> for PerPart<T> {
    fn index_mut(&mut self, part: Part) -> &mut T {
        &mut self.0[part as usize]
    }
}

impl<T: Copy> PerPart<T> {
    /// The values with their parts, in the order of tables.
    pub fn entries(&self) -> impl Iterator<Item = (Part, T)> + '_ {
        Part::ALL.into_iter().map(|part| (part, self[part]))
    }

    /// The values alone, in the order of tables.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().copied()
    }
}

impl PerPart<u64> {
    /// This and `times` of `other`.
    pub(crate) fn add(&mut self, times: u64, other: &PerPart<u64>) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own += times * other);
    }
}

/// What a model has in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// The parameters of each part; a weight that is used twice counts once.
    pub parts: PerPart<u64>,
    /// All of them.
    pub total: u64,
    /// Those that a token passes: all, except experts that it is not sent to.
    pub active: u64,
    /// The numbers that a token leaves in the KV cache, over all layers; layers with a window keep
    /// them while it lasts.
    pub cached_per_token: u64,
}

impl Counts {
    /// All parameters, as a quantity.
    pub fn parameters(&self) -> Params {
        Params::from_base(self.total as f64)
    }

    /// The bytes that a token leaves in the KV cache, at `element` a number.
    ///
    /// Layers with a window count in full; layers that read another layer's cache do not.
    pub fn kv_bytes_per_token(&self, element: Bytes) -> Bytes {
        self.cached_per_token as f64 * element
    }

    /// The same at two bytes a number.
    pub fn kv_bytes_per_token_16_bit(&self) -> Bytes {
        self.kv_bytes_per_token(2.0 * BYTE)
    }
}

impl Transformer {
    /// Its parameters by part and the size of its KV cache.
    pub fn counts(&self) -> Counts {
        let mut parts = PerPart::default();
        let (mut total, mut idle, mut cached_per_token) = (0, 0, 0);
        for (operation, times) in self.operations() {
            let parameters = times * operation.parameters(&Shares::WHOLE);
            parts[operation.part] += parameters;
            total += parameters;
            cached_per_token += times * operation.cached(&Shares::WHOLE);
            if let Work::Expert { experts, per_token, .. } = &operation.work {
                let experts = experts.whole();
                idle += parameters / experts * (experts - u64::from(*per_token));
            }
        }
        Counts { parts, total, active: total - idle, cached_per_token }
    }
}
