//! `PipelineScheduleScenario`: the slots in which a pipeline of stages works and idles.

use mlsysim_scenario::{Scenario, equations};

use crate::physics::pipeline::pipeline_bubble;

/// A synchronous pipeline of equal stages that is fed a number of microbatches each step: how long
/// each stage idles while it fills and drains (the bubble).
///
/// # Assumptions
/// Every stage takes one slot for each pass of a microbatch; the optimizer waits for all of them.
///
/// # Excludes
/// What stages send to one another, stages of unequal length, and schedules that interleave chunks
/// of layers or fill the bubble with other work.
///
/// # Derivation
/// The last of `m` microbatches enters after `m` slots and passes `p` stages, so that a pass takes
/// `m + p − 1` slots, in `m` of which a stage works (Huang et al. 2019, GPipe, section 2.3,
/// arXiv:1811.06965). The share holds for one forward and one backward pass alike, and so for a
/// backward pass of any length.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct PipelineScheduleScenario {
    /// How many stages the model is cut into.
    #[range(>= 1)]
    pub stages: u64,
    /// How many microbatches pass the pipeline in a step.
    #[range(>= 1)]
    pub microbatches: u64,
}

#[equations]
impl PipelineScheduleScenario {
    /// The share of the step in which each stage idles.
    pub fn bubble(&self) -> f64 {
        pipeline_bubble(self.stages, self.microbatches)
    }

    /// How many slots a step has: a forward and a backward pass.
    pub fn slots(&self) -> u64 {
        2 * self.phase_slots()
    }

    /// How many slots of a step each stage idles.
    pub fn idle_slots(&self) -> u64 {
        2 * self.fill_slots()
    }

    /// How many slots pass until the last stage begins; the numerator of the bubble.
    pub fn fill_slots(&self) -> u64 {
        self.stages - 1
    }

    /// How many slots one pass takes; the denominator of the bubble.
    pub fn phase_slots(&self) -> u64 {
        self.microbatches + self.stages - 1
    }

    /// How many microbatches make the bubble as small as `target`: more make it smaller.
    pub fn microbatches_for_bubble(&self, #[range(> 0, <= 1)] target: f64) -> f64 {
        (self.stages - 1) as f64 * (1.0 - target) / target
    }

    /// One stage has nobody to wait for.
    #[note(bubble, idle_slots)]
    fn alone(&self) -> Option<String> {
        (self.stages == 1).then(|| "one stage is no pipeline: nothing fills or drains".to_string())
    }
}
