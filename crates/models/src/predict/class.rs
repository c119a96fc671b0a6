//! The classes that coefficients are shared by: families of devices, classes of links, precisions.

use mlsysim_registry::HardwareNode;
use mlsysim_scenario::choices;

use crate::machine::Machine;

/// How a device feeds its matrix units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceFamily {
    /// Copies run beside the arithmetic, in units of their own: Hopper, and Blackwell in data centres.
    Asynchronous,
    /// The threads that compute also copy: Volta, Ampere, Ada, and Blackwell on cards.
    Synchronous,
}

/// Those whose copies run beside the arithmetic, by a part of their names.
const ASYNCHRONOUS: [&str; 9] = ["H100", "H200", "H800", "GH200", "H20", "B200", "B300", "GB200", "GB300"];

/// Those that rows of the calibration were measured on, by a part of their names.
const SYNCHRONOUS: [&str; 5] = ["A100", "A40", "L40S", "V100", "RTX"];

impl DeviceFamily {
    /// The family of `device`, and whether the calibration has any of it.
    ///
    /// A device that is none of those that were measured is of the family that makers of its time
    /// build for its rate: beyond 500 TFLOP/s in 16 bits threads cannot copy fast enough.
    ///
    /// ```
    /// use mlsysim_models::{library, predict::DeviceFamily};
    /// use mlsysim_registry::HardwareNode;
    /// use mlsysim_scenario::{Library, Value};
    ///
    /// let Value::Object(object) = library().value("Hardware.Cloud.H100")? else { panic!("no entry") };
    /// let device = object.downcast::<HardwareNode>().ok_or("no device")?;
    /// assert_eq!(DeviceFamily::of(&device), (DeviceFamily::Asynchronous, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(device: &HardwareNode) -> (DeviceFamily, bool) {
        let is_named = |names: &[&str]| device.name.split([' ', '-', '_']).any(|word| names.contains(&word));
        if is_named(&ASYNCHRONOUS) {
            return (DeviceFamily::Asynchronous, true);
        }
        if is_named(&SYNCHRONOUS) {
            return (DeviceFamily::Synchronous, true);
        }
        let is_fast = device.rate("fp16_dense").base() > 500e12;
        (if is_fast { DeviceFamily::Asynchronous } else { DeviceFamily::Synchronous }, false)
    }
}

choices! {
    /// What joins the devices of a domain.
    pub enum LinkClass {
        /// NVLink of the third generation, 300 GB/s each way.
        NvLink3 = "NVLink 3",
        /// NVLink of the fourth generation, 450 GB/s each way.
        NvLink4 = "NVLink 4",
        /// NVLink of the fifth generation, 900 GB/s each way.
        NvLink5 = "NVLink 5",
        /// PCIe, through whatever the host has between its slots.
        Pcie = "PCIe",
    }
}

/// The fastest that PCIe gets in one direction, in its sixth generation.
const FASTEST_PCIE: f64 = 130e9;

impl LinkClass {
    /// The class of the links of `machine`, and whether the calibration has exactly that.
    pub fn of(machine: &Machine) -> (LinkClass, bool) {
        if machine.link.base() <= FASTEST_PCIE {
            return (LinkClass::Pcie, true);
        }
        let link = machine.device.nvlink.as_deref();
        let name = link.map_or("", |link| &*link.name);
        for (start, class) in [
            ("NVLink 3", LinkClass::NvLink3),
            ("NVLink 4", LinkClass::NvLink4),
            ("NVLink 5", LinkClass::NvLink5),
        ] {
            if name.starts_with(start) {
                return (class, true);
            }
        }
        (if name.starts_with("NVLink") { LinkClass::NvLink3 } else { LinkClass::NvLink4 }, false)
    }
}

choices! {
    /// The precision of a matrix product, with what scales its factors.
    pub enum ProductPrecision {
        /// 16 bits, of either kind.
        Half = "16-bit",
        /// 8 bits with a scale for a row or a whole matrix.
        Eight = "fp8",
        /// 8 bits with a scale for a block.
        BlockEight = "block fp8",
        /// 4 bits with a scale for sixteen numbers.
        Four = "nvfp4",
    }
}

impl ProductPrecision {
    /// What a table's `printed` precision means, and whether it is exactly that.
    ///
    /// ```
    /// use mlsysim_models::predict::ProductPrecision;
    ///
    /// assert_eq!(ProductPrecision::of("bfloat16"), Some((ProductPrecision::Half, true)));
    /// assert_eq!(ProductPrecision::of("fp8_block"), Some((ProductPrecision::BlockEight, true)));
    /// assert_eq!(ProductPrecision::of("int4 g32"), Some((ProductPrecision::Half, false)));
    /// assert_eq!(ProductPrecision::of("fp99"), None);
    /// ```
    pub fn of(printed: &str) -> Option<(ProductPrecision, bool)> {
        let first = printed.split([' ', '(', ',']).next().unwrap_or_default().to_ascii_lowercase();
        Some(match first.as_str() {
            "fp8" if printed.contains("128") => (ProductPrecision::BlockEight, true),
            "fp8" => (ProductPrecision::Eight, true),
            "fp8_block" => (ProductPrecision::BlockEight, true),
            "mxfp8" => (ProductPrecision::BlockEight, false),
            "nvfp4" => (ProductPrecision::Four, true),
            "fp4" | "mxfp4" => (ProductPrecision::Four, false),
            "bf16" | "fp16" | "half" | "bfloat16" | "float16" => (ProductPrecision::Half, true),
            "int8" | "int4" | "q4_0" => (ProductPrecision::Half, false),
            _ => return None,
        })
    }

    /// The key of the peak at which it is computed.
    pub const fn peak(self) -> &'static str {
        match self {
            ProductPrecision::Half => "fp16_dense",
            ProductPrecision::Eight | ProductPrecision::BlockEight => "fp8",
            ProductPrecision::Four => "fp4",
        }
    }

    /// The bytes of a stored number of a factor.
    pub const fn bytes(self) -> f64 {
        match self {
            ProductPrecision::Half => 2.0,
            ProductPrecision::Eight | ProductPrecision::BlockEight => 1.0,
            ProductPrecision::Four => 0.5,
        }
    }
}
