//! `SequencePackingModel`: examples padded to the longest against examples packed into buffers.

use mlsysim_scenario::{CountProduct, Error, Extremes, Result, Solver, Total, equations};

use crate::physics::packing::first_fit_decreasing;

/// Examples of different length, once padded to the longest and once packed into buffers of one
/// capacity: how many of the positions hold a token.
///
/// Padding gives every example a row of the longest length. Packing puts several examples into one
/// buffer, by first fit with the longest first, and keeps each example whole. Occupancy counts every
/// stored token, whether it is trained on or only context; it is no measured throughput.
///
/// Source: Krell et al. (2021), Efficient Sequence Packing without Cross-contamination,
/// arXiv:2107.02027.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = SequencePackingResult)]
pub struct SequencePackingModel {
    /// The length of each example in tokens.
    #[range(>= 1, nonempty)]
    pub lengths: Vec<u64>,
    /// How many tokens a buffer holds.
    #[range(>= 1)]
    pub capacity: u64,
}

#[equations(result = SequencePackingResult)]
impl SequencePackingModel {
    /// How many examples there are.
    pub fn examples(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// The tokens of all examples.
    pub fn stored(&self) -> u64 {
        self.lengths.total()
    }

    /// The length of the longest example.
    pub fn longest(&self) -> Result<u64> {
        self.lengths.largest()
    }

    /// The mean length of an example.
    pub fn mean_length(&self) -> f64 {
        self.stored() as f64 / self.examples() as f64
    }

    /// The positions that padding allocates: a row of the longest length for each example.
    pub fn padded_positions(&self) -> Result<u64> {
        self.examples().times(self.longest()?)
    }

    /// How many buffers packing fills.
    pub fn buffers(&self) -> u64 {
        self.buffer_loads().len() as u64
    }

    /// The tokens in each buffer.
    pub fn buffer_loads(&self) -> Vec<u64> {
        first_fit_decreasing(&self.lengths, self.capacity)
    }

    /// The positions that packing allocates: the capacity of each buffer.
    pub fn packed_positions(&self) -> Result<u64> {
        self.buffers().times(self.capacity)
    }

    /// The share of the padded positions that hold a token.
    pub fn padded_occupancy(&self) -> Result<f64> {
        Ok(self.stored() as f64 / self.padded_positions()? as f64)
    }

    /// The share of the packed positions that hold a token.
    pub fn packed_occupancy(&self) -> Result<f64> {
        Ok(self.stored() as f64 / self.packed_positions()? as f64)
    }

    /// How many times the packed positions padding allocates.
    pub fn position_ratio(&self) -> Result<f64> {
        Ok(self.padded_positions()? as f64 / self.packed_positions()? as f64)
    }

    /// Every example fits into a buffer, since packing keeps it whole.
    #[check]
    fn examples_fit(&self) -> Result<()> {
        match self.lengths.iter().enumerate().find(|(_, length)| **length > self.capacity) {
            None => Ok(()),
            Some((index, length)) => Err(Error::input(
                "lengths",
                format!(
                    "example {}, of {length} tokens, does not fit into a buffer of {}",
                    index + 1,
                    self.capacity
                ),
            )),
        }
    }

    /// Buffers that are much longer than the examples may cost more than padding.
    #[note(position_ratio)]
    fn padding_is_shorter(&self) -> Option<String> {
        (self.position_ratio().ok()? < 1.0)
            .then(|| "padding allocates fewer positions: the last buffer is mostly empty".to_string())
    }
}
