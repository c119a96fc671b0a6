//! `SequencePackingScenario`: a batch of examples, padded or packed.

use mlsysim_scenario::{Result, Scenario, equations};

use crate::solvers::{SequencePackingModel, SequencePackingResult};

/// A batch of examples of different length, padded to the longest or packed into buffers: how many
/// positions each way computes, and how many of them hold a token.
///
/// # Assumptions
/// Those of `SequencePackingModel`, to which the inputs are bound as they stand.
///
/// # Excludes
/// What keeps attention within an example, how attention grows with its length, and measured
/// throughput.
///
/// # Derivation
/// The inputs are those of `SequencePackingModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct SequencePackingScenario {
    /// The length of each example in tokens.
    #[range(>= 1, nonempty)]
    pub lengths: Vec<u64>,
    /// How many tokens a buffer holds.
    #[range(>= 1)]
    pub capacity: u64,
}

#[equations]
impl SequencePackingScenario {
    /// What padding and packing allocate, by `SequencePackingModel`.
    ///
    /// # Errors
    ///
    /// The positions are too many to count.
    pub fn result(&self) -> Result<SequencePackingResult> {
        SequencePackingModel { lengths: self.lengths.clone(), capacity: self.capacity }.solve()
    }
}
