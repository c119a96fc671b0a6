//! A host that issues work to its device.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Record, equations};

/// The host's work to issue a step, against the device's work in it; what a scenario answers, and
/// no entry of the registry.
///
/// Host and device take turns: nothing overlaps.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct HostDispatchScenario {
    /// How many operations the host enters in a block.
    pub ops_per_block: u64,
    /// How many blocks the step has.
    #[default(1)]
    pub blocks: u64,
    /// How many kernels a block launches; one for each operation where it is not stated.
    pub launches_per_block: Option<u64>,
    /// The time to enter one operation.
    #[unit("µs")]
    pub dispatch: Time,
    /// The time to launch one kernel.
    #[unit("µs")]
    pub launch: Time,
    /// The device's time for the step.
    #[unit("µs")]
    pub device_time: Time,
}

#[equations]
impl HostDispatchScenario {
    /// How many operations the host enters.
    pub fn operations(&self) -> f64 {
        self.blocks as f64 * self.ops_per_block as f64
    }

    /// How many kernels the host launches.
    pub fn launches(&self) -> f64 {
        self.blocks as f64 * self.launches_per_block.unwrap_or(self.ops_per_block) as f64
    }

    /// The time to enter all operations.
    #[unit("µs")]
    pub fn dispatch_time(&self) -> Time {
        self.operations() * self.dispatch
    }

    /// The time to launch all kernels.
    #[unit("µs")]
    pub fn launch_time(&self) -> Time {
        self.launches() * self.launch
    }

    /// The host's time for the step.
    #[unit("µs")]
    pub fn host_time(&self) -> Time {
        self.dispatch_time() + self.launch_time()
    }

    /// The host's time over the device's: above 1 the device waits for more than half of the step.
    pub fn overhead_ratio(&self) -> f64 {
        self.host_time() / self.device_time
    }

    /// The host's share of the step.
    pub fn host_share(&self) -> f64 {
        self.host_time() / (self.host_time() + self.device_time)
    }
}
