//! `Samples`: the rows of tables that a prediction is asked for, and those that are left out.

use std::collections::BTreeMap;

use mlsysim_scenario::{Error, Result};

use super::table::{Measured, Reason, Table};
use crate::predict::Sample;

/// A row that a prediction is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked<Q> {
    /// The table that it is of, such as `kernels/gemm.csv`.
    pub file: &'static str,
    /// What was measured.
    pub sample: Sample<Q>,
    /// Why it is scored apart, if it is.
    pub excluded: Option<Reason>,
}

/// A row that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The table that it is of.
    pub file: &'static str,
    /// The name of the row, or its line where it has none.
    pub id: String,
    /// Why it is not modelled.
    pub reason: Reason,
}

impl LeftOut {
    /// How many of `rows` there are, by reason.
    pub fn reasons(rows: &[LeftOut]) -> BTreeMap<&str, usize> {
        let mut reasons = BTreeMap::new();
        for row in rows {
            *reasons.entry(row.reason.as_str()).or_default() += 1;
        }
        reasons
    }
}

/// The rows of some tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples<Q> {
    /// How many rows there are.
    pub rows: usize,
    /// What predictions are asked for: a row may state several times.
    pub asked: Vec<Asked<Q>>,
    /// The rows that are not modelled.
    pub left_out: Vec<LeftOut>,
}

/// What was measured, and why it is scored apart, if it is; or why the row is not modelled.
pub(super) type Asking<Q> = std::result::Result<(Sample<Q>, Option<Reason>), Reason>;

/// Where a row comes from.
pub(super) struct Origin<'a> {
    pub id: &'a str,
    pub source: &'a str,
    pub group: &'a str,
    pub family: &'a str,
    /// Whether coefficients may be fitted on it, unless it is excluded.
    pub calibrates: bool,
}

impl Origin<'_> {
    /// What the row measured of `question`.
    pub fn sample<Q>(
        &self,
        seconds: f64,
        question: Q,
        excluded: Option<Reason>,
    ) -> (Sample<Q>, Option<Reason>) {
        let sample = Sample {
            id: self.id.to_string(),
            source: self.source.to_string(),
            group: self.group.to_string(),
            family: self.family.to_string(),
            seconds,
            question,
            fits: self.calibrates && excluded.is_none(),
        };
        (sample, excluded)
    }
}

impl<Q> Default for Samples<Q> {
    fn default() -> Self {
        Samples { rows: 0, asked: Vec::new(), left_out: Vec::new() }
    }
}

impl<Q> Samples<Q> {
    /// Takes the rows of a table: `ask` says what each measured, or why it is not modelled.
    pub(super) fn take<T: Measured, I: IntoIterator<Item = (Sample<Q>, Option<Reason>)>>(
        &mut self,
        file: &'static str,
        text: &str,
        mut ask: impl FnMut(&T) -> std::result::Result<I, Reason>,
    ) -> Result<()> {
        let table = Table::<T>::read(text).map_err(|error| Error::malformed(format!("{file}: {error}")))?;
        self.rows += table.rows.len() + table.unread.len();
        self.left_out.extend(table.unread.into_iter().map(|row| LeftOut {
            file,
            id: row.id,
            reason: format!("unread: {}", row.reason),
        }));
        for row in &table.rows {
            match ask(row) {
                Ok(found) => self.asked.extend(found.into_iter().map(|(sample, excluded)| Asked {
                    file,
                    sample,
                    excluded,
                })),
                Err(reason) => self.left_out.push(LeftOut { file, id: row.id().to_string(), reason }),
            }
        }
        Ok(())
    }

    /// The samples of a calibration: all but those that are scored apart.
    pub fn of_calibration(&self) -> Vec<Sample<Q>>
    where
        Q: Clone,
    {
        self.asked.iter().filter(|asked| asked.sample.fits).map(|asked| asked.sample.clone()).collect()
    }
}
