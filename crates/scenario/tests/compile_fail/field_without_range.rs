//! A numeric input that does not state what it allows.
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
    /// How long it lasts.
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
