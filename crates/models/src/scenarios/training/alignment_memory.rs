//! `AlignmentMemoryScenario`: what aligning a model by PPO keeps, against DPO.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_registry::Workload;
use mlsysim_scenario::{Result, Scenario, equations};

use crate::solvers::{AlignmentMemoryModel, AlignmentMemoryResult};

/// The models that aligning a policy by PPO keeps, with reward and value models of a critic's size,
/// against those of DPO, and their split over devices.
///
/// # Assumptions
/// Those of `AlignmentMemoryModel`, to which the inputs are bound. Each replica of the policy keeps
/// the whole state and generates `rollout_sequences`.
///
/// # Excludes
/// Everything beyond `AlignmentMemoryModel`: activations, sharding over replicas, generating on
/// devices of its own, time.
///
/// # Derivation
/// The inputs are those of `AlignmentMemoryModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct AlignmentMemoryScenario {
    /// The model that is aligned.
    pub policy: Arc<Workload>,
    /// The size of the value and reward models.
    pub critic: Arc<Workload>,
    /// How many devices share each layer.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How many pipeline stages share the layers.
    #[range(>= 1)]
    pub pp_size: u64,
    /// How many replicas there are; no output depends on them.
    #[range(>= 1)]
    #[default(1)]
    pub dp_size: u64,
    /// How many sequences a replica generates at once.
    #[range(>= 0)]
    pub rollout_sequences: u64,
    /// How many tokens each of them has.
    #[range(>= 0)]
    pub rollout_tokens: u64,
    /// The memory of one device.
    #[range(> 0)]
    #[unit(GB)]
    pub device_memory: Option<Bytes>,
}

#[equations]
impl AlignmentMemoryScenario {
    /// What PPO and DPO keep, whole and on each device, by `AlignmentMemoryModel`.
    ///
    /// # Errors
    ///
    /// A model lacks a figure that the solver needs.
    pub fn result(&self) -> Result<AlignmentMemoryResult> {
        AlignmentMemoryModel {
            policy: self.policy.clone(),
            critic: self.critic.clone(),
            tp_size: self.tp_size,
            pp_size: self.pp_size,
            rollout_sequences: self.rollout_sequences,
            rollout_tokens: self.rollout_tokens,
            device_memory: self.device_memory,
        }
        .solve()
    }

    /// Replicas keep the same again.
    #[note(result)]
    fn replicas(&self) -> Option<String> {
        (self.dp_size > 1).then(|| {
            format!(
                "all figures are those of one replica; each of the {} keeps as much and generates its own sequences",
                self.dp_size
            )
        })
    }
}
