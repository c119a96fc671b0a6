//! `Frameworks`: what the framework of a row does of its own choice.

use mlsysim_scenario::{Name, Record, Result};

use super::records;
use super::table::Reason;
use crate::predict::AttentionKernel;

/// What a framework does of its own choice.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct Framework {
    /// What its names in tables begin with.
    pub names: Vec<Name>,
    /// How attention is computed.
    #[default("fused")]
    pub attention: AttentionKernel,
    /// Whether whole steps of training are launched as CUDA graphs.
    #[default(false)]
    pub graphs: bool,
    /// The precision in which gradients are exchanged.
    #[default("fp32")]
    pub gradients: Name,
    /// The sequences of a micro-batch in a pipeline, where what it calls one is what a replica takes of
    /// a step.
    #[range(>= 1, <= 1048576)]
    pub pipeline_micro_batch: Option<u64>,
    /// Where that comes from.
    pub source: Name,
}

/// The frameworks that tables know.
#[derive(Clone, Debug, PartialEq)]
pub struct Frameworks(Vec<Framework>);

impl Frameworks {
    /// Reads them from a TOML text, a section for each.
    ///
    /// # Errors
    ///
    /// A section lacks its names.
    pub fn read(text: &str) -> Result<Self> {
        Ok(Frameworks(records::<Framework>(text)?.into_iter().map(|(_, framework)| framework).collect()))
    }

    /// The framework that `printed` names: the one with the longest name that it begins with.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn of(&self, printed: &str) -> std::result::Result<&Framework, Reason> {
        let begins = |framework: &&Framework| {
            framework.names.iter().filter(|name| printed.starts_with(&***name)).map(|name| name.len()).max()
        };
        let known = self.0.iter().filter(|framework| begins(framework).is_some());
        known.max_by_key(begins).ok_or_else(|| match printed {
            "" => "framework not published".to_string(),
            _ => format!("framework not modelled: {printed}"),
        })
    }
}
