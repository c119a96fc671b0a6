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
    let Some(first) = planned.first() else { return text };
    let name = if planned.keeps() { "first" } else { "nearest" };
    add(&tables::layouts(tables::shown(planned), &planned.question.plan).render(format));
    add(&format!("The {name} again: {}", first.options()));
    if !planned.front.is_empty() {
        add(&section(&front(planned), tables::layouts(&planned.front, &planned.question.plan)));
    }
    add(&section(&format!("Where the time of the {name} goes:"), tables::times(first)));
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
        let title = format!(
            "The whole run of {} tokens:",
            format_brief(planned.question.plan.tokens_of_run.unwrap_or(0.0))
        );
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

/// What is told of the front.
fn front(planned: &Planned) -> String {
    let (told, all) = (planned.front.len() as u64, planned.found.front.len() as u64);
    let all_told = counted(all, "layout");
    match all - told {
        0 => format!("The {all_told} that no other beats:"),
        _ => format!(
            "{} of the {all_told} that no other beats; those left out differ from one of these by less than {}:",
            grouped(told as i64),
            percent(planned.apart)
        ),
    }
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

/// How many layouts there were, and what was found of them.
pub fn searched(plan: &TrainingPlan, found: &Found) -> String {
    let seen = if found.is_complete { "" } else { " seen" };
    let legal = format!("{} legal layouts{seen}", grouped(found.legal as i64));
    if found.nearest.is_some() {
        let end = if found.is_complete { "" } else { "; interrupted before one was found" };
        return format!("{legal}, of which none that fits keeps all that is required{end}; the nearest:");
    }
    let end = if found.is_complete { "" } else { "; interrupted: the best so far" };
    match found.legal == found.priced {
        true => {
            let keep = match plan.require.is_empty() {
                true => String::new(),
                false => format!(" and {} keep what is required", grouped(found.keeping as i64)),
            };
            let (fit, goal) = (grouped(found.fitting as i64), plan.goal.said());
            format!("{legal}, all priced, of which {fit} fit{keep}; best by {goal}{end}")
        }
        // How many had to be priced depends on which thread came first.
        false => {
            format!("{legal}, each priced or shown to be none of the best; best by {}{end}", plan.goal.said())
        }
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

/// That a requirement is met, and whether it is at the other end of the interval too.
fn met(kept: &Kept) -> String {
    let too = if kept.is_known { "it is kept too" } else { "it is not kept" };
    let end = kept.end.as_ref().map_or(String::new(), |end| format!("; at the worse end, {end}, {too}"));
    format!("kept: {} (it is {}, {} from the limit{end})", kept.written, kept.value, kept.by)
}

/// That a requirement is missed, by how much, and whether it is at the other end of the interval too.
pub fn missed(kept: &Kept) -> String {
    let too = if kept.is_known { "it is not kept either" } else { "it is kept" };
    let end = kept.end.as_ref().map_or(String::new(), |end| format!("; at the better end, {end}, {too}"));
    format!("not kept: {} (it is {}, {} too far{end})", kept.written, kept.value, kept.by)
}

/// That nothing fits, and what the nearest lacks.
pub fn infeasible(planned: &Planned) -> Vec<String> {
    let (plan, found) = (&planned.question.plan, &planned.found);
    let mut lines = vec![format!(
        "infeasible: none of {} legal layouts on {} devices fits {} of {}",
        grouped(found.legal as i64),
        devices(plan),
        gibibytes(plan.machine.device.memory.capacity.base()),
        plan.machine.device.name
    )];
    if let Some(told) = &planned.nearest {
        let lacking = -told.fit.free().base();
        lines.push(format!(
            "the nearest: {} holds {} on a rank of stage {} and lacks {}",
            told.options(),
            gibibytes(told.fit.memory.total().base()),
            told.fit.stage,
            gibibytes(lacking)
        ));
    }
    lines
}
