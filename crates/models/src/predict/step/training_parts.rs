//! The parts of a predicted step of training, down to each kernel and collective.

use mlsysim_quantity::Time;
use mlsysim_scenario::Result;

use super::TrainingQuestion;
use super::training_weights::{TrainingClass, TrainingWeights};
use super::{
    Categories, Category, Cost, PartTime, Piece, Place, Pricing, Spent, StepPrediction, Times,
    TrainingCoefficients,
};
use crate::predict::Calibration;
use crate::transformer::{Accounting, Group};

impl Calibration<TrainingCoefficients> {
    /// What the step of `accounting` takes by `pricing`, with the parts that it is the sum of.
    ///
    /// ```
    /// use mlsysim_models::machine::Machine;
    /// use mlsysim_models::predict::{Practice, Pricing, shipped, shipped_steps};
    /// use mlsysim_models::transformer::{Accounting, Division, Layout, Step, Transformer};
    ///
    /// let (model, layout) = (Transformer::named("Llama3_70B")?, Layout::parse("tp=8,sp,dp=64,zero=1")?);
    /// let (division, step) = (Division::new(&model, &layout)?, Step::training(512, 8192));
    /// let accounting = Accounting::new(&division, &step)?;
    /// let (machine, practice) = (Machine::named("Training_512_H100")?, Practice::default());
    /// let pricing = Pricing::new(&machine, &practice, shipped()?.kernels())?;
    /// let predicted = shipped_steps()?.training.step(&accounting, &pricing)?;
    /// assert!(predicted.total.low < predicted.total.time && predicted.total.time < predicted.total.high);
    /// assert!((predicted.parts.time / predicted.total.time - 1.0).abs() < 1e-9);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A group spans domains and the machine has no network.
    pub fn step(&self, accounting: &Accounting, pricing: &Pricing) -> Result<StepPrediction> {
        let question = TrainingQuestion::new(accounting, pricing)?;
        let total = self.predict(&question);
        let spans = question.spans(&self.coefficients);
        let passes = passes(&question, accounting, pricing, &self.coefficients)?;
        let parts = vec![
            PartTime::sum("passes", passes),
            PartTime::new("sends, waited for", spans.waiting, question.sent.crosses()),
            PartTime::new("pipeline fills and drains", spans.filling, "the pipeline"),
            PartTime::new("replicas, exposed", spans.replicas, question.replicas.once.crosses()),
            PartTime::new("update", spans.update, "memory"),
            PartTime::new("beside", spans.beside, "the host")
                .on(Categories::of(Category::Host, spans.beside)),
        ];
        let parts = parts.into_iter().filter(|part| part.time > Time::ZERO).collect();
        Ok(StepPrediction::new(total, "step", parts))
    }
}

/// The passes of all micro-batches through the slowest stage.
fn passes(
    question: &TrainingQuestion,
    accounting: &Accounting,
    pricing: &Pricing,
    of: &TrainingCoefficients,
) -> Result<Vec<PartTime>> {
    let of_stages = question.spans(of);
    let stage = question.number_of(of_stages.slowest);
    let micro_batches = accounting.load.micro_batches as f64;
    let weights = TrainingClass::of(pricing).weights(of);
    // What the slowest stage shows of what its groups exchange beside computing.
    let spent = question.stages.get(of_stages.slowest).map_or(Spent::default(), |stage| stage.spent);
    let tensor = weights.beside(&spent) - weights.computing(&spent);
    let experts = of_stages.with_experts - of_stages.computing;
    let shown = [(Group::Tensor, tensor), (Group::Expert, experts)];
    let shown = shown.map(|(group, shown)| (group, shown, spent.exchanging(group)));
    let mut parts: Vec<PartTime> = Vec::new();
    let mut take = |places: f64, piece: &Piece, times: Times| {
        let often = micro_batches * places * times.iter().sum::<f64>();
        let (time, bound) = (
            often * weighed(piece, &Spent::of(piece, &pricing.kernels), &weights),
            often * weighed(piece, &Spent::least(piece), &TrainingWeights::LEAST),
        );
        if time == Time::ZERO {
            return;
        }
        let empty = || {
            let empty = Spent::of(&piece.without_payload(), &pricing.kernels);
            often * weighed(piece, &empty, &weights)
        };
        // Kernels of 8 bits are weighed by what steps fuse with others: those may take less than alone.
        let bound = if time < bound { None } else { Some(bound) };
        let child = PartTime { bound, ..PartTime::new(piece.what, time, piece.binds(&pricing.kernels)) };
        let child = child.on(Categories::of_piece(piece, time, empty));
        PartTime::add_within(&mut parts, part_name(piece), child);
    };
    each_piece(accounting, pricing, stage, &mut |places, piece, times| take(places as f64, piece, times))?;
    for part in &mut parts {
        let hidden = shown.iter().find(|(group, ..)| part.name == exchange_name(*group));
        // Each exchange of a group is hidden as much as the others.
        if let Some((_, shown, full)) = hidden.filter(|(_, shown, full)| *shown < (1.0 - 1e-9) * *full) {
            for child in &mut part.parts {
                child.scale(*shown / *full);
                // What is hidden may take less than its bound, which is that of all of it.
                child.bound = None;
            }
        }
        *part = PartTime::sum(std::mem::take(&mut part.name), std::mem::take(&mut part.parts));
    }
    let launches = micro_batches * (of_stages.stage - of_stages.with_experts);
    if launches > Time::ZERO {
        let host = Categories::of(Category::Host, launches);
        parts.push(PartTime::new("launches", launches, "the host").on(host));
    }
    Ok(parts)
}

/// Every kernel and collective of a stage to `visit`, with how many places are alike and how often it
/// happens in each pass.
pub(super) fn each_piece(
    accounting: &Accounting,
    pricing: &Pricing,
    stage: u64,
    visit: &mut impl FnMut(u64, &Piece, Times),
) -> Result<()> {
    for (layer, layers) in accounting.kinds(stage) {
        pricing.pieces(accounting, Place::Layer(layer), &mut |piece, times| visit(layers, piece, times))?;
    }
    if accounting.is_first(stage) {
        pricing.pieces(accounting, Place::Embedding, &mut |piece, times| visit(1, piece, times))?;
    }
    if accounting.is_last(stage) {
        pricing.pieces(accounting, Place::Head, &mut |piece, times| visit(1, piece, times))?;
    }
    Ok(())
}

/// What the part is called that a piece belongs to.
pub(super) fn part_name(piece: &Piece) -> String {
    match &piece.cost {
        Cost::Exchange(group, _) => exchange_name(*group),
        _ => piece.part.name().to_string(),
    }
}

fn exchange_name(group: Group) -> String {
    format!("exchange over {}", group.name())
}

/// What `spent` of a piece takes in a stage.
pub(super) fn weighed(piece: &Piece, spent: &Spent, weights: &TrainingWeights) -> Time {
    match piece.cost {
        Cost::Exchange(group @ Group::Context, _) => weights.exposed * spent.exchanging(group),
        Cost::Exchange(group, _) => spent.exchanging(group),
        _ => weights.computing(spent),
    }
}
