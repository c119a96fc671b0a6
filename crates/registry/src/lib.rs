//! The registry: hardware, models, systems and named scenarios, each figure with its source.
//!
//! Everything stands in the TOML files of `data/`, which are embedded when the crate is built and
//! read when they are first asked for. A dotted path leads to an entry (`Hardware.Cloud.H100`), to
//! a figure in it (`Hardware.Cloud.H100.nvlink.bandwidth`) or to a named case
//! (`Scenarios.Llama2_70BPrefillTensorParallel8`).
//!
//! ```
//! use mlsysim_registry::{HardwareNode, Registry};
//! use mlsysim_scenario::{Library, Value};
//!
//! let registry = Registry::new(&[]);
//! let Value::Object(h100) = registry.value("Hardware.Cloud.H100")? else { panic!("not an entry") };
//! let node = h100.downcast::<HardwareNode>().ok_or("not hardware")?;
//! assert_eq!(node.peak("fp16_dense")?.base(), 989e12);
//!
//! let link = registry.value("Hardware.Cloud.H100.nvlink.bandwidth_per_direction")?;
//! assert_eq!(link.to_string(), "450 GB/s");
//! let origin = registry.origin("Hardware.Cloud.H100.nvlink.bandwidth").ok_or("no origin")?;
//! assert!(origin.url.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod case_file;
mod document;
mod entry;
mod registry;
mod source;
mod types;

pub use case_file::read_case;
pub use document::Document;
pub use entry::{Annotation, Entry};
pub use registry::Registry;
pub use source::Source;
pub use types::*;

use mlsysim_scenario::{Map, Result, Value};

/// The embedded files by dotted path, sorted.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The embedded configurations of models by name, sorted.
const CONFIGURATIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/configurations.rs"));

/// The embedded calibrations by name, sorted.
const CALIBRATIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/calibration.rs"));

/// The embedded texts that say what the words of measurements stand for, by name, sorted.
const WORDS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/measurements.rs"));

/// What the words of tables of measurements stand for, of the kind that `name` says, as TOML text.
///
/// ```
/// assert!(mlsysim_registry::words("machines").is_some_and(|text| text.contains("[A100_1600G]")));
/// assert!(mlsysim_registry::words("weather").is_none());
/// ```
pub fn words(name: &str) -> Option<&'static str> {
    named(WORDS, name)
}

/// The published configuration called `name`, as JSON text.
///
/// ```
/// assert!(mlsysim_registry::configuration("Mixtral_8x7B").is_some_and(|text| text.contains("num_local_experts")));
/// assert!(mlsysim_registry::configuration("Mixtral").is_none());
/// ```
pub fn configuration(name: &str) -> Option<&'static str> {
    named(CONFIGURATIONS, name)
}

/// The calibration called `name`, as TOML text.
///
/// ```
/// assert!(mlsysim_registry::calibration("gemm").is_some_and(|text| text.contains("[coefficients.")));
/// assert!(mlsysim_registry::calibration("weather").is_none());
/// ```
pub fn calibration(name: &str) -> Option<&'static str> {
    named(CALIBRATIONS, name)
}

fn named(texts: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let found = texts.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    Some(texts[found].1)
}

/// The sections of a TOML text, as values that records are built from.
///
/// ```
/// let sections = mlsysim_registry::read_sections("[H100]\nlink = \"450 GB/s\"")?;
/// assert!(sections.contains_key("H100"));
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// The text is no TOML; the error says in which line and column.
pub fn read_sections(text: &str) -> Result<Map<Value>> {
    Ok(document::Document::read(text)?.sections)
}
