//! `PagedAllocationModel`: memory reserved up to a cap, against blocks on demand.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Defined, Error, Result, Solver, equations};

use crate::physics::kv_cache::{expected_blocks, resident_fit};

/// A reservation up to the cap for every request, against blocks that are handed out on demand.
///
/// A reservation holds its slots from the start, whatever the request fills in the end. Blocks waste
/// the tail of the last one at most. The lengths are taken for exponential, cut off at the cap: the
/// distribution that assumes the least beside the mean. The expected blocks are those of requests
/// that have ended, not of such as still grow.
///
/// Source: Kwon et al. (2023), Efficient Memory Management for Large Language Model Serving with
/// PagedAttention, section 4, arXiv:2309.06180.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = PagedAllocationResult)]
pub struct PagedAllocationModel {
    /// What one token leaves in the cache of all layers.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_token: Bytes,
    /// The memory for the cache; where it is negative nothing fits.
    #[range(any)]
    #[unit(GB)]
    pub pool: Bytes,
    /// How many tokens a request may reach.
    #[range(>= 1)]
    pub cap: u64,
    /// How many tokens a request has in the end, on average.
    #[range(>= 1)]
    pub mean_final: u64,
    /// How many tokens a small block holds.
    #[range(>= 1)]
    pub small_block: u64,
    /// How many tokens a large block holds.
    #[range(>= 1)]
    pub large_block: u64,
}

#[equations(result = PagedAllocationResult)]
impl PagedAllocationModel {
    /// What a reservation up to the cap holds.
    #[unit(B)]
    pub fn reservation(&self) -> Bytes {
        self.cap * self.bytes_per_token
    }

    /// How many reservations fit in the pool.
    #[kind(bound)]
    pub fn reservations(&self) -> Result<u64> {
        resident_fit(self.pool, self.reservation())
    }

    /// The share of a reservation that an average request fills in the end.
    pub fn final_length_efficiency(&self) -> f64 {
        self.mean_final as f64 / self.cap as f64
    }

    /// What a small block occupies.
    #[unit(B)]
    pub fn small_block(&self) -> Bytes {
        self.small_block * self.bytes_per_token
    }

    /// What a large block occupies.
    #[unit(B)]
    pub fn large_block(&self) -> Bytes {
        self.large_block * self.bytes_per_token
    }

    /// How many slots of the last small block are empty at worst.
    pub fn small_tail_tokens(&self) -> u64 {
        self.small_block - 1
    }

    /// How many slots of the last large block are empty at worst.
    pub fn large_tail_tokens(&self) -> u64 {
        self.large_block - 1
    }

    /// What the empty slots of a small block occupy at worst.
    #[unit(B)]
    pub fn small_tail(&self) -> Bytes {
        self.small_tail_tokens() * self.bytes_per_token
    }

    /// What the empty slots of a large block occupy at worst.
    #[unit(B)]
    pub fn large_tail(&self) -> Bytes {
        self.large_tail_tokens() * self.bytes_per_token
    }

    /// The worst tail of a large block as a share of the cap.
    pub fn large_tail_share(&self) -> f64 {
        self.large_tail_tokens() as f64 / self.cap as f64
    }

    /// The tokens for which an average request holds small blocks.
    pub fn small_allocated_tokens(&self) -> f64 {
        self.small_block as f64 * expected_blocks(self.mean_final, self.cap, self.small_block)
    }

    /// The share of its small blocks that an average request leaves empty.
    pub fn small_waste(&self) -> f64 {
        (1.0 - self.mean_final as f64 / self.small_allocated_tokens()).max(0.0)
    }

    /// The tokens for which an average request holds large blocks.
    pub fn large_allocated_tokens(&self) -> f64 {
        self.large_block as f64 * expected_blocks(self.mean_final, self.cap, self.large_block)
    }

    /// The share of its large blocks that an average request leaves empty.
    pub fn large_waste(&self) -> f64 {
        (1.0 - self.mean_final as f64 / self.large_allocated_tokens()).max(0.0)
    }

    /// How many average requests fit in the pool in small blocks when they end.
    pub fn paged_fit(&self) -> Result<u64> {
        resident_fit(self.pool, self.small_allocated_tokens() * self.bytes_per_token)
    }

    /// How many times more requests fit in small blocks than in reservations; nothing where no
    /// reservation fits.
    pub fn paged_gain(&self) -> Result<Option<f64>> {
        Ok((self.paged_fit()? as f64 / self.reservations()? as f64).defined())
    }

    /// No average is above what all are cut off at.
    #[check]
    fn mean_is_below_the_cap(&self) -> Result<()> {
        if self.mean_final > self.cap {
            let (given, cap) = (self.mean_final, self.cap);
            return Err(Error::input(
                "mean_final",
                format!("requests that end at {cap} tokens cannot have `{given}` on average"),
            ));
        }
        Ok(())
    }

    /// A block that is longer than a request wastes more than the request uses.
    #[note(large_tail_share)]
    fn mostly_empty(&self) -> Option<String> {
        (self.large_tail_share() > 1.0).then(|| {
            "above 1: what a request leaves empty in its last block is more than what it uses".to_string()
        })
    }

    /// Without a reservation there is nothing to compare with.
    #[note(reservations, paged_gain)]
    fn nothing_reserved(&self) -> Option<String> {
        (self.reservations().ok()? == 0)
            .then(|| "the pool does not hold a single reservation, so that no gain can be stated".to_string())
    }
}
