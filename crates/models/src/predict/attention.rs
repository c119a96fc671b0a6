//! `AttentionQuestion`: attention without its projections on a device, of prompts or of a decode step.

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Time};
use mlsysim_registry::HardwareNode;
use mlsysim_scenario::{Derivation, Error, Result};

use super::coefficient::coefficients;
use super::explain::{as_share, at_full_rate, coefficients as named, computed, counted};
use super::{Beyond, DeviceFamily, Question};
use crate::physics::kernel_time::{crossing_share, kernel_time};
use crate::transformer::{AttentionShape, Kernel};
use crate::validation::precision;

coefficients! {
    /// What attention reaches of a device, and what it takes beside.
    pub struct AttentionCoefficients in "attention" {
        /// The share of the 16-bit peak that fused attention of prompts reaches.
        prefill_compute: "" = 0.6,
        /// The share of memory bandwidth that attention of prompts reaches.
        prefill_memory: "" = 0.4,
        /// The time that attention of prompts takes to start.
        prefill_start: "µs" = 12.0,
        /// The time of a thousand keys, which a query passes one after the other.
        prefill_depth: "µs" = 7.0,
        /// The share of the 16-bit peak in a decode step, whose tiles are filled in part only.
        decode_compute: "" = 0.1,
        /// The time that attention takes to start in a decode step.
        decode_start: "µs" = 10.0,
        /// The time of a thousand cached keys; of more it grows with the square root, as they are split.
        decode_depth: "µs" = 1.7,
        /// The share of a level-2 cache in which the KV cache stays when a decode step is repeated.
        cached: "" = 0.7,
    }
}

/// What attention needs to know of a device, looked up once for many kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionRates {
    half: FlopRate,
    peak: FlopRate,
    bandwidth: Bandwidth,
    cache: Option<Bytes>,
    beyond: Beyond,
    family: DeviceFamily,
    // Whether products of prompts are in the precision of the cache.
    is_in_cache_precision: bool,
}

/// Attention on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionQuestion {
    is_decode: bool,
    // Whether kernels of prompts may split the keys, as those of decode steps do.
    may_split: bool,
    keys: f64,
    arithmetic: Time,
    // What products in fewer than 16 bits save of that at the peaks.
    saved: Time,
    memory: Time,
    per_cache: Option<f64>,
    at_full_rates: Time,
    bound: Time,
    beyond: Beyond,
}

impl AttentionRates {
    /// The rates of `device` for attention with keys and values in a `printed` precision, and the bytes
    /// of a number of those.
    ///
    /// # Errors
    ///
    /// The precision is not known, or the device states no peak in 16 bits.
    pub fn new(printed: &str, device: &HardwareNode) -> Result<(Self, f64)> {
        let known = precision::known(printed).map_err(|reason| Error::input("kv_precision", reason))?;
        let (family, is_known) = DeviceFamily::of(device);
        let mut beyond = Vec::new();
        if !is_known {
            beyond
                .push(format!("{} is of no family of devices in the calibration ({family:?})", device.name));
        }
        if known.bytes < 1.0 {
            beyond.push(format!("keys in `{printed}` are not in the calibration"));
        }
        // Products are of 16 bits, even where keys are stored in fewer.
        let half = device.compute.peak("fp16_dense")?;
        let rates = AttentionRates {
            half,
            // A device without a peak for the cache's precision multiplies in 16 bits too.
            peak: device.compute.peak(known.peak).map_or(half, |peak| half.max(peak)),
            bandwidth: device.memory.bandwidth,
            cache: device.memory.l2_cache,
            beyond: Beyond::of(beyond),
            family,
            is_in_cache_precision: false,
        };
        Ok((rates, known.bytes))
    }

    /// The same where products of prompts are in the precision of the cache, for which there are kernels
    /// where copies are asynchronous. What attention takes beyond the peak, its softmax above all, stays
    /// as it is.
    ///
    /// Source: NVIDIA/TensorRT-LLM, docs/source/performance/perf-best-practices.md.
    #[must_use]
    pub fn in_cache_precision(self) -> Self {
        AttentionRates { is_in_cache_precision: self.family == DeviceFamily::Asynchronous, ..self }
    }

    /// Attention as `kernel` counts it, of queries that pass `keys` keys each: of one new token for each
    /// sequence where it `is_decode`, of a cache that was just read where it is `repeated`.
    pub fn attention(&self, kernel: Kernel, keys: f64, is_decode: bool, repeated: bool) -> AttentionQuestion {
        let &AttentionRates { half, peak, bandwidth, cache, is_in_cache_precision, .. } = self;
        let (arithmetic, memory) = (kernel.flops / half, kernel.moved / bandwidth);
        AttentionQuestion {
            is_decode,
            may_split: false,
            keys,
            arithmetic,
            saved: if is_in_cache_precision && !is_decode {
                arithmetic - kernel.flops / peak
            } else {
                Time::ZERO
            },
            memory,
            per_cache: cache.filter(|_| repeated).map(|cache| kernel.moved / cache),
            at_full_rates: (kernel.flops / peak).max(memory),
            bound: kernel.bound_with(peak, bandwidth, cache).time(),
            beyond: self.beyond.clone(),
        }
    }
}

impl AttentionQuestion {
    /// Attention of `shape` with keys and values in a `printed` precision on `device`; of one new
    /// token for each sequence it is a decode step.
    ///
    /// `repeated` says that the same cache was read just before, as benchmarks do.
    ///
    /// ```
    /// use mlsysim_models::{machine::Machine, predict::{AttentionQuestion, Question, shipped}};
    /// use mlsysim_models::transformer::{AttentionShape, Mask};
    ///
    /// let device = Machine::named("DGX_H100")?.device;
    /// let shape = AttentionShape {
    ///     sequences: 64, heads: 64, kv_heads: 8, head_width: 128, new: 1, cached: 8191, mask: Mask::Causal,
    /// };
    /// let question = AttentionQuestion::new(&shape, "bf16", &device, false)?;
    /// let predicted = shipped()?.attention.predict(&question);
    /// assert!(predicted.time >= predicted.bound && predicted.binds == "memory");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The precision is not known, or the device states no peak for it.
    pub fn new(shape: &AttentionShape, printed: &str, device: &HardwareNode, repeated: bool) -> Result<Self> {
        let (rates, stored) = AttentionRates::new(printed, device)?;
        let kernel = Kernel::attention(shape, stored);
        Ok(rates.attention(kernel, (shape.new + shape.cached) as f64, shape.new <= 1, repeated))
    }

    /// The same for prompts of an engine, whose kernels split the keys where few queries pass many: what is
    /// faster of a prompt and of a decode step.
    ///
    /// Source: Dao et al. (2023), Flash-Decoding for long-context inference; Ye et al. (2025), FlashInfer,
    /// arXiv:2501.01005.
    #[must_use]
    pub fn of_prompts(self) -> Self {
        AttentionQuestion { may_split: true, ..self }
    }

    /// Whether it takes what a decode step of its keys does.
    fn is_split(&self, of: &AttentionCoefficients) -> bool {
        let time = |is_split| {
            let [start, serial, arithmetic, memory] = self.parts_of(of, is_split);
            kernel_time(start, serial, arithmetic, memory, 1.0)
        };
        self.is_decode || self.may_split && time(true) < time(false)
    }

    fn parts(&self, of: &AttentionCoefficients) -> [Time; 4] {
        self.parts_of(of, self.is_split(of))
    }

    fn parts_of(&self, of: &AttentionCoefficients, is_split: bool) -> [Time; 4] {
        let thousands = self.keys / 1024.0;
        if is_split {
            let crossing = self.per_cache.map_or(1.0, |filled| crossing_share(filled / of.cached));
            [
                Time::from_base(1e-6 * of.decode_start),
                Time::from_base(1e-6 * of.decode_depth * thousands.sqrt()),
                self.arithmetic / of.decode_compute.min(1.0),
                crossing * self.memory,
            ]
        } else {
            [
                Time::from_base(1e-6 * of.prefill_start),
                Time::from_base(1e-6 * of.prefill_depth * thousands),
                self.arithmetic / of.prefill_compute.min(1.0) - self.saved,
                self.memory / of.prefill_memory.min(1.0),
            ]
        }
    }
}

impl Question for AttentionQuestion {
    type Of = AttentionCoefficients;

    fn time(&self, of: &AttentionCoefficients) -> Time {
        let [start, serial, arithmetic, memory] = self.parts(of);
        kernel_time(start, serial, arithmetic, memory, 1.0)
    }

    fn bound(&self) -> Time {
        self.bound
    }

    fn speed_of_light(&self) -> Time {
        self.at_full_rates
    }

    fn binds(&self, of: &AttentionCoefficients) -> &'static str {
        let [start, serial, arithmetic, memory] = self.parts(of);
        match () {
            () if start + serial > arithmetic.max(memory) => "latency",
            () if memory > arithmetic => "memory",
            () => "arithmetic",
        }
    }

    fn derivation(&self, of: &AttentionCoefficients) -> Derivation {
        let is_split = self.is_split(of);
        let phase = if is_split { "decode" } else { "prefill" };
        let name = |what: &str| format!("{phase}_{what}");
        let [start_name, depth, compute] = [name("start"), name("depth"), name("compute")];
        // A decode step reads the cache at the full bandwidth, beside the arithmetic.
        let share = (!is_split).then_some("prefill_memory");
        let [start, serial, arithmetic, memory] = self.parts(of);
        let mut looping = named(&[&depth], of);
        looping.push(counted("keys", self.keys, "The keys of a sequence."));
        let loop_equation = if is_split {
            format!("{depth} × sqrt(keys / 1024)")
        } else {
            format!("{depth} × keys / 1024")
        };
        let mut computing = named(&[&compute], of);
        computing.push(at_full_rate("at_peak", self.arithmetic, "The arithmetic at the 16-bit peak."));
        let mut compute_equation = format!("at_peak / {}", as_share(&compute, of));
        if self.saved > Time::ZERO && !is_split {
            compute_equation += " - saved";
            computing.push(at_full_rate("saved", self.saved, "What products in fewer bits save of it."));
        }
        let mut moving = named(share.as_slice(), of);
        moving.push(at_full_rate(
            "at_bandwidth",
            self.memory,
            "Queries, keys and values at the full bandwidth.",
        ));
        let mut crossing = "";
        if let Some(filled) = self.per_cache.filter(|_| is_split) {
            crossing = " × crossing_share(filled / cached)";
            moving.push(counted("filled", filled, "How often they fill the level-2 cache."));
            moving.extend(named(&["cached"], of));
        }
        let exponent = counted("exponent", 1.0, "They do not overlap: the softmax lies between.");
        let parts = vec![
            computed(
                "start",
                start,
                "What it takes to start.",
                start_name.clone(),
                named(&[&start_name], of),
            ),
            computed("loop_time", serial, "The loop over keys.", loop_equation, looping),
            computed("arithmetic", arithmetic, "The arithmetic.", compute_equation, computing),
            computed(
                "memory",
                memory,
                "The memory.",
                match share {
                    None => format!("at_bandwidth{crossing}"),
                    Some(share) => format!("at_bandwidth{crossing} / {}", as_share(share, of)),
                },
                moving,
            ),
            exponent,
        ];
        let equation = kernel_time::FORMULA.output.equation.text;
        computed("model", self.time(of), "The time by the model.", equation, parts)
    }

    fn regime(&self) -> &'static str {
        if self.is_decode { "attention, decode" } else { "attention, prefill" }
    }

    fn beyond(&self) -> &Beyond {
        &self.beyond
    }
}
