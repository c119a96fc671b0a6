//! What `mlsysim account --on` may be told of memory.

use clap::Args;
use mlsysim::transformer::MemoryPolicy;
use mlsysim::{Define, Error, Map, Result, Value};

/// How a framework uses the memory of a device; each option needs `--on`.
#[derive(Args)]
#[command(next_help_heading = "Memory")]
pub struct MemoryOptions {
    /// The optimizer: `adam`, `adam_16bit`, `adam_8bit`, `adafactor`, `sgd`, `sgd_momentum` or `muon`.
    #[arg(long, value_name = "NAME")]
    pub optimizer: Option<String>,
    /// The order of a pipeline's passes: `1f1b`, `gpipe`, `zb-h1` or `zb-h2`.
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<String>,
    /// How many layers of each stage are computed again with `--recompute full`; all if left out.
    #[arg(long, value_name = "LAYERS")]
    pub recompute_layers: Option<String>,
    /// Attention that is not fused, so that its scores are kept.
    #[arg(long)]
    pub unfused_attention: bool,
    /// A gate that is not fused with what it multiplies, so that its result is kept too.
    #[arg(long)]
    pub unfused_gate: bool,
    /// Dropout, of which masks are kept.
    #[arg(long)]
    pub dropout: bool,
    /// A loss beside the scores that it reads in 32 bits, not in their place.
    #[arg(long)]
    pub loss_beside: bool,
    /// What a stage hands on is kept until its backward pass.
    #[arg(long)]
    pub stage_outputs: bool,
    /// Which gradients are held a second time in 32 bits: `none`, `updated` or `all`.
    #[arg(long, value_name = "WHICH")]
    pub gradient_copies: Option<String>,
    /// Weights are held in the optimizer's 32 bits alone, and cast as they are gathered.
    #[arg(long)]
    pub cast_weights: bool,
    /// How many tokens a block of the KV cache has; 16 if left out.
    #[arg(long, value_name = "TOKENS")]
    pub kv_block: Option<String>,
    /// What the framework takes on each device; `1 GiB` if left out.
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub framework_memory: Option<String>,
    /// What the allocator cannot use, as a share of what is held; 0 if left out.
    #[arg(long, value_name = "SHARE")]
    pub fragmentation: Option<String>,
}

/// The inputs of a policy that are called otherwise here.
const RENAMED: [(&str, &str); 5] = [
    ("recompute_layers", "recompute-layers"),
    ("gradient_copies", "gradient-copies"),
    ("cache_block", "kv-block"),
    ("framework", "framework-memory"),
    ("fragmentation", "fragmentation"),
];

impl MemoryOptions {
    /// Those that are given, by their names.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("optimizer", self.optimizer.is_some()),
            ("schedule", self.schedule.is_some()),
            ("recompute-layers", self.recompute_layers.is_some()),
            ("unfused-attention", self.unfused_attention),
            ("unfused-gate", self.unfused_gate),
            ("dropout", self.dropout),
            ("loss-beside", self.loss_beside),
            ("stage-outputs", self.stage_outputs),
            ("gradient-copies", self.gradient_copies.is_some()),
            ("cast-weights", self.cast_weights),
            ("kv-block", self.kv_block.is_some()),
            ("framework-memory", self.framework_memory.is_some()),
            ("fragmentation", self.fragmentation.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// The policy, in which what is left open has its default.
    pub fn policy(&self) -> Result<MemoryPolicy> {
        let mut inputs: Map<Value> = Map::new();
        let values = [
            ("recompute_layers", &self.recompute_layers),
            ("cache_block", &self.kv_block),
            ("framework", &self.framework_memory),
            ("fragmentation", &self.fragmentation),
        ];
        for (name, text) in values {
            text.iter().for_each(|text| drop(inputs.insert(name.into(), Value::from_argument(text))));
        }
        let names = [
            ("optimizer", &self.optimizer),
            ("schedule", &self.schedule),
            ("gradient_copies", &self.gradient_copies),
        ];
        for (name, text) in names {
            text.iter().for_each(|text| drop(inputs.insert(name.into(), Value::text(text))));
        }
        let flags = [
            ("fused_attention", self.unfused_attention, false),
            ("fused_gate", self.unfused_gate, false),
            ("loss_in_place", self.loss_beside, false),
            ("dropout", self.dropout, true),
            ("stage_outputs", self.stage_outputs, true),
            ("cast_weights", self.cast_weights, true),
        ];
        for (name, _, value) in flags.into_iter().filter(|(_, given, _)| *given) {
            inputs.insert(name.into(), Value::Bool(value));
        }
        MemoryPolicy::from_inputs(inputs).map_err(as_written)
    }
}

/// `error` about the option that the user wrote, where it is about an input of the policy.
pub fn as_written(error: Error) -> Error {
    let renamed = RENAMED.iter().find(|(name, _)| error.field() == Some(name));
    match renamed {
        Some((_, written)) => error.about(written),
        None => error,
    }
}
