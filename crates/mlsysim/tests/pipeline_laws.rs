//! What holds of any pipeline: its order of work keeps as many micro-batches as its memory is counted for,
//! and its timeline ends when the prediction says.

#![allow(clippy::expect_used, reason = "a test that gets no answer has failed")]

use mlsysim::machine::Machine;
use mlsysim::predict::{Pipeline, Practice, Pricing, Timeline, shipped, shipped_steps};
use mlsysim::quantity::Time;
use mlsysim::transformer::{Accounting, Division, Layout, Pass, Schedule, Step, Transformer};
use proptest::prelude::*;

/// Stages, chunks, micro-batches and an order of whole backward passes that go together.
fn shapes() -> impl Strategy<Value = (u64, u64, u64, Schedule)> {
    let whole: Vec<Schedule> = Schedule::ALL.iter().copied().filter(|order| order.puts_off() == 0).collect();
    let plain = (1u64..9, Just(1u64), 1u64..25, prop::sample::select(whole));
    let interleaved = (2u64..7, 2u64..5, 1u64..5).prop_map(|(stages, chunks, rounds)| {
        (stages, chunks, rounds * stages, Schedule::OneForwardOneBackward)
    });
    prop_oneof![plain, interleaved]
}

fn pipeline(
    stages: Vec<[f64; 2]>,
    chunks: u64,
    hop: f64,
    micro_batches: u64,
    schedule: Schedule,
) -> Pipeline {
    let stages = stages.into_iter().map(|passes| passes.map(Time::from_base)).collect();
    Pipeline { stages, chunks, hop: Time::from_base(hop), micro_batches, schedule }
}

fn is_about(one: Time, other: Time) -> bool {
    (one.base() - other.base()).abs() <= 1e-9 * other.base().abs()
}

proptest! {
    #[test]
    fn the_order_keeps_what_memory_is_counted_for((pp, vpp, micro_batches, schedule) in shapes()) {
        let layout = Layout { pp, vpp, ..Layout::whole() };
        for stage in 0..pp {
            let turns = layout.turns(stage, micro_batches, schedule);
            prop_assert_eq!(turns.len() as u64, 2 * micro_batches * vpp);
            let (mut kept, mut most) = (0u64, 0u64);
            for (index, turn) in turns.iter().enumerate() {
                prop_assert!(!turns[..index].contains(turn));
                match turn.pass {
                    Pass::Forward => kept += 1,
                    _ => kept -= 1,
                }
                most = most.max(kept);
            }
            prop_assert_eq!(most as f64 / vpp as f64, layout.in_flight(stage, micro_batches, schedule));
        }
    }

    #[test]
    fn an_even_pipeline_ends_as_predicted(
        (pp, vpp, micro_batches, schedule) in shapes(),
        [forward, backward] in prop::array::uniform2(0.1f64..10.0),
        hop in 0f64..1.0,
    ) {
        let even = pipeline(vec![[forward, backward]; pp as usize], vpp, hop, micro_batches, schedule);
        let Timeline { end, passes, left_out } = even.timeline();
        prop_assert_eq!((passes.len() as u64, left_out), (2 * pp * vpp * micro_batches, 0));
        prop_assert!(is_about(end, even.predicted()), "{end:?}, but {:?}", even.predicted());
    }

    #[test]
    fn a_pipeline_whose_last_stage_is_slowest_ends_as_predicted(
        (pp, vpp, micro_batches, schedule) in shapes(),
        times in prop::collection::vec(0.7f64..1.0, 8),
        (last, share, hop) in (1f64..1.5, 0.25f64..0.4, 0f64..0.2),
    ) {
        let mut stages = divided(&times, pp, share);
        stages.pop();
        stages.push([share * last, (1.0 - share) * last]);
        // Among chunks, faster stages make up for a part of what is sent.
        let hop = if vpp > 1 { 0.0 } else { hop };
        let uneven = pipeline(stages, vpp, hop, micro_batches, schedule);
        let end = uneven.timeline().end;
        prop_assert!(is_about(end, uneven.predicted()), "{end:?}, but {:?}", uneven.predicted());
    }

    #[test]
    fn no_pipeline_takes_longer_than_predicted_or_less_than_its_slowest_stage(
        (pp, vpp, micro_batches, schedule) in shapes(),
        times in prop::collection::vec(0.5f64..1.0, 8),
        (share, hop) in (0.25f64..0.4, 0f64..0.2),
    ) {
        let most = times.iter().take(pp as usize).fold(0.0, |most: f64, time| most.max(*time));
        let uneven = pipeline(divided(&times, pp, share), vpp, hop, micro_batches, schedule);
        let end = uneven.timeline().end.base();
        prop_assert!(end <= (1.0 + 1e-9) * uneven.predicted().base());
        prop_assert!(end >= (1.0 - 1e-9) * micro_batches as f64 * most);
    }
}

/// Stages whose forward passes take the same share of their times.
fn divided(times: &[f64], pp: u64, share: f64) -> Vec<[f64; 2]> {
    times.iter().take(pp as usize).map(|time| [share * time, (1.0 - share) * time]).collect()
}

#[test]
fn micro_batches_in_the_middle_may_be_left_out() {
    let few = pipeline(vec![[1.0, 2.0]; 4], 2, 0.1, 4096, Schedule::OneForwardOneBackward);
    let many = Pipeline { micro_batches: 1 << 20, ..few.clone() };
    let [few, many] = [few, many].map(|pipeline| (pipeline.timeline(), pipeline));
    assert_eq!(few.0.left_out, 0);
    assert!(many.0.left_out > 0 && many.0.passes.len() <= 1 << 18);
    for (timeline, pipeline) in [few, many] {
        let in_middle = timeline.left_out as f64 * Time::from_base(3.0);
        assert!(is_about(timeline.end + in_middle, pipeline.predicted()));
    }
}

/// Layouts with a pipeline: the model, the machine, the layout, sequences, the micro-batch and the order.
const LAYOUTS: [(&str, &str, &str, u64, u64, Schedule); 7] = [
    ("Llama3_70B", "Training_512_H100", "tp=8,sp,pp=4,dp=16", 512, 1, Schedule::OneForwardOneBackward),
    ("Llama3_70B", "Training_512_H100", "tp=8,sp,pp=4,dp=16", 512, 2, Schedule::GPipe),
    ("Llama3_70B", "Training_512_H100", "tp=4,sp,pp=8,vpp=2,dp=16", 512, 1, Schedule::OneForwardOneBackward),
    ("GPT3", "Training_1K_A100", "tp=8,sp,pp=16,vpp=6,dp=8", 1536, 1, Schedule::OneForwardOneBackward),
    ("Mixtral_8x7B", "Training_512_H100", "tp=2,ep=8,dp=8,pp=4", 64, 1, Schedule::OneForwardOneBackward),
    ("Llama3_8B", "DGX_H100", "pp=3", 12, 1, Schedule::OneForwardOneBackward),
    ("Llama3_8B", "DGX_H100", "tp=8,sp", 8, 1, Schedule::OneForwardOneBackward),
];

#[test]
fn timelines_are_of_the_durations_of_predictions() {
    for (model, machine, layout, batch, micro_batch, schedule) in LAYOUTS {
        let (model, layout) =
            (Transformer::named(model).expect("a model"), Layout::parse(layout).expect("a layout"));
        let machine = Machine::named(machine).expect("a machine");
        let division = Division::new(&model, &layout).expect("a division");
        let step = Step { micro_batch, ..Step::training(batch, 2048) };
        let accounting = Accounting::new(&division, &step).expect("an accounting");
        let practice = Practice::default();
        let kernels = shipped().expect("calibrations").kernels();
        let pricing = Pricing::new(&machine, &practice, kernels).expect("a pricing").in_order(schedule);
        let training = &shipped_steps().expect("calibrations").training;
        let parts = training.step(&accounting, &pricing).expect("a prediction").parts.parts;
        let pipeline = ["passes", "sends, waited for", "pipeline fills and drains"];
        let span = parts.iter().filter(|part| pipeline.contains(&part.name.as_str()));
        let span = span.fold(Time::ZERO, |sum, part| sum + part.time);
        let pipeline = Pipeline::new(&accounting, &pricing, &training.coefficients).expect("a pipeline");
        let written = layout.written();
        assert!(is_about(pipeline.predicted(), span), "{written}: {:?}, but {span:?}", pipeline.predicted());
        // Stages whose head or uneven layers make another than the last the slowest fill a little faster.
        let end = pipeline.timeline().end / span;
        assert!((0.98..1.0 + 1e-9).contains(&end), "{written}: a timeline of {end} of the predicted span");
        for [forward, backward] in pipeline.stages {
            let share = forward / (forward + backward);
            assert!((0.2..0.45).contains(&share), "{written}: forward passes are {share} of a stage");
        }
    }
}
