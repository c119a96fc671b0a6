//! `PrecisionDividendModel`: the batch that smaller weights and a smaller cache make possible.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, BytesPerParam, units::GIGABYTE};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Defined, Error, OptionExt, Result, Solver, equations};

use crate::physics::kv_cache::{kv_token_bytes, resident_fit};

/// The largest batch before and after weights and KV cache are stored in fewer bytes.
///
/// The weights divide evenly over the group. So do the KV heads, but where there are fewer of them
/// than devices each is held by several, and a compressed latent is held by all. Smaller weights leave
/// more memory once; a smaller cache takes less for every request.
///
/// Source: Pope et al. (2023), Efficiently Scaling Transformer Inference, arXiv:2211.05102.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = PrecisionDividendResult)]
pub struct PrecisionDividendModel {
    /// The model that is served.
    pub model: Arc<Workload>,
    /// How many devices share the model.
    #[range(>= 1)]
    pub tp_size: u64,
    /// How much memory one device has.
    #[range(> 0)]
    #[unit(GB)]
    pub hbm_per_accelerator: Bytes,
    /// How many tokens each request holds.
    #[range(>= 1)]
    pub context_tokens: u64,
    /// How many key and value heads a layer caches; a model that caches a latent has none.
    #[range(>= 1)]
    pub kv_heads: u64,
    /// How large a stored parameter is before.
    #[range(> 0)]
    #[unit(B/param)]
    pub weight_bytes: BytesPerParam,
    /// How large a stored parameter is after.
    #[range(> 0)]
    #[unit(B/param)]
    pub weight_bytes_low: BytesPerParam,
    /// How large a cached element is before.
    #[range(> 0)]
    #[unit(B)]
    pub kv_bytes: Bytes,
    /// How large a cached element is after.
    #[range(> 0)]
    #[unit(B)]
    pub kv_bytes_low: Bytes,
}

#[equations(result = PrecisionDividendResult)]
impl PrecisionDividendModel {
    /// A device's share of the weights before.
    #[unit(B)]
    pub fn weights_per_device(&self) -> Result<Bytes> {
        Ok(self.model.parameters.needed("parameters")? * self.weight_bytes / self.tp_size)
    }

    /// A device's share of the weights after.
    #[unit(B)]
    pub fn weights_per_device_low(&self) -> Result<Bytes> {
        Ok(self.model.parameters.needed("parameters")? * self.weight_bytes_low / self.tp_size)
    }

    /// What the weights leave of a device for the cache before; negative where they do not fit.
    #[unit(GB)]
    pub fn kv_budget_per_device(&self) -> Result<Bytes> {
        Ok(self.hbm_per_accelerator - self.weights_per_device()?)
    }

    /// What the weights leave of a device for the cache after.
    #[unit(GB)]
    pub fn kv_budget_per_device_low(&self) -> Result<Bytes> {
        Ok(self.hbm_per_accelerator - self.weights_per_device_low()?)
    }

    /// The cache of a request before, each of its elements counted once.
    #[unit(B)]
    pub fn kv_per_request(&self) -> Result<Bytes> {
        Ok(self.context_tokens * kv_token_bytes(self.layers()?, self.kv_values()?, self.kv_bytes))
    }

    /// The cache of a request after, each of its elements counted once.
    #[unit(B)]
    pub fn kv_per_request_low(&self) -> Result<Bytes> {
        Ok(self.context_tokens * kv_token_bytes(self.layers()?, self.kv_values()?, self.kv_bytes_low))
    }

    /// What a device holds of the cache of a request before.
    #[unit(B)]
    pub fn kv_per_request_per_device(&self) -> Result<Bytes> {
        Ok(self.kv_per_request()? * self.held_share())
    }

    /// What a device holds of the cache of a request after.
    #[unit(B)]
    pub fn kv_per_request_per_device_low(&self) -> Result<Bytes> {
        Ok(self.kv_per_request_low()? * self.held_share())
    }

    /// The requests that fit before.
    #[kind(bound)]
    pub fn max_batch(&self) -> Result<u64> {
        resident_fit(self.kv_budget_per_device()?, self.kv_per_request_per_device()?)
    }

    /// The requests that fit after.
    #[kind(bound)]
    pub fn max_batch_low(&self) -> Result<u64> {
        resident_fit(self.kv_budget_per_device_low()?, self.kv_per_request_per_device_low()?)
    }

    /// How many times more requests fit after than before; nothing where none fits before.
    pub fn dividend(&self) -> Result<Option<f64>> {
        Ok((self.max_batch_low()? as f64 / self.max_batch()? as f64).defined())
    }

    /// How many times more memory there is for the cache; nothing where there is none before.
    pub fn budget_gain(&self) -> Result<Option<f64>> {
        Ok((self.kv_budget_per_device_low()? / self.kv_budget_per_device()?.max(Bytes::ZERO)).defined())
    }

    /// How many layers the model has.
    fn layers(&self) -> Result<u64> {
        self.model.layers.needed("layers")
    }

    /// How many elements a token leaves in the cache of one layer.
    fn kv_values(&self) -> Result<f64> {
        if self.has_latent() { self.model.kv_values() } else { self.head_values() }
    }

    /// A key and a value for each of `kv_heads`.
    fn head_values(&self) -> Result<f64> {
        Ok(2.0 * self.kv_heads as f64 * self.model.head_width()? as f64)
    }

    /// Whether the model caches a latent in place of heads.
    fn has_latent(&self) -> bool {
        self.model.kv_lora_rank.is_some()
    }

    /// The share of a request's cache that one device holds: whole heads, or the whole latent.
    fn held_share(&self) -> f64 {
        if self.has_latent() { 1.0 } else { self.heads_per_device() / self.kv_heads as f64 }
    }

    /// How many KV heads a device holds.
    fn heads_per_device(&self) -> f64 {
        (self.kv_heads as f64 / self.tp_size as f64).ceil()
    }

    /// The model is one with a KV cache, and its heads divide over the group.
    #[check]
    fn model_is_divisible(&self) -> Result<()> {
        self.model.states(&["parameters", "heads"])?;
        self.model.states_kv_cache()?;
        let heads = self.model.heads.needed("heads")?;
        let (kv, degree) = (self.kv_heads, self.tp_size);
        let whole = self.has_latent() || kv.is_multiple_of(degree) || degree.is_multiple_of(kv);
        if heads.is_multiple_of(degree) && whole {
            return Ok(());
        }
        let kv = if self.has_latent() { String::new() } else { format!(" and {kv} KV heads") };
        let name = &self.model.name;
        Err(Error::input(
            "tp_size",
            format!("the {heads} attention heads{kv} of {name} do not divide by `{degree}`"),
        ))
    }

    /// Weights that do not fit leave no room for a request.
    #[note(kv_budget_per_device, max_batch, dividend, budget_gain)]
    fn overfull(&self) -> Option<String> {
        let missing = -self.kv_budget_per_device().ok()?;
        (missing >= Bytes::ZERO).then(|| {
            format!(
                "a device lacks {:.1} GB for its share of the weights before: no request fits, and no gain can be stated",
                missing / GIGABYTE
            )
        })
    }

    /// Fewer KV heads than devices are held more than once.
    #[note(kv_budget_per_device_low, max_batch_low, dividend, budget_gain)]
    fn overfull_low(&self) -> Option<String> {
        let missing = -self.kv_budget_per_device_low().ok()?;
        (missing >= Bytes::ZERO).then(|| {
            format!(
                "a device lacks {:.1} GB for its share of the weights after: no request fits",
                missing / GIGABYTE
            )
        })
    }

    /// Fewer KV heads than devices are held more than once.
    #[note(kv_per_request_per_device, kv_per_request_per_device_low, max_batch, max_batch_low)]
    fn replicated(&self) -> Option<String> {
        (!self.has_latent() && self.kv_heads < self.tp_size).then(|| {
            let copies = self.tp_size / self.kv_heads;
            format!("each of the {} KV heads is held by {copies} devices", self.kv_heads)
        })
    }

    /// A compressed latent is cached once for all heads, on every device.
    #[note(kv_per_request, kv_per_request_low, max_batch, max_batch_low)]
    fn latent(&self) -> Option<String> {
        self.has_latent().then(|| {
            format!(
                "{} caches one latent for all heads, which every device holds; `kv_heads` has no part in it",
                self.model.name
            )
        })
    }
}
