//! `SpeedUp`: how much faster more ranks are, measured and predicted.

use std::collections::HashMap;

use mlsysim_scenario::Result;

use super::score::{Scored, Spreads, Status};
use super::table::{Cells, Measured, Reason, Table};

/// A row of `tp_sweeps.csv`: a point of a sweep that differs in its degree of tensor parallelism alone.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRow {
    /// The sweep.
    pub sweep: String,
    /// What is swept, such as `serving_tp`.
    pub kind: String,
    /// The row that it is of.
    pub row_id: String,
    /// How many ranks share each layer.
    pub tp: u64,
    /// What was measured.
    pub metric: String,
}

impl Measured for SweepRow {
    const COLUMNS: &'static [&'static str] = &["sweep_id", "kind", "row_id", "tp", "metric"];

    fn read(cells: &Cells) -> std::result::Result<Self, Reason> {
        Ok(SweepRow {
            sweep: cells.needed("sweep_id")?.to_string(),
            kind: cells.needed("kind")?.to_string(),
            row_id: cells.needed("row_id")?.to_string(),
            tp: cells.needed_count("tp")?,
            metric: cells.needed("metric")?.to_string(),
        })
    }
}

/// How much faster a degree of tensor parallelism is than the smallest of its sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedUp {
    /// The row.
    pub row_id: String,
    /// How many ranks share each layer.
    pub tp: u64,
    /// Those of the smallest.
    pub base_tp: u64,
    /// How many times faster it was.
    pub measured: f64,
    /// How many times faster it is predicted to be, by fits without the group of each row.
    pub predicted: f64,
}

/// What the sample of a metric is called behind its row.
fn samples_of(metric: &str) -> &'static [&'static str] {
    match metric {
        "prefill_latency_ms" | "ttft_ms" => &["ttft"],
        _ => &["throughput", "tpot", "e2e"],
    }
}

/// The speed-ups of the sweeps of `kind` in a table like `tp_sweeps.csv`, of rows that were scored.
///
/// # Errors
///
/// The table is malformed, or lacks a column.
pub fn speed_ups(table: &str, kind: &str, scored: &[Scored]) -> Result<Vec<SpeedUp>> {
    let rows: HashMap<&str, &Scored> = scored.iter().map(|row| (row.id.as_str(), row)).collect();
    let found = |point: &SweepRow| {
        let ids = samples_of(&point.metric).iter().map(|name| format!("{} {name}", point.row_id));
        let known = ids.filter_map(|id| rows.get(id.as_str()).copied()).next();
        known.filter(|row| !matches!(row.status, Status::Excluded(_)))
    };
    let points = Table::<SweepRow>::read(table)?.rows;
    let mut sweeps: HashMap<&str, Vec<(&SweepRow, &Scored)>> = HashMap::new();
    for point in points.iter().filter(|point| point.kind == kind) {
        if let Some(row) = found(point) {
            sweeps.entry(&point.sweep).or_default().push((point, row));
        }
    }
    let mut all = Vec::new();
    for points in sweeps.values() {
        let Some((base, slowest)) = points.iter().min_by_key(|(point, _)| point.tp) else { continue };
        let more = points.iter().filter(|(point, _)| point.tp > base.tp);
        all.extend(more.map(|(point, row)| SpeedUp {
            row_id: point.row_id.clone(),
            tp: point.tp,
            base_tp: base.tp,
            measured: slowest.measured / row.measured,
            predicted: slowest.without_group.time / row.without_group.time,
        }));
    }
    all.sort_by(|one, other| one.row_id.cmp(&other.row_id));
    Ok(all)
}

/// How far predicted speed-ups are off, and how far it is off that they are as many times as the ranks.
pub fn speed_up_errors(all: &[SpeedUp]) -> [Spreads; 2] {
    let off = |of: &dyn Fn(&SpeedUp) -> f64| {
        Spreads::of(all.iter().map(|each| of(each) / each.measured - 1.0).collect())
    };
    [off(&|each| each.predicted), off(&|each| each.tp as f64 / each.base_tp as f64)]
}
