//! `ExpertWeightTrafficScenario`: the weights that a mixture of experts holds, and those that it reads.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, BytesPerParam, Params};
use mlsysim_registry::Workload;
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

/// The weights of a mixture of experts: those that must be held, those that a token reads, and those
/// of a dense model to compare with.
///
/// # Assumptions
/// One token passes the active parameters and no others; a dense model reads all of its own.
///
/// # Excludes
/// Batches, whose tokens pass different experts, so that together they read more than one token
/// does; experts that are not held on the same device.
///
/// # Derivation
/// Each number of parameters is multiplied by the size of one (Fedus, Zoph and Shazeer, 2022, Switch
/// Transformers, arXiv:2101.03961, for sparse models).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ExpertWeightTrafficScenario {
    /// The mixture of experts.
    pub workload: Arc<Workload>,
    /// How many parameters the dense model has.
    #[range(> 0)]
    #[unit(Gparam)]
    pub dense_parameters: Params,
    /// How large a stored parameter is.
    #[range(> 0)]
    #[unit(B/param)]
    pub bytes_per_param: BytesPerParam,
}

#[equations]
impl ExpertWeightTrafficScenario {
    /// What all experts occupy.
    #[unit(GB)]
    pub fn resident_bytes(&self) -> Result<Bytes> {
        Ok(self.workload.parameters.needed("parameters")? * self.bytes_per_param)
    }

    /// What a token reads.
    #[unit(GB)]
    pub fn active_bytes(&self) -> Result<Bytes> {
        Ok(self.workload.active_parameters.needed("active_parameters")? * self.bytes_per_param)
    }

    /// What a token reads in the dense model.
    #[unit(GB)]
    pub fn dense_bytes(&self) -> Bytes {
        self.dense_parameters * self.bytes_per_param
    }

    /// How many times more is held than a token reads.
    pub fn resident_to_active(&self) -> Result<f64> {
        Ok(self.resident_bytes()? / self.active_bytes()?)
    }

    /// How many times more a token reads in the dense model.
    pub fn dense_to_active(&self) -> Result<f64> {
        Ok(self.dense_bytes() / self.active_bytes()?)
    }
}
