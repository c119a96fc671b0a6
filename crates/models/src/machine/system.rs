//! Machines by name: a cluster of the registry, or servers of it on one of its networks.

use std::sync::Arc;

use mlsysim_quantity::nearest;
use mlsysim_registry::{Fleet, HardwareNode, NetworkFabric, Node, Workload};
use mlsysim_scenario::{Error, Library, Result, Value, listed};

use super::{Figures, Machine, Wiring};
use crate::library;

/// The most servers that are believed.
const MOST_NODES: u64 = 1 << 20;

/// As many names are offered where one is no system's.
const OFFERED: usize = 4;

impl Machine {
    /// The machine that the registry has at `path`: a cluster (`Training_512_H100`), or a server
    /// (`DGX_H100`), of which there is one.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    ///
    /// let machine = Machine::named("Meta_Llama3_16K_H100")?;
    /// assert_eq!(machine.devices(), 16384);
    /// assert_eq!(machine.network.map(|rate| rate.base()), Some(50e9));
    ///
    /// let error = Machine::named("GB200_NVL72").unwrap_err();
    /// assert!(error.to_string().ends_with("did you mean `DGX_GB200`?"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such machine, or it lacks a figure that is needed. The field is `on`.
    pub fn named(path: &str) -> Result<Machine> {
        Machine::on(path, None, None)
    }

    /// The machine called `system`: a cluster as it is, or `nodes` servers on the network `fabric`.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    ///
    /// let machine = Machine::on("DGX_H100", Some(4), Some("InfiniBand_NDR"))?;
    /// assert_eq!((machine.domain, machine.devices()), (8, 32));
    ///
    /// let error = Machine::on("DGX_H100", Some(4), None).unwrap_err();
    /// assert_eq!(error.field(), Some("fabric"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such system or network; several servers have none, or a cluster is given another.
    /// The field is `on`, `nodes` or `fabric`.
    pub fn on(system: &str, nodes: Option<u64>, fabric: Option<&str>) -> Result<Machine> {
        Machine::wired(system, nodes, fabric, &Wiring::default())
    }

    /// The same, wired as `wiring` says in place of the registry.
    ///
    /// # Errors
    ///
    /// As of [`on`](Machine::on), or the wiring contradicts the machine.
    pub fn wired(system: &str, nodes: Option<u64>, fabric: Option<&str>, wiring: &Wiring) -> Result<Machine> {
        Machine::stated(system, nodes, fabric, wiring, &Figures::default())
    }

    /// The same with `figures` in place of the registry's; a network whose bandwidth they state needs no
    /// `fabric`.
    ///
    /// # Errors
    ///
    /// As of [`wired`](Machine::wired), or a figure is about a network and there is none.
    pub fn stated(
        system: &str,
        nodes: Option<u64>,
        fabric: Option<&str>,
        wiring: &Wiring,
        figures: &Figures,
    ) -> Result<Machine> {
        let Some(value) = library().value(system).ok() else {
            return Err(unknown(system, "on", &["Systems.Nodes", "Systems.Clusters"]));
        };
        let Value::Object(object) = &value else {
            return Err(not_a_machine(system, &value));
        };
        if let Some(fleet) = object.downcast::<Fleet>() {
            let given = nodes.map(|_| "nodes").or(fabric.map(|_| "fabric"));
            return match given {
                Some(field) => Err(Error::input(
                    field,
                    format!(
                        "`{system}` is a cluster with {} servers on a network of its own; leave this out, or name a server",
                        fleet.count
                    ),
                )),
                None => {
                    let node = wiring.ports_of(&fleet.node);
                    let fleet = Fleet { node: Arc::new(node), ..(*fleet).clone() };
                    wiring.of(figures.of(Machine::of_fleet(&fleet)?)?)
                }
            };
        }
        let Some(node) = object.downcast::<Node>() else {
            return Err(not_a_machine(system, &value));
        };
        let count = nodes.unwrap_or(1);
        if !(1..=MOST_NODES).contains(&count) {
            return Err(Error::input(
                "nodes",
                format!(
                    "a whole number of at least 1 and at most {MOST_NODES} is needed, but `{count}` was given"
                ),
            ));
        }
        let Some(fabric) = fabric else {
            let alone = Machine::of_node(&node);
            return match (count, figures.network_bandwidth()) {
                (1, _) => wiring.of(figures.of(alone)?),
                (_, Some(network)) => {
                    let name = format!("{count} × {}", node.name).into();
                    wiring.of(figures.of(Machine {
                        name,
                        domains: count,
                        network: Some(network),
                        ..alone
                    })?)
                }
                _ => Err(Error::input(
                    "fabric",
                    format!(
                        "`{count}` servers need a network between them, such as `InfiniBand_NDR`, or its figure: {}",
                        Figures::how_to_state("network.bandwidth", "GB/s")
                    ),
                )),
            };
        };
        let network = match library().value(fabric) {
            Ok(Value::Object(object)) => object.downcast::<NetworkFabric>(),
            Ok(_) => None,
            Err(_) => return Err(unknown(fabric, "fabric", &["Systems.Fabrics"])),
        };
        let Some(network) = network else {
            return Err(Error::input(
                "fabric",
                format!("`{fabric}` is no network; `mlsysim list systems` shows those of Systems.Fabrics"),
            ));
        };
        let name = format!("{count} × {} on {}", node.name, network.name);
        let node = wiring.ports_of(&node);
        let machine = Machine::of_node(&node).on_fabric(&node, &network, count)?;
        wiring.of(figures.of(Machine { name: name.into(), ..machine })?)
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
            peer_to_peer: true,
            host_memory: None,
            network: None,
            in_network_reduction: false,
            oversubscription: 1.0,
            rail_domains: None,
            network_latency: None,
            figures: None,
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
                format!(
                    "{} does not say how many network ports it has, which a network needs; say it with `ports` of the wiring",
                    node.name
                ),
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

/// The refusal of a name that nothing has, with the nearest in `groups`.
fn unknown(name: &str, field: &str, groups: &[&str]) -> Error {
    let paths = || groups.iter().flat_map(|group| library().paths(group));
    let short = paths().filter_map(|path| path.rsplit('.').next());
    let all: Vec<&str> = short.chain(paths()).collect();
    let hint = match nearest(name, all.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => suggested(name, groups),
    };
    Error::input(field, format!("nothing is called `{name}`; {hint}"))
}

/// The refusal of something that is no machine: what it is, and the servers that are like it.
fn not_a_machine(path: &str, value: &Value) -> Error {
    let is = match value {
        Value::Object(object) if object.downcast::<HardwareNode>().is_some() => "a device",
        Value::Object(object) if object.downcast::<Workload>().is_some() => "a model",
        Value::Object(object) if object.downcast::<NetworkFabric>().is_some() => "a network",
        _ => "neither",
    };
    let hint = suggested(path, &["Systems.Nodes"]);
    Error::input("on", format!("a server or a cluster is needed, but `{path}` is {is}; {hint}"))
}

/// Entries of `groups` that have a word with a digit in common with `name`, as advice.
fn suggested(name: &str, groups: &[&str]) -> String {
    let words = || {
        let last = name.rsplit('.').next().unwrap_or(name);
        last.split('_').filter(|word| word.len() > 2 && word.contains(|letter: char| letter.is_ascii_digit()))
    };
    let paths = groups.iter().flat_map(|group| library().paths(group));
    let short = paths.filter_map(|path| path.rsplit('.').next());
    let alike = short.filter(|entry| words().any(|word| entry.split('_').any(|own| own == word)));
    let alike: Vec<&str> = alike.take(OFFERED).collect();
    match alike.as_slice() {
        [] => format!("`mlsysim list systems` shows those of {}", groups.join(" and ")),
        [only] => format!("did you mean `{only}`?"),
        several => format!("did you mean one of {}?", listed(several.iter().copied())),
    }
}
