//! `CompressionPaybackScenario`: whether compressing one synchronisation pays.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Scenario, equations};

/// One synchronisation of gradients, compressed at the price of coding and decoding them.
///
/// # Assumptions
/// The time of the transfer is that of its bytes, so that sending a part takes that part of the
/// time; nothing hides the codec.
///
/// # Excludes
/// Latency, overlap, and what the loss of precision costs in convergence.
///
/// # Derivation
/// Compression takes the share 1 - 1/r off the transfer and adds the codec. It pays where the codec
/// takes less than the share that it takes off.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct CompressionPaybackScenario {
    /// The time of the synchronisation without compression.
    #[range(>= 0)]
    #[unit(ms)]
    pub communication_time: Time,
    /// How many times less is sent.
    #[range(>= 1)]
    pub compression_ratio: f64,
    /// The time of coding and decoding.
    #[range(>= 0)]
    #[unit(ms)]
    pub codec_time: Time,
    /// The time of the same synchronisation on a fast link, to be asked about with `pays`.
    #[range(>= 0)]
    #[unit(ms)]
    pub fast_communication_time: Time,
}

#[equations]
impl CompressionPaybackScenario {
    /// The time of the compressed transfer, without the codec.
    #[unit(ms)]
    pub fn compressed_time(&self) -> Time {
        self.communication_time / self.compression_ratio
    }

    /// The time of the compressed transfer and of the codec.
    #[unit(ms)]
    pub fn total_time(&self) -> Time {
        self.compressed_time() + self.codec_time
    }

    /// How many times faster the synchronisation is; below 1 where the codec costs more than it
    /// saves.
    pub fn speedup(&self) -> f64 {
        self.communication_time / self.total_time()
    }

    /// What the transfer alone takes less, before the codec.
    #[unit(ms)]
    pub fn saved_time(&self) -> Time {
        self.communication_time - self.compressed_time()
    }

    /// Whether compression pays where the synchronisation takes `communication_time` without it.
    pub fn pays(&self, #[range(>= 0)] communication_time: Time) -> bool {
        self.codec_time < communication_time * (1.0 - 1.0 / self.compression_ratio)
    }
}
