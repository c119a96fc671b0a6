//! The lines of a placed step by name, such as `memory.weights` and `bound.network`, and how each comes
//! about.

use mlsysim_quantity::nearest;
use mlsysim_scenario::{Derivation, Error, Kind, Result, Value, constant, listed};

use super::lines::{is_zero, summed};
use super::tree::computed;
use crate::transformer::{MemoryPart, Placed, Resource};

/// A line of a placed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacedLine {
    /// What a rank of the fullest stage holds for something, or in all.
    Memory(Option<MemoryPart>),
    /// What something takes at the least in a step of the slowest stage, or the step.
    Bound(Option<Resource>),
}

impl PlacedLine {
    /// Every line, in the order of tables.
    pub fn all() -> Vec<PlacedLine> {
        let parts = MemoryPart::ALL.iter().copied().map(Some).chain([None]);
        let resources = Resource::ALL.iter().copied().map(Some).chain([None]);
        parts.map(PlacedLine::Memory).chain(resources.map(PlacedLine::Bound)).collect()
    }

    /// The name: `memory.weights`, `memory.total`, `bound.network`, `bound.time`.
    pub fn name(self) -> String {
        match self {
            PlacedLine::Memory(part) => format!("memory.{}", part.map_or("total", MemoryPart::name)),
            PlacedLine::Bound(resource) => format!("bound.{}", resource.map_or("time", Resource::name)),
        }
    }

    /// Whether `name` is meant for a line of a placed step, right or not: `memory.wights`.
    pub fn is_meant(name: &str) -> bool {
        matches!(name.split('.').next(), Some("memory" | "bound"))
    }

    /// The line called `name`; `memory` alone is its total, `bound` the least time.
    ///
    /// ```
    /// use mlsysim_models::transformer::PlacedLine;
    ///
    /// assert_eq!(PlacedLine::parse("memory")?.name(), "memory.total");
    /// let error = PlacedLine::parse("memory.wights").unwrap_err();
    /// assert!(error.to_string().ends_with("did you mean `memory.weights`?"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such line; the message names the nearest, or all.
    pub fn parse(name: &str) -> Result<PlacedLine> {
        match name {
            "memory" => return Ok(PlacedLine::Memory(None)),
            "bound" => return Ok(PlacedLine::Bound(None)),
            _ => {}
        }
        let all = PlacedLine::all();
        all.iter().find(|line| line.name() == name).copied().ok_or_else(|| {
            let names: Vec<String> = all.iter().map(|line| line.name()).collect();
            let hint = match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", listed(names.iter().map(String::as_str))),
            };
            Error::unknown(format!("a step on a machine has no line `{name}`; {hint}"))
        })
    }

    /// What kind of number it is: what is held is counted, except what the framework takes.
    pub fn kind(self) -> Kind {
        match self {
            PlacedLine::Memory(Some(MemoryPart::Overhead) | None) => Kind::Stated,
            PlacedLine::Memory(_) => Kind::Exact,
            PlacedLine::Bound(_) => Kind::Bound,
        }
    }
}

impl Placed<'_> {
    /// The value of a line.
    pub fn value(&self, line: PlacedLine) -> Value {
        match line {
            PlacedLine::Memory(Some(part)) => constant(&self.fit.memory.of(part)),
            PlacedLine::Memory(None) => constant(&self.fit.memory.total()),
            PlacedLine::Bound(Some(resource)) => constant(&self.bound.of(resource)),
            PlacedLine::Bound(None) => constant(&self.bound.time()),
        }
    }

    /// How a line comes about, down to the configuration, the layout, the policy and the machine.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    /// use mlsysim_models::transformer::{
    ///     Accounting, Division, Layout, MemoryPolicy, Placed, PlacedLine, Step, Transformer,
    /// };
    ///
    /// let (model, layout) = (Transformer::named("Llama3_8B")?, Layout::parse("tp=2")?);
    /// let (division, step) = (Division::new(&model, &layout)?, Step::decode(8, 8192));
    /// let accounting = Accounting::new(&division, &step)?;
    /// let (machine, policy) = (Machine::named("DGX_H100")?, MemoryPolicy::default());
    /// let placed = Placed::new(&accounting, &machine, &policy)?;
    /// let derived = placed.explain(PlacedLine::parse("memory.weights")?)?;
    /// assert!(derived.to_string().contains("= parameters × element"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A group spans domains without a network.
    pub fn explain(&self, line: PlacedLine) -> Result<Derivation> {
        let (equation, parts) = match line {
            PlacedLine::Memory(Some(part)) => self.derive_memory(part)?,
            PlacedLine::Memory(None) => {
                let mut parts = Vec::new();
                for part in MemoryPart::ALL {
                    let mut derived = self.explain(PlacedLine::Memory(Some(*part)))?;
                    if !is_zero(&derived.value) {
                        derived.label = part.name().to_string();
                        parts.push(derived);
                    }
                }
                (summed(&parts), parts)
            }
            PlacedLine::Bound(Some(resource)) => self.derive_bound(resource)?,
            PlacedLine::Bound(None) => {
                let parts = Resource::ALL.iter().map(|resource| {
                    let derived = self.explain(PlacedLine::Bound(Some(*resource)))?;
                    Ok(Derivation { label: resource.name().to_string(), ..derived })
                });
                let equation = "max(max(arithmetic, memory), max(links, network))".to_string();
                (equation, parts.collect::<Result<_>>()?)
            }
        };
        let derived = computed(line.name(), self.value(line), meaning(line), equation, parts);
        Ok(Derivation { kind: line.kind(), ..derived })
    }
}

const fn meaning(line: PlacedLine) -> &'static str {
    match line {
        PlacedLine::Memory(Some(MemoryPart::Weights)) => "The weights of a rank of the fullest stage.",
        PlacedLine::Memory(Some(MemoryPart::Gathered)) => {
            "What other replicas have of the weights and gradients in use."
        }
        PlacedLine::Memory(Some(MemoryPart::Gradients)) => "The gradients of the weights.",
        PlacedLine::Memory(Some(MemoryPart::Optimizer)) => "What the optimizer keeps of each weight.",
        PlacedLine::Memory(Some(MemoryPart::Activations)) => {
            "What forward passes keep for backward passes, or need while they run."
        }
        PlacedLine::Memory(Some(MemoryPart::Logits)) => "The scores of the vocabulary, and their gradient.",
        PlacedLine::Memory(Some(MemoryPart::Working)) => {
            "What the widest operation of the backward pass works with."
        }
        PlacedLine::Memory(Some(MemoryPart::Cache)) => {
            "The KV cache at the end of the step, in whole blocks."
        }
        PlacedLine::Memory(Some(MemoryPart::Overhead)) => {
            "What the framework and its allocator take, as stated."
        }
        PlacedLine::Memory(None) => "All that a rank of the fullest stage holds.",
        PlacedLine::Bound(Some(Resource::Arithmetic)) => "The arithmetic of the slowest stage at its peak.",
        PlacedLine::Bound(Some(Resource::Memory)) => "Reading weights and cache at full bandwidth.",
        PlacedLine::Bound(Some(Resource::Links)) => "Exchanges on the links of a domain at their full rate.",
        PlacedLine::Bound(Some(Resource::Network)) => "Exchanges on the network at what a device gets of it.",
        PlacedLine::Bound(None) => "The least time of the step: everything overlaps, the slowest decides.",
    }
}
