//! What a scenario is: documented inputs and equations that describe themselves to every front end.
//!
//! A definition is a struct of documented inputs under `#[derive(Scenario)]` and an `impl` of
//! documented equations under `#[equations]`. From that alone come the Rust API, the command line,
//! the Python class, the JSON Schema, the reference page and the derivation of each number:
//! everything works from the [`Description`] that the macros write.
//!
//! ```
//! use mlsysim_scenario::{Define, Scenario, equations};
//! use mlsysim_quantity::{Bandwidth, Bytes, Time};
//!
//! /// One decode step, bound by reading the weights.
//! ///
//! /// # Assumptions
//! /// Every weight is read once.
//! ///
//! /// # Excludes
//! /// The KV cache.
//! ///
//! /// # Derivation
//! /// Bytes over bandwidth.
//! #[derive(Clone, Debug, Scenario)]
//! #[scenario(serving)]
//! pub struct WeightRead {
//!     /// Bytes of weights read in one step.
//!     #[range(>= 0)]
//!     pub weights: Bytes,
//!     /// Memory bandwidth of the device.
//!     #[range(> 0)]
//!     pub memory: Bandwidth,
//! }
//!
//! #[equations]
//! impl WeightRead {
//!     /// Time to stream the weights once.
//!     #[unit(ms)]
//!     pub fn memory_time(&self) -> Time {
//!         self.weights / self.memory
//!     }
//! }
//!
//! let step = WeightRead::from_inputs([("weights", "140 GB"), ("memory", "3.5 TB/s")])?;
//! assert_eq!(step.memory_time().base(), 0.04);
//! assert_eq!(WeightRead::describe().outputs()[0].equation.text, "weights / memory");
//!
//! let error = WeightRead::from_inputs([("weights", "140 GB"), ("memory", "3.5 TB")]).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "memory: `3.5 TB` is Bytes, but a Bandwidth is needed, such as \"3.5 B/s\"",
//! );
//! # Ok::<(), mlsysim_scenario::Error>(())
//! ```

mod answer;
mod arithmetic;
mod case;
mod choice;
mod datum;
mod derivation;
mod description;
mod error;
mod explain;
mod inputs;
mod item;
mod json;
mod kind;
mod library;
mod line;
mod list;
mod map;
mod page;
mod range;
mod schema;
mod scope;
mod value;

pub use answer::Answer;
pub use arithmetic::{CountProduct, Counting, Extremes, Provided, SumProduct};
pub use case::Case;
pub use choice::chosen;
pub use datum::{Datum, Produce, constant};
pub use derivation::Derivation;
pub use description::{
    Argument, Description, Doc, Equation, Family, Field, Formula, LazyUnit, Note, Output, Piece, Type,
};
pub use error::{Error, ErrorKind, Result, listed, listed_in_part, suggestion};
pub use inputs::Inputs;
pub use item::{Define, Equations, Item, accepted};
pub use kind::Kind;
pub use library::{Library, NoLibrary, Origin, resolve};
pub use line::Line;
pub use list::{Defined, Entries, Paired, Running, Sizes, Steps};
pub use map::{ListExt, MapExt, OptionExt, Total, table};
pub use mlsysim_macros::{Record, Scenario, Solver, equations, formula};
pub use mlsysim_quantity::Unit;
pub use page::{PlainText, Typeset, group_title, page, prose};
pub use range::{Bound, Range};
pub use schema::schema;
pub use value::{Map, Name, Object, Value};
