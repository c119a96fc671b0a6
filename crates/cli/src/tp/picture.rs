//! The picture of a step at each degree: what it is the sum of, with its interval.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use mlsysim::Error;
use mlsysim::predict::{Degrees, StatedDegrees};
use mlsysim_report::plot::{Bar, Stack};

use super::tables;
use crate::output::Failure;

/// Refuses a path that a picture cannot be written to, before anything is worked out.
pub fn check(path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    let shown = path.display();
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("svg")) {
        let message = format!("a picture is an SVG file, such as `tp.svg`, but `{shown}` was given");
        return Err(Error::input("plot", message));
    }
    if path.exists() {
        return Err(Error::input("plot", format!("`{shown}` exists already; choose another name")));
    }
    Ok(())
}

/// Writes a picture to a file that is not there yet.
pub fn write(path: &Path, picture: &Stack) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let shown = path.display();
        let message = match error.kind() {
            ErrorKind::AlreadyExists => format!("`{shown}` exists already; choose another name"),
            _ => format!("`{shown}` cannot be written: {error}"),
        };
        Failure::from(Error::input("plot", message))
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(picture.svg().as_bytes()).map_err(failed)
}

/// Bars of degrees: what the step spends its time on.
pub fn of(degrees: &Degrees, title: String) -> Stack {
    let bars = degrees.all.iter().map(|degree| {
        let total = &degree.predicted.total;
        let milliseconds = |time: mlsysim::quantity::Time| 1e3 * time.base();
        Bar {
            name: format!("TP {}", degree.tp),
            parts: degree.predicted.parts.categories.whole.map(milliseconds).into(),
            interval: Some((milliseconds(total.low), milliseconds(total.high))),
        }
    });
    Stack {
        title,
        label: "time (ms)".to_string(),
        parts: tables::categories().collect(),
        bars: bars.collect(),
    }
}

/// Bars of degrees, stated and predicted: compute and exchanges of a layer.
pub fn of_case(degrees: &StatedDegrees, title: String) -> Stack {
    let mut bars = Vec::new();
    let milliseconds = |time: mlsysim::quantity::Time| 1e3 * time.base();
    for degree in &degrees.all {
        let parts = vec![milliseconds(degree.ideal), milliseconds(degree.layer - degree.ideal)];
        bars.push(Bar { name: format!("stated {}", degree.tp), parts, interval: None });
        if let Ok(predicted) = &degree.predicted {
            let [layer, low, high] = predicted.layer;
            let parts = vec![milliseconds(predicted.ideal), milliseconds(layer - predicted.ideal)];
            let interval = Some((milliseconds(low), milliseconds(high)));
            bars.push(Bar { name: format!("predicted {}", degree.tp), parts, interval });
        }
    }
    let parts = vec!["compute".to_string(), "AllReduces".to_string()];
    Stack { title, label: "time of a layer (ms)".to_string(), parts, bars }
}
