//! First-principles modelling of machine-learning systems.
//!
//! mlsysim says, before anyone rents a GPU, how long a training step, a token or a run takes, how
//! much memory, money and energy it needs, what binds it and why. Every number carries its unit,
//! the equation that made it, the inputs and their sources.
//!
//! # A guided tour
//!
//! A *scenario* is a struct of inputs with methods for its outputs. Named cases come with the
//! crate:
//!
//! ```
//! use mlsysim::scenarios::serving::TensorParallelSpeedupScenario;
//!
//! let case: TensorParallelSpeedupScenario = mlsysim::named("Llama2_70BPrefillTensorParallel8")?;
//! assert_eq!(format!("{:.6}", case.speedup()), "6.896552");
//! # Ok::<(), mlsysim::Error>(())
//! ```
//!
//! Your own is a struct literal, checked, or built from text:
//!
//! ```
//! use mlsysim::{Define, Map, scenarios::serving::TensorParallelSpeedupScenario, units::MILLISECOND};
//!
//! let typed = TensorParallelSpeedupScenario {
//!     serial_layer_times: Map::from_iter([("attention".into(), 12.0 * MILLISECOND)]),
//!     tp_size: 4,
//!     allreduce_time: 0.3 * MILLISECOND,
//!     collectives_per_layer: 2,
//!     layers: 80,
//! }
//! .checked()?;
//! assert_eq!(typed.sharded("attention")?, 3.0 * MILLISECOND);
//!
//! let error = TensorParallelSpeedupScenario { tp_size: 0, ..typed }.checked().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "tp_size: a whole number of at least 1 is needed, but `0` was given",
//! );
//! # Ok::<(), mlsysim::Error>(())
//! ```
//!
//! The *registry* holds hardware, models and systems with the source of each figure:
//!
//! ```
//! use mlsysim::{Library, library};
//!
//! let link = library().value("Hardware.Cloud.H100.nvlink.bandwidth_per_direction")?;
//! assert_eq!(link.to_string(), "450 GB/s");
//! # Ok::<(), mlsysim::Error>(())
//! ```
//!
//! And every number explains itself:
//!
//! ```
//! use mlsysim::{Derivation, library};
//!
//! let case = library().case("Llama2_70BPrefillTensorParallel8")?;
//! let derived = Derivation::of_output(&case, "speedup", &[], library())?;
//! assert_eq!(derived.equation.as_deref(), Some("serial_layer_time / parallel_layer_time"));
//! assert_eq!(derived.substituted.as_deref(), Some("30 ms / 4.35 ms"));
//! # Ok::<(), mlsysim::Error>(())
//! ```

#[cfg(doctest)]
mod pages;

pub use mlsysim_models::{
    library, machine, named, physics, predict, scenarios, solvers, transformer, validation,
};
pub use mlsysim_quantity as quantity;
pub use mlsysim_quantity::{DynQuantity, Quantity, Unit, units};
pub use mlsysim_registry as registry;
pub use mlsysim_scenario as scenario;
pub use mlsysim_scenario::{
    Answer, Case, Define, Derivation, Description, Error, ErrorKind, Family, Item, Kind, Library, Line, Map,
    Name, Note, Object, Origin, PlainText, Result, Value, page, schema,
};
pub use mlsysim_search as search;
