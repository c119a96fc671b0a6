//! `Frameworks`: what the framework of a row does of its own choice.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Name, Record, Result};

use super::records;
use super::table::Reason;
use crate::predict::{AttentionKernel, CollectiveLibrary, Engine, Practice, ServingClass};

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
    /// Whether products of a layer run beside the exchanges over tp that they wait for.
    #[default(false)]
    pub overlaps: bool,
    /// The precision in which gradients are exchanged.
    #[default("fp32")]
    pub gradients: Name,
    /// The sequences of a micro-batch in a pipeline, where what it calls one is what a replica takes of
    /// a step.
    #[range(>= 1, <= 1048576)]
    pub pipeline_micro_batch: Option<u64>,
    /// What runs its kernels when it serves.
    #[default("graphs")]
    pub serving: ServingClass,
    /// What runs the AllReduces of a layer when it serves.
    #[default("own")]
    pub all_reduce: CollectiveLibrary,
    /// The most sequences that it serves at once.
    #[default(2048)]
    #[range(>= 1, <= 1048576)]
    pub max_batch: u64,
    /// The most tokens of an iteration that serves.
    #[default(8192)]
    #[range(>= 1, <= 1048576)]
    pub max_tokens: u64,
    /// The share that the KV cache gets of the memory beside weights, activations and workspace.
    #[default(0.9)]
    #[range(> 0, <= 1)]
    pub memory_fraction: f64,
    /// What a device's memory holds beside weights, activations and the KV cache.
    #[default("1 GiB")]
    #[range(>= 0)]
    #[unit(GiB)]
    pub workspace: Bytes,
    /// Whether the KV cache has the precision of weights in 8 bits, where nobody sets it; else 16 bits.
    #[default(false)]
    pub cache_as_weights: bool,
    /// The rows of a product beyond which weights in integers are written out in 16 bits before it.
    #[range(>= 0, <= 1048576)]
    pub unpacks_beyond: Option<u64>,
    /// Whether what lies before a product scales its activations to the precision of the product.
    #[default(false)]
    pub prescales: bool,
    /// Whether prompts are attended to in 8 bits where the KV cache has them.
    #[default(false)]
    pub attends_in_cache_precision: bool,
    /// Whether the most sequences and tokens are set to what the memory holds, whatever they are here.
    #[default(false)]
    pub tunes: bool,
    /// Whether a step of its own reads the last token of a prompt, and so gives the first one.
    #[default(false)]
    pub ends_prompts_apart: bool,
    /// Whether the times of tokens that its benchmark prints are medians; else they are means.
    #[default(false)]
    pub median_times: bool,
    /// Where that comes from.
    pub source: Name,
}

impl Framework {
    /// Whether it stands for those that tables do not know.
    pub fn is_any(&self) -> bool {
        self.names.iter().any(|name| name.is_empty())
    }

    /// The engine that it is, with products in the precision of `weights` and a KV cache in that of
    /// `cache`, as printed, on a host whose devices share their links or not.
    pub fn engine(&self, weights: &str, cache: &str, shares_links: bool) -> Engine {
        let cache = match cache {
            "" if self.cache_as_weights && weights.starts_with("fp") => weights.replace("fp4", "fp8"),
            "" => "bf16".to_string(),
            printed => printed.to_string(),
        };
        Engine {
            practice: Practice {
                products: Name::from(weights),
                cache: Name::from(cache),
                attention: self.attention,
                library: self.all_reduce,
                shares_links,
                unpacks_beyond: self.unpacks_beyond,
                prescales: self.prescales,
                attends_in_cache_precision: self.attends_in_cache_precision,
                ..Practice::default()
            },
            class: self.serving,
            max_batch: self.max_batch,
            max_tokens: self.max_tokens,
            tunes: self.tunes,
            ends_prompts_apart: self.ends_prompts_apart,
            memory_fraction: self.memory_fraction,
            workspace: self.workspace,
        }
    }
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

    /// The framework that `printed` names: the one with the longest name that it begins with, or the one
    /// that stands for all others.
    ///
    /// # Errors
    ///
    /// Nothing was printed, or there is none.
    pub fn of(&self, printed: &str) -> std::result::Result<&Framework, Reason> {
        if printed.is_empty() {
            return Err("framework not published".to_string());
        }
        let begins = |framework: &&Framework| {
            framework.names.iter().filter(|name| printed.starts_with(&***name)).map(|name| name.len()).max()
        };
        let known = self.0.iter().filter(|framework| begins(framework).is_some());
        known.max_by_key(begins).ok_or_else(|| format!("framework not modelled: {printed}"))
    }
}
