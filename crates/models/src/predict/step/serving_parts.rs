//! `serve`: predicted serving with the parts that it is the sum of, down to each kernel and collective.

use mlsysim_quantity::Time;
use mlsysim_scenario::Result;

use super::serving_weights::ServingWeights;
use super::training_parts::part_name;
use super::{
    Categories, Category, Engine, Iterations, PartTime, Pricing, Served, ServingCoefficients, Spent,
    StepPrediction, Workload,
};
use crate::machine::Machine;
use crate::predict::{Calibration, Calibrations, shipped, shipped_steps};
use crate::transformer::{Layout, Transformer};

/// What `workload` takes of `engine` with `model` on the devices of `machine` that `layout` needs, by
/// the calibrations that come with this crate.
///
/// ```
/// use mlsysim_models::machine::Machine;
/// use mlsysim_models::predict::{Engine, Workload, serve};
/// use mlsysim_models::transformer::{Layout, Transformer};
///
/// let (model, layout) = (Transformer::named("Llama3_70B")?, Layout::parse("tp=8")?);
/// let (machine, engine) = (Machine::named("DGX_H100")?, Engine::default());
/// let first = Workload::Prefill { batch: 1, prompt: 2048, context: 0 };
/// let predicted = serve(&model, &layout, &machine, &engine, first)?;
/// assert!(predicted.total.bound <= predicted.total.low && predicted.total.low <= predicted.total.time);
/// assert!((predicted.parts.time / predicted.total.time - 1.0).abs() < 1e-9);
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// A precision is not known, the device states no peak for it, the weights do not fit, or a group spans
/// domains and the machine has no network.
pub fn serve(
    model: &Transformer,
    layout: &Layout,
    machine: &Machine,
    engine: &Engine,
    workload: Workload,
) -> Result<StepPrediction> {
    let served = Served { model, layout, machine, engine };
    shipped_steps()?.serving.serve(&served, workload, shipped()?)
}

impl Calibration<ServingCoefficients> {
    /// What `workload` takes of `served`, with kernels priced by `kernels`, and the parts of that.
    ///
    /// # Errors
    ///
    /// A precision is not known, the device states no peak for it, the weights do not fit, or a group
    /// spans domains and the machine has no network.
    pub fn serve(
        &self,
        served: &Served,
        workload: Workload,
        kernels: &Calibrations,
    ) -> Result<StepPrediction> {
        let pricing = Pricing::new(served.machine, &served.engine.practice, kernels.kernels())?;
        let question = served.question(workload, kernels.kernels(), None)?;
        let total = self.predict(&question);
        let weights = question.weights(&self.coefficients);
        let (flows, _) = served.flows(workload)?;
        let mut parts = Vec::new();
        for (each, (_, flow)) in question.iterations.iter().zip(&flows) {
            if each.times > 0.0 {
                let pieces = pricing.iteration(served.model, served.layout, *flow)?;
                parts.push(iterations(each, &pieces, &pricing, &weights));
            }
        }
        Ok(StepPrediction::new(total, question.regime, parts))
    }
}

/// Iterations that are alike, as the sum of their pieces and of what the host takes beside.
fn iterations(
    each: &Iterations,
    pieces: &super::Pieces,
    pricing: &Pricing,
    weights: &ServingWeights,
) -> PartTime {
    let mut parts: Vec<PartTime> = Vec::new();
    for (piece, number) in pieces {
        let often = each.times * number;
        let time = often * weights.device(&Spent::of(piece, &pricing.kernels));
        if time == Time::ZERO {
            continue;
        }
        let bound = often * ServingWeights::LEAST.device(&Spent::least(piece));
        let empty = || often * weights.device(&Spent::of(&piece.without_payload(), &pricing.kernels));
        let child = PartTime::new(piece.what, time, piece.binds(&pricing.kernels)).over(bound);
        let child = child.on(Categories::of_piece(piece, time, empty));
        PartTime::add_within(&mut parts, part_name(piece), child);
    }
    for part in &mut parts {
        *part = PartTime::sum(std::mem::take(&mut part.name), std::mem::take(&mut part.parts));
    }
    let beside = each.times * (each.time(weights) - weights.device(&each.spent));
    if beside > Time::ZERO {
        let host = Categories::of(Category::Host, beside);
        parts.push(PartTime::new("beside", beside, "the host").on(host));
    }
    PartTime::sum(each.name, parts)
}
