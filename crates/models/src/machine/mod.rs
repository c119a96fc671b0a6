//! Machines: devices in domains of fast links, on a network, and which of both a group of ranks
//! crosses.

mod algorithm;
mod bound;
mod figures;
mod placement;
mod spread;
mod system;
mod wiring;

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Time};
use mlsysim_registry::HardwareNode;
use mlsysim_scenario::{Error, Name, Record, Result, equations};

pub use algorithm::{Algorithm, Collective, Plan};
pub use bound::{CollectiveBound, Link};
pub(crate) use figures::peak_of;
pub use figures::{Figures, LinkFigures, MemoryFigures, NetworkFigures};
pub use placement::{Reach, domains_reached};
pub use spread::Spread;
pub use wiring::Wiring;

/// Like devices in domains of fast links, on a network.
///
/// A domain is what fast links join: the eight devices of a server, or the 72 of a rack.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct Machine {
    /// What it is called.
    pub name: Name,
    /// Its devices.
    pub device: Arc<HardwareNode>,
    /// How many devices a domain has.
    #[range(>= 1, <= 1048576)]
    pub domain: u64,
    /// How many domains there are.
    #[default(1)]
    #[range(>= 1, <= 1048576)]
    pub domains: u64,
    /// What a device sends to the others of its domain, in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link: Bandwidth,
    /// Whether the switches of a domain add up what its devices send.
    #[default(false)]
    pub in_switch_reduction: bool,
    /// Whether devices of a domain reach each other's memory; else what they send goes through the
    /// memory of their host, into which it is written and from which it is read.
    #[default(true)]
    pub peer_to_peer: bool,
    /// The bandwidth of that memory, which the devices of a domain share; needed where they do not
    /// reach each other.
    #[range(> 0)]
    #[unit(GB/s)]
    pub host_memory: Option<Bandwidth>,
    /// What a device sends into the network, in one direction; nothing where there is none.
    #[range(> 0)]
    #[unit(GB/s)]
    pub network: Option<Bandwidth>,
    /// Whether the switches of the network add up what domains send (SHARP).
    #[default(false)]
    pub in_network_reduction: bool,
    /// How much more bandwidth enters the network than leaves it upwards.
    #[default(1.0)]
    #[range(>= 1)]
    pub oversubscription: f64,
    /// How many domains the switches of a rail join, where the fabric has rails: each device of a domain,
    /// or its port, has a switch that it shares with those in the same place of as many domains. What
    /// stays between those does not go up, where it would be oversubscribed.
    #[range(>= 1, <= 1048576)]
    pub rail_domains: Option<u64>,
    /// The time that an empty message takes over the network.
    #[range(>= 0)]
    #[unit("µs")]
    pub network_latency: Option<Time>,
    /// Those of its figures that a user stated, in place of the registry.
    pub figures: Option<Arc<Figures>>,
}

#[equations]
impl Machine {
    /// How many devices there are.
    pub fn devices(&self) -> u64 {
        self.domain * self.domains
    }

    /// What a device gets of the network while every device uses it.
    #[unit(GB/s)]
    pub fn network_share(&self) -> Option<Bandwidth> {
        Some(self.network? / self.oversubscription)
    }

    /// What goes through the host's memory needs its bandwidth.
    #[check]
    fn host_memory_is_known(&self) -> Result<()> {
        match (self.peer_to_peer, self.host_memory) {
            (false, None) => Err(Error::input(
                "host_memory",
                "without peer-to-peer the devices of a domain share the bandwidth of their host's memory, which is needed, but none is stated",
            )),
            (true, Some(_)) => Err(Error::input(
                "host_memory",
                "nothing goes through the host's memory with peer-to-peer; leave it out, or set peer_to_peer to `false`",
            )),
            _ => Ok(()),
        }
    }

    /// Rails are of a network.
    #[check]
    fn rails_are_of_a_network(&self) -> Result<()> {
        match self.rail_domains {
            Some(domains) if self.network.is_none() => Err(Error::input(
                "rail_domains",
                format!("rails join `{domains}` domains of a network, but there is none"),
            )),
            _ => Ok(()),
        }
    }

    /// Domains that are several are joined by a network.
    #[check]
    fn domains_are_joined(&self) -> Result<()> {
        if self.domains > 1 && self.network.is_none() {
            return Err(Error::input(
                "network",
                format!("`{}` domains need a network between them, but none is stated", self.domains),
            ));
        }
        Ok(())
    }
}

impl Machine {
    /// Whether the machine is one that [`checked`](mlsysim_scenario::Define::checked) lets through, for
    /// a literal that is not known to have been there; it needs no copy.
    pub(crate) fn is_consistent(&self) -> Result<()> {
        let positive = |field: &str, rate: Option<Bandwidth>| match rate {
            Some(rate) if rate.base() > 0.0 => Ok(()),
            Some(rate) => Err(Error::input(
                field,
                format!("a rate above 0 is needed, but `{} B/s` was given", rate.base()),
            )),
            None => Ok(()),
        };
        for (field, count) in [("domain", self.domain), ("domains", self.domains)] {
            if count == 0 {
                return Err(Error::input(field, "a whole number of at least 1 is needed, but `0` was given"));
            }
        }
        positive("link", Some(self.link))?;
        positive("network", self.network)?;
        positive("host_memory", self.host_memory)?;
        positive("device.memory.bandwidth", Some(self.device.memory.bandwidth))?;
        if self.oversubscription < 1.0 || self.oversubscription.is_nan() {
            return Err(Error::input(
                "oversubscription",
                format!("a number of at least 1 is needed, but `{}` was given", self.oversubscription),
            ));
        }
        self.host_memory_is_known()?;
        self.rails_are_of_a_network()?;
        self.domains_are_joined()
    }
}
