//! `AlignmentMemoryModel`: the models that PPO and DPO keep, and their split over devices.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, Params};
use mlsysim_registry::Workload;
use mlsysim_scenario::{CountProduct, Counting, Error, OptionExt, Result, Solver, equations};

use crate::physics::compute::BYTES_16_BIT;
use crate::physics::kv_cache::kv_token_bytes;
use crate::physics::training_state::{ADAM_TRAINING_STATE, STORED_16_BIT};

/// What memory alignment takes: by PPO with its four models, by DPO with its two, and on each device
/// of a group that shares them.
///
/// Two of PPO's models learn, the policy and the one that values states, and carry the state of
/// mixed-precision Adam; two are frozen in 16 bits, a copy of the policy and a reward model of the
/// value model's size.
/// DPO keeps the policy and the reference alone. While PPO generates, the policy holds a 16-bit KV
/// cache as well. Pipeline stages divide the layers and the group's devices the heads; KV heads of
/// which there are fewer than devices, and a latent, are replicated.
///
/// Source: Ouyang et al. (2022), section 3.5, arXiv:2203.02155, for PPO; Rafailov et al. (2023),
/// section 4, arXiv:2305.18290, for DPO; Rajbhandari et al. (2020), section 3.1, arXiv:1910.02054,
/// for the state.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = AlignmentMemoryResult)]
pub struct AlignmentMemoryModel {
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
    /// How many sequences the policy generates at once.
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

#[equations(result = AlignmentMemoryResult)]
impl AlignmentMemoryModel {
    /// The trained policy's state.
    #[unit(B)]
    pub fn policy_state(&self) -> Result<Bytes> {
        Ok(self.policy_parameters()? * ADAM_TRAINING_STATE)
    }

    /// The frozen reference's weights.
    #[unit(B)]
    pub fn reference_weights(&self) -> Result<Bytes> {
        Ok(self.policy_parameters()? * STORED_16_BIT)
    }

    /// The frozen reward model's weights.
    #[unit(B)]
    pub fn reward_weights(&self) -> Result<Bytes> {
        Ok(self.critic_parameters()? * STORED_16_BIT)
    }

    /// The trained value model's state.
    #[unit(B)]
    pub fn value_state(&self) -> Result<Bytes> {
        Ok(self.critic_parameters()? * ADAM_TRAINING_STATE)
    }

    /// All that PPO keeps, without its KV cache.
    #[unit(B)]
    pub fn ppo_total(&self) -> Result<Bytes> {
        Ok(self.policy_state()? + self.reference_weights()? + self.reward_weights()? + self.value_state()?)
    }

    /// All that DPO keeps.
    #[unit(B)]
    pub fn dpo_total(&self) -> Result<Bytes> {
        Ok(self.policy_state()? + self.reference_weights()?)
    }

    /// The share of PPO's state that DPO saves.
    pub fn dpo_reduction(&self) -> Result<f64> {
        Ok((self.ppo_total()? - self.dpo_total()?) / self.ppo_total()?)
    }

    /// How many devices share one copy of a model.
    pub fn model_parallel_devices(&self) -> Result<u64> {
        self.tp_size.times(self.pp_size)
    }

    /// A device's part of the policy's state.
    #[unit(B)]
    pub fn policy_per_device(&self) -> Result<Bytes> {
        Ok(self.policy_state()? / self.model_parallel_devices()?)
    }

    /// A device's part of the reference's weights.
    #[unit(B)]
    pub fn reference_per_device(&self) -> Result<Bytes> {
        Ok(self.reference_weights()? / self.model_parallel_devices()?)
    }

    /// The KV cache of all sequences that the policy generates.
    #[unit(B)]
    pub fn kv_cache(&self) -> Result<Bytes> {
        Ok(self.rollout_sequences as f64 * self.rollout_tokens as f64 * self.token_cache()?)
    }

    /// A device's part of the KV cache.
    #[unit(B)]
    pub fn kv_per_device(&self) -> Result<Bytes> {
        Ok(self.kv_cache()? / self.kv_shares() / self.pp_size)
    }

    /// How many devices hold PPO's state, without its KV cache and activations; nothing where their
    /// memory is not given.
    #[kind(bound)]
    pub fn min_devices_for_ppo(&self) -> Result<Option<u64>> {
        let ppo_total = self.ppo_total()?;
        self.device_memory.map(|memory| (ppo_total / memory).rounded_up()).transpose()
    }

    /// The parameters of the policy.
    #[unit(param)]
    fn policy_parameters(&self) -> Result<Params> {
        self.policy.parameters.needed("policy.parameters")
    }

    /// The parameters of the critic.
    #[unit(param)]
    fn critic_parameters(&self) -> Result<Params> {
        self.critic.parameters.needed("critic.parameters")
    }

    /// What one token leaves in the policy's KV cache.
    #[unit(B)]
    fn token_cache(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(
            self.policy.layers.needed("policy.layers")?,
            self.policy.kv_values()?,
            BYTES_16_BIT,
        ))
    }

    /// Into how many parts the devices that share a layer divide its KV cache: one for each KV head
    /// at most.
    fn kv_shares(&self) -> u64 {
        self.tp_size.min(self.policy.cached_heads().unwrap_or(1))
    }

    /// The models state what is needed, and the policy can be split.
    #[check]
    fn models_are_divisible(&self) -> Result<()> {
        self.policy.states(&["parameters"]).map_err(|error| error.about("policy"))?;
        self.policy.states_kv_cache().map_err(|error| error.about("policy"))?;
        self.critic.states(&["parameters"]).map_err(|error| error.about("critic"))?;
        if self.tp_size > 1 {
            self.policy.divides_into(self.tp_size)?;
        }
        match self.policy.layers.filter(|layers| *layers < self.pp_size) {
            Some(layers) => Err(Error::input(
                "pp_size",
                format!(
                    "a stage has a layer: {} has {layers}, but `{}` was given",
                    self.policy.name, self.pp_size
                ),
            )),
            None => Ok(()),
        }
    }

    /// Fewer KV heads than devices are held more than once.
    #[note(kv_per_device)]
    fn replicated(&self) -> Option<String> {
        (self.kv_shares() < self.tp_size).then(|| {
            format!(
                "{} caches keys and values for {} heads, which {} devices share: each is held by {} of them",
                self.policy.name,
                self.kv_shares(),
                self.tp_size,
                self.tp_size / self.kv_shares().max(1)
            )
        })
    }
}
