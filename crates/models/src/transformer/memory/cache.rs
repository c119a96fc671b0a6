//! What a rank holds of the KV cache.

use mlsysim_quantity::Bytes;

use crate::transformer::{Accounting, Mask, MemoryPolicy, Phase, Work};

impl Accounting<'_> {
    /// The KV cache of a stage at the end of the step, in whole blocks.
    ///
    /// A layer with a window keeps what the window can still see, a chunked one a chunk at most;
    /// layers that read another layer's cache have none.
    pub(super) fn kv_cache(&self, stage: u64, policy: &MemoryPolicy) -> Bytes {
        if self.step.phase == Phase::Training {
            return Bytes::ZERO;
        }
        let length = self.load.context + self.load.sequence;
        let sequences = (self.load.sequences * self.load.micro_batches) as f64;
        let mut numbers = 0.0;
        self.operations(stage, |operation, layers, _| {
            if let Work::Attention { mask, .. } = &operation.work {
                let kept = kept_tokens(*mask, length).next_multiple_of(policy.cache_block.max(1));
                let each = operation.cached(&self.division.shares);
                numbers += layers as f64 * each as f64 * kept as f64;
            }
        });
        sequences * numbers * self.elements.cached / self.division.layout.cp as f64
    }
}

/// The tokens of a sequence whose keys and values a layer has to keep.
pub(crate) fn kept_tokens(mask: Mask, length: u64) -> u64 {
    match mask {
        Mask::Window(width) | Mask::Chunk(width) => length.min(u64::from(width)),
        Mask::Full | Mask::Causal | Mask::Chosen(_) => length,
    }
}
