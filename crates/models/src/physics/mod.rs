//! Pure formulas by subject; each stands once.

pub mod activations;
pub mod batching;
pub mod checkpointing;
pub mod communication;
pub mod compression;
pub mod compute;
pub mod decode;
pub mod economics;
pub mod kernel_time;
pub mod kv_cache;
pub mod matrix;
pub mod memory;
pub mod packing;
pub mod pipeline;
pub mod poisson;
pub mod queueing;
pub mod topology;
pub mod training_state;
