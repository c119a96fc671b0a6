//! The content of mlsysim: what it knows about machine-learning systems.
//!
//! * [`machine`] holds devices in domains, on a network, and what a group of ranks crosses;
//! * [`physics`] holds pure formulas by subject;
//! * [`solvers`] holds models of several steps that scenarios share;
//! * [`scenarios`] holds the scenarios, one a file, by group;
//! * [`transformer`] holds the exact accounting of a model, from its configuration;
//! * [`predict`] holds predicted times of kernels and collectives, with bands;
//! * [`validation`] holds published measurements against all of that.
//!
//! [`library`] is the registry of data with this catalogue of scenarios in it.

mod inputs;
pub mod machine;
mod notes;
pub mod physics;
pub mod predict;
pub mod scenarios;
pub mod solvers;
pub mod transformer;
pub mod validation;

use std::sync::LazyLock;

use mlsysim_registry::Registry;
use mlsysim_scenario::{Define, Description, Error, Result};

static LIBRARY: LazyLock<Registry> = LazyLock::new(|| Registry::new(CATALOGUE));

/// Every scenario and solver, each once.
const CATALOGUE: &[fn() -> &'static Description] = {
    const LENGTH: usize = scenarios::ALL.len() + solvers::ALL.len();
    const JOINED: [fn() -> &'static Description; LENGTH] = {
        let mut joined = [scenarios::ALL[0]; LENGTH];
        let mut at = 0;
        while at < LENGTH {
            let solver = at >= scenarios::ALL.len();
            joined[at] = if solver { solvers::ALL[at - scenarios::ALL.len()] } else { scenarios::ALL[at] };
            at += 1;
        }
        joined
    };
    &JOINED
};

/// The registry with every scenario and solver of this crate.
pub fn library() -> &'static Registry {
    &LIBRARY
}

/// The named case called `name` as a `T`.
///
/// ```
/// use mlsysim_models::{named, scenarios::serving::TensorParallelSpeedupScenario};
///
/// let case: TensorParallelSpeedupScenario = named("Llama2_70BPrefillTensorParallel8")?;
/// assert_eq!(format!("{:.6}", case.speedup()), "6.896552");
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// There is no such case, or it is of another type.
pub fn named<T: Define>(name: &str) -> Result<T> {
    let case = library().case(name)?;
    match case.object().downcast::<T>() {
        Some(typed) => Ok((*typed).clone()),
        None => {
            let (found, needed) = (case.item().description().name, T::describe().name);
            Err(Error::unknown(format!("the case `{name}` is a {found}, not a {needed}")))
        }
    }
}
