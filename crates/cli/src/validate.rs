//! `mlsysim validate`: how far predictions are off from published measurements.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use mlsysim::predict::{Calibration, Calibrations, Question, StepCalibrations, shipped, shipped_steps};
use mlsysim::validation::{
    RankedSet, RankingSpread, Samples, Score, Scored, SpeedUp, Spreads, Status, ranking_scores,
    relative_error, report, score, speed_up_errors, speed_ups,
};

use mlsysim_report::plot::{Scatter, Series};
use serde_json::{Value as Json, json};

use crate::arguments::{By, Format, ValidateOptions, Validated};
use crate::measurements::{Measurements, read};
use crate::output::{Failure, Table, noted, pretty, print};
use crate::picture;

/// What became of all rows.
#[derive(Default)]
struct Replayed {
    rows: usize,
    scored: Vec<Scored>,
    left_out: BTreeMap<String, usize>,
}

/// Replays rows and prints how far predictions are off.
pub fn validate(options: &ValidateOptions, format: Format) -> Result<ExitCode, Failure> {
    picture::check(options.plot.as_deref())?;
    let measurements = Measurements::open(&options.data)?;
    let own = match &options.calibration {
        Some(folder) => {
            let [product, attention, collective] =
                ["gemm.toml", "attention.toml", "collectives.toml"].map(|file| read(folder, file));
            Some(Calibrations::read(&product?, &attention?, &collective?)?)
        }
        None => None,
    };
    let calibrations = match &own {
        Some(own) => own,
        None => shipped()?,
    };
    let mut replayed = Replayed::default();
    if !options.ranking && options.only.is_none_or(|only| only == Validated::Kernels) {
        replayed.take(&measurements.products()?, &calibrations.product);
        replayed.take(&measurements.attention()?, &calibrations.attention);
    }
    if !options.ranking && options.only.is_none_or(|only| only == Validated::Collectives) {
        replayed.take(&measurements.collectives()?, &calibrations.collective);
    }
    let own_steps = match &options.calibration {
        Some(folder) => {
            let [training, serving] = ["training.toml", "serving.toml"].map(|file| read(folder, file));
            Some(StepCalibrations::read(&training?, &serving?)?)
        }
        None => None,
    };
    let steps = match &own_steps {
        Some(own) => own,
        None => shipped_steps()?,
    };
    if options.ranking {
        return ranking(&measurements.rankings(calibrations, &steps.training)?, format);
    }
    if options.only.is_none_or(|only| only == Validated::Training) {
        replayed.take(&measurements.training(calibrations)?, &steps.training);
    }
    if options.only.is_none_or(|only| only == Validated::Serving) {
        replayed.take(&measurements.serving(calibrations)?, &steps.serving);
    }
    if let Some(path) = &options.rows {
        let failed = |error| Failure::Refused(format!("{}: {error}", path.display()));
        fs::write(path, lines(&replayed.scored)).map_err(failed)?;
    }
    if let Some(path) = &options.plot {
        picture::write(path, &scatter(&replayed.scored).svg())?;
    }
    if options.by == By::Tp {
        return print(&speed_up_table(&measurements.sweeps()?, &replayed.scored)?.render(format));
    }
    if format == Format::Json {
        return print(&pretty(&replayed.json(options.by)));
    }
    let table = table(&replayed.scored, options.by);
    print(&noted(table.render(format), &replayed.notes(), format))
}

/// Prints how layouts are ranked, by source.
fn ranking(sets: &[RankedSet], format: Format) -> Result<ExitCode, Failure> {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
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
    let notes = [format!(
        "predicted ratios of two layouts of a set are off by at most {} % in nine cases of ten",
        percent(nine)
    )];
    print(&noted(table.render(format), &notes, format))
}

impl Replayed {
    fn take<Q: Question>(&mut self, samples: &Samples<Q>, calibration: &Calibration<Q::Of>) {
        self.rows += samples.rows;
        self.scored.extend(score(samples, calibration));
        for (reason, count) in &samples.left_out {
            *self.left_out.entry(reason.clone()).or_default() += count;
        }
    }

    /// The table and what is not in it, every number as one.
    fn json(&self, by: By) -> Json {
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
        let scores: Vec<Json> = report(&self.scored, |row| named(row, by)).iter().map(told).collect();
        json!({
            "rows": self.rows,
            "predicted": self.scored.len(),
            "not_modelled": self.left_out,
            "scores": scores,
        })
    }

    /// The rows that are not in the table, by reason.
    fn notes(&self) -> Vec<String> {
        let left_out: usize = self.left_out.values().sum();
        let mut notes = vec![format!(
            "{} rows, of which {} are predicted and {left_out} are not modelled",
            self.rows,
            self.scored.len()
        )];
        notes.extend(self.left_out.iter().map(|(reason, count)| format!("{count} not modelled: {reason}")));
        notes
    }
}

/// What the errors of a row are told under.
fn named(row: &Scored, by: By) -> String {
    match by {
        By::Regime | By::Tp => row.regime.to_string(),
        By::Gpu => format!("{}, {}", row.regime, row.family),
        By::Source => format!("{}, {}", row.regime, row.source),
    }
}

/// The errors of speed-ups, of all sweeps and of each degree.
fn speed_up_table(sweeps: &str, scored: &[Scored]) -> Result<Table, Failure> {
    let columns = ["sweeps", "tp", "rows", "median", "mean", "P90", "bias", "linear", "P90"];
    let mut table = Table::new(&columns);
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let all = speed_ups(sweeps, "serving_tp", scored)?;
    let mut told = |tp: String, some: &[SpeedUp]| {
        let [predicted, linear] = speed_up_errors(some);
        let numbers = [predicted.median, predicted.mean, predicted.most, predicted.bias, linear.median];
        let mut row = vec!["serving".to_string(), tp, some.len().to_string()];
        row.extend(numbers.into_iter().chain([linear.most]).map(percent));
        table.row(row);
    };
    told("all".to_string(), &all);
    let degrees: BTreeSet<u64> = all.iter().map(|each| each.tp).collect();
    for tp in degrees {
        let some: Vec<SpeedUp> = all.iter().filter(|each| each.tp == tp).cloned().collect();
        told(tp.to_string(), &some);
    }
    Ok(table)
}

fn table(scored: &[Scored], by: By) -> Table {
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
    for score in &report(scored, |row| named(row, by)) {
        table.row(cells(score));
    }
    table
}

fn cells(score: &Score) -> Vec<String> {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    vec![
        score.name.clone(),
        score.rows.to_string(),
        score.kept_apart.to_string(),
        percent(score.group.median),
        percent(score.group.mean),
        percent(score.group.most),
        percent(score.group.bias),
        percent(score.group_coverage),
        percent(score.family.median),
        percent(score.family.most),
        percent(score.family_coverage),
        percent(score.source.median),
        percent(score.source.most),
        percent(score.source_coverage),
        percent(score.speed_of_light.median),
        percent(score.speed_of_light.most),
        percent(score.efficiency.median),
        percent(score.efficiency.most),
        score.violations.to_string(),
    ]
}

/// Predicted against measured times of all rows but those that are scored apart, by what was measured.
fn scatter(scored: &[Scored]) -> Scatter {
    let kind = |regime: &str| match regime {
        _ if regime.ends_with("GEMM") => "matrix products",
        _ if regime.starts_with("attention") => "attention",
        _ if regime.starts_with("training") => "training steps",
        "decode step" | "prefill" | "static batch" | "maximum load" => "serving",
        _ => "collectives",
    };
    let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for row in scored.iter().filter(|row| !matches!(row.status, Status::Excluded(_))) {
        let told = (row.measured, row.without_group.time.base());
        points.entry(kind(row.regime)).or_default().push(told);
    }
    let series = points.into_iter().map(|(name, points)| Series { name: name.to_string(), points });
    Scatter {
        title: "Predicted and measured times".to_string(),
        unit: "s".to_string(),
        series: series.collect(),
    }
}

/// A line for each row.
fn lines(scored: &[Scored]) -> String {
    let mut text =
        String::from("row_id,metric,source,regime,gpu,measured,bound,predicted,low,high,status,reason\n");
    for row in scored {
        let (status, reason) = match &row.status {
            Status::CrossValidated => ("cross-validated", ""),
            Status::KeptApart => ("kept apart", ""),
            Status::Excluded(reason) => ("excluded", reason.as_str()),
        };
        let predicted = &row.without_group;
        let [bound, time, low, high] =
            [predicted.bound, predicted.time, predicted.low, predicted.high].map(|time| time.base());
        // A row that states several times has a sample for each, told apart by what was measured.
        let (id, metric) = row.id.split_once(' ').unwrap_or((&row.id, "time"));
        let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
        let _ = writeln!(
            text,
            "{id},{metric},{},{},{},{:e},{bound:e},{time:e},{low:e},{high:e},{status},{}",
            row.source,
            quoted(row.regime),
            quoted(&row.family),
            row.measured,
            quoted(reason)
        );
    }
    text
}
