//! `NoisyNeighborScenario`: what one tenant takes from the others of a shared KV pool.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Error, Result, Scenario, equations};

use crate::physics::kv_cache::resident_fit;

/// Tenants that share the KV cache of a replica, of which one takes more than its share.
///
/// # Assumptions
/// Without the swollen tenant the pool is shared equally; the others share equally what it leaves;
/// all their sequences are as long as before.
///
/// # Excludes
/// What the smaller batches do to latency: the 99th percentiles are measured or stated beside it.
///
/// # Derivation
/// An equal share over the sequences that fill it is the size of a sequence; what is left of the
/// pool holds so many of them.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct NoisyNeighborScenario {
    /// The memory for the KV cache of all tenants.
    #[range(> 0)]
    #[unit(GB)]
    pub kv_pool: Bytes,
    /// How many tenants share the pool, the swollen one included.
    #[range(>= 1)]
    pub pool_tenants: u64,
    /// What the tenant with long contexts takes where nothing limits it.
    #[range(>= 0)]
    #[unit(GB)]
    pub swollen_share: Bytes,
    /// How many sequences fill an equal share.
    #[range(>= 1)]
    pub base_sequences: u64,
    /// How many requests a tenant sends in a second ordinarily.
    #[range(>= 0)]
    pub base_rate: f64,
    /// How many requests the bursting tenant sends in a second.
    #[range(>= 0)]
    pub burst_rate: f64,
    /// The target of the 99th percentile of latency.
    #[range(>= 0)]
    #[unit(ms)]
    pub slo: Time,
    /// The lower end of the others' 99th percentile without quotas, as measured or stated.
    #[range(>= 0)]
    #[unit(ms)]
    pub unprotected_p99_low: Time,
    /// The upper end of the others' 99th percentile without quotas, as measured or stated.
    #[range(>= 0)]
    #[unit(ms)]
    pub unprotected_p99_high: Time,
    /// How many requests in a second a quota allows each tenant.
    #[range(>= 0)]
    pub quota_rate: f64,
    /// The others' 99th percentile with quotas, as measured or stated.
    #[range(>= 0)]
    #[unit(ms)]
    pub protected_p99: Time,
}

#[equations]
impl NoisyNeighborScenario {
    /// What each tenant has of the pool in equal shares.
    #[unit(GB)]
    pub fn base_share(&self) -> Bytes {
        self.kv_pool / self.pool_tenants
    }

    /// What each other tenant has of what the swollen one leaves.
    ///
    /// # Errors
    ///
    /// There is no other tenant.
    #[unit(GB)]
    pub fn other_share(&self) -> Bytes {
        (self.kv_pool - self.swollen_share) / (self.pool_tenants as f64 - 1.0)
    }

    /// How many sequences each other tenant can still hold.
    pub fn other_sequences(&self) -> Result<u64> {
        resident_fit(self.other_share(), self.sequence_size())
    }

    /// By what share the batch of each other tenant shrinks; negative where it grows.
    pub fn batch_reduction(&self) -> Result<f64> {
        Ok(1.0 - self.other_sequences()? as f64 / self.base_sequences as f64)
    }

    /// How many times its ordinary rate the bursting tenant sends.
    pub fn burst_multiple(&self) -> f64 {
        self.burst_rate / self.base_rate
    }

    /// What one sequence holds.
    #[unit(MB)]
    fn sequence_size(&self) -> Bytes {
        self.base_share() / self.base_sequences
    }

    /// A tenant cannot take more than there is.
    #[check]
    fn share_is_in_pool(&self) -> Result<()> {
        if self.swollen_share <= self.kv_pool {
            return Ok(());
        }
        let pool = self.kv_pool;
        Err(Error::input(
            "swollen_share",
            format!("one tenant's share is at most `kv_pool`, which is {pool}"),
        ))
    }

    /// The ends of an interval stand in order.
    #[check]
    fn interval_is_ordered(&self) -> Result<()> {
        if self.unprotected_p99_low <= self.unprotected_p99_high {
            return Ok(());
        }
        let high = self.unprotected_p99_high;
        let message = format!("the lower end is at most `unprotected_p99_high`, which is {high}");
        Err(Error::input("unprotected_p99_low", message))
    }

    /// The name of the input promises more.
    #[note(other_share, other_sequences, batch_reduction)]
    fn not_swollen(&self) -> Option<String> {
        (self.swollen_share < self.base_share())
            .then(|| "the swollen share is below an equal one, so that the others gain by it".to_string())
    }
}
