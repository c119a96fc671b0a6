//! `TensorParallelSpeedupScenario`: what splitting stated layer times over a group gains.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Map, MapExt, Result, Scenario, Total, equations};

/// A layer whose compute times are stated, split over a tensor-parallel group and slowed by the
/// AllReduces that the split adds.
///
/// # Assumptions
/// Every phase divides into equal parts; all layers are alike; each AllReduce waits for compute and
/// compute for it.
///
/// # Excludes
/// Overlap of communication with compute, uneven load, and whether the model fits.
///
/// # Derivation
/// An even split divides each phase by the size of the group. AllReduces that nothing hides add
/// their time, once for each of them, to the compute of the layer.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct TensorParallelSpeedupScenario {
    /// Compute time of one layer on one device, by phase.
    #[range(>= 0, nonempty)]
    #[unit(ms)]
    pub serial_layer_times: Map<Time>,
    /// How many devices share each layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// Time of one AllReduce.
    #[range(>= 0)]
    #[unit(ms)]
    pub allreduce_time: Time,
    /// How many AllReduces a layer adds.
    #[range(>= 0)]
    #[default(2)]
    pub collectives_per_layer: u64,
    /// How many layers the model has.
    #[range(>= 1)]
    pub layers: u64,
}

#[equations]
impl TensorParallelSpeedupScenario {
    /// Compute time of one phase after an even split, without its communication.
    ///
    /// # Errors
    ///
    /// There is no such phase.
    #[unit(ms)]
    pub fn sharded(&self, #[keys(serial_layer_times)] phase: &str) -> Result<Time> {
        Ok(*self.serial_layer_times.at("phase", phase)? / self.tp_size)
    }

    /// Compute time of one layer on one device: the sum of its phases.
    #[unit(ms)]
    pub fn serial_layer_time(&self) -> Time {
        self.serial_layer_times.total()
    }

    /// Compute time of one layer after an even split.
    #[unit(ms)]
    pub fn sharded_compute_time(&self) -> Time {
        self.serial_layer_time() / self.tp_size
    }

    /// Time of one split layer: its compute and every AllReduce, one after the other.
    #[unit(ms)]
    pub fn parallel_layer_time(&self) -> Time {
        self.sharded_compute_time() + self.collectives_per_layer * self.allreduce_time
    }

    /// How many times faster the split layer is; below 1 where communication costs more than the
    /// split gains.
    pub fn speedup(&self) -> f64 {
        self.serial_layer_time() / self.parallel_layer_time()
    }

    /// Compute time of all layers on one device.
    #[unit(ms)]
    pub fn serial_total(&self) -> Time {
        self.serial_layer_time() * self.layers
    }

    /// Time of all layers after the split.
    #[unit(ms)]
    pub fn parallel_total(&self) -> Time {
        self.parallel_layer_time() * self.layers
    }

    /// A group of one has nobody to exchange with, though the equation charges it.
    #[note(parallel_layer_time, speedup, parallel_total)]
    fn lonely(&self) -> Option<String> {
        let charged = self.collectives_per_layer > 0 && self.allreduce_time > Time::ZERO;
        (self.tp_size == 1 && charged).then(|| {
            "a group of one device exchanges nothing, so its speed-up is 1; the equation charges it all the same".to_string()
        })
    }
}
