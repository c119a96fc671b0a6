//! Exact accounting of a Transformer: from its configuration to parameters, arithmetic and bytes,
//! whole and on each rank.
//!
//! * `configuration` reads what a model publishes of itself into a [`Transformer`];
//! * `model`: a [`Transformer`] is a list of [`Operation`]s with the [`Extent`]s of their matrices;
//! * `layout`: a [`Layout`] is applied to it as a [`Division`]. The dimension of an extent says how
//!   parallelism divides it, so that what a rank holds and computes is the same list with smaller
//!   extents;
//! * `account`: an [`Account`] sums up what a rank holds, computes, moves and sends;
//! * `bound`: the least time of a step on a machine;
//! * `kernel`: the least time of one kernel on a device;
//! * `memory`: what a rank holds at its fullest; `fit`: whether that fits a device;
//! * `pipeline`: the order in which its stages work on micro-batches;
//! * `placed`: all of that of one layout on one machine, and what it lacks;
//! * `explain`: how each of its lines comes about.
//!
//! ```
//! use mlsysim_models::transformer::{Accounting, Division, Layout, Line, Step, Transformer};
//!
//! let model = Transformer::named("Llama3_70B")?;
//! let layout = Layout::parse("tp=8,pp=4,dp=16,sp")?;
//! let (division, step) = (Division::new(&model, &layout)?, Step::training(512, 8192));
//! let accounting = Accounting::new(&division, &step)?;
//! let account = accounting.account(0)?;
//! assert_eq!(account.total_parameters(), 2_270_756_864);
//!
//! let derived = accounting.explain(&account, Line::parse("parameters.attention")?);
//! assert!(derived.to_string().contains("= heads / tp × head_width"));
//! # Ok::<(), mlsysim_scenario::Error>(())
//! ```

mod account;
mod bound;
pub mod configuration;
pub(crate) mod explain;
mod fit;
mod kernel;
mod layout;
mod memory;
mod model;
mod pipeline;
mod placed;

pub use crate::machine::Collective;
pub use account::*;
pub use bound::{Rates, Resource, StepBound};
pub use explain::{Line, PlacedLine};
pub use fit::{Alternative, Fit};
pub use kernel::{AttentionShape, Kernel, KernelBound};
pub use layout::*;
pub use memory::{GradientCopies, Held, Memory, MemoryPart, MemoryPolicy, Optimizer, Schedule, StageHeld};
pub use model::*;
pub use pipeline::Turn;
pub use placed::{Lack, Placed, PlacedGroup};
