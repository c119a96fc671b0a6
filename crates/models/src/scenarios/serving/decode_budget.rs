//! `DecodeBudgetScenario`: a decode step, cut interval by interval until it meets its target.

use std::sync::Arc;

use mlsysim_quantity::units::MILLISECOND;
use mlsysim_quantity::{Bytes, BytesPerParam, Time};
use mlsysim_registry::{HardwareNode, Workload};
use mlsysim_scenario::{
    CountProduct, Entries, Error, ListExt, Name, OptionExt, Result, Scenario, Total, equations,
};

use crate::physics::compute::BYTES_16_BIT;

/// A decode step of five intervals, cut first by smaller precision and then by fused and replayed
/// kernels, against the time that a token may take.
///
/// # Assumptions
/// The intervals stand in the order of their names: matrix products, attention, element-wise work,
/// AllReduces, launches. They follow each other. Precision shortens the first; fusion shortens attention
/// and puts stated times in place of element-wise work and launches.
///
/// # Excludes
/// Overlap, and what smaller precision costs in quality.
///
/// # Derivation
/// Each stage replaces the intervals that it touches and adds all of them up. Beside them stand the time
/// to read a device's weights, below which no step is, and an estimate of one AllReduce: a launch and
/// twice the activation of a token, which a ring over many devices approaches (Thakur et al., 2005,
/// doi:10.1177/1094342005051521).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct DecodeBudgetScenario {
    /// The model that decodes.
    pub workload: Arc<Workload>,
    /// How many devices share the model.
    #[range(>= 1)]
    pub tp_size: u64,
    /// The device that computes.
    pub accelerator: Arc<HardwareNode>,
    /// How large a stored parameter is.
    #[range(> 0)]
    #[unit(B/param)]
    pub weight_bytes_per_param: BytesPerParam,
    /// How long a token may take.
    #[range(> 0)]
    #[unit(ms)]
    pub tpot_target: Time,
    /// How long a step takes before anything is cut.
    #[range(> 0)]
    #[unit(ms)]
    pub baseline_step: Time,
    /// What the five intervals are called.
    #[range(nonempty)]
    pub intervals: Vec<Name>,
    /// The share of each interval in the step.
    #[range(>= 0, <= 1)]
    pub baseline_shares: Vec<f64>,
    /// The share of the matrix products' time that smaller precision removes.
    #[range(>= 0, <= 1)]
    pub gemm_cut: f64,
    /// The share of attention's time that fusion removes.
    #[range(>= 0, <= 1)]
    pub attention_cut: f64,
    /// The time of element-wise work once it is fused.
    #[range(>= 0)]
    #[unit(ms)]
    pub fused_elementwise: Time,
    /// The time of launches once they are replayed from a graph.
    #[range(>= 0)]
    #[unit(ms)]
    pub replay_overhead: Time,
    /// The time to launch a collective.
    #[range(>= 0)]
    #[unit("µs")]
    pub collective_launch: Time,
    /// How many AllReduces a layer has.
    #[range(>= 0)]
    #[default(2)]
    pub allreduces_per_layer: u64,
}

#[equations]
impl DecodeBudgetScenario {
    /// The intervals before anything is cut, in milliseconds.
    pub fn baseline(&self) -> Vec<f64> {
        self.baseline_shares.entries(|share| self.baseline_step / MILLISECOND * *share)
    }

    /// The intervals after smaller precision, in milliseconds.
    pub fn after_precision(&self) -> Result<Vec<f64>> {
        Ok([
            self.baseline().entry(0)? * (1.0 - self.gemm_cut),
            self.baseline().entry(1)?,
            self.baseline().entry(2)?,
            self.baseline().entry(3)?,
            self.baseline().entry(4)?,
        ]
        .to_vec())
    }

    /// The intervals after smaller precision and fusion, in milliseconds.
    pub fn after_fusion(&self) -> Result<Vec<f64>> {
        Ok([
            self.after_precision()?.entry(0)?,
            self.after_precision()?.entry(1)? * (1.0 - self.attention_cut),
            self.fused_elementwise / MILLISECOND,
            self.after_precision()?.entry(3)?,
            self.replay_overhead / MILLISECOND,
        ]
        .to_vec())
    }

    /// The step before anything is cut, after smaller precision, and after fusion, in milliseconds.
    pub fn totals(&self) -> Result<Vec<f64>> {
        Ok([self.baseline().total(), self.after_precision()?.total(), self.after_fusion()?.total()].to_vec())
    }

    /// A device's share of the weights.
    #[unit(GB)]
    pub fn weight_shard(&self) -> Result<Bytes> {
        Ok(self.workload.parameters.needed("parameters")? * self.weight_bytes_per_param / self.tp_size)
    }

    /// The time to read that share, below which no step is.
    #[unit(ms)]
    #[kind(bound)]
    pub fn floor(&self) -> Result<Time> {
        Ok(self.weight_shard()? / self.accelerator.memory.bandwidth)
    }

    /// How many AllReduces a step has.
    pub fn allreduces_per_step(&self) -> Result<u64> {
        self.allreduces_per_layer.times(self.workload.layers.needed("layers")?)
    }

    /// What the interval of AllReduces leaves for each of them.
    #[unit("µs")]
    pub fn allreduce_per_collective(&self) -> Result<Time> {
        Ok(self.baseline().entry(3)? * MILLISECOND / self.allreduces_per_step()?)
    }

    /// An estimate of one AllReduce: its launch, and twice the activation of a token over NVLink.
    #[unit("µs")]
    pub fn collective_estimate(&self) -> Result<Time> {
        Ok(self.collective_launch
            + 2.0 * self.activation()? / self.accelerator.nvlink.needed("nvlink")?.bandwidth_per_direction())
    }

    /// The 16-bit activation of one token.
    #[unit(B)]
    fn activation(&self) -> Result<Bytes> {
        Ok(self.workload.hidden_dim.needed("hidden_dim")? * BYTES_16_BIT)
    }

    /// The step has five intervals, and each a name and a share.
    #[check]
    fn intervals_are_five(&self) -> Result<()> {
        let lists = [("intervals", self.intervals.len()), ("baseline_shares", self.baseline_shares.len())];
        match lists.into_iter().find(|(_, length)| *length != 5) {
            Some((field, length)) => Err(Error::input(
                field,
                format!(
                    "five are needed, for matrix products, attention, element-wise work, AllReduces and launches, but {length} were given"
                ),
            )),
            None => Ok(()),
        }
    }

    /// Intervals that do not make up the step.
    #[note(baseline, totals)]
    fn incomplete(&self) -> Option<String> {
        let sum: f64 = self.baseline_shares.total();
        ((sum - 1.0).abs() > 1e-6)
            .then(|| format!("the shares add up to {sum}, so that the intervals do not make up the step"))
    }

    /// What is left may still be too long.
    #[note(totals)]
    fn misses_target(&self) -> Option<String> {
        let last = *self.totals().ok()?.last()?;
        let target = self.tpot_target / MILLISECOND;
        (last > target).then(|| format!("the step is still longer than the {target} ms of `tpot_target`"))
    }

    /// No cut goes below reading the weights.
    #[note(totals, after_precision, after_fusion)]
    fn below_the_floor(&self) -> Option<String> {
        let (last, floor) = (*self.totals().ok()?.last()?, self.floor().ok()? / MILLISECOND);
        (last < floor)
            .then(|| format!("the step is shorter than the {floor:.3} ms that reading the weights takes"))
    }

    /// One device has nobody to exchange with.
    #[note(allreduce_per_collective, collective_estimate)]
    fn lonely(&self) -> Option<String> {
        (self.tp_size == 1).then(|| "a group of one device exchanges nothing".to_string())
    }
}
