//! `ResidualShareScenario`: how a small part that does not scale comes to fill the step.

use mlsysim_scenario::{Scenario, equations};

/// A step of which a part does not shrink with more devices: what share of the distributed step that
/// part becomes.
///
/// # Assumptions
/// All else divides evenly among the devices, and the part that remains takes as long on many
/// devices as on one.
///
/// # Excludes
/// Communication that grows with the number of devices, and overlap.
///
/// # Derivation
/// In units of the step on one device the distributed step takes `(1 - residual) / devices +
/// residual`, and the speed-up is its inverse: Amdahl (1967), doi:10.1145/1465482.1465560. The share
/// of the part in that shorter step is much larger than `residual`; a share that was measured on
/// many devices must not be read as the serial fraction.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct ResidualShareScenario {
    /// The part that does not scale, as a share of the step on one device.
    #[range(>= 0, <= 1)]
    pub residual: f64,
    /// How many devices share the rest.
    #[range(>= 1)]
    pub devices: u64,
}

#[equations]
impl ResidualShareScenario {
    /// The distributed step in units of the step on one device.
    #[source("Amdahl (1967), doi:10.1145/1465482.1465560")]
    pub fn step_fraction(&self) -> f64 {
        (1.0 - self.residual) / self.devices as f64 + self.residual
    }

    /// The part that does not scale, as a share of the distributed step.
    pub fn residual_share(&self) -> f64 {
        self.residual / self.step_fraction()
    }

    /// How many times faster the distributed step is.
    #[kind(bound)]
    pub fn speedup(&self) -> f64 {
        1.0 / self.step_fraction()
    }
}
