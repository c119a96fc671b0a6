//! `KvAttentionDesignModel`: what a token leaves in the cache, by the design of attention.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_registry::Workload;
use mlsysim_scenario::{Error, ListExt, Map, Name, OptionExt, Result, Solver, equations};

use crate::physics::kv_cache::kv_token_bytes;
use crate::physics::memory::element_size;

/// What a token keeps under multi-head, grouped-query and multi-head latent attention.
///
/// The first caches a key and a value for each attention head, the second for each group of heads,
/// the third one compressed latent for all heads. The number of parameters has no part in it.
///
/// Source: Ainslie et al. (2023), GQA, arXiv:2305.13245; DeepSeek-AI (2024), DeepSeek-V2, section 2.1,
/// arXiv:2405.04434.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = KvAttentionDesignResult)]
pub struct KvAttentionDesignModel {
    /// The models to compare.
    #[range(nonempty)]
    pub models: Vec<Arc<Workload>>,
    /// The model with multi-head attention.
    pub mha: Arc<Workload>,
    /// The model with grouped-query attention.
    pub gqa: Arc<Workload>,
    /// The model with multi-head latent attention.
    pub mla: Arc<Workload>,
    /// The precision in which the cache is stored.
    pub precision: Name,
    /// How many tokens a long session has.
    #[range(>= 0)]
    pub session_tokens: u64,
}

#[equations(result = KvAttentionDesignResult)]
impl KvAttentionDesignModel {
    /// What one token leaves in the cache of all layers, by model.
    #[unit(B)]
    pub fn per_token(&self) -> Result<Map<Bytes>> {
        self.models.under(|model| model.name.clone(), |model| self.token_bytes(model))
    }

    /// The design of each model's attention: `MHA`, `GQA` or `MLA`.
    pub fn design(&self) -> Result<Map<Name>> {
        self.models.under(|model| model.name.clone(), |model| Ok(model.attention_design().into()))
    }

    /// How many times more a token keeps with multi-head attention than with a latent.
    pub fn mha_over_mla(&self) -> Result<f64> {
        Ok(self.mha_token()? / self.mla_token()?)
    }

    /// How many times more a token keeps with grouped-query attention than with a latent.
    pub fn gqa_over_mla(&self) -> Result<f64> {
        Ok(self.gqa_token()? / self.mla_token()?)
    }

    /// What a long session keeps with grouped-query attention.
    #[unit(B)]
    pub fn gqa_session(&self) -> Result<Bytes> {
        Ok(self.gqa_token()? * self.session_tokens)
    }

    /// What a long session keeps with a latent.
    #[unit(B)]
    pub fn mla_session(&self) -> Result<Bytes> {
        Ok(self.mla_token()? * self.session_tokens)
    }

    /// What a token keeps with multi-head attention.
    #[unit(B)]
    fn mha_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(self.mha.layers.needed("layers")?, self.mha.kv_values()?, self.element()?))
    }

    /// What a token keeps with grouped-query attention.
    #[unit(B)]
    fn gqa_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(self.gqa.layers.needed("layers")?, self.gqa.kv_values()?, self.element()?))
    }

    /// What a token keeps with a latent.
    #[unit(B)]
    fn mla_token(&self) -> Result<Bytes> {
        Ok(kv_token_bytes(self.mla.layers.needed("layers")?, self.mla.kv_values()?, self.element()?))
    }

    /// The size of a cached element.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// What one token of a model leaves in the cache of all layers.
    #[unit(B)]
    fn token_bytes(&self, model: &Arc<Workload>) -> Result<Bytes> {
        Ok(kv_token_bytes(model.layers.needed("layers")?, model.kv_values()?, self.element()?))
    }

    /// Every model has a KV cache, and a name of its own.
    #[check]
    fn models_cache(&self) -> Result<()> {
        element_size(&self.precision)?;
        for (index, model) in self.models.iter().enumerate() {
            model.states_kv_cache().map_err(|error| error.about("models"))?;
            if self.models[..index].iter().any(|other| other.name == model.name) {
                return Err(Error::input("models", format!("{} stands there more than once", model.name)));
            }
        }
        for (field, model) in [("mha", &self.mha), ("gqa", &self.gqa), ("mla", &self.mla)] {
            model.states_kv_cache().map_err(|error| error.about(field))?;
        }
        Ok(())
    }

    /// A model may be of another design than the one that it stands for.
    #[note(mha_over_mla, gqa_over_mla, gqa_session, mla_session)]
    fn of_another_design(&self) -> Option<String> {
        let meant = [("MHA", &self.mha), ("GQA", &self.gqa), ("MLA", &self.mla)];
        let (design, model) =
            meant.into_iter().find(|(design, model)| model.attention_design() != *design)?;
        Some(format!("{} stands for {design}, but its attention is {}", model.name, model.attention_design()))
    }
}
