//! Models: their sizes and what was published of their training.

use mlsysim_quantity::{Bandwidth, Bytes, Energy, Flops, Mass, Params, Time, Tokens};
use mlsysim_scenario::{Define, Error, Item, Name, OptionExt, Record, Result, equations, listed};

/// A model, as far as its publication states it.
///
/// Which fields are set depends on the family: an attention model has heads, a convolutional one
/// has none.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations, aliases("TransformerWorkload", "SparseTransformerWorkload", "CNNWorkload"))]
pub struct Workload {
    /// What the model is called.
    #[default("")]
    pub name: Name,
    /// The family that it belongs to.
    #[default("Transformer")]
    pub architecture: Name,
    /// The year in which it came out.
    pub release_year: Option<u64>,
    /// How many parameters it has, as published and rounded.
    #[range(> 0)]
    #[unit(param)]
    pub parameters: Option<Params>,
    /// How many parameters its configuration makes, to the last one.
    #[range(> 0)]
    #[unit(param)]
    pub exact_parameters: Option<Params>,
    /// The name of its configuration, from which everything about it is counted.
    pub configuration: Option<Name>,
    /// The lower end of a family of sizes.
    #[unit(param)]
    pub parameter_range_min: Option<Params>,
    /// The upper end of a family of sizes.
    #[unit(param)]
    pub parameter_range_max: Option<Params>,
    /// How many of its parameters each token passes, where that is not all of them.
    #[range(> 0)]
    #[unit(param)]
    pub active_parameters: Option<Params>,
    /// How many layers it has.
    #[range(>= 1)]
    pub layers: Option<u64>,
    /// How wide the activations between layers are.
    #[range(>= 1)]
    pub hidden_dim: Option<u64>,
    /// How wide the hidden activations of one feed-forward block or expert are.
    #[range(>= 1)]
    pub ffn_dim: Option<u64>,
    /// How many attention heads a layer has.
    #[range(>= 1)]
    pub heads: Option<u64>,
    /// How many key and value heads a layer has, where that is not the number of heads.
    #[range(>= 1)]
    pub kv_heads: Option<u64>,
    /// How wide a head is, where that is not the hidden width over the heads.
    #[range(>= 1)]
    pub head_dim: Option<u64>,
    /// How wide the latent of multi-head latent attention is.
    #[range(>= 1)]
    pub kv_lora_rank: Option<u64>,
    /// How wide the rotary part of a key of multi-head latent attention is.
    #[range(>= 1)]
    pub qk_rope_head_dim: Option<u64>,
    /// How many routed experts a layer has.
    #[range(>= 1)]
    pub experts: Option<u64>,
    /// How many routed experts a token passes.
    #[range(>= 1)]
    pub active_experts_per_token: Option<u64>,
    /// How many entries the vocabulary has.
    #[range(>= 1)]
    pub vocab_size: Option<u64>,
    /// How many tokens the context holds.
    #[range(>= 1)]
    pub context_length: Option<u64>,
    /// By how much a family of convolutional models scales its channels.
    #[range(> 0)]
    pub width_multiplier: Option<f64>,
    /// How large the model is when stored.
    #[unit(MB)]
    pub model_size: Option<Bytes>,
    /// How many entries the embedding tables have.
    pub embedding_entries: Option<u64>,
    /// How fast its data arrive.
    #[unit(TB/h)]
    pub data_rate: Option<Bandwidth>,
    /// The arithmetic of one inference.
    #[unit(flop)]
    pub inference_flops: Option<Flops>,
    /// The energy of one inference.
    #[unit(J)]
    pub inference_energy: Option<Energy>,
    /// The arithmetic of the whole training.
    #[unit(flop)]
    pub training_ops: Option<Flops>,
    /// How many tokens it was trained on.
    #[unit(token)]
    pub training_tokens: Option<Tokens>,
    /// How large its training data were.
    #[unit(GB)]
    pub training_dataset_size: Option<Bytes>,
    /// How many accelerators trained it.
    pub training_accelerators_ref: Option<u64>,
    /// How long the training took.
    #[unit(d)]
    pub training_days_ref: Option<Time>,
    /// The product of accelerators and days.
    pub training_gpu_days: Option<f64>,
    /// The energy of the training.
    #[unit(MWh)]
    pub training_energy_mwh: Option<Energy>,
    /// The carbon dioxide of the training.
    #[unit(t)]
    pub training_co2e: Option<Mass>,
    /// What it was trained on.
    pub training_hardware_label: Option<Name>,
}

#[equations]
impl Workload {
    /// A token passes no more parameters than there are.
    #[check]
    fn active_are_some(&self) -> Result<()> {
        match (self.active_parameters, self.parameters) {
            (Some(active), Some(all)) if active > all => Err(Error::input(
                "active_parameters",
                format!("`{active}` are more than the `{all}` that there are"),
            )),
            _ => Ok(()),
        }
    }

    /// The parameters that price a token's arithmetic: the active ones of a mixture of experts,
    /// else all.
    #[unit(param)]
    pub fn priced_parameters(&self) -> Result<Params> {
        self.active_parameters.or(self.parameters).needed("parameters")
    }

    /// How wide a head is: as stated, or the hidden width over the heads.
    pub fn head_width(&self) -> Result<u64> {
        self.head_dim.or(self.divided_width()).needed("head_dim")
    }

    /// The hidden width over the heads.
    fn divided_width(&self) -> Option<u64> {
        Some(self.hidden_dim? / self.heads?)
    }

    /// How many numbers a token leaves in the KV cache of one layer: a key and a value for each
    /// KV head, or one latent with its rotary key for multi-head latent attention.
    #[source("DeepSeek-AI (2024), DeepSeek-V2, section 2.1, arXiv:2405.04434")]
    pub fn kv_values(&self) -> Result<f64> {
        if self.has_latent() { self.latent_values() } else { self.head_values() }
    }

    /// Whether attention caches one compressed latent in place of heads.
    fn has_latent(&self) -> bool {
        self.kv_lora_rank.is_some()
    }

    /// How attention caches a token: `MLA` a compressed latent, `GQA` fewer key and value heads than
    /// attention heads, `MHA` as many.
    pub fn attention_design(&self) -> &'static str {
        if self.has_latent() {
            "MLA"
        } else if self.has_fewer_kv_heads() {
            "GQA"
        } else {
            "MHA"
        }
    }

    /// Whether several attention heads share a key and a value.
    fn has_fewer_kv_heads(&self) -> bool {
        self.kv_heads < self.heads && self.kv_heads.is_some()
    }

    /// How wide the attention of a layer is: the width of all its heads together, that of a query
    /// and of a value on average.
    pub fn attention_width(&self) -> Result<f64> {
        Ok(self.heads.needed("heads")? as f64
            * (self.head_width()? as f64 + self.rotary_width() as f64 / 2.0))
    }

    /// By how much the queries and keys of multi-head latent attention are wider than its values.
    fn rotary_width(&self) -> u64 {
        self.qk_rope_head_dim.unwrap_or(0)
    }

    /// The latent of a token and its rotary key, held once for all heads.
    fn latent_values(&self) -> Result<f64> {
        Ok(self.kv_lora_rank.needed("kv_lora_rank")? as f64
            + self.qk_rope_head_dim.needed("qk_rope_head_dim")? as f64)
    }

    /// A key and a value for each KV head.
    fn head_values(&self) -> Result<f64> {
        Ok(2.0 * self.cached_heads().needed("heads")? as f64 * self.head_width()? as f64)
    }

    /// The key and value heads of a layer: as many as heads where none are stated apart.
    ///
    /// Nothing for latent attention, whose cache has no heads to divide.
    pub fn cached_heads(&self) -> Option<u64> {
        if self.has_latent() { None } else { self.kv_heads.or(self.heads) }
    }
}

impl Workload {
    /// Whether the model states every one of `fields`.
    ///
    /// # Errors
    ///
    /// The model states nothing for one of them, which the message names.
    pub fn states(&self, fields: &[&str]) -> Result<()> {
        let missing = fields.iter().find(|name| {
            let stated = Self::describe().field(name).map(|(index, _)| self.field(index));
            stated.is_none_or(|value| value.is_null())
        });
        match missing {
            Some(missing) => {
                Err(Error::input("model", format!("{} states no `{missing}`, which this needs", self.name)))
            }
            None => Ok(()),
        }
    }

    /// The name, for messages, also where it is empty.
    fn called(&self) -> &str {
        if self.name.is_empty() { "the model" } else { &self.name }
    }

    /// Whether the model states what its KV cache depends on.
    ///
    /// # Errors
    ///
    /// It states neither heads and their width nor a latent, or not how many layers it has.
    pub fn states_kv_cache(&self) -> Result<()> {
        self.states(&["layers"])?;
        self.kv_values().map(drop).map_err(|_| {
            let needed = if self.has_latent() {
                "`qk_rope_head_dim` beside its latent"
            } else {
                "heads with their width (`heads` and `hidden_dim`, or `head_dim`) and no latent"
            };
            let name = self.called();
            Error::input("model", format!("{name} states no {needed}, which its KV cache depends on"))
        })
    }

    /// The tensor-parallel degrees that divide the heads, KV heads being replicated where there
    /// are fewer of them than ranks.
    ///
    /// Empty for a model without heads.
    ///
    /// ```
    /// use mlsysim_scenario::Define;
    /// use mlsysim_registry::Workload;
    ///
    /// let model = Workload::from_inputs([("name", "GQA"), ("heads", "28"), ("kv_heads", "4")])?;
    /// assert_eq!(model.tensor_parallel_degrees(), [1, 2, 4, 28]);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn tensor_parallel_degrees(&self) -> Vec<u64> {
        let heads = self.heads.unwrap_or(0);
        (1..=heads).filter(|degree| self.splits_evenly(heads, *degree)).collect()
    }

    /// Whether `degree` ranks can share the attention of a layer.
    ///
    /// # Errors
    ///
    /// The degree does not divide the heads; the message lists the degrees that do.
    pub fn divides_into(&self, degree: u64) -> Result<()> {
        let Some(heads) = self.heads else {
            return Err(Error::input(
                "model",
                format!("{} states no `heads`, so that its layers cannot be split", self.name),
            ));
        };
        if self.splits_evenly(heads, degree) {
            return Ok(());
        }
        let degrees: Vec<String> = self.tensor_parallel_degrees().iter().map(u64::to_string).collect();
        let kv = match self.cached_heads() {
            Some(kv) if kv != heads => format!(" and {kv} KV heads"),
            _ => String::new(),
        };
        let degrees = listed(degrees.iter().map(String::as_str));
        let name = &self.name;
        Err(Error::input(
            "tp_size",
            format!(
                "the {heads} attention heads{kv} of {name} do not divide by `{degree}`; it can be {degrees}"
            ),
        ))
    }

    /// Each rank holds whole heads, and whole KV heads unless each of those is held by a whole
    /// number of ranks.
    fn splits_evenly(&self, heads: u64, degree: u64) -> bool {
        let cache =
            self.cached_heads().is_none_or(|kv| kv.is_multiple_of(degree) || degree.is_multiple_of(kv));
        degree > 0 && heads.is_multiple_of(degree) && cache
    }
}
