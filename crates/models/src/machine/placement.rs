//! `Reach`: how a group of ranks lies over the domains of a machine.

use super::Machine;

/// How a group of ranks lies over domains.
///
/// Ranks are placed on devices in order, those of a tensor-parallel group next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The ranks of the group.
    pub ranks: u64,
    /// Those of them in the domain that has fewest of them.
    pub per_domain: u64,
    /// Those of them in the domain that has most.
    pub most_per_domain: u64,
    /// The domains that the group spans.
    pub domains: u64,
}

impl Reach {
    /// A group that lies alike in every domain that it spans.
    pub const fn even(ranks: u64, per_domain: u64) -> Self {
        Reach { ranks, per_domain, most_per_domain: per_domain, domains: ranks.div_ceil(per_domain) }
    }
}

impl Machine {
    /// How a group of `ranks` lies, of which neighbours are `stride` devices apart.
    ///
    /// Where domains do not divide into such groups, some lie across their border; the one that spans
    /// most domains, and of those the one with fewest ranks in one of them, is the one that is told.
    ///
    /// ```
    /// use mlsysim_models::machine::{Machine, Reach};
    ///
    /// let machine = Machine::named("Training_512_H100")?;
    /// // Eight tensor-parallel ranks fill a server; the replicas behind them are one in each.
    /// assert_eq!(machine.reach(8, 1), Reach::even(8, 8));
    /// assert_eq!(machine.reach(16, 8), Reach::even(16, 1));
    /// assert_eq!(machine.reach(16, 2), Reach::even(16, 4));
    /// // Of groups of six the second lies across two servers, with two ranks in one of them.
    /// let across = Reach { ranks: 6, per_domain: 2, most_per_domain: 4, domains: 2 };
    /// assert_eq!(machine.reach(6, 1), across);
    /// // There is no second group where there is one server only.
    /// assert_eq!(Machine::named("DGX_H100")?.reach(6, 1), Reach::even(6, 6));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn reach(&self, ranks: u64, stride: u64) -> Reach {
        let (ranks, stride) = (ranks.max(1), stride.max(1));
        let span = ranks.saturating_mul(stride);
        let domain = self.domain.max(1);
        if ranks == 1 || stride >= domain {
            return Reach::even(ranks, 1);
        }
        if domain.is_multiple_of(span) || self.domains == 1 && span <= domain {
            return Reach::even(ranks, ranks);
        }
        if span.is_multiple_of(domain) && domain.is_multiple_of(stride) {
            return Reach::even(ranks, domain / stride);
        }
        // Groups begin at every device; after as many as there are devices in a domain, they lie as
        // the first did.
        let groups = (0..domain).filter(|block| *block == 0 || self.holds_devices(block * span + span));
        let starts = groups.flat_map(|block| (0..stride).map(move |first| block * span + first));
        let lies = starts.map(|start| lies(start % domain, ranks, stride, domain));
        let worst = lies.max_by_key(|reach| (reach.domains, u64::MAX - reach.per_domain));
        worst.unwrap_or(Reach::even(ranks, 1))
    }

    fn holds_devices(&self, devices: u64) -> bool {
        devices <= self.domain.saturating_mul(self.domains)
    }
}

/// How a group lies that begins at `start` of a domain.
fn lies(start: u64, ranks: u64, stride: u64, domain: u64) -> Reach {
    let in_first = (domain - start).div_ceil(stride).min(ranks);
    let (mut fewest, mut most, mut domains) = (in_first, in_first, 1);
    let (mut placed, mut next) = (in_first, start + in_first * stride);
    while placed < ranks {
        // Domains without a rank are passed over.
        let begin = next % domain;
        let here = (domain - begin).div_ceil(stride).min(ranks - placed);
        (fewest, most, domains) = (fewest.min(here), most.max(here), domains + 1);
        (placed, next) = (placed + here, begin + here * stride);
    }
    Reach { ranks, per_domain: fewest, most_per_domain: most, domains }
}

/// How many of `domains` the experts of a token lie in, on average, when any `chosen` of its
/// `experts` are equally likely and each domain has as many: what an all-to-all that sends a token
/// once to each domain reaches.
///
/// ```
/// use mlsysim_models::machine::domains_reached;
///
/// assert_eq!(domains_reached(1, 64, 8), 1.0);
/// assert_eq!(domains_reached(2, 64, 1), 1.0);
/// // Each domain has one expert, so that two experts lie in two of them.
/// assert_eq!(domains_reached(8, 8, 2), 2.0);
/// ```
pub fn domains_reached(domains: u64, experts: u64, chosen: u64) -> f64 {
    let (domains, experts) = (domains.max(1) as f64, experts.max(1) as f64);
    let elsewhere = experts - experts / domains;
    // That none of the chosen lies in a domain, one after the other.
    let missed = (0..chosen.min(experts as u64)).fold(1.0, |missed, before| {
        missed * ((elsewhere - before as f64) / (experts - before as f64)).max(0.0)
    });
    domains * (1.0 - missed)
}
