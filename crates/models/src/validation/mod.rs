//! Published measurements as cases: each row of a table with the model, the layout, the step and the
//! machine that it states, and how what is modelled compares with it.
//!
//! * `table` reads rows, and refuses what it cannot read with a reason;
//! * `training`, `serving`, `collective` and `kernel` are the rows, by what was measured;
//! * `precision`, `models` and `machines` say what a row's words stand for;
//! * `predicted` and `served` ask for each row what is predicted, `replay` does so for tables, and
//!   `score` tells how far that is off; `speed_up` does so for sweeps;
//! * `fitting` fits coefficients on the rows, `own` puts a user's own on top of them;
//! * `ranking` holds the order of predicted times of layouts against the measured one;
//! * `floor` holds measurements against bounds, `memory` against what a rank holds.
//!
//! Nothing is read from a disk here: tables and the texts beside them come in as text.

mod collective;
mod fitting;
mod floor;
mod frameworks;
mod kernel;
mod machines;
mod memory;
mod models;
mod own;
pub mod precision;
mod predicted;
mod provenance;
mod ranking;
mod replay;
mod samples;
mod score;
mod served;
mod serving;
mod speed_up;
mod statistics;
mod table;
mod training;

use mlsysim_scenario::{Define, Error, Inputs, Map, Result, Value};

use crate::library;

pub use collective::{CollectiveRow, DomainCollectiveRow};
pub use fitting::{Calibrated, Fitting};
pub use floor::{Comparison, Floor, Outcome};
pub use frameworks::{Framework, Frameworks};
pub use kernel::{AttentionKernel, KernelRow, KernelShape, LayerKernel, ProductKernel, PublishedKernel};
pub use machines::{MeasuredMachine, MeasuredMachines, Placed};
pub use memory::{MemoryCase, MemorySetting, MemorySettings, Spread};
pub use models::{KnownModel, KnownModels, Shape};
pub use own::OnTop;
pub use predicted::Predicted;
pub use provenance::Provenance;
pub use ranking::{RankedLayout, RankedSet, RankingScore, RankingSpread, ranking_scores, relative_error};
pub use replay::{Measurements, Part, Replayed, Texts};
pub use samples::{Asked, LeftOut, Samples};
pub use score::{Score, Scored, Spreads, Status, report, score, scores};
pub use serving::ServingRow;
pub use speed_up::{SpeedUp, SweepRow, Sweeps};
pub use table::{Cells, Exclusion, Measured, Reason, Table, Unread};
pub use training::TrainingRow;

/// Each section of a TOML text as a `T`, with its name.
fn records<T: Define>(text: &str) -> Result<Vec<(String, T)>> {
    let sections = mlsysim_registry::read_sections(text)?;
    let built = sections.into_iter().map(|(name, value)| match value {
        Value::Map(inputs) => {
            let record = record::<T>(inputs).map_err(|error| error.within(&name))?;
            Ok((name.to_string(), record))
        }
        _ => Err(Error::input(&*name, "a section is needed here")),
    });
    built.collect()
}

/// A record from its inputs, with references into the registry followed.
fn record<T: Define>(inputs: Map<Value>) -> Result<T> {
    T::build(&mut Inputs::new(T::describe(), inputs, library())?)
}
