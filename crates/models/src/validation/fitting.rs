//! `Fitting`: coefficients that are fitted on tables of measurements, as the files that hold them.

use mlsysim_scenario::Result;

use super::{Measurements, Samples};
use crate::predict::{Calibration, CalibrationSet, Coefficients, Estimate, Question, calibrate};

/// What is calibrated on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calibrated {
    /// Matrix products.
    Gemm,
    /// Attention.
    Attention,
    /// Collectives.
    Collectives,
    /// Steps of training, of kernels and collectives that are calibrated already.
    Training,
    /// Serving, of the same.
    Serving,
}

impl Calibrated {
    /// All of them, in the order in which they build on each other.
    pub const ALL: [Calibrated; 5] = [
        Calibrated::Gemm,
        Calibrated::Attention,
        Calibrated::Collectives,
        Calibrated::Training,
        Calibrated::Serving,
    ];

    /// What its file is called, without the ending.
    pub fn name(self) -> &'static str {
        match self {
            Calibrated::Gemm => "gemm",
            Calibrated::Attention => "attention",
            Calibrated::Collectives => "collectives",
            Calibrated::Training => "training",
            Calibrated::Serving => "serving",
        }
    }

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
    /// The text of its file.
    pub text: String,
}

impl Fitting {
    fn new<C: Coefficients>(of: Calibrated, calibration: &Calibration<C>) -> Self {
        let name = of.name();
        let text = calibration.write(name, &format!("mlsysim calibrate --only {name}"));
        Fitting { of, estimates: calibration.estimates(), text }
    }
}

impl Measurements<'_> {
    /// Fits those coefficients that `is_asked`. Steps are fitted on what kernels were fitted to just now,
    /// or came with.
    ///
    /// # Errors
    ///
    /// A table is missing or malformed, or there are too few rows.
    pub fn calibrate(&self, is_asked: impl Fn(Calibrated) -> bool) -> Result<Vec<Fitting>> {
        let mut kernels = CalibrationSet::shipped()?.kernels.clone();
        let mut fitted = Vec::new();
        for of in Calibrated::ALL.into_iter().filter(|of| is_asked(*of)) {
            fitted.push(match of {
                Calibrated::Gemm => Fitting::new(of, set(&mut kernels.product, &self.products()?)?),
                Calibrated::Attention => Fitting::new(of, set(&mut kernels.attention, &self.attention()?)?),
                Calibrated::Collectives => {
                    Fitting::new(of, set(&mut kernels.collective, &self.collectives()?)?)
                }
                Calibrated::Training => {
                    Fitting::new(of, &calibrate(&self.training(&kernels)?.of_calibration())?)
                }
                Calibrated::Serving => {
                    Fitting::new(of, &calibrate(&self.serving(&kernels)?.of_calibration())?)
                }
            });
        }
        Ok(fitted)
    }
}

/// Fits `samples` in place of `before`.
fn set<'a, Q: Question>(
    before: &'a mut Calibration<Q::Of>,
    samples: &Samples<Q>,
) -> Result<&'a Calibration<Q::Of>> {
    *before = calibrate(&samples.of_calibration())?;
    Ok(before)
}
