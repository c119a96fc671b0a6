//! What holds for every account, whatever the model, the layout and the step.
//!
//! Each law is computed a second time from a description of its own: a list of matrices, a loop over
//! queries and keys, or a play of messages between ranks.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

#[path = "accounting_laws/cases.rs"]
mod cases;
#[path = "accounting_laws/derivations.rs"]
mod derivations;
#[path = "accounting_laws/exchanges.rs"]
mod exchanges;
#[path = "accounting_laws/hostile.rs"]
mod hostile;
#[path = "accounting_laws/parameters.rs"]
mod parameters;
#[path = "accounting_laws/play.rs"]
mod play;
#[path = "accounting_laws/published.rs"]
mod published;
#[path = "accounting_laws/serving.rs"]
mod serving;
#[path = "accounting_laws/work.rs"]
mod work;

/// Some thousands of roundings, one after the other.
const ROUNDING: f64 = 1e-11;
