//! A plan as one JSON object, every digit of it, in base units.

use mlsysim_models::predict::PartTime;
use mlsysim_models::transformer::MemoryPart;
use serde_json::{Map, Value as Json, json};

use crate::{Found, Planned, RELATIVE_ERROR, Told, TrainingPlan};

impl Planned {
    /// Everything as one JSON object, in base units: `step_s` is in seconds, `total_bytes` in bytes.
    ///
    /// Where nothing fits, `layouts` is empty, `nearest` is the layout that holds least, and
    /// `lacking_bytes` what a device lacks for it. Where nothing that fits keeps all that is required,
    /// `nearest` is the layout that misses least of it.
    pub fn report(&self) -> Json {
        if self.first().is_none() { infeasible(self) } else { report(self) }
    }
}

fn report(planned: &Planned) -> Json {
    let plan = &planned.question.plan;
    let layouts = |told: &[Told]| told.iter().map(|told| layout(told, plan)).collect::<Vec<_>>();
    json!({
        "title": planned.question.title,
        "model": &*plan.model.name,
        "system": &*plan.machine.name,
        "devices": plan.devices,
        "batch": plan.batch,
        "sequence": plan.sequence,
        "goal": plan.goal.said(),
        "search": search(&planned.found),
        "layouts": layouts(&planned.best),
        "nearest": planned.nearest.as_ref().map(|told| layout(told, plan)),
        "front": layouts(&planned.front),
        "front_left_out": planned.found.front.len() - planned.front.len(),
        "comparison": comparison(planned),
        "run": run(planned),
        "require": planned.kept.iter().map(|kept| json!({
            "requirement": kept.written, "met": kept.is_met, "value": kept.value, "by": kept.by,
            "end": kept.end, "known": kept.is_known,
        })).collect::<Vec<_>>(),
        "notes": planned.notes(),
    })
}

fn infeasible(planned: &Planned) -> Json {
    let (plan, nearest) = (&planned.question.plan, planned.nearest.as_ref());
    json!({
        "model": &*plan.model.name,
        "system": &*plan.machine.name,
        "devices": plan.devices,
        "search": search(&planned.found),
        "layouts": [],
        "nearest": nearest.map(|told| layout(told, plan)),
        "lacking_bytes": nearest.map(|told| -told.fit.free().base()),
    })
}

fn search(found: &Found) -> Json {
    json!({
        "legal": found.legal,
        "priced": found.priced,
        "fitting": found.fitting,
        "keeping": found.keeping,
        "complete": found.is_complete,
    })
}

fn layout(told: &Told, plan: &TrainingPlan) -> Json {
    let total = &told.prediction.total;
    let memory: Map<String, Json> = MemoryPart::ALL
        .iter()
        .map(|part| (part.name().to_string(), json!(told.fit.memory.of(*part).base())))
        .collect();
    json!({
        "layout": told.written(),
        "devices": told.outcome.candidate.devices,
        "micro_batch": told.outcome.candidate.micro_batch,
        "recompute": told.step.recompute.name(),
        "schedule": told.policy.schedule.name(),
        "precision": &*told.precision,
        "step_s": total.time.base(),
        "low_s": total.low.base(),
        "high_s": total.high.base(),
        "bound_s": total.bound.base(),
        "kind": total.kind.to_string(),
        "binds": total.binds,
        "tokens_per_s": plan.tokens() as f64 / total.time.base(),
        "mfu": told.utilization,
        "parts": told.prediction.parts.parts.iter().map(part).collect::<Vec<_>>(),
        "memory": {
            "stage": told.fit.stage,
            "parts_bytes": memory,
            "total_bytes": told.fit.memory.total().base(),
            "capacity_bytes": told.fit.capacity.base(),
            "free_bytes": told.fit.free().base(),
        },
    })
}

fn part(of: &PartTime) -> Json {
    let mut told = json!({"name": of.name, "s": of.time.base(), "binds": of.binds});
    if let (Json::Object(told), Some(bound)) = (&mut told, of.bound) {
        told.insert("bound_s".into(), json!(bound.base()));
    }
    if let (Json::Object(told), false) = (&mut told, of.parts.is_empty()) {
        told.insert("parts".into(), of.parts.iter().map(part).collect());
    }
    told
}

fn comparison(planned: &Planned) -> Json {
    let Some(comparison) = &planned.comparison else { return Json::Null };
    json!({
        "gap_s": comparison.gap.base(),
        "share": comparison.share,
        "told_apart": comparison.is_known,
        "relative_error": RELATIVE_ERROR,
        "bands_overlap": comparison.bands_overlap,
        "parts": comparison.parts.iter().map(|(name, first, second)| json!({
            "name": name, "first_s": first.base(), "second_s": second.base(),
        })).collect::<Vec<_>>(),
        "second_wins_if": comparison.needed.as_ref().map(|(part, share)| json!({"part": part, "less": share})),
    })
}

fn run(planned: &Planned) -> Json {
    let Some(run) = &planned.run else { return Json::Null };
    json!({
        "tokens": planned.question.plan.tokens_of_run,
        "steps": run.steps,
        "working_s": run.working.base(),
        "checkpoint_bytes": run.checkpoint.base(),
        "saving_s": run.saving.base(),
        "between_failures_s": run.between_failures.base(),
        "restart_s": run.restart.base(),
        "interval_s": run.interval.base(),
        "wall_clock_s": run.wall_clock.base(),
        "device_hours": run.device_hours,
        "cost_usd": run.cost.base(),
        "energy_j": run.energy.map(|energy| energy.base()),
        "regions": run.regions.iter().map(|region| json!({
            "region": region.key,
            "name": region.name,
            "energy_j": region.energy.base(),
            "carbon_kg": region.carbon.base(),
        })).collect::<Vec<_>>(),
        "assumptions": run.assumptions.iter().map(|assumed| json!({
            "what": assumed.what,
            "value": assumed.value,
            "source": assumed.origin.source,
            "url": assumed.origin.url,
            "note": assumed.origin.note,
            "unverified": assumed.origin.unverified,
        })).collect::<Vec<_>>(),
    })
}
