//! What `mlsysim calibrate` and `mlsysim validate` may be told.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use mlsysim::validation::Calibrated;

/// The options of `mlsysim calibrate`.
#[derive(Args)]
pub struct CalibrateOptions {
    /// The folder of measurements.
    #[arg(long, value_name = "DIR", default_value = "data/measurements", value_hint = ValueHint::DirPath)]
    pub data: PathBuf,
    /// A folder with a few rows of your own, in tables of the same names and columns, all of which may be
    /// missing: the coefficients that come with this program are moved as far as those rows identify them.
    /// What words stand for is read from its texts and from those of `--data`.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "only", requires = "out")]
    pub own: Option<PathBuf>,
    /// The folder that calibrations are written to.
    #[arg(long, value_name = "DIR", default_value = "data/calibration", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Only one of them: matrix products (`gemm`), attention, collectives, steps of training, serving, or the
    /// intervals of speed-ups. Each is of those before it, which come with this program or were just
    /// calibrated.
    #[arg(long, value_name = "WHAT", value_parser = calibrated())]
    pub only: Option<Calibrated>,
}

/// Reads what is calibrated on its own.
fn calibrated() -> impl TypedValueParser<Value = Calibrated> {
    PossibleValuesParser::new(Calibrated::NAMES).try_map(|name| {
        let mut all = Calibrated::ALL.iter().copied();
        all.find(|of| of.name() == name).ok_or("it is not calibrated on its own")
    })
}

/// The options of `mlsysim validate`.
#[derive(Args)]
pub struct ValidateOptions {
    /// The folder of measurements.
    #[arg(long, value_name = "DIR", default_value = "data/measurements", value_hint = ValueHint::DirPath)]
    pub data: PathBuf,
    /// The folder of calibrations that `calibrate` wrote; those of this command if left out.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub calibration: Option<PathBuf>,
    /// Only one of them.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub only: Option<Validated>,
    /// What errors are told by, within each regime.
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    /// Write a line for each row to this file.
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub rows: Option<PathBuf>,
    /// Draw predicted against measured times into this file.
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath)]
    pub plot: Option<PathBuf>,
    /// Instead, the order of predicted times against the measured one, of layouts of one model with one
    /// batch on the same devices.
    #[arg(long, conflicts_with_all = ["only", "by", "rows", "plot"])]
    pub ranking: bool,
}

/// What is validated on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Validated {
    /// Matrix products and attention.
    Kernels,
    /// Collectives.
    Collectives,
    /// Steps of training.
    Training,
    /// Serving: decode steps, prefills, static batches and engines under load.
    Serving,
}

/// What errors are told by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// The regime alone.
    #[default]
    Regime,
    /// The device.
    Gpu,
    /// Where rows come from.
    Source,
    /// The degree of tensor parallelism: speed-ups of sweeps that differ in nothing else.
    Tp,
}
