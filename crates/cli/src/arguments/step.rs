//! What a command may be told of a step and its layout.

use clap::Args;

/// The options that say what is done with a model, and on which layout.
///
/// Their values are texts here: the definitions of a layout and a step read them, so that every
/// front end refuses the same in the same words.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct StepOptions {
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
    /// A prefill of prompts of this many tokens, behind `--context` cached ones.
    #[arg(long, value_name = "TOKENS", conflicts_with = "decode")]
    pub prefill: Option<String>,
    /// A decode step of this many sequences in all replicas: `64@8192`, or `64` with
    /// `--context`.
    #[arg(long, value_name = "BATCH[@CACHED]")]
    pub decode: Option<String>,
    /// Tokens of each sequence that are in the KV cache already.
    #[arg(long, value_name = "TOKENS")]
    pub context: Option<String>,
    /// How many devices there are, for a check that the layout takes them all.
    #[arg(long, value_name = "DEVICES")]
    pub devices: Option<String>,
}
