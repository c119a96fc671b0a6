//! `Reach`: how a group of ranks lies over the domains of a machine.

use super::{Machine, Spread};

/// How a group of ranks lies over domains.
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
    /// How many domains there are from its first to its last, those without a rank included.
    pub across: u64,
}

impl Reach {
    /// A group that lies alike in every domain that it spans, without any between that it has not.
    pub const fn even(ranks: u64, per_domain: u64) -> Self {
        let domains = ranks.div_ceil(per_domain);
        Reach { ranks, per_domain, most_per_domain: per_domain, domains, across: domains }
    }
}

/// As many of the groups that lie across borders are looked at, at most; what any of them takes is a
/// bound for all.
const MOST_GROUPS: usize = 1 << 14;

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
    /// let across = Reach { ranks: 6, per_domain: 2, most_per_domain: 4, domains: 2, across: 2 };
    /// assert_eq!(machine.reach(6, 1), across);
    /// // There is no second group where there is one server only.
    /// assert_eq!(Machine::named("DGX_H100")?.reach(6, 1), Reach::even(6, 6));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn reach(&self, ranks: u64, stride: u64) -> Reach {
        self.reach_of(&Spread::line(ranks, stride))
    }

    /// How a group lies that is spread over devices in any way.
    ///
    /// ```
    /// use mlsysim_models::machine::{Machine, Reach, Spread};
    ///
    /// let machine = Machine::named("Training_512_H100")?;
    /// // Of eight stages of two ranks each, a server has four: the third hands on within it, the
    /// // fourth to the next server.
    /// assert_eq!(machine.reach_of(&Spread::pair([2, 3], 8, 2)), Reach::even(2, 2));
    /// assert_eq!(machine.reach_of(&Spread::pair([3, 4], 8, 2)), Reach::even(2, 1));
    /// // Two neighbours in each of four servers.
    /// assert_eq!(machine.reach_of(&Spread::rows([2, 1], [4, 8])), Reach::even(8, 2));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn reach_of(&self, spread: &Spread) -> Reach {
        let &Spread { row, stride, rows, apart, unit, block, .. } = spread;
        let (ranks, domain) = (spread.ranks(), self.domain.max(1));
        if ranks == 1 || rows == 1 && stride >= domain {
            let across = (ranks - 1).saturating_mul(stride) / domain + 1;
            return Reach { across, ..Reach::even(ranks, 1) };
        }
        if domain.is_multiple_of(block) || self.domains == 1 && block <= domain {
            return Reach::even(ranks, ranks);
        }
        if spread.is_line() && block.is_multiple_of(domain) && domain.is_multiple_of(stride) {
            return Reach::even(ranks, domain / stride);
        }
        if rows > 1 && apart.is_multiple_of(domain) {
            let of_row = self.reach(row, stride);
            let across = (rows - 1).saturating_mul(apart / domain).saturating_add(of_row.across);
            return Reach { ranks, domains: of_row.domains * rows, across, ..of_row };
        }
        // Groups begin at every device; after as many as there are devices in a domain, they lie as
        // the first did. Where units fill domains, all groups that begin in a unit lie alike.
        let alike = domain.is_multiple_of(unit);
        let blocks = (self.devices_in_all() / block).clamp(1, domain);
        let between = if rows == 1 { 1 } else { (apart / (row * stride)).clamp(1, domain) };
        let starts = (0..blocks)
            .flat_map(|at| (0..between).map(move |before| at * block + before * row * stride))
            .flat_map(|start| (0..if alike { 1 } else { unit }).map(move |first| start + first));
        let lies =
            starts.take(MOST_GROUPS).map(|start| lies((start + spread.first) % domain, spread, domain));
        let worst = lies.max_by_key(|reach| (reach.domains, u64::MAX - reach.per_domain));
        worst.unwrap_or(Reach::even(ranks, 1))
    }

    fn devices_in_all(&self) -> u64 {
        self.domain.saturating_mul(self.domains)
    }
}

/// How a group lies that begins at `start` of a domain.
fn lies(start: u64, spread: &Spread, domain: u64) -> Reach {
    let (mut fewest, mut most, mut domains) = (u64::MAX, 0, 0);
    // The domain of the last ranks, and how many are in it.
    let (mut last, mut in_last) = (0, 0);
    for row in 0..spread.rows {
        let (mut placed, mut next) = (0, start + row * spread.apart);
        while placed < spread.row {
            let here = next / domain;
            let ranks = ((here + 1) * domain - next).div_ceil(spread.stride).min(spread.row - placed);
            if here == last && in_last > 0 {
                in_last += ranks;
            } else {
                if in_last > 0 {
                    (fewest, most) = (fewest.min(in_last), most.max(in_last));
                }
                (last, in_last, domains) = (here, ranks, domains + 1);
            }
            (placed, next) = (placed + ranks, next + ranks * spread.stride);
        }
    }
    Reach {
        ranks: spread.ranks(),
        per_domain: fewest.min(in_last),
        most_per_domain: most.max(in_last),
        domains,
        across: last + 1,
    }
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
