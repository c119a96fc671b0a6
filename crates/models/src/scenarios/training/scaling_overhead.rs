//! `ScalingOverheadScenario`: what coordination leaves of a planned speed-up.

use mlsysim_scenario::{Scenario, equations};

/// A speed-up that was planned from more devices, and what communication and coordination leave of
/// it.
///
/// # Assumptions
/// The overhead is a share of the time of the scaled step, stated and not computed.
///
/// # Excludes
/// How the overhead grows with the number of devices.
///
/// # Derivation
/// Of each unit of time the share `1 - overhead_fraction` does planned work, so that the speed-up
/// shrinks by that factor.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct ScalingOverheadScenario {
    /// The speed-up that was planned, without overhead.
    #[range(>= 0)]
    pub planned_speedup: f64,
    /// The share of the scaled step that communication and coordination take.
    #[range(>= 0, <= 1)]
    pub overhead_fraction: f64,
}

#[equations]
impl ScalingOverheadScenario {
    /// The speed-up that remains.
    pub fn realized_speedup(&self) -> f64 {
        self.planned_speedup * (1.0 - self.overhead_fraction)
    }

    /// More devices may lose more than they gain.
    #[note(realized_speedup)]
    fn slower(&self) -> Option<String> {
        (self.planned_speedup > 1.0 && self.realized_speedup() < 1.0)
            .then(|| "the overhead takes more than the plan gains: the scaled step is slower".to_string())
    }
}
