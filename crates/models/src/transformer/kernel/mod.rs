//! `Kernel`: the arithmetic of one kernel and what it moves, and the least time of both on a device.

use mlsysim_quantity::units::{BYTE, FLOP};
use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Flops, Time};
use mlsysim_registry::MemoryHierarchy;

use crate::physics::matrix::matmul_flops;
use crate::transformer::{Mask, attention_flops, attention_pairs, cached_keys_read};

/// What one kernel computes and moves, each operand once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// Its arithmetic.
    pub flops: Flops,
    /// What it reads and writes.
    pub moved: Bytes,
}

/// The least time of a kernel on a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelBound {
    /// What its arithmetic takes at the peak.
    pub arithmetic: Time,
    /// What memory takes for the part of its operands that the cache cannot hold.
    pub memory: Time,
}

impl KernelBound {
    /// The time: both at once, so that the slower one decides.
    pub fn time(&self) -> Time {
        if self.memory > self.arithmetic { self.memory } else { self.arithmetic }
    }

    /// What decides it.
    pub fn binds(&self) -> &'static str {
        if self.memory > self.arithmetic { "memory" } else { "arithmetic" }
    }
}

/// The shape of an attention kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionShape {
    /// How many sequences there are.
    pub sequences: u64,
    /// The heads of queries.
    pub heads: u64,
    /// The heads of keys and values.
    pub kv_heads: u64,
    /// The width of a head.
    pub head_width: u64,
    /// The new tokens of a sequence.
    pub new: u64,
    /// Its cached tokens.
    pub cached: u64,
    /// Which keys a token attends to.
    pub mask: Mask,
}

impl Kernel {
    /// A product of `rows × inner` and `inner × columns`, each number of the factors of `factors` and
    /// of the product of `product` bytes.
    ///
    /// ```
    /// use mlsysim_models::transformer::Kernel;
    ///
    /// let kernel = Kernel::product([128, 4096, 4096], 2.0, 2.0);
    /// assert_eq!(kernel.flops.base(), 2.0 * 128.0 * 4096.0 * 4096.0);
    /// assert_eq!(kernel.moved.base(), 2.0 * (2.0 * 128.0 * 4096.0 + 4096.0 * 4096.0));
    /// ```
    pub fn product([rows, columns, inner]: [u64; 3], factors: f64, product: f64) -> Kernel {
        Kernel::product_of([rows, columns, inner].map(|size| size as f64), factors, product)
    }

    /// The same of sizes that are means over several products.
    pub fn product_of([rows, columns, inner]: [f64; 3], factors: f64, product: f64) -> Kernel {
        let moved = factors * (rows * inner + inner * columns) + product * rows * columns;
        Kernel { flops: rows * inner * columns * matmul_flops(1, 1, 1), moved: moved * BYTE }
    }

    /// Attention of `shape` without its projections, forward, each number of `element` bytes.
    ///
    /// Queries, keys and values are read once and the result is written; scores are not, as fused
    /// kernels do (Dao et al. 2022, arXiv:2205.14135).
    ///
    /// ```
    /// use mlsysim_models::transformer::{AttentionShape, Kernel, Mask};
    ///
    /// let shape = AttentionShape {
    ///     sequences: 1, heads: 32, kv_heads: 8, head_width: 128, new: 1, cached: 4095, mask: Mask::Causal,
    /// };
    /// let kernel = Kernel::attention(&shape, 2.0);
    /// assert_eq!(kernel.flops.base(), 4.0 * 4096.0 * 32.0 * 128.0);
    /// ```
    pub fn attention(shape: &AttentionShape, element: f64) -> Kernel {
        let &AttentionShape { sequences, heads, kv_heads, head_width, new, cached, mask } = shape;
        let pairs = sequences as f64 * attention_pairs(mask, new, cached) as f64;
        let queries = 2.0 * new as f64 * heads as f64;
        let keys = 2.0 * (new + cached_keys_read(mask, new, cached)) as f64 * kv_heads as f64;
        let moved = sequences as f64 * (queries + keys) * head_width as f64 * element;
        Kernel { flops: attention_flops(pairs, heads, head_width, head_width), moved: moved * BYTE }
    }

    /// The same attention where values of cached tokens lie where their keys do, which a benchmark can
    /// have by mistake: they cross the memory once.
    pub(crate) fn without_cached_values(self, shape: &AttentionShape, element: f64) -> Kernel {
        let &AttentionShape { sequences, kv_heads, head_width, new, cached, mask, .. } = shape;
        let values = cached_keys_read(mask, new, cached) as f64 * kv_heads as f64 * head_width as f64;
        Kernel { flops: self.flops, moved: self.moved - sequences as f64 * values * element * BYTE }
    }

    /// A pass over `numbers` of `element` bytes, read and written once, whose arithmetic is not told.
    pub fn elementwise(numbers: f64, element: f64) -> Kernel {
        Kernel { flops: 0.0 * FLOP, moved: 2.0 * numbers * element * BYTE }
    }

    /// The same kernel `times` over, each time with operands of its own.
    #[must_use]
    pub fn repeated(self, times: f64) -> Kernel {
        Kernel { flops: times * self.flops, moved: times * self.moved }
    }

    /// The least time on a device with `peak` and `memory`.
    ///
    /// As much as the level-2 cache holds may be there when the kernel begins, as it is when a
    /// benchmark repeats it, or may be left there for a later kernel: only the rest has to cross the
    /// memory. A device that states no such cache bounds nothing but the arithmetic.
    pub fn bound(&self, peak: FlopRate, memory: &MemoryHierarchy) -> KernelBound {
        self.bound_with(peak, memory.bandwidth, memory.l2_cache)
    }

    /// The same with a memory of `bandwidth` behind a `cache`.
    pub fn bound_with(&self, peak: FlopRate, bandwidth: Bandwidth, cache: Option<Bytes>) -> KernelBound {
        let crossing = match cache {
            Some(cache) if self.moved > cache => self.moved - cache,
            _ => Bytes::ZERO,
        };
        KernelBound { arithmetic: self.flops / peak, memory: crossing / bandwidth }
    }
}
