//! Accelerators and their parts.

use std::sync::Arc;

use mlsysim_quantity::{
    Area, Bandwidth, Bytes, Energy, FlopRate, Frequency, Intensity, Mass, Money, Power, Time,
};
use mlsysim_scenario::{Error, Map, Name, OptionExt, Record, Result, equations, listed};

use super::IOInterconnect;

/// An accelerator or another device that computes.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct HardwareNode {
    /// What the device is called.
    pub name: Name,
    /// The year in which it came out.
    pub release_year: Option<u64>,
    /// Its arithmetic units.
    pub compute: Arc<ComputeCore>,
    /// Its memory.
    pub memory: Arc<MemoryHierarchy>,
    /// Its local storage.
    pub storage: Option<Arc<StorageHierarchy>>,
    /// Its link to the host.
    pub interconnect: Option<Arc<IOInterconnect>>,
    /// Its link to other devices.
    pub nvlink: Option<Arc<IOInterconnect>>,
    /// The power that its cooling is designed for.
    #[unit(W)]
    pub tdp: Option<Power>,
    /// The lower end of a configurable power limit.
    #[unit(W)]
    pub tdp_min: Option<Power>,
    /// The upper end of a configurable power limit.
    #[unit(W)]
    pub tdp_max: Option<Power>,
    /// The area of the die.
    #[unit("mm²")]
    pub die_area: Option<Area>,
    /// How many transistors it has.
    pub transistor_count: Option<f64>,
    /// The bandwidth between the dies of one package.
    #[unit(TB/s)]
    pub die_to_die_bandwidth: Option<Bandwidth>,
    /// The energy in its battery.
    #[unit(Wh)]
    pub battery_capacity: Option<Energy>,
    /// What one costs, or the lower end of that.
    #[unit(USD)]
    pub unit_cost: Option<Money>,
    /// The upper end of what one costs.
    #[unit(USD)]
    pub unit_cost_max: Option<Money>,
    /// How many accelerators the record stands for, if more than one.
    pub accelerator_count: Option<u64>,
    /// The carbon dioxide emitted to make it, in kilograms.
    pub embodied_carbon_kg: Option<f64>,
    /// The time to launch one kernel.
    #[unit(ms)]
    pub dispatch_tax: Option<Time>,
    /// The parts into which it can be divided.
    pub mig_profiles: Option<Vec<Arc<MigProfile>>>,
}

#[equations]
impl HardwareNode {
    /// The peak rate at `precision`, which is a key of `compute.precision_flops`.
    ///
    /// `fp16_dense` is also served by the other keys of dense 16-bit arithmetic.
    #[unit(TFLOP/s)]
    #[figure(peak_figure)]
    pub fn peak(&self, precision: &str) -> Result<FlopRate> {
        self.compute.peak(precision)
    }

    /// The peak rate at `precision`, or the one that the device is known for where it states none.
    #[unit(TFLOP/s)]
    pub fn rate(&self, precision: &str) -> FlopRate {
        self.compute.key(precision).map_or(self.compute.peak_flops, |(_, peak)| peak)
    }

    /// The arithmetic intensity above which the device is bound by arithmetic.
    ///
    /// Without a precision, that of `compute.peak_flops`.
    #[unit(flop/B)]
    #[source("Williams, Waterman and Patterson (2009), Roofline, doi:10.1145/1498765.1498785")]
    pub fn ridge_point(&self, precision: Option<Name>) -> Result<Intensity> {
        Ok(self.compute.peak_or_default(precision)? / self.memory.bandwidth)
    }

    /// The carbon dioxide emitted to make the device.
    #[unit(kg)]
    pub fn embodied_carbon(&self) -> Result<Mass> {
        Ok(self.embodied_carbon_kg.needed("embodied_carbon_kg")? * KILOGRAM)
    }
}

/// One kilogram.
const KILOGRAM: Mass = Mass::from_base(1.0);

impl HardwareNode {
    fn peak_figure(&self, precision: &str) -> Option<String> {
        let (key, _) = self.compute.key(precision)?;
        Some(format!("compute.precision_flops.{key}"))
    }
}

/// The arithmetic units of a device.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct ComputeCore {
    /// The peak rate that the device is known for.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub peak_flops: FlopRate,
    /// The peak rate by precision; dense and sparse rates are different keys.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    #[default(Map::new())]
    pub precision_flops: Map<FlopRate>,
    /// How many streaming multiprocessors it has.
    #[range(>= 1, <= 1000000000)]
    pub sm_count: Option<u64>,
    /// The rate of its clock.
    #[unit(MHz)]
    pub clock_rate: Option<Frequency>,
    /// How many cores it has.
    pub core_count: Option<u64>,
    /// How many 32-bit cores a streaming multiprocessor has.
    #[range(>= 1, <= 1000000000)]
    pub fp32_cores_per_sm: Option<u64>,
    /// How many tensor cores a streaming multiprocessor has.
    #[range(>= 1, <= 1000000000)]
    pub tensor_cores_per_sm: Option<u64>,
    /// How many rows and columns its systolic array has.
    #[range(>= 1, <= 1000000000)]
    pub systolic_array_dim: Option<u64>,
    /// How many threads a streaming multiprocessor holds.
    pub max_threads_per_sm: Option<u64>,
    /// How many registers a thread can have.
    pub max_registers_per_thread: Option<u64>,
    /// How many threads run in lockstep.
    pub warp_size: Option<u64>,
}

#[equations]
impl ComputeCore {
    /// How many 32-bit cores the device has.
    pub fn fp32_core_count(&self) -> Result<u64> {
        Ok(self.sm_count.needed("sm_count")? * self.fp32_cores_per_sm.needed("fp32_cores_per_sm")?)
    }

    /// How many tensor cores the device has.
    pub fn tensor_core_count(&self) -> Result<u64> {
        Ok(self.sm_count.needed("sm_count")? * self.tensor_cores_per_sm.needed("tensor_cores_per_sm")?)
    }

    /// How many multiply-accumulates its systolic array does in a cycle.
    pub fn systolic_macs_per_cycle(&self) -> Result<u64> {
        Ok(self.systolic_array_dim.needed("systolic_array_dim")?
            * self.systolic_array_dim.needed("systolic_array_dim")?)
    }
}

/// The keys of dense 16-bit arithmetic, in the order in which one stands in for another.
const DENSE_16_BIT: [&str; 4] = ["fp16_dense", "bf16_dense", "fp16", "bf16"];

impl ComputeCore {
    /// The peak rate at `precision`.
    ///
    /// # Errors
    ///
    /// The device states none; the message lists the precisions that it states.
    pub fn peak(&self, precision: &str) -> Result<FlopRate> {
        match self.key(precision) {
            Some((_, peak)) => Ok(peak),
            None => {
                let keys = self.precision_flops.keys().map(Name::as_ref);
                Err(Error::input(
                    "precision",
                    format!("the device states no peak for \"{precision}\"; it states {}", listed(keys)),
                ))
            }
        }
    }

    /// The key that serves `precision`, and its peak rate.
    ///
    /// Devices without a rate for `fp16_dense` that state one for another dense 16-bit format do
    /// arithmetic in that format at that rate.
    pub fn key(&self, precision: &str) -> Option<(&Name, FlopRate)> {
        let stand_ins = DENSE_16_BIT.iter().filter(|_| DENSE_16_BIT.contains(&precision));
        let mut candidates = std::iter::once(&precision).chain(stand_ins);
        let found = candidates.find_map(|key| self.precision_flops.get_key_value(*key));
        found.map(|(key, peak)| (key, *peak))
    }

    fn peak_or_default(&self, precision: Option<Name>) -> Result<FlopRate> {
        precision.map_or(Ok(self.peak_flops), |precision| self.peak(&precision))
    }
}

/// The memory of a device.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct MemoryHierarchy {
    /// How much the device's memory holds.
    #[range(> 0)]
    #[unit(GiB)]
    pub capacity: Bytes,
    /// How fast the device's memory is read.
    #[range(> 0)]
    #[unit(TB/s)]
    pub bandwidth: Bandwidth,
    /// How many stacks of high-bandwidth memory there are.
    pub hbm_stacks: Option<u64>,
    /// How much the level-2 cache holds.
    #[unit(MiB)]
    pub l2_cache: Option<Bytes>,
    /// How much the registers of a streaming multiprocessor hold.
    #[unit(KiB)]
    pub register_file_per_sm: Option<Bytes>,
    /// How much the shared memory of a streaming multiprocessor holds.
    #[unit(KiB)]
    pub shared_memory_per_sm: Option<Bytes>,
    /// How much memory on the chip there is.
    #[unit(MiB)]
    pub sram_capacity: Option<Bytes>,
    /// How fast memory on the chip is read.
    #[unit(TB/s)]
    pub sram_bandwidth: Option<Bandwidth>,
    /// How much flash memory there is.
    #[unit(MiB)]
    pub flash_capacity: Option<Bytes>,
    /// How fast flash memory is read.
    #[unit(MB/s)]
    pub flash_bandwidth: Option<Bandwidth>,
    /// How wide the memory's bus is.
    #[unit(bit)]
    pub bus_width: Option<Bytes>,
    /// How fast each pin of the bus is.
    #[unit(Gbps)]
    pub pin_data_rate: Option<Bandwidth>,
}

/// The local storage of a device.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct StorageHierarchy {
    /// How much it holds.
    #[unit(TiB)]
    pub capacity: Bytes,
    /// How fast it is read.
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// The time that the first byte takes.
    #[unit("µs")]
    pub latency: Option<Time>,
}

/// A part into which a device can be divided.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct MigProfile {
    /// What the part is called.
    pub name: Name,
    /// How many streaming multiprocessors it has.
    pub sm_count: u64,
    /// How much memory it has.
    #[unit(GiB)]
    pub gpu_memory: Bytes,
}
