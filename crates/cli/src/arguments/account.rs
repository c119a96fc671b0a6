//! What `mlsysim account` may be told.

use clap::Args;

use super::memory::MemoryOptions;

/// The options of `mlsysim account`.
///
/// Their values are texts here: the definitions of a layout and a step read them, so that every
/// front end refuses the same in the same words.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct AccountOptions {
    /// A model of the registry (`Llama3_70B`), a configuration file, or a folder with one.
    pub model: String,
    /// The degree of each kind of parallelism: `tp=8,pp=4,dp=16,sp`; one device if left out. With
    /// `order=tp-cp-pp-ep-dp` the groups are on devices in this order.
    #[arg(long, value_name = "DEGREES", default_value = "", hide_default_value = true)]
    pub layout: String,
    /// Sequences of a step, in all replicas together; one for each replica if left out.
    #[arg(long, value_name = "SEQUENCES", conflicts_with = "decode")]
    pub batch: Option<String>,
    /// Tokens of a sequence; 4096, or the model's context if that is shorter, if left out.
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["prefill", "decode"])]
    pub seq: Option<String>,
    /// Sequences of a replica that pass at a time; 1 in training, else all of them.
    #[arg(long, value_name = "SEQUENCES")]
    pub micro_batch: Option<String>,
    /// What the backward pass computes again: `none`, `selective` or `full`.
    #[arg(long, value_name = "WHAT")]
    pub recompute: Option<String>,
    /// The precision of weights and activations, such as `bf16` or `fp8`.
    #[arg(long, value_name = "NAME")]
    pub precision: Option<String>,
    /// The precision of gradients.
    #[arg(long, value_name = "NAME")]
    pub gradients: Option<String>,
    /// The precision of the KV cache.
    #[arg(long, value_name = "NAME")]
    pub kv_precision: Option<String>,
    /// Account for a prefill of prompts of this many tokens, behind `--context` cached ones.
    #[arg(long, value_name = "TOKENS", conflicts_with = "decode")]
    pub prefill: Option<String>,
    /// Account for a decode step of this many sequences in all replicas: `64@8192`, or `64` with
    /// `--context`.
    #[arg(long, value_name = "BATCH[@CACHED]")]
    pub decode: Option<String>,
    /// Tokens of each sequence that are in the KV cache already.
    #[arg(long, value_name = "TOKENS")]
    pub context: Option<String>,
    /// The stage to account for, from 0; the one with most parameters if left out.
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<String>,
    /// How many devices there are, for a check that the layout takes them all.
    #[arg(long, value_name = "DEVICES")]
    pub devices: Option<String>,
    /// Derive a line, such as `attention`, `flops.forward.mlp` or `sent.tp`, with `--on` such as
    /// `memory.weights` or `bound.network` too; all totals if none is named.
    #[arg(long, value_name = "LINE", num_args = 0..=1)]
    pub explain: Option<Option<String>>,
    /// On which system: the machine.
    #[command(flatten)]
    pub machine: MachineOptions,
    /// How the memory of its devices is used.
    #[command(flatten)]
    pub memory: MemoryOptions,
}

/// The options that say what the step runs on.
#[derive(Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineOptions {
    /// A cluster of the registry (`Training_512_H100`) or a server (`DGX_H100`): adds what fits, which
    /// link each group crosses, and the least time; what does not fit exits with 2.
    #[arg(long, value_name = "SYSTEM")]
    pub on: Option<String>,
    /// How many such servers there are; one if left out.
    #[arg(long, value_name = "SERVERS", requires = "on")]
    pub nodes: Option<String>,
    /// The network between servers, such as `InfiniBand_NDR`.
    #[arg(long, value_name = "NETWORK", requires = "on")]
    pub fabric: Option<String>,
    /// How it is wired, where not as the registry says: `ports=4,oversubscription=2,rail_domains=32`,
    /// `peer_to_peer=false,host_memory=400 GB/s`.
    #[arg(long, value_name = "WIRING", requires = "on")]
    pub wiring: Option<String>,
}
