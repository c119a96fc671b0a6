//! `OverlapBudgetScenario`: gradients reduced after or during the backward pass.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Result, Scenario, equations};

use crate::solvers::{OverlapBudgetModel, OverlapBudgetResult};

/// The gradients of a model, reduced layer by layer after the backward pass or while it goes on.
///
/// # Assumptions
/// Those of `OverlapBudgetModel`; the times of a layer's backward pass and of a bucket are stated,
/// not derived from the size of the group.
///
/// # Excludes
/// The forward pass, buckets that span layers, and compute that slows down while it communicates.
///
/// # Derivation
/// The inputs but for the size of the group are those of `OverlapBudgetModel`, whose equations
/// stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct OverlapBudgetScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// The size of one gradient.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_value: Bytes,
    /// The backward pass of one layer.
    #[range(>= 0)]
    #[unit(ms)]
    pub backward_per_layer: Time,
    /// How much of the gradients one AllReduce takes.
    #[range(> 0)]
    #[unit(MB)]
    pub bucket_size: Bytes,
    /// The time of the AllReduce of one bucket, in a group of `n_devices`.
    #[range(>= 0)]
    #[unit(ms)]
    pub time_per_bucket: Time,
    /// How many devices reduce; `time_per_bucket` is stated for them.
    #[range(>= 1)]
    pub n_devices: u64,
}

#[equations]
impl OverlapBudgetScenario {
    /// The backward pass with its reductions after it and during it, by `OverlapBudgetModel`.
    ///
    /// # Errors
    ///
    /// A layer fills more buckets than can be counted.
    pub fn result(&self) -> Result<OverlapBudgetResult> {
        OverlapBudgetModel {
            workload: self.workload.clone(),
            bytes_per_value: self.bytes_per_value,
            backward_per_layer: self.backward_per_layer,
            bucket_size: self.bucket_size,
            time_per_bucket: self.time_per_bucket,
        }
        .solve()
    }

    /// A group of one has nobody to exchange with, though the stated time is charged.
    #[note(result)]
    fn lonely(&self) -> Option<String> {
        (self.n_devices == 1 && self.time_per_bucket > Time::ZERO).then(|| {
            "a group of one device exchanges nothing; the stated time_per_bucket is charged all the same"
                .to_string()
        })
    }
}
