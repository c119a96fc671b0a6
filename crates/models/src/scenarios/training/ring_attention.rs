//! `RingAttentionScenario`: how many tokens a device must hold so that attention hides the ring.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Flops, Time};
use mlsysim_registry::HardwareNode;
use mlsysim_scenario::{Map, MapExt, Name, Result, Scenario, equations};

/// What a query does with a key for each element of a head's width: a multiplication and an
/// addition for the score, and as much to add up the values.
const ATTENTION_FLOPS: Flops = Flops::from_base(4.0);

/// Attention over a long context whose keys and values travel a ring of devices: how long the
/// chunk of each device must be for its arithmetic to hide the transfer.
///
/// # Assumptions
/// Each device holds as many queries as keys, and computes on one chunk of keys and values while
/// the next one arrives. Every query meets every key.
///
/// # Excludes
/// Causal masks, which halve the arithmetic and so double the chunk; key heads that several query
/// heads share, which divide the transfer; latency; the exponentials of the softmax.
///
/// # Derivation
/// For a chunk of `n` tokens and each element of the width, arithmetic is `4 n²` operations and the
/// transfer `2 n` elements, a key's and a value's. Transfer hides behind arithmetic from
/// the `n` on at which both take the same time (Liu, Zaharia and Abbeel 2023, section 3,
/// arXiv:2310.01889).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct RingAttentionScenario {
    /// The device that computes.
    pub accelerator: Arc<HardwareNode>,
    /// The precision of the arithmetic: a key of the accelerator's peak rates.
    #[default("fp16_dense")]
    pub precision: Name,
    /// The share of its peak that a device sustains.
    #[range(> 0, <= 1)]
    pub local_efficiency: f64,
    /// The size of one element of a key or a value.
    #[range(> 0)]
    #[unit(B)]
    pub element_bytes: Bytes,
    /// The bandwidth of each candidate link in one direction.
    #[range(> 0, nonempty)]
    #[unit(GB/s)]
    pub links: Map<Bandwidth>,
}

#[equations]
impl RingAttentionScenario {
    /// How many tokens a device must hold at least, on each link.
    ///
    /// # Errors
    ///
    /// The accelerator states no peak at `precision`.
    #[kind(bound)]
    #[source("Liu, Zaharia and Abbeel (2023), Ring Attention, section 3, arXiv:2310.01889")]
    pub fn min_chunk_tokens(&self) -> Result<Map<f64>> {
        let attention_time = self.attention_time()?;
        Ok(self.links.each(|bandwidth| 2.0 * self.element_bytes / *bandwidth / attention_time))
    }

    /// The time of one query's arithmetic with one key, for each element of the width.
    #[unit(s)]
    fn attention_time(&self) -> Result<Time> {
        Ok(ATTENTION_FLOPS / self.sustained_rate()?)
    }

    /// The rate that the device sustains.
    #[unit(TFLOP/s)]
    fn sustained_rate(&self) -> Result<FlopRate> {
        Ok(self.accelerator.peak(&self.precision)? * self.local_efficiency)
    }

    /// The device can do arithmetic in the precision.
    #[check]
    fn precision_is_served(&self) -> Result<()> {
        self.accelerator.peak(&self.precision).map(|_| ())
    }
}
