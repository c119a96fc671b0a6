//! A scenario that does not say what it leaves out.
use mlsysim_quantity::Time;
use mlsysim_scenario::{Scenario, equations};

/// A wait.
///
/// # Assumptions
/// None.
///
/// # Derivation
/// Given.
#[derive(Clone, Debug, Scenario)]
#[scenario(serving)]
pub struct Wait {
    /// How long it lasts.
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
