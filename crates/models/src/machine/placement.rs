//! `Reach`: how a group of ranks lies over the domains of a machine.

use super::Machine;

/// How a group of ranks lies over domains: how many of them share one, and how many domains it spans.
///
/// Ranks are placed on devices in order, those of a tensor-parallel group next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The ranks of the group.
    pub ranks: u64,
    /// Those of them that share a domain.
    pub per_domain: u64,
    /// The domains that the group spans.
    pub domains: u64,
}

impl Machine {
    /// How a group of `ranks` lies, of which neighbours are `stride` devices apart.
    ///
    /// Where domains do not divide into such groups, some lie across their border; the group with
    /// the fewest ranks in a domain is the one that is told.
    ///
    /// ```
    /// use mlsysim_models::machine::{Machine, Reach};
    ///
    /// let machine = Machine::named("Training_512_H100")?;
    /// // Eight tensor-parallel ranks fill a server; the replicas behind them are one in each.
    /// assert_eq!(machine.reach(8, 1), Reach { ranks: 8, per_domain: 8, domains: 1 });
    /// assert_eq!(machine.reach(16, 8), Reach { ranks: 16, per_domain: 1, domains: 16 });
    /// assert_eq!(machine.reach(16, 2), Reach { ranks: 16, per_domain: 4, domains: 4 });
    /// // Of groups of six, some lie across two servers, but not where there is one server only.
    /// assert_eq!(machine.reach(6, 1), Reach { ranks: 6, per_domain: 2, domains: 3 });
    /// let server = Machine::named("DGX_H100")?;
    /// assert_eq!(server.reach(6, 1), Reach { ranks: 6, per_domain: 6, domains: 1 });
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn reach(&self, ranks: u64, stride: u64) -> Reach {
        // Nothing lies across the border of the only domain.
        if self.domains == 1 && ranks.saturating_mul(stride) <= self.domain {
            return Reach { ranks, per_domain: ranks.max(1), domains: 1 };
        }
        let together = greatest_common_divisor(ranks * stride, self.domain) / stride;
        let per_domain = together.clamp(1, ranks.max(1));
        Reach { ranks, per_domain, domains: ranks.div_ceil(per_domain) }
    }
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// How many of `domains` the experts of a token lie in, on average, when each of its `experts` is
/// equally likely to be anywhere: what an all-to-all that sends a token once to each domain reaches.
///
/// ```
/// use mlsysim_models::machine::domains_reached;
///
/// assert_eq!(domains_reached(1, 8), 1.0);
/// assert_eq!(domains_reached(2, 1), 1.0);
/// assert_eq!(domains_reached(2, 2), 1.5);
/// ```
pub fn domains_reached(domains: u64, experts: u64) -> f64 {
    let domains = domains as f64;
    domains * (1.0 - (1.0 - 1.0 / domains).powf(experts as f64))
}
