//! What the kernels of a layer take, from the calibrations of kernels, without a framework around them.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Kind, Result};

use super::Implied;
use crate::predict::step::{Cost, Piece, Place, Pricing, Times};
use crate::predict::{Calibrations, CollectiveQuestion, Prediction, shipped};
use crate::transformer::{Accounting, Division, Layout, Part, Step};

/// A half of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Attention with its projections.
    Attention,
    /// The feed-forward network, dense or of experts.
    FeedForward,
}

impl Phase {
    fn of(part: Part) -> Option<Phase> {
        match part {
            Part::Attention => Some(Phase::Attention),
            Part::Mlp | Part::Experts | Part::SharedExperts | Part::Router => Some(Phase::FeedForward),
            _ => None,
        }
    }
}

/// Predictions that are taken to err together: the ends of their intervals add up.
pub(super) fn together(parts: Vec<(f64, Prediction)>) -> Option<Prediction> {
    let longest = |parts: &[(f64, Prediction)]| {
        let times = parts.iter().map(|(times, each)| (*times * each.time, each.binds, each.regime));
        times.max_by(|(one, ..), (other, ..)| one.base().total_cmp(&other.base()))
    };
    let (_, binds, regime) = longest(&parts)?;
    let sum = |of: fn(&Prediction) -> Time| {
        parts.iter().fold(Time::ZERO, |sum, (times, each)| sum + *times * of(each))
    };
    let mut reasons: Vec<String> = Vec::new();
    for reason in parts.iter().flat_map(|(_, each)| &each.reasons) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    Some(Prediction {
        time: sum(|each| each.time),
        low: sum(|each| each.low),
        high: sum(|each| each.high),
        kind: Kind::Fitted,
        bound: sum(|each| each.bound),
        binds,
        regime,
        is_beyond: parts.iter().any(|(_, each)| each.is_beyond),
        reasons,
    })
}

/// What one piece takes once.
fn predicted(piece: &Piece, calibrations: &Calibrations) -> Prediction {
    match &piece.cost {
        Cost::Product { question, .. } => calibrations.product.predict(question),
        Cost::Attention { question, .. } => calibrations.attention.predict(question),
        Cost::Exchange(_, question) => calibrations.collective.predict(question),
        Cost::Moves(time) => Prediction {
            time: *time,
            low: *time,
            high: *time,
            kind: Kind::Bound,
            bound: *time,
            binds: "memory",
            regime: "moved at the full bandwidth",
            is_beyond: false,
            reasons: Vec::new(),
        },
    }
}

/// What the kernels of one layer of each kind take, `tp` ways, with the mean over all layers: those of
/// `phase`, in the forward pass or in both.
pub(super) fn layer(
    implied: &Implied,
    tp: u64,
    phase: Option<Phase>,
    is_backward_too: bool,
) -> Result<Option<Prediction>> {
    let layout = Layout { tp, ..Layout::whole() };
    let step = match is_backward_too {
        true => Step { micro_batch: implied.batch, ..Step::training(implied.batch, implied.sequence) },
        false => Step::prefill(implied.batch, implied.sequence, 0),
    };
    let division = Division::new(&implied.model, &layout)?;
    let accounting = Accounting::new(&division, &step)?;
    let calibrations = shipped()?;
    let pricing = Pricing::new(&implied.machine, &implied.practice, calibrations.kernels())?;
    let layers = f64::from(implied.model.layers());
    let mut parts = Vec::new();
    for (layer, alike) in accounting.kinds(0) {
        for block in &layer.blocks {
            let whole = block.operations.iter().find_map(|operation| Phase::of(operation.part));
            pricing.pieces(&accounting, Place::Block(block), &mut |piece: &Piece, times: Times| {
                let own = Phase::of(piece.part).or(whole);
                let is_exchange = matches!(piece.cost, Cost::Exchange(..));
                if !is_exchange && (phase.is_none() || phase == own) {
                    let often = alike as f64 / layers * times.iter().sum::<f64>();
                    parts.push((often, predicted(piece, calibrations)));
                }
            })?;
        }
    }
    Ok(together(parts))
}

/// What a collective takes.
pub(super) fn exchange(question: &CollectiveQuestion) -> Result<Prediction> {
    Ok(shipped()?.collective.predict(question))
}
