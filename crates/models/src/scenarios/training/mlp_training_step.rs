//! `MlpTrainingStepScenario`: a training step of a small network, operation by operation.

use std::sync::Arc;

use mlsysim_quantity::units::FLOP;
use mlsysim_quantity::{Bytes, FlopRate, Flops, Time};
use mlsysim_registry::{HardwareNode, HostDispatchScenario};
use mlsysim_scenario::{CountProduct, Map, MapExt, Name, Result, Scenario, Total, equations, table};

use crate::physics::matrix::{matmul_bytes, matmul_flops};

/// One training step of a network with one hidden layer, operation by operation, without fusion.
///
/// # Assumptions
/// Forward: a matrix multiplication, a ReLU, a second one and a combined cross-entropy loss.
/// Backward: the gradients of both matrices and of the hidden activation, and the derivatives of
/// the ReLU and of the loss. Each operation reads its operands from memory and writes its result
/// there; biases are added in passing.
///
/// # Excludes
/// The optimizer's step from the times and totals; caches, and any overlap.
///
/// # Derivation
/// A product of an `m × k` and a `k × n` matrix takes `2·m·k·n` operations and moves
/// `m·k + k·n + m·n` values; an operation on each element moves what it reads and writes. The times
/// are those of the arithmetic at the device's peak and of the traffic at its full bandwidth.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct MlpTrainingStepScenario {
    /// How many examples the step passes.
    #[range(>= 1)]
    pub batch_size: u64,
    /// How many values an example has.
    #[range(>= 1)]
    pub input_width: u64,
    /// How many values the hidden layer has.
    #[range(>= 1)]
    pub hidden_width: u64,
    /// How many classes there are.
    #[range(>= 1)]
    pub output_width: u64,
    /// The size of one stored value.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_value: Bytes,
    /// The size of the label of one example.
    #[range(>= 0)]
    #[unit(B)]
    pub label_bytes: Bytes,
    /// How many operations the loss takes for each class of an example.
    #[range(>= 0)]
    pub loss_flops_per_logit: u64,
    /// How many values the optimizer reads and writes for each parameter.
    #[range(>= 0)]
    pub optimizer_values_moved: u64,
    /// The device that computes.
    pub hardware: Arc<HardwareNode>,
    /// The precision of the arithmetic: a key of the device's peak rates.
    #[default("fp32")]
    pub precision: Name,
    /// How many kernels the forward pass launches.
    #[range(>= 0)]
    pub forward_ops: u64,
    /// How many kernels the backward pass launches.
    #[range(>= 0)]
    pub backward_ops: u64,
    /// The host's time to enter one operation from Python.
    #[range(>= 0)]
    #[unit("µs")]
    pub dispatch: Time,
    /// The host's time to launch one kernel.
    #[range(>= 0)]
    #[unit("µs")]
    pub launch: Time,
}

#[equations]
impl MlpTrainingStepScenario {
    /// The arithmetic of each operation.
    #[unit(flop)]
    pub fn op_flops(&self) -> Map<Flops> {
        self.forward_op_flops().joined(self.backward_op_flops())
    }

    /// What each operation moves.
    #[unit(B)]
    pub fn op_bytes(&self) -> Map<Bytes> {
        self.forward_op_bytes().joined(self.backward_op_bytes())
    }

    /// The arithmetic of the forward pass.
    #[unit(flop)]
    pub fn forward_flops(&self) -> Flops {
        self.forward_op_flops().total()
    }

    /// The arithmetic of the backward pass.
    #[unit(flop)]
    pub fn backward_flops(&self) -> Flops {
        self.backward_op_flops().total()
    }

    /// What the forward pass moves.
    #[unit(B)]
    pub fn forward_bytes(&self) -> Bytes {
        self.forward_op_bytes().total()
    }

    /// What the backward pass moves.
    #[unit(B)]
    pub fn backward_bytes(&self) -> Bytes {
        self.backward_op_bytes().total()
    }

    /// The arithmetic of both passes.
    #[unit(flop)]
    pub fn total_flops(&self) -> Flops {
        self.forward_flops() + self.backward_flops()
    }

    /// What both passes move.
    #[unit(B)]
    pub fn total_bytes(&self) -> Bytes {
        self.forward_bytes() + self.backward_bytes()
    }

    /// The matrix multiplications of the whole step over those of the forward pass; the raw input
    /// needs no gradient, so that it is below 3.
    pub fn dense_training_ratio(&self) -> f64 {
        (2.0 * self.hidden_matmul_flops() + 3.0 * self.output_matmul_flops())
            / (self.hidden_matmul_flops() + self.output_matmul_flops())
    }

    /// How many parameters the network has, biases included.
    pub fn parameters(&self) -> Result<u64> {
        Ok(self.input_width.times(self.hidden_width)?
            + self.hidden_width
            + self.hidden_width.times(self.output_width)?
            + self.output_width)
    }

    /// What the optimizer moves in a step.
    #[unit(B)]
    pub fn optimizer_step_bytes(&self) -> Result<Bytes> {
        Ok(self.parameters()? as f64 * self.optimizer_values_moved as f64 * self.bytes_per_value)
    }

    /// The device's peak rate in this precision.
    ///
    /// # Errors
    ///
    /// The device states none.
    #[unit(TFLOP/s)]
    pub fn peak_rate(&self) -> Result<FlopRate> {
        self.hardware.peak(&self.precision)
    }

    /// The time of the arithmetic at the device's peak rate.
    #[unit("µs")]
    #[kind(bound)]
    pub fn compute_time(&self) -> Result<Time> {
        Ok(self.total_flops() / self.peak_rate()?)
    }

    /// The time of the traffic at the device's full bandwidth.
    #[unit("µs")]
    #[kind(bound)]
    pub fn memory_time(&self) -> Time {
        self.total_bytes() / self.hardware.memory.bandwidth
    }

    /// The host's work to issue the step against the device's: one Python entry for each forward
    /// operation and one for the whole backward pass, and a launch for every kernel.
    ///
    /// # Errors
    ///
    /// The device states no peak for the precision.
    pub fn host(&self) -> Result<Arc<HostDispatchScenario>> {
        Ok(Arc::new(HostDispatchScenario {
            ops_per_block: self.forward_ops + 1,
            blocks: 1,
            launches_per_block: Some(self.forward_ops + self.backward_ops),
            dispatch: self.dispatch,
            launch: self.launch,
            device_time: self.compute_time()? + self.memory_time(),
        }))
    }

    /// The device states a peak for the precision.
    #[check]
    fn peak_is_stated(&self) -> Result<()> {
        self.hardware.peak(&self.precision).map(|_| ())
    }

    /// The arithmetic of each operation of the forward pass.
    #[unit(flop)]
    fn forward_op_flops(&self) -> Map<Flops> {
        table([
            ("matmul1", self.hidden_matmul_flops()),
            ("relu", self.hidden_values() * FLOP),
            ("matmul2", self.output_matmul_flops()),
            ("loss", self.loss_flops_per_logit as f64 * self.output_values() * FLOP),
        ])
    }

    /// The arithmetic of each operation of the backward pass.
    #[unit(flop)]
    fn backward_op_flops(&self) -> Map<Flops> {
        table([
            ("grad_w2", self.output_matmul_flops()),
            ("grad_h", self.output_matmul_flops()),
            ("grad_w1", self.hidden_matmul_flops()),
            ("relu_backward", self.hidden_values() * FLOP),
            ("loss_backward", 2.0 * self.output_values() * FLOP),
        ])
    }

    /// What each operation of the forward pass moves.
    #[unit(B)]
    fn forward_op_bytes(&self) -> Map<Bytes> {
        table([
            ("matmul1", self.hidden_matmul_bytes()),
            ("relu", 2.0 * self.hidden_values() * self.bytes_per_value),
            ("matmul2", self.output_matmul_bytes()),
            ("loss", 2.0 * self.output_values() * self.bytes_per_value),
        ])
    }

    /// What each operation of the backward pass moves.
    #[unit(B)]
    fn backward_op_bytes(&self) -> Map<Bytes> {
        table([
            ("grad_w2", self.output_matmul_bytes()),
            ("grad_h", self.output_matmul_bytes()),
            ("grad_w1", self.hidden_matmul_bytes()),
            ("relu_backward", 3.0 * self.hidden_values() * self.bytes_per_value),
            (
                "loss_backward",
                2.0 * self.output_values() * self.bytes_per_value + self.batch_size * self.label_bytes,
            ),
        ])
    }

    /// The arithmetic of a product with the first matrix, or of its gradient.
    #[unit(flop)]
    fn hidden_matmul_flops(&self) -> Flops {
        matmul_flops(self.batch_size, self.input_width, self.hidden_width)
    }

    /// The arithmetic of a product with the second matrix, or of a gradient of it.
    #[unit(flop)]
    fn output_matmul_flops(&self) -> Flops {
        matmul_flops(self.batch_size, self.hidden_width, self.output_width)
    }

    /// What a product with the first matrix moves, or its gradient.
    #[unit(B)]
    fn hidden_matmul_bytes(&self) -> Bytes {
        matmul_bytes(self.batch_size, self.input_width, self.hidden_width, self.bytes_per_value)
    }

    /// What a product with the second matrix moves, or a gradient of it.
    #[unit(B)]
    fn output_matmul_bytes(&self) -> Bytes {
        matmul_bytes(self.batch_size, self.hidden_width, self.output_width, self.bytes_per_value)
    }

    /// How many values the hidden layer has for all examples.
    fn hidden_values(&self) -> f64 {
        self.batch_size as f64 * self.hidden_width as f64
    }

    /// How many values the last layer has for all examples.
    fn output_values(&self) -> f64 {
        self.batch_size as f64 * self.output_width as f64
    }
}
