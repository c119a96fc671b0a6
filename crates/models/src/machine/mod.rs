//! Machines: devices in domains of fast links, on a network, and which of both a group of ranks
//! crosses.

mod algorithm;
mod bound;
mod placement;

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Time};
use mlsysim_registry::{Fleet, HardwareNode, NetworkFabric, Node};
use mlsysim_scenario::{Error, Library, Name, Record, Result, Value, equations};

pub use algorithm::{Algorithm, Collective, Plan};
pub use bound::{CollectiveBound, Link};
pub use placement::{Reach, domains_reached};

use crate::library;

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
    /// The time that an empty message takes over the network.
    #[range(>= 0)]
    #[unit("µs")]
    pub network_latency: Option<Time>,
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
    /// The machine that the registry has at `path`: a fleet (`Training_512_H100`), or a server
    /// (`DGX_H100`), of which there is one.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    ///
    /// let machine = Machine::named("Meta_Llama3_16K_H100")?;
    /// assert_eq!(machine.devices(), 16384);
    /// assert_eq!(machine.network.map(|rate| rate.base()), Some(50e9));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such machine, or it lacks a figure that is needed.
    pub fn named(path: &str) -> Result<Machine> {
        let value = library().value(path)?;
        let Value::Object(object) = &value else {
            return Err(not_a_machine(path));
        };
        if let Some(fleet) = object.downcast::<Fleet>() {
            return Machine::of_fleet(&fleet);
        }
        match object.downcast::<Node>() {
            Some(node) => Ok(Machine::of_node(&node)),
            None => Err(not_a_machine(path)),
        }
    }

    /// One server, without a network.
    pub fn of_node(node: &Node) -> Machine {
        Machine {
            name: node.name.clone(),
            device: node.accelerator.clone(),
            domain: node.accelerators_per_node,
            domains: 1,
            link: node.intra_node_bw,
            in_switch_reduction: node.in_switch_reduction.unwrap_or(false),
            network: None,
            in_network_reduction: false,
            oversubscription: 1.0,
            network_latency: None,
        }
    }

    /// Many servers on their network.
    ///
    /// # Errors
    ///
    /// The server does not say how many network ports it has.
    pub fn of_fleet(fleet: &Fleet) -> Result<Machine> {
        let machine = Machine::of_node(&fleet.node).on_fabric(&fleet.node, &fleet.fabric, fleet.count)?;
        Ok(Machine { name: fleet.name.clone(), ..machine })
    }

    /// The same with `domains` domains on `fabric`, to which each has the ports of `node`.
    ///
    /// # Errors
    ///
    /// The server does not say how many network ports it has.
    pub fn on_fabric(self, node: &Node, fabric: &NetworkFabric, domains: u64) -> Result<Machine> {
        let Some(ports) = node.nics_per_node else {
            return Err(Error::input(
                "nics_per_node",
                format!("{} does not say how many network ports it has, which a network needs", node.name),
            ));
        };
        Ok(Machine {
            domains,
            network: Some(fabric.bandwidth * (ports as f64 / self.domain as f64)),
            oversubscription: fabric.oversubscription_ratio,
            network_latency: fabric.latency,
            ..self
        })
    }
}

fn not_a_machine(path: &str) -> Error {
    Error::unknown(format!(
        "`{path}` is neither a server nor a cluster; `mlsysim list systems` shows both (Systems.Nodes, Systems.Clusters)"
    ))
}
