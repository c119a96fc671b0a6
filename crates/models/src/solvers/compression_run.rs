//! `CompressionRunModel`: a training run with and without compressed gradients.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Counting, Defined, Map, MapExt, Paired, Result, Solver, equations};

/// The time to the same quality with and without compression of the gradients, on several
/// networks.
///
/// A step is its compute and then its communication, nothing of which is hidden. Compression
/// divides the communication, and costs steps, because its noise slows the convergence. So it pays
/// only where communication is a large part of the step.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = CompressionRunResult)]
pub struct CompressionRunModel {
    /// How many steps the run needs without compression.
    #[range(>= 1)]
    pub steps: u64,
    /// The compute of one step.
    #[range(>= 0)]
    #[unit(ms)]
    pub compute_time: Time,
    /// The communication of one step that compute does not hide, on each network.
    #[range(>= 0)]
    #[unit(ms)]
    pub communication_times: Map<Time>,
    /// How many times less is sent.
    #[range(>= 1)]
    pub ratio: f64,
    /// The share of steps that compression costs more.
    #[range(>= 0)]
    pub step_penalty: f64,
}

#[equations(result = CompressionRunResult)]
impl CompressionRunModel {
    /// How many steps the run needs with compression, to the nearest step.
    pub fn steps_compressed(&self) -> Result<u64> {
        (self.steps as f64 * (1.0 + self.step_penalty)).round_ties_even().counted()
    }

    /// The time of a step on each network.
    #[unit(ms)]
    pub fn step_times(&self) -> Map<Time> {
        self.communication_times.each(|communication| self.compute_time + *communication)
    }

    /// The time of a step with compression.
    #[unit(ms)]
    pub fn compressed_step_times(&self) -> Map<Time> {
        self.communication_times.each(|communication| self.compute_time + *communication / self.ratio)
    }

    /// The time of the run on each network.
    #[unit(s)]
    pub fn totals(&self) -> Map<Time> {
        self.step_times().each(|step| self.steps * *step)
    }

    /// The time of the run with compression.
    #[unit(s)]
    pub fn compressed_totals(&self) -> Result<Map<Time>> {
        let steps = self.steps_compressed()?;
        Ok(self.compressed_step_times().each(|step| steps * *step))
    }

    /// By what share the run takes longer with compression; below 0 where it is faster, and
    /// nothing where a step takes no time.
    pub fn changes(&self) -> Result<Map<Option<f64>>> {
        Ok(self
            .compressed_totals()?
            .paired(&self.totals(), |compressed, total| (*compressed / *total - 1.0).defined()))
    }
}
