//! What the command line may say.

mod account;
mod memory;
mod plan;
mod predict;
mod prediction;
mod step;
mod tp;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

pub use account::{AccountOptions, MachineOptions};
pub use memory::{MemoryOptions, as_written as memory_as_written};
pub use plan::PlanOptions;
pub use predict::PredictOptions;
pub use prediction::{By, CalibrateOptions, ValidateOptions, Validated};
pub use step::StepOptions;
pub use tp::TpOptions;

/// First-principles modelling of machine-learning systems.
#[derive(Parser)]
#[command(name = "mlsysim", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 bad input, 2 infeasible, 3 a requirement is not kept.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// The form of the answer.
    #[arg(short, long, global = true, value_enum, default_value_t)]
    pub output: Format,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned text for people.
    #[default]
    Text,
    /// JSON for programs, every digit of it.
    Json,
    /// A Markdown table.
    Markdown,
    /// Comma-separated values.
    Csv,
}

#[derive(Subcommand)]
pub enum Command {
    /// List hardware, models, systems, scenarios or solvers.
    List {
        /// `hardware`, `models`, `systems`, `scenarios` or `solvers`; all of them, counted, if left out.
        what: Option<String>,
        /// Only the scenarios of this group, such as `serving`.
        #[arg(long)]
        group: Option<String>,
    },
    /// Show a registry entry with its sources, a scenario's page, or a named case.
    Show {
        /// A registry path (`Hardware.Cloud.H100` or just `H100`), a scenario type or a named case.
        name: String,
    },
    /// Evaluate a named case, a scenario type or a case from a file.
    Run {
        /// A named case, a scenario type, or a TOML file.
        name: String,
        /// Change an input: `tp_size=4`, `allreduce_time="0.1 ms"`, `accelerator=@H200`, `links.NVLink="900 GB/s"`.
        #[arg(long, value_name = "FIELD=VALUE")]
        set: Vec<String>,
    },
    /// Derive an output down to the inputs and their sources.
    Explain {
        /// A named case, a scenario type or a TOML file; `NAME.output` for one output alone.
        name: String,
        /// Change an input, as in `run`.
        #[arg(long, value_name = "FIELD=VALUE")]
        set: Vec<String>,
    },
    /// Count a model from its own configuration: parameters by part and KV cache.
    Import {
        /// A `config.json` or `params.json` by any name, or a folder that has one.
        #[arg(value_hint = ValueHint::AnyPath)]
        path: PathBuf,
    },
    /// Account for a step of a model on a layout: what a rank holds, computes, moves and sends.
    Account(Box<AccountOptions>),
    /// Predict how long a step of a model takes on a layout and a machine, with an interval.
    Predict(Box<PredictOptions>),
    /// Show where tensor parallelism stops paying: a step at each degree, with what each split loses.
    Tp(Box<TpOptions>),
    /// Plan a training: the best layout on a machine, why it is, and what a whole run takes.
    Plan(Box<PlanOptions>),
    /// Fit the coefficients of predictions on published measurements, and write them down.
    Calibrate(CalibrateOptions),
    /// Compare predictions with published measurements that their fits did not have.
    Validate(ValidateOptions),
    /// Evaluate JSON lines: `{"id": …, "type": …, "inputs": {…}}` in, one answer a line out.
    Eval {
        /// Files to read; standard input if there are none.
        #[arg(value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Print the JSON Schema of a scenario's inputs, or of a plan file.
    Schema {
        /// The scenario type, or `plan`.
        name: String,
    },
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}
