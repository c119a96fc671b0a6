//! `KvResidencyArchetypeModel`: what sharing gains an agent, and what its waits cost.

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Frequency, Params, Time};
use mlsysim_scenario::{Defined, Error, Result, Solver, equations};

use crate::physics::decode::forward_flops;
use crate::physics::kv_cache::{residency_factor, resident_fit};
use crate::physics::queueing::littles_law_rate;

/// One agent's requests in a pool: what a common prefix gains, what keeping the cache through waits
/// costs, and how a cache that was given up comes back.
///
/// Requests are not rounded to blocks. Computing a cache anew costs the arithmetic of the parameters
/// for its tokens, without attention.
///
/// Source: Little (1961), doi:10.1287/opre.9.3.383, for the turns.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = KvResidencyArchetypeResult)]
pub struct KvResidencyArchetypeModel {
    /// What one token leaves in the cache of all layers.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_token: Bytes,
    /// The memory for the cache; where it is negative nothing fits.
    #[range(any)]
    #[unit(GB)]
    pub pool: Bytes,
    /// The parameters that price a token's arithmetic.
    #[range(> 0)]
    #[unit(param)]
    pub n_params: Params,
    /// The rate at which a prefill computes.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub sustained_rate: FlopRate,
    /// How fast the cache moves back from the host.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link: Bandwidth,
    /// How many tokens a request has.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// How many of them are common to all requests.
    #[range(>= 0)]
    pub shared_prefix: u64,
    /// How long a turn generates.
    #[range(> 0)]
    #[unit(s)]
    pub generation: Time,
    /// How long a turn waits.
    #[range(>= 0)]
    #[unit(s)]
    pub wait: Time,
}

#[equations(result = KvResidencyArchetypeResult)]
impl KvResidencyArchetypeModel {
    /// The share of a request that is common to all.
    pub fn shared_fraction(&self) -> f64 {
        self.shared_prefix as f64 / self.context_tokens as f64
    }

    /// How many requests fit that share nothing.
    #[kind(bound)]
    pub fn fit_unshared(&self) -> Result<u64> {
        resident_fit(self.pool, self.request())
    }

    /// How many requests fit where the prefix is stored once.
    #[kind(bound)]
    pub fn fit_shared(&self) -> Result<u64> {
        resident_fit(self.pool_beside_prefix(), self.private())
    }

    /// How many times more requests fit with sharing; nothing where none fits without.
    pub fn share_gain(&self) -> Result<Option<f64>> {
        Ok((self.fit_shared()? as f64 / self.fit_unshared()? as f64).defined())
    }

    /// By how much keeping the cache through the wait divides the turns.
    pub fn residency_factor(&self) -> f64 {
        residency_factor(self.generation, self.wait)
    }

    /// How long a turn takes, its wait included.
    #[unit(s)]
    pub fn turn_cycle(&self) -> Time {
        self.generation + self.wait
    }

    /// The time to compute the cache of a request anew.
    #[unit(s)]
    #[kind(bound)]
    pub fn recompute(&self) -> Time {
        forward_flops(self.n_params, self.context_tokens) / self.sustained_rate
    }

    /// The time to move the cache of a request back from the host.
    #[unit(ms)]
    pub fn reload(&self) -> Time {
        self.request() / self.link
    }

    /// The time to compute the cache anew as a share of a turn.
    pub fn recompute_share(&self) -> f64 {
        self.recompute() / self.turn_cycle()
    }

    /// The turns with sharing, where the cache is kept through the wait.
    #[unit(1/s)]
    pub fn shared_retained_rate(&self) -> Result<Frequency> {
        Ok(littles_law_rate(self.fit_shared()?, self.turn_cycle()))
    }

    /// The turns with sharing, where the cache is given up for the wait.
    #[unit(1/s)]
    pub fn shared_released_rate(&self) -> Result<Frequency> {
        Ok(littles_law_rate(self.fit_shared()?, self.generation))
    }

    /// What a request holds.
    #[unit(B)]
    fn request(&self) -> Bytes {
        self.context_tokens * self.bytes_per_token
    }

    /// What a request holds beside the prefix.
    #[unit(B)]
    fn private(&self) -> Bytes {
        self.context_tokens.saturating_sub(self.shared_prefix) * self.bytes_per_token
    }

    /// The pool without the one copy of the prefix.
    #[unit(GB)]
    fn pool_beside_prefix(&self) -> Bytes {
        self.pool - self.shared_prefix * self.bytes_per_token
    }

    /// Something of each request is its own.
    #[check]
    fn prefix_is_a_part(&self) -> Result<()> {
        if self.shared_prefix >= self.context_tokens {
            let (given, context) = (self.shared_prefix, self.context_tokens);
            return Err(Error::input(
                "shared_prefix",
                format!("requests of {context} tokens can share fewer than that, but `{given}` was given"),
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
