//! `MeasuredMachines`: what the devices and links that a row names stand for.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate};
use mlsysim_registry::HardwareNode;
use mlsysim_scenario::{Map, Name, Record, Result};

use super::records;
use super::table::{Cells, Reason};
use crate::machine::{Figures, Machine, MemoryFigures};

/// The devices and links of a row, as its table names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// The device.
    pub gpu: String,
    /// What joins the devices.
    pub interconnect: String,
    /// How many devices a server has.
    pub gpus_per_node: Option<u64>,
}

impl Placed {
    /// What a row says of its devices and links.
    ///
    /// # Errors
    ///
    /// The devices of a server are no whole number.
    pub fn read(cells: &Cells) -> std::result::Result<Self, Reason> {
        Ok(Placed {
            gpu: cells.string("gpu"),
            interconnect: cells.string("interconnect"),
            gpus_per_node: cells.count("gpus_per_node")?,
        })
    }

    /// The same for a row about one device.
    ///
    /// # Errors
    ///
    /// The device is not named.
    pub fn of(cells: &Cells) -> std::result::Result<Self, Reason> {
        Ok(Placed { gpu: cells.needed("gpu")?.to_string(), ..Placed::default() })
    }
}

/// The machine that some rows were measured on.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct MeasuredMachine {
    /// The names of its devices in tables.
    pub gpus: Vec<Name>,
    /// What tables say joins them; anything where nothing is listed.
    pub interconnects: Option<Vec<Name>>,
    /// What rows on it are told under.
    pub class: Name,
    /// Where its figures come from.
    pub source: Name,
    /// Its devices.
    pub device: Arc<HardwareNode>,
    /// How many devices a domain has.
    #[default(1)]
    #[range(>= 1, <= 1048576)]
    pub domain: u64,
    /// What a device sends to the others of its domain, in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub link: Option<Bandwidth>,
    /// Whether the switches of a domain add up what its devices send.
    #[default(false)]
    pub in_switch_reduction: bool,
    /// Whether the devices of a host share their links, where those are PCIe.
    #[default(true)]
    pub shares_links: bool,
    /// What a device sends into the network, in one direction; nothing where it is not published.
    #[range(> 0)]
    #[unit(GB/s)]
    pub network: Option<Bandwidth>,
    /// Whether ranks are on hosts that such a network joins.
    #[default(false)]
    pub unknown_network: bool,
    /// What predictions take for it where it is not published: that of the device's reference system.
    #[range(> 0)]
    #[unit(GB/s)]
    pub assumed_network: Option<Bandwidth>,
    /// Where that comes from.
    pub assumed_from: Option<Name>,
    /// Whether the switches of the network add up what domains send (SHARP).
    #[default(false)]
    pub in_network_reduction: bool,
    /// The bandwidth of a device's memory, where it is not that of the registry's device.
    #[range(> 0)]
    #[unit(TB/s)]
    pub memory_bandwidth: Option<Bandwidth>,
    /// What a device's memory holds, where it is not what the registry's device has.
    #[range(> 0)]
    #[unit(GiB)]
    pub memory_capacity: Option<Bytes>,
    /// What its level-2 cache holds, where the registry's device does not state it.
    #[range(> 0)]
    #[unit(MiB)]
    pub l2_cache: Option<Bytes>,
    /// Its dense peaks, where they are not those of the registry's device.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    #[default(Map::new())]
    pub peaks: Map<FlopRate>,
}

/// Every machine that rows were measured on.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredMachines(Vec<(MeasuredMachine, Machine)>);

impl MeasuredMachines {
    /// Reads them from a TOML text, a section for each.
    ///
    /// # Errors
    ///
    /// A section names a device that the registry lacks, or a figure is out of its range.
    pub fn read(text: &str) -> Result<Self> {
        let machines = records::<MeasuredMachine>(text)?;
        Ok(MeasuredMachines(
            machines
                .into_iter()
                .map(|(name, measured)| (measured.clone(), measured.machine(&name)))
                .collect(),
        ))
    }

    /// The machine of a row, and what rows on it are told under.
    ///
    /// # Errors
    ///
    /// Nothing is known of its devices, or of what joins them.
    pub fn of(&self, placed: &Placed) -> std::result::Result<(&MeasuredMachine, &Machine), Reason> {
        let is_named = |names: &[Name], given: &str| names.iter().any(|name| &**name == given);
        let mut devices = self.0.iter().filter(|(known, _)| is_named(&known.gpus, &placed.gpu)).peekable();
        if devices.peek().is_none() {
            return Err(match placed.gpu.as_str() {
                "" => "device not published".to_string(),
                gpu => format!("device not modelled: {gpu}"),
            });
        }
        let joined = devices.find(|(known, _)| match &known.interconnects {
            Some(names) => is_named(names, &placed.interconnect),
            None => true,
        });
        let found = joined.map(|(known, machine)| (known, machine));
        found.ok_or_else(|| format!("network not published: {} {}", placed.gpu, placed.interconnect))
    }
}

impl MeasuredMachine {
    /// The machine of one domain, or of many where there is a network.
    fn machine(&self, name: &str) -> Machine {
        let memory = MemoryFigures {
            capacity: self.memory_capacity,
            bandwidth: self.memory_bandwidth,
            l2_cache: self.l2_cache,
        };
        let peak = Some(self.peaks.clone());
        let figures = Figures { peak, memory: Some(Arc::new(memory)), ..Figures::default() };
        let device = figures.device(&self.device);
        // A device alone sends to nobody.
        let link = self.link.unwrap_or(device.memory.bandwidth);
        Machine {
            name: Name::from(name),
            device: Arc::new(device),
            domain: self.domain,
            domains: 1,
            link,
            in_switch_reduction: self.in_switch_reduction,
            peer_to_peer: true,
            host_memory: None,
            network: self.network,
            in_network_reduction: self.in_network_reduction,
            oversubscription: 1.0,
            rail_domains: None,
            network_latency: None,
            figures: None,
        }
    }
}
