//! What `mlsysim plan` may be told.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::memory::MemoryOptions;

/// The options of `mlsysim plan`.
///
/// Their values are texts here: the definitions of a plan read them, so that every front end refuses the
/// same in the same words.
#[derive(Args)]
// What a plan chooses itself is no option of it; `--fix` says what it has to be.
#[command(allow_negative_numbers = true, mut_arg("schedule", |option| option.hide(true)), mut_arg("recompute_layers", |option| option.hide(true)))]
pub struct PlanOptions {
    /// `train` with the options below, or a plan file (`.toml` or `.yaml`), which says all of them.
    #[arg(value_name = "train|FILE")]
    pub what: String,
    /// A model of the registry (`Llama3_70B`), a configuration file, or a folder with one.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// A cluster of the registry (`Training_512_H100`) or a server (`DGX_H100`).
    #[arg(long, value_name = "SYSTEM")]
    pub on: Option<String>,
    /// How many devices are used: `64`, or several numbers to choose from, `64,128`; all if left out.
    #[arg(long, value_name = "DEVICES")]
    pub devices: Option<String>,
    /// The network between servers, such as `InfiniBand_NDR`.
    #[arg(long, value_name = "NETWORK")]
    pub fabric: Option<String>,
    /// A figure of its devices, links or network, where the registry has another or none:
    /// `peak.bf16=989 TFLOP/s`, `memory.capacity=80 GiB`; may be given several times.
    #[arg(long, value_name = "FIGURE=VALUE")]
    pub state: Vec<String>,
    /// Sequences of a step, in all replicas together.
    #[arg(long, value_name = "SEQUENCES")]
    pub batch: Option<String>,
    /// Tokens of a sequence.
    #[arg(long, value_name = "TOKENS")]
    pub seq: Option<String>,
    /// Tokens of the whole run: adds its time with failures, its cost, energy and carbon.
    #[arg(long, value_name = "TOKENS")]
    pub tokens: Option<String>,
    /// What is best: `time` if left out, `cost` (tokens of a dollar), `energy`, or weights:
    /// `time=2,cost=1`.
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    /// What has to hold: `tp=8,pp=2|4,micro_batch<=4,sp`; may be given several times.
    #[arg(long, value_name = "CONDITIONS")]
    pub fix: Vec<String>,
    /// What must not be: `tp>8`, or several together, `zero=3,pp>1`; may be given several times.
    #[arg(long, value_name = "CONDITIONS")]
    pub forbid: Vec<String>,
    /// How many layouts are told; 5 if left out.
    #[arg(long, value_name = "COUNT")]
    pub top: Option<String>,
    /// Add the layouts that no other beats in all of these: `time,memory,cost`.
    #[arg(long, value_name = "FIGURES")]
    pub pareto: Option<String>,
    /// What the plan has to keep, such as `step_time < 12 s`; what it does not keep exits with 3.
    #[arg(long, value_name = "REQUIREMENT")]
    pub require: Vec<String>,
    /// The precisions of matrix products to choose from, such as `bf16,fp8`; `bf16` if left out.
    #[arg(long, value_name = "NAMES")]
    pub precision: Option<String>,
    /// The precision of gradients; `fp32` if left out.
    #[arg(long, value_name = "NAME")]
    pub gradients: Option<String>,
    /// What a device costs an hour, such as `2.5 USD/h`; the registry's price if left out.
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    pub price: Option<String>,
    /// Where the system stands: a grid of the registry, such as `US_Avg` (`mlsysim show
    /// Infrastructure.Grids` lists them); the carbon on each of them is told if left out.
    #[arg(long, value_name = "REGION")]
    pub region: Option<String>,
    /// Price every layout, also those that cannot be among the best.
    #[arg(long)]
    pub exhaustive: bool,
    /// Draw what each stage of the best layout holds, and which works when, to this file.
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath)]
    pub plot: Option<PathBuf>,
    /// The folder of calibrations that `calibrate` wrote, such as one with your own rows; those of this
    /// command if left out.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub calibration: Option<PathBuf>,
    /// How the memory of devices is used.
    #[command(flatten)]
    pub memory: MemoryOptions,
}
