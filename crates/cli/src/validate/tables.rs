//! How far predictions are off, as tables and as JSON.

use std::collections::BTreeSet;

use mlsysim::validation::{
    LeftOut, RankedSet, RankingSpread, Replayed, Score, SpeedUp, Spreads, Sweeps, ranking_scores,
    relative_error, report,
};
use serde_json::{Value as Json, json};

use crate::arguments::By;
use crate::output::Table;

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// The scores of all rows, and of the sweeps among them.
fn scores(replayed: &Replayed, by: By) -> [Vec<Score>; 2] {
    let named = |regime: &str, family: &str, source: &str| match by {
        By::Regime | By::Tp => regime.to_string(),
        By::Gpu => format!("{regime}, {family}"),
        By::Source => format!("{regime}, {source}"),
    };
    let rows = report(&replayed.scored, |row| named(row.regime, &row.family, &row.source));
    let sweeps = replayed.sweeps.as_ref().map_or_else(Vec::new, |sweeps| {
        sweeps.scores(|each| match by {
            By::Tp => format!("{}, TP {}", each.regime, each.tp),
            _ => named(each.regime, &each.family, &each.source),
        })
    });
    [rows, sweeps]
}

/// The table of all regimes.
pub fn all(replayed: &Replayed, by: By) -> Table {
    let mut table = Table::new(&[
        "regime",
        "rows",
        "apart",
        "median",
        "mean",
        "P90",
        "bias",
        "coverage",
        "family out",
        "P90",
        "coverage",
        "source out",
        "P90",
        "coverage",
        "bound",
        "P90",
        "efficiency",
        "P90",
        "violations",
    ]);
    for score in scores(replayed, by).iter().flatten() {
        let counts = [score.name.clone(), score.rows.to_string(), score.kept_apart.to_string()];
        let shares = [
            score.group.median,
            score.group.mean,
            score.group.most,
            score.group.bias,
            score.group_coverage,
            score.family.median,
            score.family.most,
            score.family_coverage,
            score.source.median,
            score.source.most,
            score.source_coverage,
            score.speed_of_light.median,
            score.speed_of_light.most,
            score.efficiency.median,
            score.efficiency.most,
        ];
        let shares = shares.into_iter().map(percent);
        table.row(counts.into_iter().chain(shares).chain([score.violations.to_string()]));
    }
    table
}

/// The errors of speed-ups: of all, of each degree and of each source.
pub fn speed_ups(sweeps: &Sweeps) -> Table {
    let mut table = Table::new(&[
        "sweeps",
        "tp",
        "rows",
        "median",
        "mean",
        "P90",
        "bias",
        "coverage",
        "source out",
        "P90",
        "coverage",
        "ideal",
        "P90",
    ]);
    let mut told = |name: String, tp: String, some: &[&SpeedUp]| {
        let ideal = SpeedUp::off(some, SpeedUp::ideal);
        for score in SpeedUp::scores(some.iter().copied(), |_| name.clone()) {
            let shares = [
                score.group.median,
                score.group.mean,
                score.group.most,
                score.group.bias,
                score.group_coverage,
                score.source.median,
                score.source.most,
                score.source_coverage,
                ideal.median,
                ideal.most,
            ];
            let named = [score.name, tp.clone(), score.rows.to_string()];
            table.row(named.into_iter().chain(shares.map(percent)));
        }
    };
    let all = || sweeps.speed_ups.iter();
    for regime in all().map(|each| each.regime).collect::<BTreeSet<_>>() {
        let own: Vec<&SpeedUp> = all().filter(|each| each.regime == regime).collect();
        told(regime.to_string(), "all".to_string(), &own);
        for tp in own.iter().map(|each| each.tp).collect::<BTreeSet<_>>() {
            let some: Vec<&SpeedUp> = own.iter().filter(|each| each.tp == tp).copied().collect();
            told(regime.to_string(), tp.to_string(), &some);
        }
        for source in own.iter().map(|each| &each.source).collect::<BTreeSet<_>>() {
            let some: Vec<&SpeedUp> = own.iter().filter(|each| each.source == *source).copied().collect();
            told(format!("{regime}, {source}"), "all".to_string(), &some);
        }
    }
    table
}

/// The table and what is not in it, every number as one.
pub fn json(replayed: &Replayed, by: By) -> Json {
    let spreads =
        |of: &Spreads| json!({"median": of.median, "mean": of.mean, "p90": of.most, "bias": of.bias});
    let told = |score: &Score| {
        json!({
            "name": score.name,
            "rows": score.rows,
            "kept_apart": score.kept_apart,
            "group_out": spreads(&score.group),
            "group_out_coverage": score.group_coverage,
            "family_out": spreads(&score.family),
            "family_out_coverage": score.family_coverage,
            "source_out": spreads(&score.source),
            "source_out_coverage": score.source_coverage,
            "speed_of_light": spreads(&score.speed_of_light),
            "efficiency": spreads(&score.efficiency),
            "violations": score.violations,
        })
    };
    let [rows, of_sweeps] = scores(replayed, by);
    let all = |scores: &[Score]| scores.iter().map(told).collect::<Vec<_>>();
    let mut json = json!({
        "rows": replayed.rows,
        "predicted": replayed.scored.len(),
        "not_modelled": replayed.reasons(),
        "scores": all(&rows),
    });
    if let (Some(sweeps), Some(object)) = (&replayed.sweeps, json.as_object_mut()) {
        let told = json!({
            "rows": sweeps.rows,
            "references": sweeps.references,
            "predicted": sweeps.speed_ups.len(),
            "not_modelled": LeftOut::reasons(&sweeps.left_out),
            "scores": all(&of_sweeps),
        });
        object.insert("speed_ups".to_string(), told);
    }
    json
}

/// The rows that are not in the table, by reason.
pub fn notes(replayed: &Replayed) -> Vec<String> {
    let (predicted, times, left_out) = (replayed.predicted(), replayed.scored.len(), replayed.left_out.len());
    let rows = replayed.rows;
    let mut notes = vec![format!(
        "{rows} rows, of which {predicted} are predicted, with {times} times, and {left_out} are not modelled"
    )];
    notes.extend(replayed.missing.iter().map(|table| format!("there is no `{table}`")));
    let reasons = replayed.reasons().into_iter();
    notes.extend(reasons.map(|(reason, count)| format!("{count} not modelled: {reason}")));
    notes.extend(replayed.sweeps.iter().flat_map(of_sweeps));
    notes
}

/// The rows of sweeps that have no speed-up, by reason.
pub fn of_sweeps(sweeps: &Sweeps) -> Vec<String> {
    let Sweeps { rows, references, speed_ups, left_out } = sweeps;
    let (told, without) = (speed_ups.len(), left_out.len());
    let mut notes = vec![format!(
        "{rows} rows of TP sweeps, of which {told} are speed-ups, {references} are what those are over and \
         {without} are not modelled"
    )];
    let reasons = LeftOut::reasons(left_out).into_iter();
    notes.extend(reasons.map(|(reason, count)| format!("{count} of TP sweeps not modelled: {reason}")));
    notes
}

/// How layouts are ranked, by source, and how far ratios of two of them are off.
pub fn ranking(sets: &[RankedSet]) -> (Table, Vec<String>) {
    let mut table = Table::new(&[
        "source",
        "sets of",
        "sets",
        "layouts",
        "correlation",
        "regret",
        "mean",
        "worst",
        "family out",
        "regret",
        "mean",
        "worst",
    ]);
    for score in ranking_scores(sets) {
        let size = if score.is_large { "four or more" } else { "two or three" };
        let mut row = vec![score.source, size.to_string(), score.sets.to_string(), score.layouts.to_string()];
        for RankingSpread { correlation, regret, mean, worst } in [score.group, score.family] {
            row.extend([format!("{correlation:.2}"), percent(regret), percent(mean), percent(worst)]);
        }
        table.row(row);
    }
    let nine = relative_error(sets, 0.9, |layout| layout.predicted).exp() - 1.0;
    let note = format!(
        "predicted ratios of two layouts of a set are off by at most {} % in nine cases of ten",
        percent(nine)
    );
    (table, vec![note])
}
