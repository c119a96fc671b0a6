//! `Pricing`: the machine, the practice of a framework and the calibrations that a step is priced with.

use mlsysim_quantity::{Bandwidth, Bytes};
use mlsysim_scenario::{Name, Result, choices};

use crate::machine::{Machine, peak_of};
use crate::predict::{
    AttentionCoefficients, AttentionRates, Calibrations, CollectiveCoefficients, CollectiveLibrary,
    ProductCoefficients, ProductPrecision, ProductRates,
};
use crate::transformer::Schedule;
use crate::validation::precision;

/// The coefficients of all kernels and collectives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelCoefficients {
    /// Of matrix products.
    pub product: ProductCoefficients,
    /// Of attention.
    pub attention: AttentionCoefficients,
    /// Of collectives.
    pub collective: CollectiveCoefficients,
}

impl Calibrations {
    /// The coefficients of all rows.
    pub fn kernels(&self) -> KernelCoefficients {
        KernelCoefficients {
            product: self.product.coefficients,
            attention: self.attention.coefficients,
            collective: self.collective.coefficients,
        }
    }

    /// The coefficients of fits that did not have any device of `family`.
    pub fn kernels_without(&self, family: &str) -> KernelCoefficients {
        let all = self.kernels();
        let product = self.product.without_family(family).map(|fold| fold.coefficients);
        let attention = self.attention.without_family(family).map(|fold| fold.coefficients);
        let collective = self.collective.without_family(family).map(|fold| fold.coefficients);
        KernelCoefficients {
            product: product.unwrap_or(all.product),
            attention: attention.unwrap_or(all.attention),
            collective: collective.unwrap_or(all.collective),
        }
    }
}

choices! {
    /// How attention is computed.
    pub enum AttentionKernel {
        /// In one kernel that never writes the scores to memory.
        Fused = "fused",
        /// In one kernel for each step, between which scores are written and read.
        Unfused = "unfused",
    }
}

/// What a framework does of its own choice, which no layout says.
#[derive(Clone, Debug, PartialEq)]
pub struct Practice {
    /// The precision of matrix products within layers, as printed, such as `bf16` or `fp8`.
    pub products: Name,
    /// The precision of the KV cache.
    pub cache: Name,
    /// How attention is computed.
    pub attention: AttentionKernel,
    /// The rows of a product beyond which weights in integers are written out in 16 bits before it; they
    /// never are where it is left out.
    pub unpacks_beyond: Option<u64>,
    /// Whether what lies before a product scales its activations to the precision of the product.
    pub prescales: bool,
    /// Whether attention of prompts multiplies in the precision of the KV cache, and not in 16 bits.
    pub attends_in_cache_precision: bool,
    /// Whether the devices of a host share their links, where those are PCIe.
    pub shares_links: bool,
    /// Whether whole steps of training are launched as CUDA graphs, so that the host launches no kernel.
    pub graphs: bool,
    /// Whether products of a layer run beside the exchanges over `tp` that they wait for, piece by piece,
    /// as Transformer Engine's user buffers let them in training.
    pub overlaps: bool,
    /// What runs the AllReduces of a layer.
    pub library: CollectiveLibrary,
}

impl Default for Practice {
    fn default() -> Self {
        Practice {
            products: Name::from("bf16"),
            cache: Name::from("bf16"),
            attention: AttentionKernel::Fused,
            unpacks_beyond: None,
            prescales: false,
            attends_in_cache_precision: false,
            shares_links: true,
            graphs: false,
            overlaps: false,
            library: CollectiveLibrary::Nccl,
        }
    }
}

/// What a step on one machine is priced with; made once for many layouts.
#[derive(Clone, Debug)]
pub struct Pricing<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The practice of the framework.
    pub practice: &'a Practice,
    /// The order of a pipeline's passes.
    pub schedule: Schedule,
    /// The coefficients of kernels and collectives.
    pub kernels: KernelCoefficients,
    /// The rates of products within layers.
    pub products: ProductRates,
    /// The rows of a product beyond which weights are written out in 16 bits before it, and its rates then.
    pub unpacked: Option<(u64, ProductRates)>,
    /// The rates of products with the vocabulary and of routers, which stay in 16 bits.
    pub wide: ProductRates,
    /// The rates of attention.
    pub attention: AttentionRates,
    /// What a number in the KV cache takes.
    pub cached: Bytes,
    /// The format that it is stored in.
    pub stored_cache: Name,
}

impl<'a> Pricing<'a> {
    /// The same as [`new`](Pricing::new), where a user can state what the device lacks.
    ///
    /// # Errors
    ///
    /// A precision is not known, or the device states no peak for it; the message says how to state it.
    pub fn stated(machine: &'a Machine, practice: &'a Practice, kernels: KernelCoefficients) -> Result<Self> {
        if let Some((precision, _)) = ProductPrecision::of(&practice.products) {
            peak_of(&machine.device, precision.peak())?;
        }
        Self::new(machine, practice, kernels)
    }

    /// Prices steps on `machine` by `practice`, with the coefficients of `kernels`.
    ///
    /// # Errors
    ///
    /// A precision is not known, or the device states no peak for it.
    pub fn new(machine: &'a Machine, practice: &'a Practice, kernels: KernelCoefficients) -> Result<Self> {
        let device = &machine.device;
        let products = ProductRates::new(&practice.products, device)?;
        let unpacked = match practice.unpacks_beyond {
            Some(rows) if practice.products.starts_with("int") => Some((rows, products.unpacked(device)?)),
            _ => None,
        };
        let products = if practice.prescales { products.prescaled() } else { products };
        let (attention, cached) = AttentionRates::new(&practice.cache, device)?;
        let attention =
            if practice.attends_in_cache_precision { attention.in_cache_precision() } else { attention };
        Ok(Pricing {
            machine,
            practice,
            schedule: Schedule::OneForwardOneBackward,
            kernels,
            wide: ProductRates::new("bf16", device)?,
            products,
            unpacked,
            attention,
            cached: Bytes::from_base(cached),
            stored_cache: Name::from(precision::known(&practice.cache).map_or("bf16", |known| known.storage)),
        })
    }

    /// The same where a pipeline has its passes in the order of `schedule`.
    #[must_use]
    pub fn in_order(self, schedule: Schedule) -> Self {
        Pricing { schedule, ..self }
    }

    /// The bandwidth of the device's memory.
    pub fn bandwidth(&self) -> Bandwidth {
        self.machine.device.memory.bandwidth
    }
}
