//! `StrongScalingPairScenario`: the same job on few and on many devices.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Scenario, equations};

/// One job of a fixed size, timed on two numbers of devices: the speed-up, and how much of the
/// ideal one it is (strong scaling).
///
/// # Assumptions
/// Both runs do the same work to the same result.
///
/// # Excludes
/// Why the larger run is slower than ideal, and whether its result is as good.
///
/// # Derivation
/// Ideal devices share the work equally, so that time falls as their number grows. The efficiency
/// is the speed-up that was reached over the one that this promises (strong scaling; Amdahl 1967).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct StrongScalingPairScenario {
    /// How many devices the smaller run has.
    #[range(>= 1)]
    pub base_devices: u64,
    /// How long the smaller run takes.
    #[range(> 0)]
    #[unit(h)]
    pub base_time: Time,
    /// How many devices the larger run has.
    #[range(>= 1)]
    pub scaled_devices: u64,
    /// How long the larger run takes.
    #[range(> 0)]
    #[unit(h)]
    pub scaled_time: Time,
}

#[equations]
impl StrongScalingPairScenario {
    /// How many times as many devices the larger run has.
    pub fn device_ratio(&self) -> f64 {
        self.scaled_devices as f64 / self.base_devices as f64
    }

    /// How many times faster the larger run is.
    pub fn speedup(&self) -> f64 {
        self.base_time / self.scaled_time
    }

    /// How long the larger run would take if every device added its full share.
    #[unit(h)]
    pub fn ideal_time(&self) -> Time {
        self.base_time / self.device_ratio()
    }

    /// The speed-up as a share of the ideal one.
    pub fn efficiency(&self) -> f64 {
        self.speedup() / self.device_ratio()
    }

    /// More than a full share from each device has a cause that the model does not know.
    #[note(efficiency)]
    fn superlinear(&self) -> Option<String> {
        (self.efficiency() > 1.0).then(|| {
            "more than ideal: the runs differ in something beside the devices, such as work that fits into faster memory".to_string()
        })
    }
}
