//! `Fitting`: coefficients that are fitted on tables of measurements, as the files that hold them.

use mlsysim_scenario::{Result, choices};

use super::{LeftOut, Measurements, Part, Replayed, Samples, speed_up};
use crate::predict::{Calibration, CalibrationSet, Estimate, Question, Refined, calibrate, refine};

choices! {
    /// What is calibrated on its own, in the order in which they build on each other.
    pub enum Calibrated {
        /// Matrix products.
        Gemm = "gemm",
        /// Attention.
        Attention = "attention",
        /// Collectives.
        Collectives = "collectives",
        /// Steps of training, of kernels and collectives that are calibrated already.
        Training = "training",
        /// Serving, of the same.
        Serving = "serving",
        /// How far speed-ups are off that are made of all of those.
        SpeedUps = "speed-ups",
    }
}

impl Calibrated {
    /// The name of its file.
    pub fn file(self) -> String {
        format!("{}.toml", self.name())
    }
}

/// What was fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitting {
    /// What it is of.
    pub of: Calibrated,
    /// The coefficients with their errors.
    pub estimates: Vec<Estimate>,
    /// How many rows they were fitted on.
    pub rows: usize,
    /// The coefficients that stay ours, since a user's own rows do not identify them.
    pub kept: Vec<&'static str>,
    /// The rows that are not modelled.
    pub left_out: Vec<LeftOut>,
    /// The text of its file.
    pub text: String,
}

impl Measurements<'_> {
    /// Fits those coefficients that `is_asked`. Steps are fitted on what kernels were fitted to just now,
    /// or came with.
    ///
    /// # Errors
    ///
    /// A table is missing or malformed, or there are too few rows.
    pub fn calibrate(&self, is_asked: impl Fn(Calibrated) -> bool) -> Result<Vec<Fitting>> {
        self.fitted(CalibrationSet::shipped()?, is_asked, false)
    }

    /// Shrinks all of `ours` towards these rows, as far as those identify each coefficient: the files of a
    /// whole calibration, of which those without rows are as they were.
    ///
    /// # Errors
    ///
    /// A table is malformed.
    pub fn refine(&self, ours: &CalibrationSet) -> Result<Vec<Fitting>> {
        self.fitted(ours, |_| true, true)
    }

    fn fitted(
        &self,
        ours: &CalibrationSet,
        is_asked: impl Fn(Calibrated) -> bool,
        is_on_top: bool,
    ) -> Result<Vec<Fitting>> {
        let CalibrationSet { mut kernels, mut steps, speed_ups } = ours.clone();
        let mut fitted = Vec::new();
        for of in Calibrated::ALL.iter().copied().filter(|of| is_asked(*of)) {
            fitted.push(match of {
                Calibrated::Gemm => {
                    set(&mut kernels.product, |ours| fit(of, ours, self.products()?, is_on_top))?
                }
                Calibrated::Attention => {
                    set(&mut kernels.attention, |ours| fit(of, ours, self.attention()?, is_on_top))?
                }
                Calibrated::Collectives => {
                    set(&mut kernels.collective, |ours| fit(of, ours, self.collectives()?, is_on_top))?
                }
                Calibrated::Training => {
                    set(&mut steps.training, |ours| fit(of, ours, self.training(&kernels)?, is_on_top))?
                }
                Calibrated::Serving => {
                    set(&mut steps.serving, |ours| fit(of, ours, self.serving(&kernels)?, is_on_top))?
                }
                // A few rows of one's own show no quantiles.
                Calibrated::SpeedUps if is_on_top => {
                    let text = speed_ups.write(&command(of, false));
                    Fitting {
                        of,
                        estimates: Vec::new(),
                        rows: 0,
                        kept: Vec::new(),
                        left_out: Vec::new(),
                        text,
                    }
                }
                Calibrated::SpeedUps => {
                    let (kernels, steps, speed_ups) = (kernels.clone(), steps.clone(), speed_ups.clone());
                    self.speed_ups(&CalibrationSet { kernels, steps, speed_ups })?
                }
            });
        }
        Ok(fitted)
    }
}

impl Measurements<'_> {
    /// How far speed-ups of sweeps are off that are predicted by `calibrations`.
    fn speed_ups(&self, calibrations: &CalibrationSet) -> Result<Fitting> {
        let is_step = |part| matches!(part, Part::Training | Part::Serving);
        self.text(speed_up::FILE)?;
        let sweeps = Replayed::of(self, calibrations, is_step)?.sweeps.unwrap_or_default();
        let of = Calibrated::SpeedUps;
        let text = sweeps.intervals().write(&command(of, false));
        let (rows, left_out) = (sweeps.speed_ups.len(), sweeps.left_out);
        Ok(Fitting { of, estimates: Vec::new(), rows, kept: Vec::new(), left_out, text })
    }
}

/// What writes the file.
fn command(of: Calibrated, is_moved: bool) -> String {
    match is_moved {
        true => "mlsysim calibrate --own".to_string(),
        false => format!("mlsysim calibrate --only {}", of.name()),
    }
}

/// Puts a calibration in place of another, on which what follows builds.
fn set<C>(
    calibration: &mut Calibration<C>,
    fit: impl FnOnce(&Calibration<C>) -> Result<(Fitting, Calibration<C>)>,
) -> Result<Fitting> {
    let (fitting, fitted) = fit(calibration)?;
    *calibration = fitted;
    Ok(fitting)
}

/// The calibration of `samples`: on top of `ours`, or of them alone.
fn fit<Q: Question>(
    of: Calibrated,
    ours: &Calibration<Q::Of>,
    samples: Samples<Q>,
    is_on_top: bool,
) -> Result<(Fitting, Calibration<Q::Of>)> {
    let rows = samples.of_calibration();
    let refined = match is_on_top {
        true => refine(ours, &rows),
        false => Refined { calibration: calibrate(&rows)?, rows: rows.len(), kept: Vec::new() },
    };
    let Refined { calibration, rows, kept } = refined;
    let text = calibration.write(of.name(), &command(of, is_on_top && rows > 0));
    let estimates = calibration.estimates();
    Ok((Fitting { of, estimates, rows, kept, left_out: samples.left_out, text }, calibration))
}

impl Fitting {
    /// What a user's own rows did not tell, in words; of speed-ups, what their intervals come from.
    pub fn notes(&self) -> Vec<String> {
        if self.of == Calibrated::SpeedUps {
            let told = match self.rows {
                0 => "all intervals stay ours".to_string(),
                rows => format!("intervals of {rows} speed-ups"),
            };
            return vec![format!("{}: {told}", self.of.name())];
        }
        let (name, all, few) = (self.of.name(), self.estimates.len(), self.kept.len());
        let mut notes = vec![match (self.rows, few) {
            (0, _) => format!("{name}: no rows of it; all {all} coefficients stay ours"),
            (rows, 0) => format!("{name}: {rows} rows moved all {all} coefficients"),
            (rows, _) => format!(
                "{name}: {rows} rows moved {} of {all} coefficients; too few to identify the others, which stay ours: {}",
                all - few,
                self.kept.join(", ")
            ),
        }];
        let left_out = self.left_out.iter();
        notes.extend(left_out.map(|row| format!("{}: {} not modelled: {}", row.file, row.id, row.reason)));
        notes
    }
}
