//! `KvBlockSharingModel`: requests in whole blocks, with and without a common prefix.

use mlsysim_quantity::{Bytes, Frequency, Time};
use mlsysim_scenario::{Counting, Defined, Error, Result, Solver, equations};

use crate::physics::kv_cache::{block_count, residency_factor, resident_fit, shared_fit};
use crate::physics::queueing::littles_law_rate;

/// How many requests fit in a pool in whole blocks, with a prefix stored for each or once, and how
/// many turns that sustains.
///
/// Each request reserves its input and what it may put out. A part of the pool is kept free. A slot
/// that is kept through a wait serves fewer turns than one that is given up.
///
/// Source: Kwon et al. (2023), sections 4.3 and 4.4, arXiv:2309.06180, for blocks and sharing;
/// Little (1961), doi:10.1287/opre.9.3.383, for the turns.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = KvBlockSharingResult)]
pub struct KvBlockSharingModel {
    /// What one token leaves in the cache of all layers.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_token: Bytes,
    /// The memory for the cache; where it is negative nothing fits.
    #[range(any)]
    #[unit(GB)]
    pub pool: Bytes,
    /// The share of the pool that is kept free.
    #[range(>= 0, < 1)]
    pub headroom: f64,
    /// How many tokens of input a request has.
    #[range(>= 1)]
    pub context: u64,
    /// How many tokens a request may put out.
    #[range(>= 0)]
    pub output: u64,
    /// How many tokens of the input are common to all requests.
    #[range(>= 0)]
    pub common: u64,
    /// How many tokens a block holds.
    #[range(>= 1)]
    pub block_tokens: u64,
    /// How long a turn generates.
    #[range(> 0)]
    #[unit(s)]
    pub generation: Time,
    /// How long a turn waits for its tool.
    #[range(>= 0)]
    #[unit(s)]
    pub wait: Time,
}

#[equations(result = KvBlockSharingResult)]
impl KvBlockSharingModel {
    /// What one block occupies.
    #[unit(B)]
    pub fn block_bytes(&self) -> Bytes {
        self.block_tokens * self.bytes_per_token
    }

    /// How many blocks there are beside those that are kept free.
    pub fn usable_blocks(&self) -> Result<u64> {
        resident_fit(self.usable_pool(), self.block_bytes())
    }

    /// What these blocks occupy.
    #[unit(B)]
    pub fn usable(&self) -> Result<Bytes> {
        Ok(self.usable_blocks()? * self.block_bytes())
    }

    /// How many blocks a request holds that shares none.
    pub fn unshared_blocks(&self) -> Result<u64> {
        block_count(self.request_tokens(), self.block_tokens)
    }

    /// How many blocks the common prefix takes.
    pub fn common_blocks(&self) -> Result<u64> {
        block_count(self.common, self.block_tokens)
    }

    /// How many blocks a request holds beside the common prefix.
    pub fn private_blocks(&self) -> Result<u64> {
        block_count(self.private_tokens(), self.block_tokens)
    }

    /// What a request holds that shares nothing.
    #[unit(B)]
    pub fn unshared_bytes(&self) -> Result<Bytes> {
        Ok(self.unshared_blocks()? * self.block_bytes())
    }

    /// What the common prefix holds.
    #[unit(B)]
    pub fn common_bytes(&self) -> Result<Bytes> {
        Ok(self.common_blocks()? * self.block_bytes())
    }

    /// What a request holds beside the common prefix.
    #[unit(B)]
    pub fn private_bytes(&self) -> Result<Bytes> {
        Ok(self.private_blocks()? * self.block_bytes())
    }

    /// How many requests fit that share nothing.
    #[kind(bound)]
    pub fn fit_unshared(&self) -> Result<u64> {
        (self.usable_blocks()? as f64 / self.unshared_blocks()? as f64).rounded_down()
    }

    /// How many requests fit where the prefix is stored once.
    #[kind(bound)]
    pub fn fit_shared(&self) -> Result<u64> {
        shared_fit(self.usable_blocks()?, self.common_blocks()?, self.private_blocks()?)
    }

    /// How long a turn holds its blocks where they are kept through the wait.
    #[unit(s)]
    pub fn retained_time(&self) -> Time {
        self.generation + self.wait
    }

    /// The turns without sharing, where blocks are kept through the wait.
    #[unit(1/s)]
    pub fn retained_rate(&self) -> Result<Frequency> {
        Ok(littles_law_rate(self.fit_unshared()?, self.retained_time()))
    }

    /// The turns without sharing, where blocks are given up for the wait.
    #[unit(1/s)]
    pub fn released_rate(&self) -> Result<Frequency> {
        Ok(littles_law_rate(self.fit_unshared()?, self.generation))
    }

    /// The turns with sharing, where blocks are kept through the wait.
    #[unit(1/s)]
    pub fn shared_retained_rate(&self) -> Result<Frequency> {
        Ok(littles_law_rate(self.fit_shared()?, self.retained_time()))
    }

    /// The turns with sharing, where blocks are given up for the wait.
    #[unit(1/s)]
    pub fn shared_released_rate(&self) -> Result<Frequency> {
        Ok(littles_law_rate(self.fit_shared()?, self.generation))
    }

    /// By how much keeping blocks through the wait divides the turns.
    pub fn residency_factor(&self) -> f64 {
        residency_factor(self.generation, self.wait)
    }

    /// The share of a request's blocks that is common to all.
    pub fn shared_fraction(&self) -> Result<f64> {
        Ok(self.common_blocks()? as f64 / self.unshared_blocks()? as f64)
    }

    /// How many times more requests fit with sharing; nothing where none fits without.
    pub fn share_gain(&self) -> Result<Option<f64>> {
        Ok((self.fit_shared()? as f64 / self.fit_unshared()? as f64).defined())
    }

    /// What that gain approaches in a large pool; nothing where requests share all they have.
    pub fn share_bound(&self) -> Result<Option<f64>> {
        Ok((1.0 / (1.0 - self.shared_fraction()?)).defined())
    }

    /// The pool without the part that is kept free.
    #[unit(GB)]
    fn usable_pool(&self) -> Bytes {
        (1.0 - self.headroom) * self.pool
    }

    /// The tokens for which a request reserves blocks.
    fn request_tokens(&self) -> u64 {
        self.context + self.output
    }

    /// The tokens of a request beside the common prefix.
    fn private_tokens(&self) -> u64 {
        self.request_tokens().saturating_sub(self.common)
    }

    /// The prefix is a part of the input, and something of each request is its own.
    #[check]
    fn prefix_is_a_part(&self) -> Result<()> {
        let (given, context) = (self.common, self.context);
        if given > context {
            return Err(Error::input(
                "common",
                format!("requests of {context} input tokens cannot have `{given}` of them in common"),
            ));
        }
        if self.private_tokens() == 0 {
            return Err(Error::input(
                "common",
                format!(
                    "`{given}` is all that a request has; without tokens of their own, any number of requests fits"
                ),
            ));
        }
        Ok(())
    }

    /// A pool without room has no gain.
    #[note(fit_unshared, share_gain)]
    fn nothing_fits(&self) -> Option<String> {
        (self.fit_unshared().ok()? == 0).then(|| {
            "the pool does not hold a single request without sharing, so that no gain can be stated"
                .to_string()
        })
    }
}
