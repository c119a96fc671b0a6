//! Whole steps: what kernels and collectives they are made of, and what those take together.
//!
//! * `pricing`: a [`Pricing`] knows the machine and the calibrations that a step is priced with;
//! * `pieces` lists the kernels and collectives of operations and exchanges, with their shapes;
//! * `passes` prices a layer and the ends of a model in each pass of a micro-batch;
//! * `iteration` lists the pieces of an engine's iteration, whose tokens are of sequences and of prompts;
//! * `parts`: a predicted step is a tree of parts that it is the sum of, and `category` tells what a layout
//!   splits of each;
//! * `timeline`: when each stage of a pipeline works on what, by the same durations;
//! * `training*`: a step of training, its coefficients and its parts;
//! * `engine` says how requests are served, `served*` which iterations that makes and what bounds them,
//!   and `serving*` what those take, their coefficients and their parts;
//! * `spent` sums up what they take, by what they are, so that a step is a few numbers that its own
//!   coefficients weigh;
//! * `terms` are what layers and ends take, which many layouts share, `sending` what stages send and
//!   `replicas` what replicas exchange: of them a step is made, and a search the prices of millions.

mod category;
mod engine;
mod iteration;
mod parts;
mod passes;
mod pieces;
mod pricing;
mod replicas;
mod sending;
mod served;
mod served_bound;
mod serving;
mod serving_lines;
mod serving_parts;
mod serving_weights;
mod spent;
mod terms;
mod timeline;
mod training;
mod training_explain;
mod training_lines;
mod training_parts;
mod training_spans;
mod training_weights;

pub use category::{Categories, Category};
pub use engine::{Engine, Workload};
pub use iteration::{Flow, Pieces};
pub use parts::{PartTime, StepPrediction};
pub use passes::{Place, Times};
pub use pieces::{Cost, Piece, experts_touched};
pub use pricing::{AttentionKernel, KernelCoefficients, Practice, Pricing};
pub use replicas::{Replicas, Updated};
pub use sending::{Hops, Sending};
pub use served::Served;
pub use serving::{Iterations, ServingQuestion};
pub use serving_parts::serve;
pub use serving_weights::{ServingClass, ServingCoefficients};
pub use spent::Spent;
pub use terms::{Least, StepTerms, Term};
pub use timeline::{Pipeline, Timeline, Worked};
pub use training::{Stage, TrainingManner, TrainingQuestion};
pub use training_spans::{Passing, TrainingSpans};
pub use training_weights::{TrainingClass, TrainingCoefficients, TrainingWeights};
