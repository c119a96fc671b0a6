//! Scenarios of training a model: splitting it, synchronising it and what a run costs.

use super::scenarios;

scenarios! {
    tensor_parallel_layer: TensorParallelLayerScenario;
}
