//! `Figures`: what a user states of the devices and the links of a machine, in place of the registry.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Power, Time, nearest};
use mlsysim_registry::HardwareNode;
use mlsysim_scenario::{
    Define, Description, Error, Item, Map, Name, Record, Result, Type, Value, equations, listed,
};

use super::Machine;
use crate::inputs::split_outside_brackets;

/// Figures of a machine that a user states, where the registry has others or none.
///
/// ```
/// use mlsysim_models::machine::{Figures, Machine, Wiring};
///
/// let figures = Figures::parse("peak.bf16=28.4 TFLOP/s,memory.capacity=64 GiB")?;
/// let machine = Machine::stated("Workstation_M3Max", None, None, &Wiring::default(), &figures)?;
/// assert_eq!(machine.device.peak("fp16_dense")?.base(), 28.4e12);
///
/// let error = Figures::parse("memory.capacty=64 GiB").unwrap_err();
/// assert!(error.to_string().ends_with("did you mean `memory.capacity`?"));
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Record)]
#[record(equations)]
pub struct Figures {
    /// The dense peak rate of a device by precision: `bf16` (which is that of `fp16` too), `fp8`, `fp4`.
    #[range(> 0)]
    #[unit(TFLOP/s)]
    pub peak: Option<Map<FlopRate>>,
    /// The memory of a device.
    pub memory: Option<Arc<MemoryFigures>>,
    /// The links between the devices of a server.
    pub link: Option<Arc<LinkFigures>>,
    /// The network between servers.
    pub network: Option<Arc<NetworkFigures>>,
    /// The power that the cooling of a device is designed for.
    #[range(> 0)]
    #[unit(W)]
    pub tdp: Option<Power>,
}

/// What a user states of the memory of a device.
#[derive(Clone, Debug, Default, PartialEq, Record)]
pub struct MemoryFigures {
    /// How much it holds.
    #[range(> 0)]
    #[unit(GiB)]
    pub capacity: Option<Bytes>,
    /// How fast it is read.
    #[range(> 0)]
    #[unit(TB/s)]
    pub bandwidth: Option<Bandwidth>,
    /// How much the level-2 cache before it holds.
    #[range(> 0)]
    #[unit(MiB)]
    pub l2_cache: Option<Bytes>,
}

/// What a user states of the links between devices.
#[derive(Clone, Debug, Default, PartialEq, Record)]
pub struct LinkFigures {
    /// What a device sends to the others of its server, in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Option<Bandwidth>,
}

/// What a user states of the network between servers.
#[derive(Clone, Debug, Default, PartialEq, Record)]
pub struct NetworkFigures {
    /// What a device sends into the network, in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Option<Bandwidth>,
    /// The time that an empty message takes.
    #[range(>= 0)]
    #[unit("µs")]
    pub latency: Option<Time>,
}

/// The precisions for which a peak can be stated, and the key of the registry that each is.
const PEAKS: [(&str, &str); 10] = [
    ("bf16", HALF),
    ("fp16", HALF),
    ("bf16_dense", HALF),
    ("fp16_dense", HALF),
    ("fp8", "fp8"),
    ("fp4", "fp4"),
    ("fp32", "fp32"),
    ("tf32", "tf32"),
    ("int8", "int8"),
    ("int4", "int4"),
];

/// The key under which a peak in 16 bits is looked up.
const HALF: &str = "fp16_dense";

#[equations]
impl Figures {
    /// Each peak is of a precision that is known, and is stated once.
    #[check]
    fn peaks_are_known(&self) -> Result<()> {
        let mut stated: Map<&Name> = Map::new();
        for precision in self.peak.iter().flat_map(|peak| peak.keys()) {
            let Some(key) = key_of(precision) else {
                let names = PEAKS.iter().map(|(name, _)| *name);
                let hint = match nearest(precision, names.clone()) {
                    Some(near) => format!("did you mean `peak.{near}`?"),
                    None => format!("there are {}", listed(names)),
                };
                let message = format!("there is no precision `{precision}`; {hint}");
                return Err(Error::input(format!("peak.{precision}"), message));
            };
            if let Some(other) = stated.insert(Name::from(key), precision) {
                let message = format!("`peak.{other}` states the same peak; leave one of them out");
                return Err(Error::input(format!("peak.{precision}"), message));
            }
        }
        Ok(())
    }
}

impl Figures {
    /// Reads `peak.bf16=989 TFLOP/s,memory.capacity=80 GiB`; nothing is as the registry says.
    ///
    /// # Errors
    ///
    /// A name is misspelt or given twice, or a value is no such figure or out of its range.
    pub fn parse(text: &str) -> Result<Self> {
        Self::of_names(Self::named(text)?)
    }

    /// What such a text gives, by name, not yet checked.
    ///
    /// # Errors
    ///
    /// A name is given twice, or without a value.
    pub fn named(text: &str) -> Result<Map<Value>> {
        let mut given = Map::new();
        for item in split_outside_brackets(text) {
            let Some((name, value)) = item.split_once('=') else {
                return Err(Error::input(item, "its value is needed too, as in `peak.bf16=989 TFLOP/s`"));
            };
            if name.trim().is_empty() {
                return Err(Error::input("state", format!("the name of a figure is needed in `{item}`")));
            }
            if given.insert(Name::from(name.trim()), Value::from_argument(value)).is_some() {
                return Err(Error::input(name.trim(), "it is given twice"));
            }
        }
        Ok(given)
    }

    /// The figures that are given by name, such as `memory.capacity`, or within groups of such names.
    ///
    /// # Errors
    ///
    /// A name is misspelt, or a value is no such figure or out of its range.
    pub fn of_names(given: Map<Value>) -> Result<Self> {
        Self::from_inputs(Self::grouped(given)?)
    }

    /// What is given by names such as `memory.capacity`, in groups as files have them.
    ///
    /// # Errors
    ///
    /// A name is misspelt or given twice.
    pub fn grouped(given: Map<Value>) -> Result<Map<Value>> {
        let mut flat: Vec<(Name, Value)> = Vec::new();
        for (name, value) in given {
            match value {
                Value::Map(group) => {
                    let dotted = |(own, value)| (Name::from(format!("{name}.{own}")), value);
                    flat.extend(group.into_iter().map(dotted));
                }
                value => flat.push((name, value)),
            }
        }
        let known = names(Self::describe(), "");
        let mut groups: Map<Value> = Map::new();
        for (name, value) in flat {
            if !known.iter().any(|known| **known == *name) {
                return Err(unknown(&name, &known));
            }
            let before = match name.split_once('.') {
                Some((group, own)) => {
                    match groups.entry(Name::from(group)).or_insert_with(|| Value::Map(Map::new())) {
                        Value::Map(group) => group.insert(Name::from(own), value),
                        other => Some(other.clone()),
                    }
                }
                None => groups.insert(name.clone(), value),
            };
            if before.is_some() {
                return Err(Error::input(&*name, "it is given twice"));
            }
        }
        Ok(groups)
    }

    /// The names and the values of those that are stated.
    pub fn stated(&self) -> Vec<(String, Value)> {
        let mut stated = Vec::new();
        leaves("", self, &mut stated);
        stated
    }

    /// How a user states the figure called `name`, in `unit`, for the message that it is missing.
    pub fn how_to_state(name: &str, unit: &str) -> String {
        format!("state it with `--state \"{name}=… {unit}\"`, or in `state` of Python and of plan files")
    }

    /// What a device sends into the network, where that is stated.
    pub(super) fn network_bandwidth(&self) -> Option<Bandwidth> {
        self.network.as_ref()?.bandwidth
    }

    /// The machine with these figures.
    ///
    /// # Errors
    ///
    /// One is about a network and the machine has none.
    pub(super) fn of(&self, machine: Machine) -> Result<Machine> {
        if *self == Figures::default() {
            return Ok(machine);
        }
        let network = self.network.as_deref().cloned().unwrap_or_default();
        let bandwidth = network.bandwidth.or(machine.network);
        if bandwidth.is_none() && network.latency.is_some() {
            let message = format!(
                "it is about a network, but {} has none; state `network.bandwidth` too, or leave it out",
                machine.name
            );
            return Err(Error::input("network.latency", message));
        }
        Machine {
            device: Arc::new(self.device(&machine.device)),
            link: self.link.as_ref().and_then(|link| link.bandwidth).unwrap_or(machine.link),
            network: bandwidth,
            network_latency: network.latency.or(machine.network_latency),
            figures: Some(Arc::new(self.clone())),
            ..machine
        }
        .checked()
    }

    /// The device with these figures.
    pub(crate) fn device(&self, device: &HardwareNode) -> HardwareNode {
        let (mut compute, mut memory) = ((*device.compute).clone(), (*device.memory).clone());
        for (precision, peak) in self.peak.iter().flatten() {
            let key = key_of(precision).unwrap_or(precision);
            // Keys of the same figure would stand in for it.
            compute.precision_flops.retain(|other, _| key_of(other) != Some(key));
            compute.precision_flops.insert(Name::from(key), *peak);
        }
        if let Some(stated) = &self.memory {
            memory.capacity = stated.capacity.unwrap_or(memory.capacity);
            memory.bandwidth = stated.bandwidth.unwrap_or(memory.bandwidth);
            memory.l2_cache = stated.l2_cache.or(memory.l2_cache);
        }
        HardwareNode {
            compute: Arc::new(compute),
            memory: Arc::new(memory),
            tdp: self.tdp.or(device.tdp),
            ..device.clone()
        }
    }
}

impl Machine {
    /// Where the figure called `name` comes from: the user, or else `registry`.
    pub(crate) fn source_of(&self, name: &str, registry: impl Into<String>) -> String {
        let stated = self.figures.iter().flat_map(|figures| figures.stated());
        let key = |name: &str| name.strip_prefix("peak.").and_then(key_of).map(str::to_string);
        let is_it = |stated: &str| stated == name || (key(stated).is_some() && key(stated) == key(name));
        match stated.map(|(stated, _)| stated).find(|stated| is_it(stated)) {
            Some(stated) => format!("stated by the user, `{stated}`"),
            None => registry.into(),
        }
    }

    /// Remarks on the figures that the user stated.
    pub fn figure_notes(&self) -> Vec<String> {
        let stated = self.figures.iter().flat_map(|figures| figures.stated());
        stated.map(|(name, value)| format!("`{name}` is stated by the user: {value}")).collect()
    }
}

/// The peak of `device` that the registry has under `key`.
///
/// # Errors
///
/// It has none; the message says as what it can be stated. The field is `precision`.
pub(crate) fn peak_of(device: &HardwareNode, key: &str) -> Result<FlopRate> {
    device.compute.peak(key).map_err(|_| {
        let name = PEAKS.iter().find(|(_, of)| *of == key).map_or(key, |(name, _)| name);
        let how = Figures::how_to_state(&format!("peak.{name}"), "TFLOP/s");
        let others = match device.compute.precision_flops.is_empty() {
            true => "nor any other".to_string(),
            false => format!("only for {}", listed(device.compute.precision_flops.keys().map(Name::as_ref))),
        };
        Error::input("precision", format!("{} states no peak for `{name}`, {others}; {how}", device.name))
    })
}

/// The key of the registry for the peak of `precision`; nothing where there is no such precision.
fn key_of(precision: &str) -> Option<&'static str> {
    PEAKS.iter().find(|(name, _)| *name == precision).map(|(_, key)| *key)
}

/// The names of all figures below `description`, each after `before`.
fn names(description: &Description, before: &str) -> Vec<String> {
    let mut all = Vec::new();
    for field in description.fields {
        let name = format!("{before}{}", field.name);
        match field.value {
            Type::Optional(Type::Object(of)) => all.extend(names(of(), &format!("{name}."))),
            Type::Optional(Type::Map(_)) => {
                all.extend(PEAKS.iter().map(|(precision, _)| format!("{name}.{precision}")))
            }
            _ => all.push(name),
        }
    }
    all
}

/// The figures that `item` has, with their names.
fn leaves(before: &str, item: &dyn Item, stated: &mut Vec<(String, Value)>) {
    for (index, field) in item.description().fields.iter().enumerate() {
        let name = format!("{before}{}", field.name);
        match item.field(index) {
            Value::Null => {}
            Value::Object(object) => leaves(&format!("{name}."), &**object.item(), stated),
            Value::Map(map) => {
                stated.extend(map.into_iter().map(|(own, value)| (format!("{name}.{own}"), value)));
            }
            value => stated.push((name, value)),
        }
    }
}

/// The refusal of a name that no figure of `known` has, with the nearest.
fn unknown(name: &str, known: &[String]) -> Error {
    let last = name.rsplit('.').next();
    let ends = known.iter().filter(|known| known.rsplit('.').next() == last);
    let begins = known.iter().filter(|known| known.split('.').next() == Some(name));
    let alike: Vec<&str> = ends.chain(begins).map(String::as_str).collect();
    let all = || known.iter().map(String::as_str);
    let hint = match (alike.as_slice(), nearest(name, all())) {
        (&[near], _) | ([], Some(near)) => format!("did you mean `{near}`?"),
        ([], None) => format!("there are {}", listed(all())),
        (several, _) => format!("did you mean one of {}?", listed(several.iter().copied())),
    };
    Error::input(name, format!("a machine has no such figure; {hint}"))
}
