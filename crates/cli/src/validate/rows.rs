//! What becomes of each row: as a line, and as a point of a picture.

use std::collections::BTreeMap;

use mlsysim::validation::{Replayed, Status};
use mlsysim_report::plot::{Scatter, Series};

use crate::output::csv;

const HEADINGS: [&str; 14] = [
    "row_id",
    "file",
    "source",
    "regime",
    "gpu",
    "metric",
    "measured",
    "bound",
    "predicted",
    "low",
    "high",
    "unit",
    "status",
    "reason",
];

/// A line for each time that is predicted, each speed-up, and each row that is not modelled.
pub fn lines(replayed: &Replayed) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &replayed.scored {
        let (status, reason) = match &row.status {
            Status::CrossValidated => ("cross-validated", ""),
            Status::KeptApart => ("kept apart", ""),
            Status::Excluded(reason) => ("excluded", reason.as_str()),
        };
        let predicted = &row.without_group;
        let times = [predicted.bound, predicted.time, predicted.low, predicted.high];
        // A row that states several times has a sample for each, told apart by what was measured.
        let (id, metric) = row.id.split_once(' ').unwrap_or((&row.id, "time"));
        let mut cells = text([id, row.file, &row.source, row.regime, &row.family, metric]);
        cells.push(format!("{:e}", row.measured));
        cells.extend(times.map(|time| format!("{:e}", time.base())));
        cells.extend(text(["s", status, reason]));
        rows.push(cells);
    }
    for one in replayed.sweeps.iter().flat_map(|sweeps| &sweeps.speed_ups) {
        let (metric, within) = (format!("speed-up over TP {}", one.base_tp), one.without_group);
        let mut cells = text([&one.row_id, "tp_sweeps.csv", &one.source, one.regime, &one.family, &metric]);
        let [measured, ratio, low, high] =
            [one.measured, within.ratio, within.low, within.high].map(|number| format!("{number:e}"));
        cells.extend([measured, String::new(), ratio, low, high]);
        cells.extend(text(["", "cross-validated", ""]));
        rows.push(cells);
    }
    let of_sweeps = replayed.sweeps.iter().flat_map(|sweeps| &sweeps.left_out);
    for row in replayed.left_out.iter().chain(of_sweeps) {
        let mut cells = text([&row.id, row.file]);
        cells.resize(HEADINGS.len() - 2, String::new());
        cells.extend(text(["not modelled", &row.reason]));
        rows.push(cells);
    }
    let mut text = csv(&HEADINGS, &rows);
    text.push('\n');
    text
}

fn text<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_string).into()
}

/// Predicted against measured times of all rows but those that are scored apart, by what was measured.
pub fn scatter(replayed: &Replayed) -> Scatter {
    let kind = |regime: &str| match regime {
        _ if regime.ends_with("GEMM") => "matrix products",
        _ if regime.starts_with("attention") => "attention",
        _ if regime.starts_with("training") => "training steps",
        "decode step" | "prefill" | "static batch" | "maximum load" => "serving",
        _ => "collectives",
    };
    let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for row in replayed.scored.iter().filter(|row| !matches!(row.status, Status::Excluded(_))) {
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
