//! The picture of a plan: what a rank of each stage of the best layout holds, and which stage works when.

use mlsysim::Error;
use mlsysim::predict::{Pipeline, Timeline};
use mlsysim::quantity::{Time, format_brief};
use mlsysim::search::{Planned, Stages, Told};
use mlsysim::transformer::{MemoryPart, Pass};
use mlsysim_report::plot::{Bar, Limit, Page, Panel, Span, Stack, Timeline as Drawn};

use super::tables::order;
use crate::numbers::{counted, grouped};

/// How many stages are shown; of more, as many of the first and of the last.
const MOST_STAGES: usize = 16;

/// How many passes of a stage stand beside each other; of more, the first and the last.
const MOST_PASSES: f64 = 160.0;

/// How many are shown of a begin or an end, at the least and at the most; the longer a pipeline, the more.
const WINDOW: (f64, f64) = (64.0, 240.0);

const GIB: f64 = 1_073_741_824.0;

/// What follows the passes of a step.
const AFTER: &str = "replicas, update, host";

/// The picture of the best layout; nothing where none fits.
///
/// # Errors
///
/// None for what was found.
pub fn of(planned: &Planned) -> Result<Option<Page>, Error> {
    let Some(best) = planned.best.first() else { return Ok(None) };
    let plan = &planned.question.plan;
    let stages = plan.stages(best)?;
    let title = format!(
        "{} on {}: {}, micro-batch {}, recompute {}",
        plan.model.name,
        plan.machine.name,
        super::tables::brief(best),
        best.outcome.candidate.micro_batch,
        best.step.recompute.name()
    );
    let mut panels = vec![Panel::Stack(memory(best, &stages))];
    let drawn = stages.pipeline.as_ref().map_or(Vec::new(), |pipeline| timelines(best, pipeline));
    panels.extend(drawn.into_iter().map(Panel::Timeline));
    Ok(Some(Page { title, panels }))
}

/// Which of so many stages are shown, and what is said of the others.
fn shown(stages: usize) -> (Vec<usize>, String) {
    if stages <= MOST_STAGES {
        return ((0..stages).collect(), String::new());
    }
    let half = MOST_STAGES / 2;
    let left_out = format!("; stages {half} to {} are left out", stages - half - 1);
    ((0..half).chain(stages - half..stages).collect(), left_out)
}

/// Bars of stages: what a rank holds, by part.
fn memory(best: &Told, stages: &Stages) -> Stack {
    let (shown, left_out) = shown(stages.memory.len());
    let is_held = |part: &&MemoryPart| stages.memory.iter().any(|memory| memory.of(**part).base() > 0.0);
    let parts: Vec<MemoryPart> = MemoryPart::ALL.iter().filter(is_held).copied().collect();
    let bar = |stage: usize| Bar {
        name: format!("stage {stage}"),
        parts: parts.iter().map(|part| stages.memory[stage].of(*part).base() / GIB).collect(),
        interval: None,
    };
    let capacity = best.fit.capacity.base() / GIB;
    Stack {
        title: format!("What a rank of each stage holds{left_out}"),
        label: "memory (GiB)".to_string(),
        parts: parts.iter().map(|part| part.name().to_string()).collect(),
        bars: shown.into_iter().map(bar).collect(),
        limit: Some(Limit {
            name: format!("capacity of a device, {} GiB", format_brief(capacity)),
            at: capacity,
        }),
    }
}

/// In which unit times are told, and how many of it a second has.
fn unit(of: Time) -> (&'static str, f64) {
    if of.base() < 10.0 { ("ms", 1e3) } else { ("s", 1.0) }
}

/// Rows of stages: the whole step, or where that has too many passes, its begin and its end.
fn timelines(best: &Told, pipeline: &Pipeline) -> Vec<Drawn> {
    let timeline = pipeline.timeline();
    let step = best.prediction.total.time;
    let middle = timeline.left_out as f64 * pipeline.slowest();
    let end = timeline.end + middle;
    let after = (step - pipeline.predicted()).max(Time::ZERO);
    let (unit, per_second) = unit(step);
    let (stages, chunks) = (pipeline.stages.len(), pipeline.chunks);
    let (_, left_out) = shown(stages);
    let plural = if pipeline.micro_batches == 1 { "" } else { "es" };
    let shape = format!(
        "{} micro-batch{plural} on {}, {}{left_out}",
        grouped(pipeline.micro_batches as i64),
        counted(stages as u64, "stage"),
        match order(best).as_str() {
            "-" => "each forward and back".to_string(),
            order if chunks > 1 => format!("{order} in {}", counted(chunks, "chunk")),
            order => order.to_string(),
        },
    );
    let time = |time: Time| format!("{} {unit}", format_brief(rounded(per_second * time.base())));
    let predicted = pipeline.predicted();
    let mut ends = format!("predicted: {}, of which the pipeline {}", time(step), time(predicted));
    if (end / predicted - 1.0).abs() > 1e-3 {
        // A prediction knows the slowest stage and the sum of all, and not where among them it stands.
        ends.push_str(&format!("; in this order {}", time(end)));
    }
    let drawn = |title: String, from: Time, to: Time, moved: (Time, u64)| Drawn {
        title,
        label: format!("time since the step began ({unit}), blank where a stage waits; {ends}"),
        kinds: ["forward", "backward", AFTER].map(str::to_string).into(),
        spans: spans(pipeline, &timeline, (end, after), moved, per_second),
        range: (per_second * from.base(), per_second * to.base()),
    };
    let turn = (1.0 / chunks as f64) * pipeline.slowest();
    if 2.0 * (pipeline.micro_batches * chunks) as f64 <= MOST_PASSES {
        return vec![drawn(
            format!("Which stage works when: {shape}"),
            Time::ZERO,
            end + after,
            (Time::ZERO, 0),
        )];
    }
    // While it fills, a micro-batch goes through all chunks and back.
    let filling = (2.4 * (stages as u64 * chunks) as f64).clamp(WINDOW.0, WINDOW.1);
    let half = 0.5 * (end + after);
    let window = half.min(0.5 * filling * turn);
    let begins = drawn(format!("The step begins: {shape}"), Time::ZERO, window, (Time::ZERO, 0));
    let left = end + after - window;
    let title = match left - window {
        between if between > Time::ZERO => format!("The step ends; {} between are left out", time(between)),
        _ => "The step ends".to_string(),
    };
    vec![begins, drawn(title, left, end + after, (middle, timeline.left_out))]
}

/// The passes of the stages that are shown, `moved` by what was left out, and what follows them.
fn spans(
    pipeline: &Pipeline,
    timeline: &Timeline,
    (end, after): (Time, Time),
    moved: (Time, u64),
    per_second: f64,
) -> Vec<Span> {
    let (shown, _) = shown(pipeline.stages.len());
    let row = |stage: u64| format!("stage {stage}");
    let mut spans: Vec<Span> = Vec::with_capacity(timeline.passes.len());
    for pass in timeline.passes.iter().filter(|pass| shown.contains(&(pass.stage as usize))) {
        spans.push(Span {
            row: row(pass.stage),
            kind: usize::from(pass.turn.pass != Pass::Forward),
            start: per_second * (pass.start + moved.0).base(),
            end: per_second * (pass.end + moved.0).base(),
            name: (pass.turn.micro_batch + moved.1).to_string(),
        });
    }
    spans.extend(shown.into_iter().map(|stage| Span {
        row: row(stage as u64),
        kind: 2,
        start: per_second * end.base(),
        end: per_second * (end + after).base(),
        name: String::new(),
    }));
    spans
}

/// A number to four digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}
