//! Models of several steps that scenarios share, under the names of the Python reference.

mod tensor_parallel_layer;

use mlsysim_scenario::{Define, Description};

pub use tensor_parallel_layer::{TensorParallelLayerModel, TensorParallelLayerResult};

/// Every solver, each once.
pub(crate) const ALL: &[fn() -> &'static Description] = &[TensorParallelLayerModel::describe];
