//! `RingTraceModel`: a ring AllReduce, step by step on small vectors.

use mlsysim_scenario::{Error, Result, Solver, Steps, equations};

use crate::physics::communication::{chunk_total, ring_gathered, ring_scattered};

/// Every step of a ring AllReduce, on one short vector for each GPU with one number a chunk.
///
/// In step s of the ReduceScatter, GPU g receives chunk g - s - 1 from its predecessor and adds
/// its own part, so that it owns the whole sum of chunk g + 1 in the end. In step s of the
/// AllGather it receives the sum of chunk g - s. Numbers of chunks are taken modulo how many there
/// are, and steps count from 0.
///
/// Source: Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = RingTraceResult)]
pub struct RingTraceModel {
    /// The vector of each GPU, with one number for every GPU.
    #[range(nonempty, >= -1000000000000, <= 1000000000000)]
    pub vectors: Vec<Vec<i64>>,
}

#[equations(result = RingTraceResult)]
impl RingTraceModel {
    /// What each GPU holds after each step of the ReduceScatter: the number of the chunk that it
    /// received, and that chunk's sum so far.
    pub fn scatter_reduce(&self) -> Vec<Vec<Vec<i64>>> {
        self.phase_steps().steps(|step| self.gpus().steps(|gpu| ring_scattered(&self.vectors, gpu, step)))
    }

    /// The chunk that each GPU owns after the ReduceScatter, and its whole sum.
    pub fn owned(&self) -> Vec<Vec<i64>> {
        self.gpus().steps(|gpu| ring_gathered(&self.vectors, gpu + 1, 0))
    }

    /// The sum of each chunk over all GPUs.
    pub fn totals(&self) -> Vec<i64> {
        self.gpus().steps(|chunk| chunk_total(&self.vectors, chunk))
    }

    /// What each GPU receives in each step of the AllGather: a chunk's number, and its whole sum.
    pub fn all_gather(&self) -> Vec<Vec<Vec<i64>>> {
        self.phase_steps().steps(|step| self.gpus().steps(|gpu| ring_gathered(&self.vectors, gpu, step)))
    }

    /// The chunks whose whole sum each GPU holds in the end: all of them.
    pub fn held(&self) -> Vec<Vec<u64>> {
        self.gpus().steps(|_gpu| self.gpus().steps(|chunk| chunk))
    }

    /// How many steps both phases take.
    pub fn steps(&self) -> u64 {
        2 * self.phase_steps()
    }

    /// How many GPUs there are.
    fn gpus(&self) -> u64 {
        self.vectors.len() as u64
    }

    /// How many steps each phase takes.
    fn phase_steps(&self) -> u64 {
        self.gpus().saturating_sub(1)
    }

    /// Each vector has a chunk for every GPU.
    #[check]
    fn vectors_have_chunks(&self) -> Result<()> {
        let gpus = self.vectors.len();
        match self.vectors.iter().position(|vector| vector.len() != gpus) {
            Some(index) => Err(Error::input(
                "vectors",
                format!(
                    "each of the {gpus} vectors needs {gpus} numbers, one chunk for every GPU, but vector {index} has {}",
                    self.vectors[index].len()
                ),
            )),
            None => Ok(()),
        }
    }
}
