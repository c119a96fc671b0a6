//! `mlsysim calibrate`: fits the coefficients of predictions, and writes them down.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use mlsysim::Error;
use mlsysim::predict::CalibrationSet;
use mlsysim::quantity::format_brief;
use mlsysim::validation::{Calibrated, Fitting, Measurements, OnTop};

use crate::arguments::{CalibrateOptions, Format};
use crate::measurements::Folder;
use crate::output::{Failure, Table, noted, print};

/// Fits what is asked for and writes a file for each.
pub fn calibrate(options: &CalibrateOptions, format: Format) -> Result<ExitCode, Failure> {
    let (fitted, notes): (_, Vec<String>) = match &options.own {
        None => {
            let folder = Folder::open("data", &options.data)?;
            let is_asked = |of| options.only.is_none_or(|only| only == of);
            let fitted = Measurements::open(&folder)?.calibrate(is_asked)?;
            let speed_ups = fitted.iter().filter(|fitting| fitting.of == Calibrated::SpeedUps);
            let notes = speed_ups.flat_map(Fitting::notes).collect();
            (fitted, notes)
        }
        Some(own) => {
            let fitted = on_top(own, &options.data)?;
            let notes = fitted.iter().flat_map(Fitting::notes).collect();
            (fitted, notes)
        }
    };
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
    print(&noted(table.render(format), &notes, format))
}

/// Our coefficients, moved by a user's own rows.
fn on_top(own: &Path, data: &Path) -> Result<Vec<Fitting>, Failure> {
    let (own_texts, below) = (Folder::open("own", own)?, Folder(data.to_path_buf()));
    let texts = OnTop { own: &own_texts, below: &below };
    if !texts.has_any() {
        let known = Measurements::TABLES.join(", ");
        let message = format!("`{}` has none of the tables {known}", own.display());
        return Err(Error::input("own", message).into());
    }
    Ok(Measurements::partial(&texts)?.refine(CalibrationSet::shipped()?)?)
}
