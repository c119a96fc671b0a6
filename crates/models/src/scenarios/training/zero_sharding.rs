//! `ZeroShardingScenario`: the state of training on each device at each stage of ZeRO.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Name, Result, Scenario, equations};

use super::ActivationMemoryScenario;
use super::activation_memory::unknown_strategy;
use crate::solvers::{ZeroShardingModel, ZeroShardingResult};

/// The state of training a model on each of many devices at each stage of ZeRO, and what full
/// sharding sends.
///
/// # Assumptions
/// Those of `ZeroShardingModel`, to which the inputs are bound. Each device passes one microbatch of
/// `activations`.
///
/// # Excludes
/// Everything beyond `ZeroShardingModel`: latency and overlap of the traffic, buffers for gathered
/// layers, other ways of splitting the model.
///
/// # Derivation
/// The activations are those of `ActivationMemoryScenario` under `activation_strategy`; the other
/// inputs are those of `ZeroShardingModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct ZeroShardingScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// Over how many devices the state is sharded.
    #[range(>= 1)]
    pub n_devices: u64,
    /// What each device passes at once.
    pub activations: Option<Arc<ActivationMemoryScenario>>,
    /// How activations are recomputed: `none`, `selective` or `full`.
    #[default("full")]
    pub activation_strategy: Name,
    /// How fast each device sends.
    #[range(> 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Option<Bandwidth>,
}

#[equations]
impl ZeroShardingScenario {
    /// The state at each stage and the traffic of full sharding, by `ZeroShardingModel`.
    ///
    /// # Errors
    ///
    /// The model lacks a figure that the solver needs, or that of the activations does.
    pub fn result(&self) -> Result<ZeroShardingResult> {
        ZeroShardingModel {
            model: self.workload.clone(),
            n_devices: self.n_devices,
            activations: self.kept()?,
            link_bandwidth: self.link_bandwidth,
        }
        .solve()
    }

    /// What each device keeps for the backward pass.
    #[unit(GB)]
    fn kept(&self) -> Result<Option<Bytes>> {
        self.activations.as_ref().map(|case| case.activations(&self.activation_strategy)).transpose()
    }

    /// The strategy is one that there is.
    #[check]
    fn strategy_exists(&self) -> Result<()> {
        match &*self.activation_strategy {
            "none" | "selective" | "full" => Ok(()),
            other => Err(unknown_strategy("activation_strategy", other)),
        }
    }

    /// The activations are those of another model.
    #[note(result)]
    fn other_model(&self) -> Option<String> {
        let activations =
            self.activations.as_ref().filter(|case| case.workload.name != self.workload.name)?;
        Some(format!(
            "the activations are those of {}, the state is that of {}",
            activations.workload.name, self.workload.name
        ))
    }
}
