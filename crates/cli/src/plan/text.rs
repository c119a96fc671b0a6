//! A plan as a page: the best layouts, where their time and memory go, and what the whole run takes.

use mlsysim::quantity::format_brief;
use mlsysim::search::{Found, Kept, Planned, RELATIVE_ERROR, TrainingPlan};

use super::devices;
use super::tables::{self, percent, short};
use crate::arguments::Format;
use crate::numbers::{counted, gibibytes, grouped};
use crate::output::Table;

/// Everything, for people.
pub fn page(planned: &Planned, format: Format) -> String {
    let mut text = head(planned).join("\n");
    let mut add = |lines: &str| {
        text.push_str("\n\n");
        text.push_str(lines);
    };
    let section = |title: &str, table: Table| format!("{title}\n\n{}", table.render(format));
    let first = &planned.best[0];
    add(&tables::layouts(&planned.best, planned, format).render(format));
    add(&format!(
        "The first again: --layout {} --micro-batch {} --recompute {}",
        first.written(),
        first.outcome.candidate.micro_batch,
        first.step.recompute.name()
    ));
    if !planned.front.is_empty() {
        let title = format!("The {} that no other beats:", counted(planned.front.len() as u64, "layout"));
        add(&section(&title, tables::layouts(&planned.front, planned, format)));
    }
    add(&section("Where the time of the first goes:", tables::times(first)));
    let stage = match first.layout.pp {
        1 => String::new(),
        _ => format!(" of the fullest stage, {}", first.fit.stage),
    };
    add(&section(&format!("What a rank{stage} holds:"), tables::memory(first)));
    if let Some(comparison) = &planned.comparison {
        add(&section("The first and the second differ in:", tables::comparison(comparison)));
        add(&verdict(planned).join("\n"));
    }
    if let Some(run) = &planned.run {
        let title =
            format!("The whole run of {} tokens:", format_brief(planned.question.tokens.unwrap_or(0.0)));
        add(&section(&title, tables::run(run, planned.question.region.as_deref())));
        add(&assumptions(planned).join("\n"));
    }
    if !planned.kept.is_empty() {
        let lines: Vec<String> =
            planned.kept.iter().map(|kept| if kept.is_met { met(kept) } else { missed(kept) }).collect();
        add(&lines.join("\n"));
    }
    let notes: Vec<String> = planned.notes().into_iter().map(|note| format!("note: {note}")).collect();
    add(&notes.join("\n"));
    text
}

fn head(planned: &Planned) -> Vec<String> {
    let (plan, found) = (&planned.question.plan, &planned.found);
    let mut lines = Vec::new();
    lines.extend(planned.question.title.clone());
    lines.push(format!(
        "{}, {} of {} on {} of {} ({})",
        plan.model.name,
        counted(plan.batch, "sequence"),
        counted(plan.sequence, "token"),
        devices(plan),
        plan.machine.name,
        plan.machine.device.name,
    ));
    lines.push(searched(plan, found));
    lines
}

fn searched(plan: &TrainingPlan, found: &Found) -> String {
    let legal = grouped(found.legal as i64);
    let end = if found.is_complete { "" } else { "; interrupted: the best so far" };
    match found.legal == found.priced {
        true => format!(
            "{legal} legal layouts, all priced, of which {} fit; best by {}{end}",
            grouped(found.fitting as i64),
            plan.goal.said()
        ),
        // How many had to be priced depends on which thread came first.
        false => format!(
            "{legal} legal layouts, of which no other can be among the best; best by {}{end}",
            plan.goal.said()
        ),
    }
}

/// Whether the first is known to be faster than the second, and what would change that.
pub fn verdict(planned: &Planned) -> Vec<String> {
    let Some(comparison) = &planned.comparison else { return Vec::new() };
    let told_by = percent(RELATIVE_ERROR.exp() - 1.0);
    let mut lines = vec![match comparison.is_known {
        true => format!(
            "The second takes {} longer ({}): more than the {told_by} that predicted ratios of two layouts are off by in nine cases of ten.",
            percent(comparison.share),
            short(comparison.gap)
        ),
        false => format!(
            "The second takes {} longer ({}), and the two cannot be told apart: predicted ratios of two layouts are off by up to {told_by} in nine cases of ten.",
            percent(comparison.share),
            short(comparison.gap)
        ),
    }];
    if let Some((part, share)) = &comparison.needed {
        lines.push(format!("The second would win if its {part} took {} less.", percent(*share)));
    }
    lines
}

fn assumptions(planned: &Planned) -> Vec<String> {
    let Some(run) = &planned.run else { return Vec::new() };
    let told = run.assumptions.iter().map(|assumed| {
        let seen = if assumed.origin.unverified { ", unverified" } else { "" };
        format!("assumed: {} {} ({}{seen})", assumed.what, assumed.value, assumed.origin.source)
    });
    told.collect()
}

/// That a requirement is met.
fn met(kept: &Kept) -> String {
    format!("kept: {} (it is {}, {} from the limit)", kept.written, kept.value, kept.by)
}

/// That a requirement is missed, and by how much.
pub fn missed(kept: &Kept) -> String {
    format!("not kept: {} (it is {}, {} too far)", kept.written, kept.value, kept.by)
}

/// That nothing fits, and what the nearest lacks.
pub fn infeasible(planned: &Planned) -> Vec<String> {
    let (plan, found) = (&planned.question.plan, &planned.found);
    let mut lines = vec![format!(
        "infeasible: none of {} legal layouts on {} devices fits {} of {}",
        grouped(found.legal as i64),
        devices(plan),
        gibibytes((plan.machine.device.memory.capacity - plan.reserve).base()),
        plan.machine.device.name
    )];
    if let Some(told) = &planned.nearest {
        let lacking = planned.lacking(told).base();
        lines.push(format!(
            "the nearest: --layout {} --micro-batch {} --recompute {} holds {} on a rank of stage {} and lacks {}",
            told.written(),
            told.outcome.candidate.micro_batch,
            told.step.recompute.name(),
            gibibytes(told.fit.memory.total().base()),
            told.fit.stage,
            gibibytes(lacking)
        ));
    }
    lines
}
