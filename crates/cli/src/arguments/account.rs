//! What `mlsysim account` may be told.

use clap::Args;

use super::memory::MemoryOptions;
use super::step::StepOptions;

/// The options of `mlsysim account`.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct AccountOptions {
    /// A model of the registry (`Llama3_70B`), a configuration file, or a folder with one.
    pub model: String,
    /// What is done with it, on which layout.
    #[command(flatten)]
    pub step: StepOptions,
    /// The stage to account for, from 0; the one with most parameters if left out.
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<String>,
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
    /// A figure of its devices, links or network, where the registry has another or none:
    /// `peak.bf16=989 TFLOP/s`, `memory.capacity=80 GiB`; may be given several times.
    #[arg(long, value_name = "FIGURE=VALUE", requires = "on")]
    pub state: Vec<String>,
}
