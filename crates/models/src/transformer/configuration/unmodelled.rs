//! Weights that are counted and whose arithmetic is not modelled.

use super::keys::Keys;
use crate::transformer::blocks::hidden;
use crate::transformer::{Dimension, Extent, Operation, Part, Work};

/// Makes such weights; sizes that are too large are refused by the name of the key that they follow
/// from.
pub struct Weights<'k, 'a> {
    pub keys: &'k Keys<'a>,
    pub whose: &'static str,
}

impl Weights<'_, '_> {
    /// A matrix between the activations and `width` numbers.
    pub fn matrix(&self, name: &'static str, hidden_width: u32, width: u64) -> Operation {
        self.of(Part::Other, name, width, hidden(hidden_width))
    }

    /// `rows` times `columns` of them.
    pub fn table(&self, name: &'static str, rows: u64, columns: u64) -> Operation {
        self.table_of(Part::Other, name, rows, columns)
    }

    /// The same, in another part of the model.
    pub fn table_of(&self, part: Part, name: &'static str, rows: u64, columns: u64) -> Operation {
        self.of(part, name, rows, Extent::of(Dimension::Unmodelled, self.possible(columns)))
    }

    fn of(&self, part: Part, name: &'static str, rows: u64, width: Extent) -> Operation {
        let count = Extent::of(Dimension::Unmodelled, self.possible(rows));
        Operation::new(part, name, Work::Weights { count, width })
    }

    /// `size`, if a side of a matrix can be as long.
    fn possible(&self, size: u64) -> u32 {
        u32::try_from(size).unwrap_or_else(|_| {
            self.keys
                .refuse(self.whose, format!("it makes a matrix `{size}` wide; one of its sizes is a slip"));
            1
        })
    }
}

/// The sum of widths, each a product of at most two sizes.
pub fn sum(widths: &[u64]) -> u64 {
    widths.iter().fold(0, |sum, width| sum.saturating_add(*width))
}
