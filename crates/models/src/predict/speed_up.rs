//! `SpeedUps`: how far predicted speed-ups of tensor parallelism are off, and the interval of one.

use mlsysim_scenario::Result;

use super::Bands;
use super::file::{read_bands, read_sources, section, write_bands, write_head};

/// The regime of speed-ups of steps that are served.
pub const SERVING: &str = "speed-up of TP, serving";

/// The regime of speed-ups of steps of training.
pub const TRAINING: &str = "speed-up of TP, training";

/// A number of times by which a degree is faster, with the interval of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// How many times.
    pub ratio: f64,
    /// What one measurement in twenty is below.
    pub low: f64,
    /// What one measurement in twenty is above.
    pub high: f64,
}

impl Ratio {
    /// A ratio that is known.
    pub fn exact(ratio: f64) -> Self {
        Ratio { ratio, low: ratio, high: ratio }
    }
}

/// The intervals of speed-ups, from published sweeps that differ in the degree of tensor parallelism
/// alone.
///
/// The two times of a speed-up are mostly off in the same direction, so that its interval is not made of
/// theirs: it is the quantiles of how far speed-ups themselves are off, each predicted by a fit that did
/// not have its group of rows, or its family of devices.
///
/// ```
/// use mlsysim_models::predict::CalibrationSet;
///
/// let speed_ups = &CalibrationSet::shipped()?.speed_ups;
/// let four = speed_ups.around(4.0, true, false);
/// assert!(four.low < 4.0 && four.high > 4.0 && four.high / four.low < 2.0);
/// assert!(speed_ups.around(4.0, true, true).high > four.high);
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedUps {
    /// How many speed-ups of which sources they come from.
    pub sources: Vec<(String, usize)>,
    /// The bands of devices that are in the calibration, from groups left out.
    pub bands: Bands,
    /// The bands of what is not, from families of devices left out.
    pub bands_beyond: Bands,
}

impl SpeedUps {
    /// The interval of a speed-up of `ratio`, of a step that `is_served` or trained, of which the
    /// calibration lacks something where it `is_beyond` that.
    pub fn around(&self, ratio: f64, is_served: bool, is_beyond: bool) -> Ratio {
        let regime = if is_served { SERVING } else { TRAINING };
        let band = match is_beyond {
            true => self.bands_beyond.band(regime).0.wider(),
            false => self.bands.band(regime).0,
        };
        Ratio { ratio, low: band.low * ratio, high: band.high * ratio }
    }

    /// The TOML text of them, which `command` wrote.
    pub fn write(&self, command: &str) -> String {
        let mut text = String::new();
        write_head(&mut text, "speed-ups", command, &self.sources);
        text.push_str(
            "\n# Nine measurements in ten lie between these multiples of the predicted speed-up.\n",
        );
        write_bands(&mut text, "bands", &self.bands);
        text.push_str("\n# The same of devices that a fit did not have.\n");
        write_bands(&mut text, "bands_beyond", &self.bands_beyond);
        text
    }

    /// Reads them from a TOML text.
    ///
    /// # Errors
    ///
    /// The text is malformed, or lacks a table; the message names it.
    pub fn read(text: &str) -> Result<Self> {
        let sections = mlsysim_registry::read_sections(text)?;
        Ok(SpeedUps {
            sources: read_sources(&sections)?,
            bands: read_bands(section(&sections, "bands")?)?,
            bands_beyond: read_bands(section(&sections, "bands_beyond")?)?,
        })
    }
}
