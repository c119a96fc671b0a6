//! `Shape`: what a row says of its model, and the Transformer that it is.

use mlsysim_registry::configuration;
use mlsysim_scenario::{Map as Inputs, Name, Record, Result};
use serde_json::{Map, Value, json};

use super::records;
use super::table::{Cells, Reason};
use crate::transformer::Transformer;

/// What a row says of its model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Its name.
    pub model: String,
    /// What it is made of, such as `gpt-dense`.
    pub arch: String,
    /// Its layers.
    pub layers: Option<u64>,
    /// The width of its activations.
    pub hidden: Option<u64>,
    /// Its attention heads.
    pub heads: Option<u64>,
    /// Its heads of keys and values.
    pub kv_heads: Option<u64>,
    /// The inner width of its networks.
    pub ffn_hidden: Option<u64>,
    /// Its vocabulary.
    pub vocab: Option<u64>,
    /// The tokens of a sequence.
    pub positions: Option<u64>,
    /// Its experts.
    pub experts: Option<u64>,
    /// How many of them a token passes.
    pub per_token: Option<u64>,
}

/// A model that tables know by name.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct KnownModel {
    /// Its names in tables.
    pub names: Vec<Name>,
    /// The public configuration that it has.
    pub configuration: Name,
    /// The keys of it that the measured model has otherwise, such as fewer layers.
    #[default(Inputs::new())]
    #[range(>= 0)]
    pub changed: Inputs<u64>,
}

/// The models that tables know by name.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownModels(Vec<KnownModel>);

impl KnownModels {
    /// Reads them from a TOML text, a section for each.
    ///
    /// # Errors
    ///
    /// A section lacks a name or a configuration.
    pub fn read(text: &str) -> Result<Self> {
        Ok(KnownModels(records::<KnownModel>(text)?.into_iter().map(|(_, known)| known).collect()))
    }

    /// The Transformer of a row: by its name, or else by its sizes.
    ///
    /// # Errors
    ///
    /// Neither is enough, or the model is of a kind that is not modelled.
    pub fn model(&self, shape: &Shape) -> std::result::Result<Transformer, Reason> {
        let named = |known: &&KnownModel| known.names.iter().any(|name| **name == *shape.model);
        let config = match self.0.iter().find(named) {
            Some(known) => known.config()?,
            None => shape.config()?,
        };
        Transformer::from_object(&config).map_err(|error| error.to_string())
    }
}

impl KnownModel {
    fn config(&self) -> std::result::Result<Map<String, Value>, Reason> {
        let name = &*self.configuration;
        let text = configuration(name).ok_or_else(|| format!("there is no configuration `{name}`"))?;
        let parsed =
            serde_json::from_str(text).map_err(|error| format!("configuration `{name}`: {error}"))?;
        let Value::Object(mut config) = parsed else {
            return Err(format!("configuration `{name}` is no object"));
        };
        for (key, value) in self.changed.iter() {
            config.insert(key.to_string(), Value::from(*value));
        }
        Ok(config)
    }
}

impl Shape {
    /// What a row says of its model.
    ///
    /// # Errors
    ///
    /// A size is no whole number.
    pub fn read(cells: &Cells) -> std::result::Result<Self, Reason> {
        Ok(Shape {
            model: cells.string("model"),
            arch: cells.string("arch"),
            layers: cells.count("layers")?,
            hidden: cells.count("hidden")?,
            heads: cells.count("heads")?,
            kv_heads: cells.count("kv_heads")?,
            ffn_hidden: cells.count("ffn_hidden")?,
            vocab: cells.count("vocab")?,
            positions: cells.count("seq_len")?,
            experts: cells.count("n_experts")?,
            per_token: cells.count("topk")?,
        })
    }

    /// The configuration that the sizes make, by what the model is made of.
    fn config(&self) -> std::result::Result<Map<String, Value>, Reason> {
        let unmodelled = ["t5", "bert", "bert encoder", "palm", "moe-mla", "moe-mamba hybrid"];
        if unmodelled.contains(&self.arch.as_str()) {
            return Err(format!("architecture not modelled from sizes: {}", self.arch));
        }
        let needed = [self.layers, self.hidden, self.heads, self.vocab];
        let [Some(layers), Some(hidden), Some(heads), Some(vocab)] = needed else {
            return Err(format!("model sizes not published: {}", self.model));
        };
        let inner = self.ffn_hidden;
        let config = match self.arch.as_str() {
            _ if self.model.to_ascii_lowercase().starts_with("mpt") => json!({
                "model_type": "mpt", "d_model": hidden, "n_heads": heads, "n_layers": layers,
                "expansion_ratio": 4, "vocab_size": vocab, "max_seq_len": self.positions.unwrap_or(2048),
                "no_bias": true, "attn_config": {"alibi": true}, "tie_word_embeddings": true,
            }),
            _ if self.model.to_ascii_lowercase().starts_with("nemotron-") => json!({
                "model_type": "nemotron", "hidden_size": hidden, "num_attention_heads": heads,
                "num_key_value_heads": self.kv_heads.unwrap_or(heads), "num_hidden_layers": layers,
                "intermediate_size": inner, "vocab_size": vocab, "tie_word_embeddings": false,
            }),
            "gpt-dense" => json!({
                "model_type": "gpt2", "n_embd": hidden, "n_head": heads, "n_layer": layers,
                "n_inner": inner, "vocab_size": vocab, "n_positions": self.positions.unwrap_or(2048),
            }),
            _ => {
                let Some(inner) = inner else {
                    return Err(format!("model sizes not published: {}", self.model));
                };
                let mut config = json!({
                    "model_type": "llama", "hidden_size": hidden, "num_attention_heads": heads,
                    "num_key_value_heads": self.kv_heads.unwrap_or(heads), "num_hidden_layers": layers,
                    "intermediate_size": inner, "vocab_size": vocab, "tie_word_embeddings": false,
                });
                if let (Some(experts), Some(per_token), Value::Object(config)) =
                    (self.experts, self.per_token, &mut config)
                {
                    config.insert("model_type".to_string(), Value::from("mixtral"));
                    config.insert("num_local_experts".to_string(), Value::from(experts));
                    config.insert("num_experts_per_tok".to_string(), Value::from(per_token));
                }
                config
            }
        };
        match config {
            Value::Object(config) => Ok(config),
            _ => Err("no configuration".to_string()),
        }
    }
}
