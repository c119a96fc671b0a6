//! `Wiring`: what a user says of how a machine is wired, in place of what the registry says.

use mlsysim_quantity::Bandwidth;
use mlsysim_registry::Node;
use mlsysim_scenario::{Define, Error, Record, Result};

use super::Machine;
use crate::inputs::by_name;

/// How a machine is wired, where that is not what the registry says of its servers and its network.
///
/// ```
/// use mlsysim_models::machine::{Machine, Wiring};
///
/// let wiring = Wiring::parse("ports=4,oversubscription=2,rail_domains=32")?;
/// let machine = Machine::wired("DGX_H100", Some(64), Some("InfiniBand_NDR"), &wiring)?;
/// // Four ports of 50 GB/s for eight devices, of which half leaves the rails.
/// assert_eq!(machine.network.map(|rate| rate.base()), Some(25e9));
/// assert_eq!(machine.network_share().map(|rate| rate.base()), Some(12.5e9));
///
/// let error = Wiring::parse("oversubscribtion=2").unwrap_err();
/// assert!(error.to_string().ends_with("did you mean `oversubscription`?"));
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Record)]
pub struct Wiring {
    /// How many ports a server has on the network; its devices share them.
    #[range(>= 1, <= 1048576)]
    pub ports: Option<u64>,
    /// How much more bandwidth enters the network than leaves it upwards.
    #[range(>= 1)]
    pub oversubscription: Option<f64>,
    /// How many servers the switches of a rail join, where the fabric has rails.
    #[range(>= 1, <= 1048576)]
    pub rail_domains: Option<u64>,
    /// Whether devices of a server reach each other's memory.
    pub peer_to_peer: Option<bool>,
    /// The bandwidth of the host's memory, through which they send where they do not.
    #[range(> 0)]
    #[unit(GB/s)]
    pub host_memory: Option<Bandwidth>,
}

impl Wiring {
    /// Reads `ports=4,rail_domains=32,peer_to_peer=false`; nothing is as the registry says.
    ///
    /// # Errors
    ///
    /// A name is misspelt or given twice, or a value is out of its range.
    pub fn parse(text: &str) -> Result<Self> {
        Self::from_inputs(by_name::<Self>(text, "the wiring of a machine has no such input")?)
    }

    /// The server with the ports that are given.
    pub(super) fn ports_of(&self, node: &Node) -> Node {
        Node { nics_per_node: self.ports.or(node.nics_per_node), ..node.clone() }
    }

    /// The machine wired like this.
    ///
    /// # Errors
    ///
    /// Something is about a network and the machine has none, or the machine contradicts itself.
    pub(super) fn of(&self, machine: Machine) -> Result<Machine> {
        let of_a_network = [
            ("ports", self.ports.is_some()),
            ("oversubscription", self.oversubscription.is_some()),
            ("rail_domains", self.rail_domains.is_some()),
        ];
        if let Some((name, _)) = of_a_network.iter().find(|(_, given)| *given && machine.network.is_none()) {
            return Err(Error::input(
                *name,
                format!("it is about a network, but {} has none; give one, or leave it out", machine.name),
            ));
        }
        Machine {
            oversubscription: self.oversubscription.unwrap_or(machine.oversubscription),
            rail_domains: self.rail_domains.or(machine.rail_domains),
            peer_to_peer: self.peer_to_peer.unwrap_or(machine.peer_to_peer),
            host_memory: self.host_memory.or(machine.host_memory),
            ..machine
        }
        .checked()
    }
}
