//! What `mlsysim predict` may be told.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::account::MachineOptions;
use super::memory::MemoryOptions;
use super::step::StepOptions;

/// The options of `mlsysim predict`.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct PredictOptions {
    /// A model of the registry (`Llama3_70B`), a configuration file, or a folder with one.
    #[arg(required_unless_present = "scenario")]
    pub model: Option<String>,
    /// Predict the times that a named case states, and show both side by side.
    #[arg(long, value_name = "CASE")]
    pub scenario: Option<String>,
    /// What is done with it, on which layout.
    #[command(flatten)]
    pub step: StepOptions,
    /// How many tokens the answer to each prompt of `--prefill` has: the time of a whole batch.
    #[arg(long, value_name = "TOKENS", requires = "prefill")]
    pub answer: Option<String>,
    /// The mean time between two tokens of all requests where new ones begin as others end, with `--prefill`
    /// and `--answer`; at most so many requests at once, or as many as fit.
    #[arg(long, value_name = "REQUESTS", requires = "answer", num_args = 0..=1, conflicts_with = "batch")]
    pub load: Option<Option<String>>,
    /// What the framework does of its own choice: `products=fp8,attention=unfused,graphs,overlaps`, and an
    /// engine `cache=fp8,library=own,class=graphs,max_batch=256,max_tokens=8192,memory_fraction=0.9`; with
    /// `tunes` both limits are set to what the memory holds.
    #[arg(long, value_name = "SETTINGS", default_value = "", hide_default_value = true)]
    pub practice: String,
    /// The power of one device while it works, such as `600 W`; its thermal design power if left out.
    #[arg(long, value_name = "POWER")]
    pub power: Option<String>,
    /// The price of one device for the time that it is used, such as `2.5 USD/h`, or where the registry
    /// has one: `@Infrastructure.Pricing.Fleet.GpuHourRef.rate`; no cost is told if left out.
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    pub price: Option<String>,
    /// Derive a part of the time down to its coefficients, such as `passes.attention.query`, or a line
    /// such as `memory.weights`; the step itself if none is named.
    #[arg(long, value_name = "PART", num_args = 0..=1)]
    pub explain: Option<Option<String>>,
    /// The folder of calibrations that `calibrate` wrote, such as one with your own rows; those of this
    /// command if left out.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "scenario")]
    pub calibration: Option<PathBuf>,
    /// On which system: the machine.
    #[command(flatten)]
    pub machine: MachineOptions,
    /// How the memory of its devices is used.
    #[command(flatten)]
    pub memory: MemoryOptions,
}
