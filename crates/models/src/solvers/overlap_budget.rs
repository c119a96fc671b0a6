//! `OverlapBudgetModel`: gradients that are reduced layer by layer, after or during the backward
//! pass.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{Counting, Defined, OptionExt, Result, Solver, equations};

use crate::physics::memory::weight_bytes;

/// A backward pass whose gradients are reduced layer by layer in buckets: after it, or while it
/// goes on.
///
/// All layers are alike. With overlap, the gradients of a layer are reduced as soon as its backward pass is over, and
/// hides behind that of the next layer. What outlasts it adds up, and the last reduction has
/// nothing to hide behind.
///
/// Source: Li et al. (2020), PyTorch Distributed, arXiv:2006.15704, for buckets and their overlap.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = OverlapBudgetResult)]
pub struct OverlapBudgetModel {
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
    /// The time of the AllReduce of one bucket.
    #[range(>= 0)]
    #[unit(ms)]
    pub time_per_bucket: Time,
}

#[equations(result = OverlapBudgetResult)]
impl OverlapBudgetModel {
    /// How many layers the model has.
    pub fn layers(&self) -> Result<u64> {
        self.workload.layers.needed("layers")
    }

    /// The gradients of one layer, as its share of all.
    #[unit(MB)]
    pub fn gradient_per_layer(&self) -> Result<Bytes> {
        Ok(self.gradient_bytes()? / self.layers()?)
    }

    /// How many buckets a layer's gradients fill, the last one perhaps in part.
    pub fn buckets_per_layer(&self) -> Result<u64> {
        (self.gradient_per_layer()? / self.bucket_size).rounded_up()
    }

    /// The time of the reductions of one layer.
    #[unit(ms)]
    pub fn communication_per_layer(&self) -> Result<Time> {
        Ok(self.buckets_per_layer()? * self.time_per_bucket)
    }

    /// The time of the whole backward pass.
    #[unit(ms)]
    pub fn total_backward(&self) -> Result<Time> {
        Ok(self.layers()? * self.backward_per_layer)
    }

    /// The time of the backward pass and of all reductions after it.
    #[unit(ms)]
    pub fn sequential_time(&self) -> Result<Time> {
        Ok(self.total_backward()? + self.layers()? * self.communication_per_layer()?)
    }

    /// How much longer a layer's reductions take than the backward pass of the next.
    #[unit(ms)]
    pub fn exposed_per_layer(&self) -> Result<Time> {
        Ok((self.communication_per_layer()? - self.backward_per_layer).max(Time::ZERO))
    }

    /// The time of the backward pass with reductions during it: what outlasts each layer but the
    /// last, and the last one's in full.
    #[unit(ms)]
    pub fn overlapped_time(&self) -> Result<Time> {
        Ok(self.total_backward()?
            + self.communication_per_layer()?
            + self.layers()?.saturating_sub(1) * self.exposed_per_layer()?)
    }

    /// The share of the time that overlapping saves; nothing where there is no time to save.
    pub fn savings_fraction(&self) -> Result<Option<f64>> {
        Ok((1.0 - self.overlapped_time()? / self.sequential_time()?).defined())
    }

    /// The gradients of all parameters.
    #[unit(GB)]
    fn gradient_bytes(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.workload.parameters.needed("parameters")?, self.bytes_per_value))
    }

    /// The model states what its layers exchange.
    #[check]
    fn model_has_layers(&self) -> Result<()> {
        self.workload.states(&["parameters", "layers"]).map_err(|error| error.about("workload"))
    }
}
