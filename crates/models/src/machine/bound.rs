//! The least time that a collective can take on a machine: the best algorithm, without latency.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Error, Result};

use super::{Algorithm, Collective, Machine, Reach};
use crate::physics::communication::ring_phase_factor;

/// What a group crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Nothing: it has one rank.
    Nothing,
    /// The fast links of a domain.
    Domain,
    /// The network between domains.
    Network,
}

impl Link {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Link::Nothing => "nothing",
            Link::Domain => "links",
            Link::Network => "network",
        }
    }
}

/// The least time of a collective, and what takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectiveBound {
    /// The time on the links within domains.
    pub on_links: Time,
    /// The time on the network, when every device uses it.
    pub on_network: Time,
}

impl CollectiveBound {
    /// The time: both work at once, in pieces, so that the slower one decides.
    pub fn time(&self) -> Time {
        if self.on_network > self.on_links { self.on_network } else { self.on_links }
    }

    /// The link that decides.
    pub fn link(&self) -> Link {
        match self.time() {
            time if time == Time::ZERO => Link::Nothing,
            _ if self.on_network > self.on_links => Link::Network,
            _ => Link::Domain,
        }
    }
}

impl Machine {
    /// The least time of `collective` on `payload` in a group that lies as `reach` says.
    ///
    /// Within a domain every rank sends at the full rate of its link, in one direction, without
    /// latency, by the algorithm that sends least; a switch that reduces is one of them. Between
    /// domains the ranks of a domain share the payload, and each sends its part over the network
    /// share of its device.
    ///
    /// # Errors
    ///
    /// The group spans domains and the machine has no network.
    pub fn collective_bound(
        &self,
        collective: Collective,
        payload: Bytes,
        reach: Reach,
    ) -> Result<CollectiveBound> {
        let Reach { ranks, per_domain, domains } = reach;
        if ranks <= 1 {
            return Ok(CollectiveBound { on_links: Time::ZERO, on_network: Time::ZERO });
        }
        let network = match (domains, self.network_share()) {
            (1, _) => None,
            (_, Some(network)) => Some(network),
            (_, None) => {
                return Err(Error::input(
                    "on",
                    format!(
                        "a group of {ranks} ranks reaches beyond the {} devices of {}, which states no network",
                        self.domain, self.name
                    ),
                ));
            }
        };
        let within = |payload: Bytes| {
            let plans = Algorithm::ALL
                .iter()
                .filter(|algorithm| self.in_switch_reduction || **algorithm != Algorithm::InSwitch);
            let sent =
                plans.filter_map(|algorithm| Some(algorithm.plan(collective, per_domain, payload)?.sent));
            sent.fold(None, |least: Option<Bytes>, sent| match least {
                Some(least) if least <= sent => Some(least),
                _ => Some(sent),
            })
        };
        let (links, network_bytes) = match collective {
            // Each rank exchanges its part of a domain's sum, or of what a domain gathered.
            Collective::AllReduce => {
                (within(payload), 2.0 * ring_phase_factor(domains) * payload / per_domain as f64)
            }
            Collective::ReduceScatter | Collective::AllGather => {
                (within(payload), ring_phase_factor(domains) * payload / per_domain as f64)
            }
            Collective::AllToAll => {
                let part = payload / ranks as f64;
                (Some((per_domain - 1) as f64 * part), (ranks - per_domain) as f64 * part)
            }
            Collective::Broadcast => (within(payload), payload / per_domain as f64),
            Collective::SendReceive if domains > 1 => (None, payload),
            Collective::SendReceive => (Some(payload), Bytes::ZERO),
        };
        let on_links = links.map_or(Time::ZERO, |sent| sent / self.link);
        let on_network = network.map_or(Time::ZERO, |network| network_bytes / network);
        Ok(CollectiveBound { on_links, on_network })
    }
}

impl Reach {
    /// What the group crosses at its slowest.
    pub fn link(&self) -> Link {
        match (self.ranks, self.domains) {
            (0 | 1, _) => Link::Nothing,
            (_, 1) => Link::Domain,
            _ => Link::Network,
        }
    }
}
