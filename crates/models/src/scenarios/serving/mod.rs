//! Scenarios of serving a model: prefill, decode, batching and what they cost.

use super::scenarios;

scenarios! {
    tensor_parallel_speedup: TensorParallelSpeedupScenario;
}
