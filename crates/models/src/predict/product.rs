//! `ProductQuestion`: a matrix product on a device.

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Time};
use mlsysim_registry::HardwareNode;
use mlsysim_scenario::{Derivation, Error, Result};

use super::coefficient::coefficients;
use super::explain::{as_share, at_full_rate, coefficients as named, computed, counted};
use super::{Beyond, DeviceFamily, ProductPrecision, Question};
use crate::physics::kernel_time::{crossing_share, kernel_time, partly_overlapped};
use crate::transformer::Kernel;

/// A number in 16 bits.
const HALF_BYTES: f64 = 2.0;

/// The result of a product is written in 16 bits, whatever goes in.
const PRODUCT_BYTES: f64 = 2.0;

coefficients! {
    /// What products of matrices reach of a device, and what they take beside.
    pub struct ProductCoefficients in "gemm" {
        /// The share of the 16-bit peak that products reach.
        half_compute: "" = 0.75,
        /// The share of a level-2 cache in which operands stay when a product is repeated.
        cached: "" = 0.16,
        /// The share of memory bandwidth in 16 bits, where copies are asynchronous.
        asynchronous_memory: "" = 0.8,
        /// The time that a product in 16 bits takes to start, where copies are asynchronous.
        asynchronous_start: "µs" = 4.0,
        /// How far arithmetic and memory overlap beyond a sum.
        overlap: "" = 1.0,
        /// The time of a thousand steps along the inner dimension.
        depth: "µs" = 0.3,
        /// The share of memory bandwidth in 16 bits, where threads copy.
        synchronous_memory: "" = 0.8,
        /// The time that a product in 16 bits takes to start, where threads copy.
        synchronous_start: "µs" = 4.0,
        /// The share of the 8-bit peak that products reach.
        eight_compute: "" = 0.7,
        /// The share of memory bandwidth with factors of fewer than 16 bits.
        scaled_memory: "" = 0.8,
        /// The time that a product of 8 bits takes to start, its scaling included.
        eight_start: "µs" = 7.0,
        /// How often scaling moves the activations of 16 bits and of fewer.
        scaled_passes: "" = 2.0,
        /// The share of the 8-bit peak that products reach whose blocks have scales.
        block_compute: "" = 0.7,
        /// The time that a product of blocks takes to start, their scaling included.
        block_start: "µs" = 7.0,
        /// The share of the 4-bit peak that products reach, where copies are asynchronous.
        asynchronous_four_compute: "" = 0.7,
        /// The share of the 4-bit peak that products reach where threads copy, and less is to be fed.
        synchronous_four_compute: "" = 0.7,
        /// The time that a product of 4 bits takes to start, its scaling included.
        four_start: "µs" = 7.0,
    }
}

/// What products in one precision need to know of a device, looked up once for many of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductRates {
    precision: ProductPrecision,
    family: DeviceFamily,
    stored: f64,
    peak: FlopRate,
    bandwidth: Bandwidth,
    cache: Option<Bytes>,
    beyond: Beyond,
    // The bytes of a stored number of the weights that are written out in 16 bits before each product.
    unpacked: Option<f64>,
    // Whether activations come in the precision of the product.
    is_prescaled: bool,
}

/// A matrix product on a device: of `rows × inner` activations and `inner × columns` weights.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductQuestion {
    precision: ProductPrecision,
    family: DeviceFamily,
    inner: f64,
    arithmetic: Time,
    memory: Time,
    // How often what it moves fills the cache; nothing where operands are not in the cache to begin with.
    per_cache: Option<f64>,
    // One pass over the activations that are scaled to a smaller format.
    scaling: Time,
    // Weights that are read, and written out in 16 bits before the product.
    unpacking: Time,
    at_full_rates: Time,
    bound: Time,
    beyond: Beyond,
}

/// What a product of a precision reaches on a family of devices.
struct Reached {
    compute: f64,
    memory: f64,
    start: f64,
    passes: f64,
    overlap: f64,
    depth: f64,
}

/// What the scale and the zero of a group of weights, of 16 bits each, add to each weight where the
/// group is `printed`, such as `int4 g32`.
fn scales(printed: &str) -> f64 {
    let sizes = printed.split([' ', '(', ',']).filter_map(|word| word.strip_prefix('g')?.parse::<u32>().ok());
    sizes.filter(|size| *size > 0).map(|size| 2.0 * HALF_BYTES / f64::from(size)).next().unwrap_or(0.0)
}

impl ProductRates {
    /// The rates of `device` for products with factors in a `printed` precision.
    ///
    /// # Errors
    ///
    /// The precision is not known, or the device states no peak for it.
    pub fn new(printed: &str, device: &HardwareNode) -> Result<Self> {
        let Some((precision, is_exact)) = ProductPrecision::of(printed) else {
            return Err(Error::input(
                "precision",
                format!("bf16, fp16, fp8, fp8_block or nvfp4 is needed, but `{printed}` was given"),
            ));
        };
        let (family, is_known) = DeviceFamily::of(device);
        let mut beyond = Vec::new();
        if !is_exact {
            beyond.push(format!(
                "precision `{printed}` is not in the calibration, {} is nearest",
                precision.name()
            ));
        }
        if !is_known {
            beyond.push(format!("{} is of no family of devices in the calibration", device.name));
        }
        Ok(ProductRates {
            precision,
            family,
            stored: crate::validation::precision::known(printed)
                .map_or(precision.bytes(), |known| known.bytes)
                + scales(printed),
            peak: device.compute.peak(precision.peak())?,
            bandwidth: device.memory.bandwidth,
            cache: device.memory.l2_cache,
            beyond: Beyond::of(beyond),
            unpacked: None,
            is_prescaled: false,
        })
    }

    /// The rates of products in 16 bits before which weights in `self`'s precision are written out.
    ///
    /// # Errors
    ///
    /// The device states no peak in 16 bits.
    pub fn unpacked(&self, device: &HardwareNode) -> Result<Self> {
        Ok(ProductRates { unpacked: Some(self.stored), ..ProductRates::new("bf16", device)? })
    }

    /// The same where what lies before a product writes activations in its precision.
    #[must_use]
    pub fn prescaled(self) -> Self {
        ProductRates { is_prescaled: true, ..self }
    }

    /// The precision.
    pub fn precision(&self) -> ProductPrecision {
        self.precision
    }

    /// The family of the device.
    pub fn family(&self) -> DeviceFamily {
        self.family
    }

    /// The peak of the device.
    pub fn peak(&self) -> FlopRate {
        self.peak
    }

    /// What of it the calibration lacks.
    pub fn beyond(&self) -> &Beyond {
        &self.beyond
    }

    /// `times` products of `[rows, columns, inner]` in one kernel, of operands that a cache may keep
    /// where they are `repeated`.
    pub fn product(&self, [rows, columns, inner]: [f64; 3], times: f64, repeated: bool) -> ProductQuestion {
        let &ProductRates { precision, family, stored, peak, bandwidth, cache, is_prescaled, .. } = self;
        let unpacked = self.unpacked.map_or(0.0, |stored| times * columns * inner * (stored + HALF_BYTES));
        let kernel = Kernel::product_of([rows, columns, inner], stored, PRODUCT_BYTES).repeated(times);
        let scaled = match precision {
            ProductPrecision::Half => 0.0,
            _ if is_prescaled => 0.0,
            _ => times * rows * inner * (PRODUCT_BYTES + stored),
        };
        let (arithmetic, memory) = (kernel.flops / peak, kernel.moved / bandwidth);
        ProductQuestion {
            precision,
            family,
            inner,
            arithmetic,
            memory,
            per_cache: cache.filter(|_| repeated).map(|cache| kernel.moved / cache),
            scaling: Bytes::from_base(scaled) / bandwidth,
            unpacking: Bytes::from_base(unpacked) / bandwidth,
            at_full_rates: arithmetic.max(memory),
            bound: kernel.bound_with(peak, bandwidth, cache).time(),
            beyond: self.beyond.clone(),
        }
    }
}

impl ProductQuestion {
    /// `times` products of `[rows, columns, inner]` in one kernel on `device`, with factors in a
    /// `printed` precision.
    ///
    /// `repeated` says that the same operands were multiplied just before, as benchmarks do, so that
    /// a cache may keep them; within a model it never is so.
    ///
    /// ```
    /// use mlsysim_models::{machine::Machine, predict::{ProductQuestion, Question, shipped}};
    ///
    /// let device = Machine::named("DGX_H100")?.device;
    /// let question = ProductQuestion::new([4096, 8192, 8192], 1.0, "bf16", &device, false)?;
    /// let predicted = shipped()?.product.predict(&question);
    /// assert!(predicted.bound <= predicted.low && predicted.low < predicted.time);
    /// assert!(predicted.time < 2.0 * predicted.bound && predicted.binds == "arithmetic");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The precision is not known, or the device states no peak for it.
    pub fn new(
        [rows, columns, inner]: [u64; 3],
        times: f64,
        printed: &str,
        device: &HardwareNode,
        repeated: bool,
    ) -> Result<Self> {
        let rates = ProductRates::new(printed, device)?;
        Ok(rates.product([rows, columns, inner].map(|size| size as f64), times, repeated))
    }

    fn reached(&self, of: &ProductCoefficients) -> Reached {
        let (memory, start, four) = match self.family {
            DeviceFamily::Asynchronous => {
                (of.asynchronous_memory, of.asynchronous_start, of.asynchronous_four_compute)
            }
            DeviceFamily::Synchronous => {
                (of.synchronous_memory, of.synchronous_start, of.synchronous_four_compute)
            }
        };
        let (compute, memory, start, passes) = match self.precision {
            ProductPrecision::Half => (of.half_compute, memory, start, 0.0),
            ProductPrecision::Eight => (of.eight_compute, of.scaled_memory, of.eight_start, of.scaled_passes),
            ProductPrecision::BlockEight => {
                (of.block_compute, of.scaled_memory, of.block_start, of.scaled_passes)
            }
            ProductPrecision::Four => (four, of.scaled_memory, of.four_start, of.scaled_passes),
        };
        let (overlap, depth) = (of.overlap, of.depth);
        Reached { compute: compute.min(1.0), memory: memory.min(1.0), start, passes, overlap, depth }
    }

    fn parts(&self, of: &ProductCoefficients) -> [Time; 4] {
        let reached = self.reached(of);
        let crossing = self.per_cache.map_or(1.0, |filled| crossing_share(filled / of.cached));
        [
            Time::from_base(1e-6 * reached.start)
                + reached.passes * self.scaling
                + self.unpacking / reached.memory,
            Time::from_base(1e-9 * reached.depth * self.inner),
            self.arithmetic / reached.compute,
            crossing * self.memory / reached.memory,
        ]
    }
}

impl Question for ProductQuestion {
    type Of = ProductCoefficients;

    fn time(&self, of: &ProductCoefficients) -> Time {
        let [start, serial, arithmetic, memory] = self.parts(of);
        kernel_time(start, serial, arithmetic, memory, 1.0 + self.reached(of).overlap)
    }

    fn bound(&self) -> Time {
        self.bound
    }

    fn speed_of_light(&self) -> Time {
        self.at_full_rates
    }

    fn binds(&self, of: &ProductCoefficients) -> &'static str {
        let [start, serial, arithmetic, memory] = self.parts(of);
        let overlapped = partly_overlapped(arithmetic, memory, 1.0 + self.reached(of).overlap);
        match () {
            () if start + serial > overlapped => "latency",
            () if memory > arithmetic => "memory",
            () => "arithmetic",
        }
    }

    fn derivation(&self, of: &ProductCoefficients) -> Derivation {
        let family = match self.family {
            DeviceFamily::Asynchronous => "asynchronous",
            DeviceFamily::Synchronous => "synchronous",
        };
        let four = format!("{family}_four");
        let (compute, precision) = match self.precision {
            ProductPrecision::Half => ("half", family),
            ProductPrecision::Eight => ("eight", "eight"),
            ProductPrecision::BlockEight => ("block", "block"),
            ProductPrecision::Four => (four.as_str(), "four"),
        };
        let name = |of: &str, what: &str| format!("{of}_{what}");
        let (memory_share, passes) = match self.precision {
            ProductPrecision::Half => (name(family, "memory"), String::new()),
            _ => ("scaled_memory".to_string(), "scaled_passes".to_string()),
        };
        let (start_name, depth) = (name(precision, "start"), "depth".to_string());
        let (compute, overlap) = (name(compute, "compute"), "overlap".to_string());
        let [start, serial, arithmetic, memory] = self.parts(of);
        let one_pass = at_full_rate("one_pass", self.scaling, "Moving the activations that are scaled once.");
        let mut starting = named(&[&start_name, &passes], of);
        let mut start_equation = start_name.clone();
        if starting.len() > 1 {
            starting.push(one_pass);
            start_equation = format!("{start_name} + {passes} × one_pass");
        }
        if self.unpacking > Time::ZERO {
            let meaning = "Reading the weights and writing them in 16 bits, at the bandwidth of the memory.";
            starting.push(at_full_rate("unpacked_weights", self.unpacking, meaning));
            starting.extend(named(&[&memory_share], of));
            start_equation += &format!(" + unpacked_weights / {}", as_share(&memory_share, of));
        }
        let mut looping = named(&[&depth], of);
        looping.push(counted("inner", self.inner, "The inner dimension."));
        let mut computing = named(&[&compute], of);
        computing.push(at_full_rate("at_peak", self.arithmetic, "The arithmetic at the peak."));
        let mut moving = named(&[&memory_share], of);
        moving.push(at_full_rate(
            "at_bandwidth",
            self.memory,
            "The operands at the bandwidth of the memory.",
        ));
        let mut crossing = "";
        if let Some(filled) = self.per_cache {
            crossing = " × crossing_share(filled / cached)";
            moving.push(counted("filled", filled, "How often the operands fill the level-2 cache."));
            moving.extend(named(&["cached"], of));
        }
        let exponent = counted("exponent", 1.0 + self.reached(of).overlap, "How far both overlap.");
        let exponent = Derivation { parts: named(&[&overlap], of), ..exponent };
        let parts = vec![
            computed(
                "start",
                start,
                "What it takes to start, scaling and unpacking included.",
                start_equation,
                starting,
            ),
            computed("loop_time", serial, "The loop in it.", format!("{depth} × inner / 1000"), looping),
            computed(
                "arithmetic",
                arithmetic,
                "The arithmetic.",
                format!("at_peak / {}", as_share(&compute, of)),
                computing,
            ),
            computed(
                "memory",
                memory,
                "The memory.",
                format!("at_bandwidth{crossing} / {}", as_share(&memory_share, of)),
                moving,
            ),
            exponent,
        ];
        let equation = kernel_time::FORMULA.output.equation.text;
        computed("model", self.time(of), "The time by the model.", equation, parts)
    }

    fn regime(&self) -> &'static str {
        match self.precision {
            ProductPrecision::Half => "16-bit GEMM",
            ProductPrecision::Eight => "fp8 GEMM",
            ProductPrecision::BlockEight => "block fp8 GEMM",
            ProductPrecision::Four => "nvfp4 GEMM",
        }
    }

    fn beyond(&self) -> &Beyond {
        &self.beyond
    }
}
