//! `Staging`: how layers are cut into stages and chunks, which all layouts with as many share.

use mlsysim_models::transformer::{Division, Layout, Transformer};

/// The layers of stages, by runs of stages that are alike.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Staging {
    pub pp: u64,
    pub vpp: u64,
    /// How many layers each chunk has, where they are not all alike.
    pub stages: Option<Vec<u64>>,
    pub runs: Vec<Run>,
}

/// Stages that follow each other and have as many layers of each kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// The first of them, from 0.
    pub first: u64,
    pub count: u64,
    /// The layers of each kind.
    pub layers: Vec<u64>,
}

/// How many layers each chunk has where they cannot be alike; nothing where they can.
pub(crate) fn stages(layers: u64, pp: u64, vpp: u64) -> Option<Vec<u64>> {
    (pp > 1 && !layers.is_multiple_of(pp * vpp)).then(|| Division::spread(layers, pp * vpp))
}

impl Staging {
    /// The layers of `model` in `pp` stages of `vpp` chunks; nothing where a chunk would have none.
    pub fn new(model: &Transformer, pp: u64, vpp: u64) -> Option<Self> {
        let layers = u64::from(model.layers());
        if pp * vpp > layers || (vpp > 1 && pp == 1) {
            return None;
        }
        let stages = stages(layers, pp, vpp);
        let layout = Layout { pp, vpp, stages: stages.clone(), ..Layout::whole() };
        let division = Division::new(model, &layout).ok()?;
        let run = |(first, count)| Run { first, count, layers: division.layers_of(first).collect() };
        let runs = division.runs().map(run).collect();
        Some(Staging { pp, vpp, stages, runs })
    }
}
