//! What `mlsysim tp` may be told.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::account::MachineOptions;
use super::memory::MemoryOptions;
use super::step::StepOptions;

/// The options of `mlsysim tp`.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct TpOptions {
    /// A model of the registry (`Llama3_70B`), a configuration file, or a folder with one.
    #[arg(required_unless_present = "scenario")]
    pub model: Option<String>,
    /// Vary the degree of a named case that states the times of a layer, beside its predicted twin.
    #[arg(long, value_name = "CASE")]
    pub scenario: Option<String>,
    /// What is done with it, on which layout; the degree `tp` is what is varied.
    #[command(flatten)]
    pub step: StepOptions,
    /// What the framework does of its own choice, as for `predict`.
    #[arg(long, value_name = "SETTINGS", default_value = "", hide_default_value = true)]
    pub practice: String,
    /// The price of one device for the time that it is used, such as `2.5 USD/h`; device-seconds are told
    /// if left out.
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    pub price: Option<String>,
    /// Draw what the step is the sum of at each degree to this file.
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath)]
    pub plot: Option<PathBuf>,
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
