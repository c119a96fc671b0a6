//! What a pipeline of stages idles.

use mlsysim_scenario::formula;

/// The share of a step in which each of `stages` stages idles while the pipeline fills and drains.
///
/// Each pass takes `m + p − 1` slots for `m` microbatches and `p` stages, `p − 1` of which a stage
/// idles; so do both schedules that run every microbatch whole, GPipe and one-forward-one-backward.
/// A schedule that interleaves `v` chunks of layers on each stage has slots of `1/v` of the length,
/// and the bubble of `v` times as many microbatches.
///
/// ```
/// use mlsysim_models::physics::pipeline::pipeline_bubble;
///
/// assert_eq!(format!("{:.6}", pipeline_bubble(8, 32)), "0.179487");
/// // Two chunks on each stage.
/// assert_eq!(format!("{:.6}", pipeline_bubble(8, 2 * 32)), "0.098592");
/// assert_eq!(pipeline_bubble(1, 32), 0.0);
/// ```
#[formula]
#[source("Narayanan et al. (2021), section 2.2, arXiv:2104.04473")]
pub fn pipeline_bubble(stages: u64, microbatches: u64) -> f64 {
    (stages as f64 - 1.0) / (microbatches as f64 + stages as f64 - 1.0)
}
