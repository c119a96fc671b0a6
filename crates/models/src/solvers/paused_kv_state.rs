//! `PausedKvStateModel`: keep, move or drop the KV cache of a request that waits.

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Occupancy, Params, Time};
use mlsysim_scenario::{CountProduct, Result, Solver, equations};

use crate::physics::decode::forward_flops;
use crate::physics::kv_cache::block_count;

/// Whether to keep, to move or to drop the KV cache of a request that waits for a tool.
///
/// Moving costs the transfer to the host and back, dropping the arithmetic of the parameters for the
/// whole context. Both grow with the context alike, so that their ratio does not depend on it.
/// Keeping costs memory for as long as the wait. Requests that return together share the link.
/// Attention in the recomputation is left out, which makes dropping look cheaper at long contexts.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = PausedKvStateResult)]
pub struct PausedKvStateModel {
    /// What one token leaves in the cache of all layers.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_token: Bytes,
    /// The parameters that price a token's arithmetic.
    #[range(> 0)]
    #[unit(param)]
    pub n_params: Params,
    /// The rate at which a prefill computes.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub sustained_rate: FlopRate,
    /// How fast the cache moves to the host, and back.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link: Bandwidth,
    /// How many tokens the request has.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// How many tokens a block holds.
    #[range(>= 1)]
    pub block_tokens: u64,
    /// How long the request waits.
    #[range(>= 0)]
    #[unit(s)]
    pub wait: Time,
    /// The share of the link that is left under contention.
    #[range(> 0, <= 1)]
    pub link_fraction: f64,
    /// How many requests return at the same time.
    #[range(>= 1)]
    pub returns: u64,
}

#[equations(result = PausedKvStateResult)]
impl PausedKvStateModel {
    /// How many blocks the request holds.
    pub fn blocks(&self) -> Result<u64> {
        block_count(self.context_tokens, self.block_tokens)
    }

    /// What these blocks occupy.
    #[unit(B)]
    pub fn state(&self) -> Result<Bytes> {
        Ok(self.bytes_per_token * self.blocks()?.times(self.block_tokens)?)
    }

    /// How fast the cache moves to the host, and back.
    #[unit(GB/s)]
    pub fn link(&self) -> Bandwidth {
        self.link
    }

    /// The time to move the blocks to the host.
    #[unit(ms)]
    pub fn copy_out(&self) -> Result<Time> {
        Ok(self.state()? / self.link)
    }

    /// The time to move the blocks back.
    #[unit(ms)]
    pub fn copy_in(&self) -> Result<Time> {
        Ok(self.state()? / self.link)
    }

    /// The time to move the blocks there and back.
    #[unit(ms)]
    pub fn round_trip(&self) -> Result<Time> {
        Ok(self.copy_out()? + self.copy_in()?)
    }

    /// The time to compute the cache anew.
    #[unit(s)]
    #[kind(bound)]
    pub fn recompute(&self) -> Time {
        forward_flops(self.n_params, self.context_tokens) / self.sustained_rate
    }

    /// How many times longer computing anew takes than moving back.
    pub fn recompute_over_reload(&self) -> Result<f64> {
        Ok(self.recompute() / self.copy_in()?)
    }

    /// The same where contention leaves a fraction of the link.
    pub fn recompute_over_reload_derated(&self) -> Result<f64> {
        Ok(self.recompute_over_reload()? * self.link_fraction)
    }

    /// The memory that keeping the blocks takes, times how long it takes it.
    #[unit("B·s")]
    pub fn held_occupancy(&self) -> Result<Occupancy> {
        Ok(self.state()? * self.wait)
    }

    /// For how long moving frees the blocks, where they return when the wait ends.
    #[unit(s)]
    pub fn released_on_demand(&self) -> Result<Time> {
        Ok(self.wait - self.copy_out()?)
    }

    /// For how long moving frees the blocks, where they are back when the wait ends.
    #[unit(s)]
    pub fn released_prefetch(&self) -> Result<Time> {
        Ok(self.wait - self.copy_out()? - self.copy_in()?)
    }

    /// What all requests that return together move.
    #[unit(B)]
    pub fn burst(&self) -> Result<Bytes> {
        Ok(self.returns * self.state()?)
    }

    /// The time until the last of them is back.
    #[unit(s)]
    pub fn burst_time(&self) -> Result<Time> {
        Ok(self.burst()? / self.link)
    }

    /// How many times longer that is than for one request alone.
    pub fn burst_slowdown(&self) -> Result<f64> {
        Ok(self.burst_time()? / self.copy_in()?)
    }

    /// A short wait ends before the blocks have moved.
    #[note(released_on_demand, released_prefetch)]
    fn too_short(&self) -> Option<String> {
        (self.released_prefetch().ok()? < Time::ZERO).then(|| {
            "the wait is shorter than the way to the host and back: moving frees nothing".to_string()
        })
    }
}
