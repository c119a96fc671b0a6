//! `mlsysim validate`: how far predictions are off from published measurements.

mod rows;
mod tables;

use std::process::ExitCode;

use mlsysim::Error;
use mlsysim::validation::{Measurements, Part, Replayed};

use crate::arguments::{By, Format, ValidateOptions, Validated};
use crate::measurements::{Folder, calibrations};
use crate::output::{Failure, noted, pretty, print};
use crate::{files, picture};

/// Replays rows and prints how far predictions are off.
pub fn validate(options: &ValidateOptions, format: Format) -> Result<ExitCode, Failure> {
    picture::check(options.plot.as_deref())?;
    options.rows.as_deref().map_or(Ok(()), |path| files::check("rows", path))?;
    let folder = Folder::open("data", &options.data)?;
    let measurements = Measurements::partial(&folder)?;
    let calibrations = calibrations(options.calibration.as_deref())?;
    if options.ranking {
        let (table, notes) = tables::ranking(&measurements.rankings(&calibrations)?);
        return print(&noted(table.render(format), &notes, format));
    }
    let only = options.only.map(Validated::part);
    let replayed = Replayed::of(&measurements, &calibrations, |part| only.is_none_or(|only| only == part))?;
    if let Some(path) = &options.rows {
        files::write("rows", path, &rows::lines(&replayed))?;
    }
    if let Some(path) = &options.plot {
        picture::write(path, &rows::scatter(&replayed).svg())?;
    }
    if options.by == By::Tp {
        let sweeps = replayed.sweeps.as_ref().ok_or_else(|| {
            Error::input("by", format!("{}: there is no `tp_sweeps.csv`", options.data.display()))
        })?;
        let (table, notes) = (tables::speed_ups(sweeps), tables::of_sweeps(sweeps));
        return print(&match format {
            Format::Json => pretty(&tables::json(&replayed, options.by)["speed_ups"]),
            _ => noted(table.render(format), &notes, format),
        });
    }
    if format == Format::Json {
        return print(&pretty(&tables::json(&replayed, options.by)));
    }
    let table = tables::all(&replayed, options.by);
    print(&noted(table.render(format), &tables::notes(&replayed), format))
}

impl Validated {
    fn part(self) -> Part {
        match self {
            Validated::Kernels => Part::Kernels,
            Validated::Collectives => Part::Collectives,
            Validated::Training => Part::Training,
            Validated::Serving => Part::Serving,
        }
    }
}
