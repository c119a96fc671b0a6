//! Why a plan has no legal layout: which axis is in the way, and what it can be.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use mlsysim_scenario::{Error, Result, listed, listed_in_part};

use crate::axis::shown;
use crate::{Axis, Condition, Search, TrainingPlan};

/// The refusal of a plan that has no legal layout; `otherwise` is it where no axis alone is in the way.
pub(crate) fn refused(plan: &TrainingPlan, otherwise: Error) -> Error {
    let found = Axis::ALL.iter().find_map(|axis| {
        let freed = without(plan, *axis)?;
        let values = values(&freed, *axis).ok().filter(|values| !values.is_empty())?;
        Some(unmet(plan, *axis, &values))
    });
    found.unwrap_or_else(|| match conditions(plan).next() {
        // Some together are in the way.
        Some(_) => {
            let names: BTreeSet<&str> = conditions(plan).map(Axis::name).collect();
            let message = format!(
                "no legal layout is as {} are wanted to be; leave one of them open",
                listed(names.into_iter())
            );
            Error::input(field(plan, None), message)
        }
        None => otherwise,
    })
}

/// The axes of which something is wanted.
fn conditions(plan: &TrainingPlan) -> impl Iterator<Item = Axis> + '_ {
    plan.fix.iter().chain(plan.forbid.iter().flatten()).map(|condition| condition.axis)
}

/// The plan with nothing wanted of `axis`, if anything is.
fn without(plan: &TrainingPlan, axis: Axis) -> Option<TrainingPlan> {
    conditions(plan).any(|known| known == axis).then(|| {
        let mut freed = plan.clone();
        freed.fix.retain(|condition| condition.axis != axis);
        freed.forbid.retain(|conditions| conditions.iter().all(|condition| condition.axis != axis));
        freed
    })
}

/// What legal layouts of `plan` have on `axis`.
fn values(plan: &TrainingPlan, axis: Axis) -> Result<BTreeSet<u64>> {
    let search = Search::of(plan)?;
    let mut values = BTreeSet::new();
    search.legal(&mut |candidate| {
        values.insert(candidate.on(axis));
        ControlFlow::Continue(())
    });
    Ok(values)
}

/// The option that wants something of `axis`, or of any.
fn field(plan: &TrainingPlan, axis: Option<Axis>) -> &'static str {
    let is_fixed = plan.fix.iter().any(|condition| axis.is_none_or(|axis| condition.axis == axis));
    if is_fixed { "fix" } else { "forbid" }
}

fn unmet(plan: &TrainingPlan, axis: Axis, values: &BTreeSet<u64>) -> Error {
    let each: Vec<String> = values.iter().map(|value| shown(axis, *value, &plan.precisions)).collect();
    let can = listed_in_part(&each);
    let name = axis.name();
    let others: BTreeSet<&str> = conditions(plan).filter(|known| *known != axis).map(Axis::name).collect();
    let beside = match others.is_empty() {
        true => String::new(),
        false => format!(" beside what is wanted of {}", listed(others.into_iter())),
    };
    let field = field(plan, Some(axis));
    let fixed = written(plan, plan.fix.iter(), axis);
    let forbidden = written(plan, plan.forbid.iter().flatten(), axis);
    let wanted = match (fixed.is_empty(), forbidden.is_empty()) {
        (true, _) => format!("`{forbidden}`"),
        (false, true) => format!("`{fixed}`"),
        (false, false) => format!("`{fixed}` with `{forbidden}` forbidden"),
    };
    Error::input(field, format!("{wanted} leaves no legal layout{beside}; `{name}` can be {can}"))
}

/// Those of `conditions` that are of `axis`, as they are written.
fn written<'a>(plan: &TrainingPlan, conditions: impl Iterator<Item = &'a Condition>, axis: Axis) -> String {
    let all = conditions.filter(|one| one.axis == axis).map(|one| one.written(&plan.precisions));
    all.collect::<Vec<String>>().join(",")
}
