//! `PlacedGroup`: how a group of ranks lies on a machine, and what its exchanges take at the least.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::Result;

use super::Placed;
use crate::machine::{Link, Reach, domains_reached};
use crate::transformer::{Account, Group};

/// A group of ranks on a machine, with all that one of them exchanges with it in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedGroup {
    /// The group.
    pub group: Group,
    /// How many devices apart its neighbours are.
    pub stride: u64,
    /// What it crosses at its slowest.
    pub link: Link,
    /// How it lies over domains.
    pub reach: Reach,
    /// With how many devices of a domain, itself included, each of its devices shares the network;
    /// nothing where the group stays within one.
    pub sharing: Option<u64>,
    /// How many domains the experts of a token lie in, on average; nothing where no tokens are sent.
    pub reached: Option<f64>,
    /// What the rank sends to it in a step.
    pub sent: Bytes,
    /// The least time that this takes on the links of a domain.
    pub on_links: Time,
    /// The least time that it takes on the network.
    pub on_network: Time,
}

/// The groups of the exchanges of `account`'s stage, each once.
pub fn of(placed: &Placed, account: &Account) -> Result<Vec<PlacedGroup>> {
    let Placed { accounting, machine, .. } = *placed;
    let routing = accounting.division.model.routing;
    let devices = accounting.division.layout.devices();
    let mut groups: Vec<PlacedGroup> = Vec::new();
    for exchange in accounting.merged_exchanges(account) {
        let least = exchange.bound(machine, routing)?;
        let reach = exchange.reach(machine);
        let same = |known: &&mut PlacedGroup| {
            known.group == exchange.group && known.reach == reach && known.stride == exchange.spread.stride()
        };
        let times = exchange.times.product();
        let (sent, on_links, on_network) =
            (exchange.sent(), times * least.on_links, times * least.on_network);
        if let Some(known) = groups.iter_mut().find(same) {
            known.sent += sent;
            known.on_links += on_links;
            known.on_network += on_network;
            continue;
        }
        let reached = routing.filter(|_| exchange.group == Group::Expert).map(|routing| {
            domains_reached(reach.domains, routing.experts.into(), routing.per_token.into())
                .min(routing.most_domains(reach.domains))
        });
        groups.push(PlacedGroup {
            group: exchange.group,
            stride: exchange.spread.stride(),
            link: machine.link_of(reach),
            reach,
            sharing: (reach.link() == Link::Network).then_some(machine.domain.min(devices)),
            reached,
            sent,
            on_links,
            on_network,
        });
    }
    groups.sort_by_key(|placed| placed.group as usize);
    Ok(groups)
}
