//! `mlsysim calibrate`: fits the coefficients of predictions, and writes them down.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use mlsysim::predict::{Calibration, Calibrations, Question, calibrate as calibrated, shipped};
use mlsysim::quantity::format_brief;
use mlsysim::validation::Samples;

use crate::arguments::{CalibrateOptions, Calibrated, Format};
use crate::measurements::Measurements;
use crate::output::{Failure, Table, print};

/// Fits what is asked for and writes a file for each.
pub fn calibrate(options: &CalibrateOptions, format: Format) -> Result<ExitCode, Failure> {
    let measurements = Measurements::open(&options.data)?;
    fs::create_dir_all(&options.out)
        .map_err(|error| Failure::Refused(format!("{}: {error}", options.out.display())))?;
    let mut table = Table::new(&["calibration", "coefficient", "value", "standard error", "unit", "meaning"]);
    let is_asked = |one: Calibrated| options.only.is_none_or(|only| only == one);
    let (mut product, mut attention, mut collective) = (None, None, None);
    if is_asked(Calibrated::Gemm) {
        product = Some(written("gemm", &measurements.products()?, &options.out, &mut table)?);
    }
    if is_asked(Calibrated::Attention) {
        attention = Some(written("attention", &measurements.attention()?, &options.out, &mut table)?);
    }
    if is_asked(Calibrated::Collectives) {
        collective = Some(written("collectives", &measurements.collectives()?, &options.out, &mut table)?);
    }
    if is_asked(Calibrated::Training) || is_asked(Calibrated::Serving) {
        // Steps are fitted on what kernels were fitted to just now, or came with.
        let kernels = match (product, attention, collective) {
            (Some(product), Some(attention), Some(collective)) => {
                Calibrations { product, attention, collective }
            }
            _ => shipped()?.clone(),
        };
        if is_asked(Calibrated::Training) {
            written("training", &measurements.training(&kernels)?, &options.out, &mut table)?;
        }
        if is_asked(Calibrated::Serving) {
            written("serving", &measurements.serving(&kernels)?, &options.out, &mut table)?;
        }
    }
    print(&table.render(format))
}

fn written<Q: Question>(
    name: &str,
    samples: &Samples<Q>,
    out: &Path,
    table: &mut Table,
) -> Result<Calibration<Q::Of>, Failure> {
    let calibration: Calibration<Q::Of> = calibrated(&samples.of_calibration())?;
    let text = calibration.write(name, &format!("mlsysim calibrate --only {name}"));
    let path = out.join(format!("{name}.toml"));
    fs::write(&path, text).map_err(|error| Failure::Refused(format!("{}: {error}", path.display())))?;
    for estimate in calibration.estimates() {
        let coefficient = estimate.coefficient;
        table.row([
            name.to_string(),
            coefficient.name.to_string(),
            format_brief(estimate.value),
            format_brief(estimate.standard_error),
            coefficient.unit.to_string(),
            coefficient.meaning.to_string(),
        ]);
    }
    Ok(calibration)
}
