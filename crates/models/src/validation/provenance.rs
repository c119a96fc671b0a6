//! `Provenance`: where a row comes from, what it belongs with, and whether one may calibrate on it.

use super::samples::Origin;
use super::table::Cells;
use crate::predict::Question;

/// Where a row comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The table or the publication, as a key.
    pub source: String,
    /// What it belongs with, so that it is left out with it.
    pub group: String,
    /// The library or the engine, as printed.
    pub library: String,
    /// Whether coefficients may be fitted on it.
    pub calibrates: bool,
}

/// Who measured the tables of `kernels/`.
const KERNEL_TABLES: &str = "aiconfigurator";

impl Provenance {
    /// Of a row of a table with the columns that all published rows have.
    pub fn published(cells: &Cells) -> Provenance {
        Provenance {
            source: cells.string("source_id"),
            group: cells.string("group"),
            library: cells.string("library"),
            calibrates: cells.text("may_be_calibration_input").is_some_and(|may| may.starts_with("yes")),
        }
    }

    /// Of a row of `kernels/`, which belongs with those that have the same in `columns`.
    ///
    /// The same shapes were measured in several engines and versions, so that leaving out one of
    /// those would leave nearly the same rows in.
    pub fn tabled(cells: &Cells, columns: &[&str]) -> Provenance {
        let parts: Vec<&str> = columns.iter().filter_map(|column| cells.text(column)).collect();
        let library = [cells.text("backend"), cells.text("kernel_source"), cells.text("mode")];
        Provenance {
            source: KERNEL_TABLES.to_string(),
            group: parts.join(", "),
            library: library.into_iter().flatten().collect::<Vec<_>>().join(" "),
            calibrates: true,
        }
    }

    /// The origin of the row called `id`; what the calibration lacks is not fitted on.
    pub(super) fn origin<'a>(&'a self, id: &'a str, family: &'a str, of: &impl Question) -> Origin<'a> {
        let calibrates = self.calibrates && of.beyond().is_empty();
        Origin { id, source: &self.source, group: &self.group, family, calibrates }
    }
}
