//! An input without a documentation comment.
use mlsysim_quantity::Time;
use mlsysim_scenario::{Scenario, equations};

/// A wait.
///
/// # Assumptions
/// None.
///
/// # Excludes
/// Everything else.
///
/// # Derivation
/// Given.
#[derive(Clone, Debug, Scenario)]
#[scenario(serving)]
pub struct Wait {
    #[range(>= 0)]
    pub time: Time,
}

#[equations]
impl Wait {
    /// The time.
    pub fn total(&self) -> Time {
        self.time
    }
}

fn main() {}
