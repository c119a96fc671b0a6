//! `mlsysim calibrate`: fits the coefficients of predictions, and writes them down.

use std::fs;
use std::process::ExitCode;

use mlsysim::quantity::format_brief;
use mlsysim::validation::{self, Measurements};

use crate::arguments::{CalibrateOptions, Calibrated, Format};
use crate::measurements::Folder;
use crate::output::{Failure, Table, print};

/// Fits what is asked for and writes a file for each.
pub fn calibrate(options: &CalibrateOptions, format: Format) -> Result<ExitCode, Failure> {
    let folder = Folder(options.data.clone());
    let measurements = Measurements::open(&folder)?;
    let only = options.only.map(Calibrated::part);
    let fitted = measurements.calibrate(|of| only.is_none_or(|only| only == of))?;
    fs::create_dir_all(&options.out)
        .map_err(|error| Failure::Refused(format!("{}: {error}", options.out.display())))?;
    let mut table = Table::new(&["calibration", "coefficient", "value", "standard error", "unit", "meaning"]);
    for fitting in &fitted {
        let path = options.out.join(fitting.of.file());
        fs::write(&path, &fitting.text)
            .map_err(|error| Failure::Refused(format!("{}: {error}", path.display())))?;
        for estimate in &fitting.estimates {
            let coefficient = estimate.coefficient;
            table.row([
                fitting.of.name().to_string(),
                coefficient.name.to_string(),
                format_brief(estimate.value),
                format_brief(estimate.standard_error),
                coefficient.unit.to_string(),
                coefficient.meaning.to_string(),
            ]);
        }
    }
    print(&table.render(format))
}

impl Calibrated {
    fn part(self) -> validation::Calibrated {
        match self {
            Calibrated::Gemm => validation::Calibrated::Gemm,
            Calibrated::Attention => validation::Calibrated::Attention,
            Calibrated::Collectives => validation::Calibrated::Collectives,
            Calibrated::Training => validation::Calibrated::Training,
            Calibrated::Serving => validation::Calibrated::Serving,
        }
    }
}
