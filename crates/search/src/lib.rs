//! Searches: every legal layout of a training on a machine, priced, ranked and explained.
//!
//! * `plan`: a [`TrainingPlan`] says what is to be trained on what, and what may be chosen;
//! * `plan_file` reads one of TOML or YAML, and `plan_options` one of options; `question` is that with all that is to be told of it,
//!   and `report` its answer as one JSON object;
//! * `axis`: an [`Axis`] is something that may be chosen, a [`Condition`] what a user wants of it;
//! * `candidate`: a [`Candidate`] is a layout in a few words of memory;
//! * `search`: a [`Search`] prices all of them, or all that could be the best, from terms that many
//!   layouts share; `ranks`, `staging`, `staged` and `shared` hold those, and `walk` goes
//!   through them;
//! * `ranking` keeps the best and the Pareto front, whatever the number of layouts, and `seen` all that
//!   one thread knows;
//! * `stages` says what each stage of a layout works on and holds, for pictures;
//! * `told` says where each millisecond and byte of a layout goes, and `run` what a whole training takes;
//! * `refusal` says why there is no legal layout;
//! * `requirement` is what a plan has to keep, and `limits` what that leaves of times and memories.
//!
//! Nothing has a formula here: each price is put together of what
//! [`TrainingQuestion`](mlsysim_models::predict::TrainingQuestion) and
//! [`Accounting::fit`](mlsysim_models::transformer::Accounting::fit) are made of, and is the same to the
//! last digit.

mod axis;
mod candidate;
mod goal;
mod limits;
mod plan;
mod plan_file;
mod plan_options;
mod question;
mod ranking;
mod ranks;
mod refusal;
mod report;
mod requirement;
mod run;
mod search;
mod seen;
mod shared;
mod staged;
mod stages;
mod staging;
mod told;
mod walk;

pub use axis::{Axis, Condition, Values};
pub use candidate::Candidate;
pub use goal::Goal;
pub use limits::Kept;
pub use plan::TrainingPlan;
pub use plan_file::{PlanFile, PlanSearch, PlanSystem, PlanTraining, machine};
pub use question::{PlanQuestion, Planned};
pub use ranking::{Figure, Front, Outcome, Ranking, apart, thinned};
pub use requirement::Requirement;
pub use run::{Assumption, Region, Run, region};
pub use search::{Found, Progress, Search};
pub use stages::Stages;
pub use told::{Comparison, RELATIVE_ERROR, Told};
