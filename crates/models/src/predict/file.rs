//! The files of calibrations: TOML, a table for each coefficient, each regime and each fold.

use std::fmt::Write as _;

use mlsysim_quantity::format_number;
use mlsysim_scenario::{Error, Map, Result, Value};

use super::calibrate::rounded;
use super::{Band, Bands, Calibration, Coefficients, Fold};

impl<C: Coefficients> Calibration<C> {
    /// The TOML text of the calibration of `name`, which `command` wrote.
    pub fn write(&self, name: &str, command: &str) -> String {
        let mut text = String::new();
        write_head(&mut text, name, command, &self.sources);
        for estimate in self.estimates() {
            let coefficient = estimate.coefficient;
            let _ = writeln!(text, "\n# {}\n[coefficients.{}]", coefficient.meaning, coefficient.name);
            let _ = writeln!(text, "value = {}", format_number(estimate.value));
            let _ = writeln!(text, "standard_error = {}", format_number(estimate.standard_error));
            if !coefficient.unit.is_empty() {
                let _ = writeln!(text, "unit = {:?}", coefficient.unit);
            }
        }
        text.push_str("\n# Nine measurements in ten lie between these multiples of the prediction.\n");
        write_bands(&mut text, "bands", &self.bands);
        text.push_str("\n# The same of devices that a fit did not have.\n");
        write_bands(&mut text, "bands_beyond", &self.bands_beyond);
        for (kind, folds) in [
            ("groups", &self.groups),
            ("families", &self.families),
            ("left_out_sources", &self.left_out_sources),
        ] {
            for (index, fold) in folds.iter().enumerate() {
                let values: Vec<String> = fold.coefficients.values().into_iter().map(format_number).collect();
                let _ = writeln!(text, "\n[{kind}.fold{index}]\nleft_out = {:?}", fold.left_out);
                let _ = writeln!(text, "values = [{}]", values.join(", "));
                write_bands(&mut text, &format!("{kind}.fold{index}.bands"), &fold.bands);
            }
        }
        text
    }

    /// Reads a calibration from a TOML text.
    ///
    /// # Errors
    ///
    /// The text is malformed, or lacks a coefficient; the message names it.
    pub fn read(text: &str) -> Result<Self> {
        let sections = mlsysim_registry::read_sections(text)?;
        let coefficients = section(&sections, "coefficients")?;
        let (mut values, mut standard_errors) = (Vec::new(), Vec::new());
        for coefficient in C::ALL {
            let table = section(coefficients, coefficient.name)?;
            values.push(positive(table, "value", coefficient.name)?);
            standard_errors.push(number(table, "standard_error")?);
        }
        Ok(Calibration {
            coefficients: C::of(&values),
            standard_errors,
            sources: read_sources(&sections)?,
            bands: read_bands(section(&sections, "bands")?)?,
            bands_beyond: read_bands(section(&sections, "bands_beyond")?)?,
            groups: read_folds(section(&sections, "groups")?)?,
            families: read_folds(section(&sections, "families")?)?,
            left_out_sources: read_folds(section(&sections, "left_out_sources")?)?,
        })
    }
}

/// What a file is of, and on how many rows of which sources it rests.
pub(super) fn write_head(text: &mut String, name: &str, command: &str, sources: &[(String, usize)]) {
    let _ = writeln!(text, "# The calibration of {name}, written by `{command}`; not to be edited.\n");
    let rows: usize = sources.iter().map(|(_, rows)| rows).sum();
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(text, "[fit]\ncommand = {command:?}\nversion = {version:?}\nrows = {rows}");
    for (source, rows) in sources {
        let _ = writeln!(text, "sources.{source:?} = {rows}");
    }
}

pub(super) fn read_sources(sections: &Map<Value>) -> Result<Vec<(String, usize)>> {
    let sources = section(section(sections, "fit")?, "sources")?;
    sources.iter().map(|(source, _)| Ok((source.to_string(), number(sources, source)? as usize))).collect()
}

pub(super) fn write_bands(text: &mut String, table: &str, bands: &Bands) {
    let _ = writeln!(text, "[{table}]");
    for (regime, band) in &bands.0 {
        let [low, high] = [band.low, band.high].map(|end| format_number(rounded(end)));
        let _ = writeln!(text, "{regime:?} = [{low}, {high}]");
    }
}

pub(super) fn read_bands(table: &Map<Value>) -> Result<Bands> {
    let read = |(regime, value): (&mlsysim_scenario::Name, &Value)| match numbers(value)?.as_slice() {
        [low, high] => Ok((regime.to_string(), Band { low: *low, high: *high })),
        _ => Err(Error::input(&**regime, "two numbers are needed, low and high")),
    };
    Ok(Bands(table.iter().map(read).collect::<Result<_>>()?))
}

fn read_folds<C: Coefficients>(table: &Map<Value>) -> Result<Vec<Fold<C>>> {
    let read = |(name, _): (&mlsysim_scenario::Name, &Value)| {
        let fold = section(table, name)?;
        let values = numbers(fold.get("values").unwrap_or(&Value::Null))?;
        if values.len() != C::ALL.len() {
            return Err(Error::input(
                format!("{name}.values"),
                format!("{} numbers are needed, but {} were given", C::ALL.len(), values.len()),
            ));
        }
        let left_out = match fold.get("left_out") {
            Some(Value::List(names)) => names.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        };
        Ok(Fold { left_out, coefficients: C::of(&values), bands: read_bands(section(fold, "bands")?)? })
    };
    table.iter().map(read).collect()
}

/// The table called `name`.
pub(super) fn section<'a>(table: &'a Map<Value>, name: &str) -> Result<&'a Map<Value>> {
    match table.get(name) {
        Some(Value::Map(map)) => Ok(map),
        _ => {
            let near = mlsysim_quantity::nearest(name, table.iter().map(|(known, _)| &**known));
            let hint = near.map_or(String::new(), |near| format!("; is it `{near}`?"));
            Err(Error::input(name, format!("a table is needed, but there is none{hint}")))
        }
    }
}

fn number(table: &Map<Value>, name: &str) -> Result<f64> {
    plain(table.get(name).unwrap_or(&Value::Null)).ok_or_else(|| Error::input(name, "a number is needed"))
}

fn positive(table: &Map<Value>, name: &str, of: &str) -> Result<f64> {
    let value = number(table, name).map_err(|error| error.within(of))?;
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Error::input(name, format!("a number above 0 is needed, but `{value}` was given")).within(of))
}

fn numbers(value: &Value) -> Result<Vec<f64>> {
    let read = |value: &Value| plain(value).ok_or_else(|| Error::malformed("a list of numbers is needed"));
    match value {
        Value::List(items) => items.iter().map(read).collect(),
        _ => Err(Error::malformed("a list of numbers is needed")),
    }
}

fn plain(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Integer(whole) => Some(*whole as f64),
        _ => None,
    }
}
