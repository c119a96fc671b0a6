//! The Rust examples of the manual, run as documentation tests.
//!
//! Written by `cargo xtask docs`.

#[doc = include_str!("../../../README.md")]
mod readme {}

#[doc = include_str!("../../../docs/src/reference/serving/TensorParallelSpeedupScenario.md")]
mod reference_serving_tensor_parallel_speedup_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/TensorParallelLayerScenario.md")]
mod reference_training_tensor_parallel_layer_scenario {}
