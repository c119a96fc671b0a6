//! Typed quantities for machine-learning systems, and one vocabulary of units.
//!
//! Two forms of the same thing, with one gate between them:
//!
//! * [`Quantity`] is for computing: an `f64` in base units whose *named* dimension is in its
//!   type. [`Bytes`] ÷ [`Bandwidth`] is a [`Time`]; [`Bytes`] × [`Bandwidth`] does not compile.
//! * [`DynQuantity`] is for the edges: a number and its unit as somebody wrote them.
//!
//! ```
//! use mlsysim_quantity::{DynQuantity, Time, units::MILLISECOND};
//!
//! let written: DynQuantity = "0.3 ms".parse()?;
//! let time = Time::try_from(&written)?;
//! assert_eq!(time, 0.3 * MILLISECOND);
//! assert_eq!(written.to_string(), "0.3 ms");
//!
//! let error = Time::try_from(&"0.3 GB".parse::<DynQuantity>()?).unwrap_err();
//! assert_eq!(error.to_string(), "`0.3 GB` is Bytes, but a Time is needed, such as \"0.3 s\"");
//! # Ok::<(), mlsysim_quantity::QuantityError>(())
//! ```
//!
//! The units are those of `data/units.txt`, a file in pint's syntax that the Python package reads
//! too, so that both speak one vocabulary.

mod dimensions;
mod dynamic;
mod error;
mod exponents;
mod number;
mod spelling;
mod typed;
mod unit;
mod vocabulary;

pub mod units;

pub use dimensions::*;
pub use dynamic::DynQuantity;
pub use error::{QuantityError, nearest};
pub use exponents::Exponents;
pub use number::{format_brief, format_number};
pub use typed::{Dimension, Inverse, NamedDimension, Outcome, Per, Quantity, Times};
pub use unit::Unit;
pub use vocabulary::VOCABULARY;
