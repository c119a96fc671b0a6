//! The least time that a collective can take on a machine: the best algorithm, without latency.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Error, Result};

use super::{Collective, Machine, Reach, domains_reached};

/// What a group crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Nothing: it has one rank.
    Nothing,
    /// The fast links of a domain.
    Domain,
    /// The switches of a rail, which join devices in the same place of several domains.
    Rail,
    /// The network between domains.
    Network,
}

impl Link {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Link::Nothing => "nothing",
            Link::Domain => "links",
            Link::Rail => "rail",
            Link::Network => "network",
        }
    }
}

/// The least time of a collective, and what takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
        let Reach { ranks, per_domain, most_per_domain, domains, .. } = reach;
        if ranks <= 1 {
            return Ok(CollectiveBound::default());
        }
        let network = self.network_of(reach)?;
        let within = collective.least_share(most_per_domain, self.in_switch_reduction) * payload;
        let (links, network_bytes) = match collective {
            // The domain with fewest ranks sends its sum, and all domains together each part to all
            // but one of them and the sums back.
            Collective::AllReduce => {
                let own = 1.0 / per_domain as f64;
                let all = 2.0 * (domains - 1) as f64 / ranks as f64;
                // Switches that add up take each part once, and give its sum back once.
                let share = if self.in_network_reduction { own } else { all.max(own) };
                (within, share * payload)
            }
            // It takes in what the other domains have, or gives what belongs to them.
            Collective::ReduceScatter | Collective::AllGather => {
                let beyond = (ranks - per_domain) as f64 / ranks as f64;
                (within, beyond * payload / per_domain as f64)
            }
            Collective::AllToAll => {
                let part = payload / ranks as f64;
                ((most_per_domain - 1) as f64 * part, (ranks - per_domain) as f64 * part)
            }
            Collective::Broadcast => (within, payload / per_domain as f64),
            // Round a ring, each hands on to its neighbour, of which one is in another domain; to
            // reach that, ranks of the domain share the payload as well.
            Collective::SendReceive => {
                (if most_per_domain > 1 { payload } else { Bytes::ZERO }, payload / per_domain as f64)
            }
        };
        let on_links = links / self.link_share();
        let on_network = network.map_or(Time::ZERO, |network| network_bytes / network);
        Ok(CollectiveBound { on_links, on_network })
    }

    /// The least time of sending tokens to their experts, or of the way back: `payload` is all of
    /// their copies, one for each of the `chosen` of its `experts`.
    ///
    /// A token crosses the network once for each domain that has any of its experts, and the links
    /// once for each rank of its own domain that has any, when each choice is equally likely, and to
    /// `most` domains where routing is limited to as many; on the way back, what has the same way is
    /// added up first.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    /// use mlsysim_quantity::Bytes;
    ///
    /// let machine = Machine::named("Training_512_H100")?;
    /// let (payload, reach) = (Bytes::from_base(8e9), machine.reach(16, 1));
    /// let least = machine.dispatch_bound(payload, (16, 8), 8.0, reach)?.on_network;
    /// let beyond = least * machine.network_share().ok_or("no network")?;
    /// // Of two servers with eight experts each, all but 1 choice in 12,870 needs the other one.
    /// assert!((beyond.base() / 1e9 - (1.0 - 1.0 / 12_870.0)).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The group spans domains and the machine has no network.
    pub fn dispatch_bound(
        &self,
        payload: Bytes,
        (experts, chosen): (u64, u64),
        most: f64,
        reach: Reach,
    ) -> Result<CollectiveBound> {
        let Reach { ranks, most_per_domain, domains, .. } = reach;
        let network = self.network_of(reach)?;
        let tokens = payload / chosen.max(1) as f64;
        let share = |places: u64, of: u64| places.saturating_sub(1) as f64 / of.max(1) as f64;
        let on_links = share(most_per_domain, ranks) * domains_reached(ranks, experts, chosen) * tokens
            / self.link_share();
        let reached = domains_reached(domains, experts, chosen).min(most);
        let beyond = share(domains, domains) * reached * tokens;
        Ok(CollectiveBound { on_links, on_network: network.map_or(Time::ZERO, |network| beyond / network) })
    }

    /// What a device sends into the network for a group, if that spans domains.
    fn network_of(&self, reach: Reach) -> Result<Option<Bandwidth>> {
        match (reach.domains, self.network_within(reach)) {
            (0 | 1, _) => Ok(None),
            (_, Some(network)) => Ok(Some(network)),
            (_, None) => Err(Error::input(
                "on",
                format!(
                    "a group of {} ranks reaches beyond the {} devices of {}, which has no network; give it one (`fabric`) or state its `network.bandwidth`, and as many servers as the layout needs (`nodes`)",
                    reach.ranks, self.domain, self.name
                ),
            )),
        }
    }
}

impl Machine {
    /// What a device sends to the others of its domain while all of them do.
    ///
    /// Without peer-to-peer every byte crosses the host's memory twice, when it is written and when it
    /// is read. It crosses the links of the device that sends it and of the one that gets it once, as
    /// between peers, so that links carry their full rate both ways: copies between two H100 without
    /// peer-to-peer took 38 GB/s one way, more than half of what PCIe 5 carries.
    ///
    /// Source: github.com/NVIDIA/nccl, issue 1264.
    ///
    /// ```
    /// use mlsysim_models::machine::{Machine, Wiring};
    ///
    /// let wiring = Wiring::parse("peer_to_peer=false,host_memory=400 GB/s")?;
    /// let machine = Machine::wired("DGX_H100", None, None, &wiring)?;
    /// assert_eq!(machine.link_share().base(), 25e9);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn link_share(&self) -> Bandwidth {
        let through = self.host_memory.filter(|_| !self.peer_to_peer);
        let share = through.map_or(self.link, |memory| memory / (2 * self.domain) as f64);
        if share < self.link { share } else { self.link }
    }

    /// What a device gets of the network for a group, while every device uses it: all that it can send
    /// where the group stays on rails, else what oversubscription leaves.
    ///
    /// What is for another place of another domain goes over the links to the device in that place
    /// first, so that an all-to-all stays on its rails too.
    ///
    /// Source: NVIDIA (2022), Doubling all2all Performance with NCCL 2.12 (PXN).
    pub fn network_within(&self, reach: Reach) -> Option<Bandwidth> {
        match self.link_of(reach) {
            Link::Rail => self.network,
            _ => self.network_share(),
        }
    }

    /// What a group crosses at its slowest.
    pub fn link_of(&self, reach: Reach) -> Link {
        match (reach.link(), self.rail_domains) {
            (Link::Network, Some(domains)) if reach.across <= domains => Link::Rail,
            (link, _) => link,
        }
    }
}

impl Reach {
    /// What the group crosses at its slowest, on a fabric without rails.
    pub fn link(&self) -> Link {
        match (self.ranks, self.domains) {
            (0 | 1, _) => Link::Nothing,
            (_, 1) => Link::Domain,
            _ => Link::Network,
        }
    }
}
