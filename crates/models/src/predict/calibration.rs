//! `Calibration`: coefficients with their errors and their folds, and predictions by them.

use std::sync::LazyLock;

use mlsysim_scenario::{Error, Result};

use super::{
    AttentionQuestion, Band, Bands, Beyond, Coefficient, Coefficients, CollectiveQuestion, Prediction,
};
use super::{ProductQuestion, Question, ServingCoefficients, SpeedUps, TrainingCoefficients};

/// A coefficient as it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What it is.
    pub coefficient: Coefficient,
    /// Its value.
    pub value: f64,
    /// How far it would lie off with other groups of rows, by leaving each fifth of them out.
    pub standard_error: f64,
}

/// A fit that some rows were left out of.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold<C> {
    /// The groups, the family of devices or the source that were left out.
    pub left_out: Vec<String>,
    /// The coefficients without them.
    pub coefficients: C,
    /// The bands without them.
    pub bands: Bands,
}

/// The coefficients of a model, and what is known of their errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration<C> {
    /// The coefficients of all rows.
    pub coefficients: C,
    /// Their standard errors.
    pub standard_errors: Vec<f64>,
    /// How many rows of which sources they were fitted on.
    pub sources: Vec<(String, usize)>,
    /// The bands of devices that are in the calibration, from groups left out.
    pub bands: Bands,
    /// The bands of devices that are not, from families left out.
    pub bands_beyond: Bands,
    /// The folds with whole groups left out.
    pub groups: Vec<Fold<C>>,
    /// The folds with whole families of devices left out.
    pub families: Vec<Fold<C>>,
    /// The folds with whole sources left out.
    pub left_out_sources: Vec<Fold<C>>,
}

impl<C: Coefficients> Calibration<C> {
    /// What `question` takes, with a band.
    ///
    /// ```
    /// use mlsysim_models::{machine::Machine, predict::{ProductQuestion, shipped}};
    ///
    /// let device = Machine::named("DGX_H100")?.device;
    /// let question = ProductQuestion::new([1, 8192, 8192], 1.0, "fp16", &device, false)?;
    /// assert_eq!(shipped()?.product.predict(&question).binds, "memory");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn predict<Q: Question<Of = C>>(&self, question: &Q) -> Prediction {
        let beyond = question.beyond();
        let (band, is_own) = self.own_band(question.regime(), beyond);
        let basis = if beyond.is_empty() { "groups of rows" } else { "families of devices" };
        let mut reasons =
            vec![format!("nine in ten measurements of {basis} that a fit did not have lie in it")];
        if !is_own {
            reasons.push(format!("too few rows of the regime `{}` for a band of its own", question.regime()));
        }
        question.prediction(&self.coefficients, band, reasons)
    }

    /// The band of predictions of `regime`, of which the calibration lacks what `beyond` says.
    pub fn band(&self, regime: &str, beyond: &Beyond) -> Band {
        self.own_band(regime, beyond).0
    }

    /// The same, with whether the regime has rows enough for one of its own.
    fn own_band(&self, regime: &str, beyond: &Beyond) -> (Band, bool) {
        match beyond.is_empty() {
            true => self.bands.band(regime),
            false => {
                let (band, is_own) = self.bands_beyond.band(regime);
                (band.wider(), is_own)
            }
        }
    }

    /// The fold that left `group` out.
    pub fn without_group(&self, group: &str) -> Option<&Fold<C>> {
        self.groups.iter().find(|fold| fold.left_out.iter().any(|name| name == group))
    }

    /// The fold that left `family` out.
    pub fn without_family(&self, family: &str) -> Option<&Fold<C>> {
        self.families.iter().find(|fold| fold.left_out.iter().any(|name| name == family))
    }

    /// The fold that left `source` out.
    pub fn without_source(&self, source: &str) -> Option<&Fold<C>> {
        self.left_out_sources.iter().find(|fold| fold.left_out.iter().any(|name| name == source))
    }

    /// The coefficients with their errors.
    pub fn estimates(&self) -> Vec<Estimate> {
        let values = self.coefficients.values();
        let errors = self.standard_errors.iter().copied().chain(std::iter::repeat(0.0));
        C::ALL
            .iter()
            .zip(values)
            .zip(errors)
            .map(|((coefficient, value), standard_error)| Estimate {
                coefficient: *coefficient,
                value,
                standard_error,
            })
            .collect()
    }
}

/// The calibrations of all kernels and collectives.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrations {
    /// Of matrix products.
    pub product: Calibration<<ProductQuestion as Question>::Of>,
    /// Of attention.
    pub attention: Calibration<<AttentionQuestion as Question>::Of>,
    /// Of collectives.
    pub collective: Calibration<<CollectiveQuestion as Question>::Of>,
}

/// The calibrations of whole steps, of one of [`Calibrations`].
#[derive(Clone, Debug, PartialEq)]
pub struct StepCalibrations {
    /// Of steps of training.
    pub training: Calibration<TrainingCoefficients>,
    /// Of serving.
    pub serving: Calibration<ServingCoefficients>,
}

/// All that a prediction is made by.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationSet {
    /// Of kernels and collectives.
    pub kernels: Calibrations,
    /// Of whole steps, which build on those.
    pub steps: StepCalibrations,
    /// How far speed-ups are off that are made of those.
    pub speed_ups: SpeedUps,
}

impl CalibrationSet {
    /// Reads the texts of `gemm`, `attention`, `collectives`, `training`, `serving` and `speed-ups`.
    ///
    /// # Errors
    ///
    /// A text is missing or malformed, or lacks a coefficient.
    pub fn read<T: AsRef<str>>(text: impl Fn(&str) -> Result<T>) -> Result<CalibrationSet> {
        let [product, attention, collective] = ["gemm", "attention", "collectives"].map(&text);
        let (product, attention, collective) = (product?, attention?, collective?);
        let kernels = Calibrations::read(product.as_ref(), attention.as_ref(), collective.as_ref())?;
        let (training, serving) = (text("training")?, text("serving")?);
        let steps = StepCalibrations::read(training.as_ref(), serving.as_ref())?;
        let speed_ups = text("speed-ups")?;
        let speed_ups = SpeedUps::read(speed_ups.as_ref()).map_err(|error| error.within("speed-ups"))?;
        Ok(CalibrationSet { kernels, steps, speed_ups })
    }

    /// The one that comes with this crate, of the files in `data/calibration`.
    ///
    /// # Errors
    ///
    /// A file is missing or malformed.
    pub fn shipped() -> Result<&'static CalibrationSet> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }
}

fn text(name: &str) -> Result<&'static str> {
    mlsysim_registry::calibration(name).ok_or_else(|| {
        Error::unknown(format!("there is no calibration of `{name}`; `mlsysim calibrate` writes it"))
    })
}

static SHIPPED: LazyLock<Result<CalibrationSet>> = LazyLock::new(|| CalibrationSet::read(text));

/// The calibrations that come with this crate, of the files in `data/calibration`.
///
/// ```
/// let product = &mlsysim_models::predict::shipped()?.product;
/// assert!(product.estimates().iter().all(|each| each.value > 0.0));
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// A file is missing or malformed.
pub fn shipped() -> Result<&'static Calibrations> {
    CalibrationSet::shipped().map(|set| &set.kernels)
}

/// The calibrations of whole steps that come with this crate, of the files in `data/calibration`.
///
/// # Errors
///
/// A file is missing or malformed.
pub fn shipped_steps() -> Result<&'static StepCalibrations> {
    CalibrationSet::shipped().map(|set| &set.steps)
}

impl StepCalibrations {
    /// Reads them from their TOML texts.
    ///
    /// # Errors
    ///
    /// A text is malformed, or lacks a coefficient.
    pub fn read(training: &str, serving: &str) -> Result<StepCalibrations> {
        let training = Calibration::read(training).map_err(|error| error.within("training"))?;
        let serving = Calibration::read(serving).map_err(|error| error.within("serving"))?;
        Ok(StepCalibrations { training, serving })
    }
}

impl Calibrations {
    /// Reads them from their TOML texts.
    ///
    /// # Errors
    ///
    /// A text is malformed, or lacks a coefficient.
    pub fn read(product: &str, attention: &str, collective: &str) -> Result<Calibrations> {
        Ok(Calibrations {
            product: Calibration::read(product).map_err(|error| error.within("gemm"))?,
            attention: Calibration::read(attention).map_err(|error| error.within("attention"))?,
            collective: Calibration::read(collective).map_err(|error| error.within("collectives"))?,
        })
    }
}
