//! `Sweeps`: how much faster more ranks of tensor parallelism are, measured and predicted.

use std::collections::{BTreeMap, HashMap};

use mlsysim_scenario::Result;

use super::score::{Score, Scored, Spreads, Status, share_within};
use super::table::{Cells, Measured, Reason, Table};
use super::{LeftOut, Part};
use crate::predict::{Band, Bands, Prediction, Ratio, SERVING, SpeedUps, TRAINING};

/// The table of sweeps.
pub(super) const FILE: &str = "tp_sweeps.csv";

const SLICES: &str = "speed-up of TP, slices of a product";

/// A row of `tp_sweeps.csv`: a point of a sweep that differs in its degree of tensor parallelism, and
/// where devices stay the same in another degree that gives way to it.
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

    fn id(&self) -> &str {
        &self.row_id
    }
}

impl SweepRow {
    /// What is swept, and the part of a validation that its rows are of.
    fn swept(&self) -> std::result::Result<(&'static str, Part), Reason> {
        match self.kind.as_str() {
            "serving_tp" => Ok((SERVING, Part::Serving)),
            "gemm_tp_slice" => Ok((SLICES, Part::Kernels)),
            kind if kind.starts_with("train_") => Ok((TRAINING, Part::Training)),
            kind => Err(format!("sweeps of `{kind}` not modelled")),
        }
    }

    /// What the row may be called among those that were scored: a row of serving states several times.
    fn names(&self) -> Vec<String> {
        let metrics: &[&str] = match (self.kind.as_str(), self.metric.as_str()) {
            ("serving_tp", "prefill_latency_ms" | "ttft_ms") => &["ttft"],
            ("serving_tp", _) => &["throughput", "tpot", "e2e"],
            _ => return vec![self.row_id.clone()],
        };
        metrics.iter().map(|metric| format!("{} {metric}", self.row_id)).collect()
    }
}

/// How much faster a degree of tensor parallelism is than the smallest of its sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedUp {
    /// The row.
    pub row_id: String,
    /// What is swept: serving, training, or the slices of a product.
    pub regime: &'static str,
    /// Where the row comes from.
    pub source: String,
    /// What it belongs with.
    pub group: String,
    /// The family of its device.
    pub family: String,
    /// How many ranks share each layer.
    pub tp: u64,
    /// Those of the smallest.
    pub base_tp: u64,
    /// How many times faster it was.
    pub measured: f64,
    /// How many times faster it would be at the full rates of the machine.
    pub speed_of_light: f64,
    /// What is predicted by fits and bands without the group of the row.
    pub without_group: Ratio,
    /// The same without the family of devices.
    pub without_family: Ratio,
    /// The same without the source.
    pub without_source: Ratio,
}

/// What became of the rows of `tp_sweeps.csv`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweeps {
    /// How many rows there are, of the parts that were asked for.
    pub rows: usize,
    /// How many of them are the smallest degree of a sweep, which others are told against.
    pub references: usize,
    /// The speed-ups of all others that are modelled.
    pub speed_ups: Vec<SpeedUp>,
    /// Those that are not.
    pub left_out: Vec<LeftOut>,
}

impl Sweeps {
    /// The speed-ups between rows that were scored, of those parts that `is_asked`.
    ///
    /// # Errors
    ///
    /// The table is malformed, or lacks a column.
    pub(super) fn read(
        table: &str,
        scored: &[Scored],
        rest: &[LeftOut],
        is_asked: impl Fn(Part) -> bool,
    ) -> Result<Self> {
        let known: HashMap<&str, &Scored> = scored.iter().map(|row| (row.id.as_str(), row)).collect();
        let reasons: HashMap<&str, &Reason> = rest.iter().map(|row| (row.id.as_str(), &row.reason)).collect();
        let mut all = Sweeps::default();
        let table = Table::<SweepRow>::read(table)?;
        for unread in table.unread {
            all.leave_out(unread.id, format!("unread: {}", unread.reason));
        }
        let mut points: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
        for row in &table.rows {
            let scored = row.names().iter().find_map(|name| known.get(name.as_str()).copied());
            match (row.swept(), scored.map(|scored| (scored, &scored.status))) {
                (Ok((_, part)), _) if !is_asked(part) => continue,
                (Err(reason), _) => all.leave_out(row.row_id.clone(), reason),
                (_, Some((_, Status::Excluded(reason)))) => {
                    all.leave_out(row.row_id.clone(), format!("excluded: {reason}"));
                }
                (Ok((regime, _)), Some((scored, _))) => {
                    points.entry(&row.sweep).or_default().push(Point { row, scored, regime });
                    all.rows += 1;
                }
                (_, None) => {
                    let unknown = || format!("its row states no such time: {}", row.metric);
                    let reason = reasons.get(row.row_id.as_str()).map_or_else(unknown, |why| (*why).clone());
                    all.leave_out(row.row_id.clone(), reason);
                }
            }
        }
        points.into_values().for_each(|points| all.sweep(points));
        banded(&mut all.speed_ups, |each| &each.group, |each| &mut each.without_group);
        banded(&mut all.speed_ups, |each| &each.family, |each| &mut each.without_family);
        banded(&mut all.speed_ups, |each| &each.source, |each| &mut each.without_source);
        Ok(all)
    }

    /// The intervals of speed-ups of devices and models that are not among these.
    pub(super) fn intervals(&self) -> SpeedUps {
        let bands = |name: fn(&SpeedUp) -> &str, of: fn(&SpeedUp) -> &Ratio| {
            let errors = self.speed_ups.iter().map(|each| (each.regime, name(each), each.off_by(of(each))));
            Bands::of(errors)
        };
        let mut sources: BTreeMap<&str, usize> = BTreeMap::new();
        for each in &self.speed_ups {
            *sources.entry(&each.source).or_default() += 1;
        }
        SpeedUps {
            sources: sources.into_iter().map(|(source, rows)| (source.to_string(), rows)).collect(),
            bands: bands(|each| &each.group, |each| &each.without_group),
            bands_beyond: bands(|each| &each.family, |each| &each.without_family),
        }
    }

    /// How far predicted speed-ups are off by what `name` tells of each, and of serving and training
    /// together.
    pub fn scores(&self, name: impl Fn(&SpeedUp) -> String) -> Vec<Score> {
        let mut scores = SpeedUp::scores(&self.speed_ups, name);
        let steps = self.speed_ups.iter().filter(|each| each.regime != SLICES);
        scores.extend(SpeedUp::scores(steps, |_| "speed-up of TP, serving and training".to_string()));
        scores
    }

    fn leave_out(&mut self, id: String, reason: Reason) {
        self.rows += 1;
        self.left_out.push(LeftOut { file: FILE, id, reason });
    }

    /// The speed-ups of one sweep against its smallest degree.
    fn sweep(&mut self, points: Vec<Point>) {
        let Some(base) = points.iter().min_by_key(|point| point.row.tp).copied() else { return };
        if points.len() == 1 {
            self.rows -= 1;
            return self
                .leave_out(base.row.row_id.clone(), "no other degree of its sweep is modelled".into());
        }
        for point in points {
            if point.row.tp == base.row.tp {
                self.references += 1;
                continue;
            }
            let faster = |time: fn(&Scored) -> f64| time(base.scored) / time(point.scored);
            let ratio =
                |of: fn(&Scored) -> &Prediction| Ratio::exact(of(base.scored).time / of(point.scored).time);
            self.speed_ups.push(SpeedUp {
                row_id: point.row.row_id.clone(),
                regime: point.regime,
                source: point.scored.source.clone(),
                group: point.scored.group.clone(),
                family: point.scored.family.clone(),
                tp: point.row.tp,
                base_tp: base.row.tp,
                measured: faster(|row| row.measured),
                speed_of_light: faster(|row| row.speed_of_light),
                without_group: ratio(|row| &row.without_group),
                without_family: ratio(|row| &row.without_family),
                without_source: ratio(|row| &row.without_source),
            });
        }
    }
}

/// A point of a sweep with what is predicted of it.
#[derive(Clone, Copy)]
struct Point<'a> {
    row: &'a SweepRow,
    scored: &'a Scored,
    regime: &'static str,
}

/// Puts the interval around each ratio that the ratios of all others with another `name` are off by.
///
/// The two times of a ratio are mostly off in the same direction, so that the interval of a ratio is not
/// made of theirs: it is the quantiles of how far ratios themselves are off, and of none that the row's
/// own group, family or source has.
fn banded(all: &mut [SpeedUp], name: fn(&SpeedUp) -> &str, of: fn(&mut SpeedUp) -> &mut Ratio) {
    let errors: Vec<(String, &'static str, f64)> = all
        .iter_mut()
        .map(|each| {
            let ratio = *of(each);
            (name(each).to_string(), each.regime, each.off_by(&ratio))
        })
        .collect();
    let mut known: BTreeMap<String, Bands> = BTreeMap::new();
    for each in all {
        let own = name(each).to_string();
        let bands = known.entry(own.clone()).or_insert_with(|| {
            let others = errors.iter().filter(|(name, ..)| *name != own);
            Bands::of(others.map(|(name, regime, error)| (*regime, name.as_str(), *error)))
        });
        let (Band { low, high }, _) = bands.band(each.regime);
        let ratio = of(each);
        *ratio = Ratio { low: low * ratio.ratio, high: high * ratio.ratio, ..*ratio };
    }
}

impl SpeedUp {
    /// How far what was measured lies from `predicted`, in the logarithm.
    fn off_by(&self, predicted: &Ratio) -> f64 {
        (self.measured / predicted.ratio).ln()
    }

    /// How many times faster it would be if nothing were lost: as many times as there are more ranks
    /// where those are added, and none where the devices stay the same or the model grows with them.
    pub fn ideal(&self) -> f64 {
        if self.regime == TRAINING { 1.0 } else { self.tp as f64 / self.base_tp as f64 }
    }

    /// How far predicted speed-ups are off, of those together for which `name` is the same, in the order
    /// of names.
    ///
    /// One efficiency for a device is the same above and below in a ratio, so that such a prediction is
    /// that of the speed of light.
    pub fn scores<'a>(
        all: impl IntoIterator<Item = &'a SpeedUp>,
        name: impl Fn(&SpeedUp) -> String,
    ) -> Vec<Score> {
        let mut sorted: BTreeMap<String, Vec<&SpeedUp>> = BTreeMap::new();
        for each in all {
            sorted.entry(name(each)).or_default().push(each);
        }
        let scored = sorted.into_iter().map(|(name, some)| {
            let off = |of: fn(&SpeedUp) -> f64| SpeedUp::off(&some, of);
            let within = |of: fn(&SpeedUp) -> Ratio| {
                share_within(some.iter().map(|each| (each.measured, of(each).low, of(each).high)))
            };
            Score {
                name,
                rows: some.len(),
                kept_apart: 0,
                group: off(|each| each.without_group.ratio),
                group_coverage: within(|each| each.without_group),
                family: off(|each| each.without_family.ratio),
                family_coverage: within(|each| each.without_family),
                source: off(|each| each.without_source.ratio),
                source_coverage: within(|each| each.without_source),
                speed_of_light: off(|each| each.speed_of_light),
                efficiency: off(|each| each.speed_of_light),
                violations: 0,
            }
        });
        scored.collect()
    }

    /// How far `of` is off what was measured, over some of them.
    pub fn off(some: &[&SpeedUp], of: fn(&SpeedUp) -> f64) -> Spreads {
        Spreads::of(some.iter().map(|each| of(each) / each.measured - 1.0).collect())
    }
}
