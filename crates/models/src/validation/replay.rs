//! `Measurements`: the tables of a folder, wherever its texts come from; `Replayed`: what is predicted
//! of their rows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mlsysim_scenario::{Error, Result};

use super::kernel::{AttentionKernel, LayerKernel, ProductKernel, PublishedKernel};
use super::own::joined;
use super::table::Measured;
use super::{
    CollectiveRow, DomainCollectiveRow, LeftOut, Predicted, Reason, Samples, Scored, Sweeps, TrainingRow,
    score, speed_up,
};
use crate::predict::{
    AttentionQuestion, Calibration, CalibrationSet, Calibrations, CollectiveQuestion, ProductQuestion,
    Question, Sample, ServingQuestion, TrainingQuestion,
};

/// The table of rows that are not to be fitted, or not to be believed.
const EXCLUSIONS: &str = "exclusions.csv";

/// Where the texts of a folder come from: a disk, or what a program holds.
pub trait Texts {
    /// The text of `file`, such as `kernels/gemm.csv`.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be read.
    fn text(&self, file: &str) -> Result<Cow<'_, str>>;

    /// Whether there is such a file.
    fn has(&self, file: &str) -> bool;
}

/// A part of what is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Matrix products and attention.
    Kernels,
    /// Collectives.
    Collectives,
    /// Steps of training.
    Training,
    /// Decode steps, prefills, static batches and engines under load.
    Serving,
}

/// A folder of published measurements: tables, and what their words stand for.
///
/// ```
/// use std::borrow::Cow;
/// use mlsysim_models::validation::{Measurements, Texts};
/// use mlsysim_scenario::{Error, Result};
///
/// struct Nothing;
///
/// impl Texts for Nothing {
///     fn text(&self, file: &str) -> Result<Cow<'_, str>> {
///         Err(Error::input(file, "there is no such file"))
///     }
///     fn has(&self, _: &str) -> bool {
///         false
///     }
/// }
///
/// // What words stand for is known, but there is no table.
/// let error = Measurements::open(&Nothing)?.products().unwrap_err();
/// assert_eq!(error.to_string(), "gemm.csv: there is no such file");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Measurements<'a> {
    texts: &'a dyn Texts,
    /// What their words stand for.
    pub(super) predicted: Predicted,
    /// Whether a table that is not there is one without rows.
    is_partial: bool,
}

impl<'a> Measurements<'a> {
    /// The tables that coefficients are fitted on.
    pub const TABLES: [&'static str; 9] = [
        "gemm.csv",
        "kernels/gemm.csv",
        "kernels/attention.csv",
        "collectives.csv",
        "kernels/all_reduce.csv",
        "kernels/collectives.csv",
        "layer_ops.csv",
        "training.csv",
        "serving.csv",
    ];

    /// The tables of `texts`, all of which are needed once they are asked for.
    ///
    /// What words stand for is what `machines.toml`, `models.toml` and `frameworks.toml` of `texts` say, and
    /// what those that come with this crate say of other words; nothing is excluded but by
    /// `exclusions.csv`.
    ///
    /// # Errors
    ///
    /// A text that says what words stand for is malformed, or names what the registry lacks.
    pub fn open(texts: &'a dyn Texts) -> Result<Self> {
        let words = |name: &str| -> Result<Cow<'_, str>> {
            let (file, ours) = (format!("{name}.toml"), mlsysim_registry::words(name).unwrap_or_default());
            if !texts.has(&file) {
                return Ok(Cow::Borrowed(ours));
            }
            Ok(Cow::Owned(joined(&texts.text(&file)?, ours)))
        };
        let exclusions = match texts.has(EXCLUSIONS) {
            true => texts.text(EXCLUSIONS)?,
            false => Cow::Borrowed("row_id,reason\n"),
        };
        let predicted =
            Predicted::read(&words("machines")?, &words("models")?, &words("frameworks")?, &exclusions)?;
        Ok(Measurements { texts, predicted, is_partial: false })
    }

    /// The tables of `texts` that are there.
    ///
    /// # Errors
    ///
    /// As for [`Measurements::open`], or there is no table at all.
    pub fn partial(texts: &'a dyn Texts) -> Result<Self> {
        if !Self::TABLES.iter().any(|table| texts.has(table)) {
            let known = Self::TABLES.join("`, `");
            return Err(Error::input("data", format!("there is none of the tables `{known}`")));
        }
        Ok(Measurements { is_partial: true, ..Self::open(texts)? })
    }

    /// The tables that are not there.
    fn missing(&self) -> Vec<&'static str> {
        Self::TABLES.into_iter().chain([speed_up::FILE]).filter(|table| !self.texts.has(table)).collect()
    }

    /// The matrix products of `gemm.csv` and `kernels/gemm.csv`.
    ///
    /// # Errors
    ///
    /// A table is missing or malformed, or lacks a column.
    pub fn products(&self) -> Result<Samples<ProductQuestion>> {
        let mut samples = Samples::default();
        let ask = |row: &PublishedKernel| self.predicted.product(&row.0).map(Some);
        self.take("gemm.csv", &mut samples, ask)?;
        let ask = |row: &ProductKernel| self.predicted.product(&row.0).map(Some);
        self.take("kernels/gemm.csv", &mut samples, ask)?;
        Ok(samples)
    }

    /// The operations of `layer_ops.csv`, none of which is predicted on its own.
    ///
    /// # Errors
    ///
    /// The table is missing or malformed, or lacks a column.
    pub fn layer_operations(&self) -> Result<Samples<ProductQuestion>> {
        let mut samples = Samples::default();
        let ask = |_: &LayerKernel| -> std::result::Result<Option<_>, Reason> {
            Err("norms, functions of each number and whole layers are not predicted on their own".to_string())
        };
        self.take("layer_ops.csv", &mut samples, ask)?;
        Ok(samples)
    }

    /// The attention of `kernels/attention.csv`.
    ///
    /// # Errors
    ///
    /// The table is missing or malformed, or lacks a column.
    pub fn attention(&self) -> Result<Samples<AttentionQuestion>> {
        let mut samples = Samples::default();
        let ask = |row: &AttentionKernel| self.predicted.attention_of(&row.0).map(Some);
        self.take("kernels/attention.csv", &mut samples, ask)?;
        Ok(samples)
    }

    /// The collectives of `collectives.csv`, `kernels/all_reduce.csv` and `kernels/collectives.csv`.
    ///
    /// # Errors
    ///
    /// A table is missing or malformed, or lacks a column.
    pub fn collectives(&self) -> Result<Samples<CollectiveQuestion>> {
        let mut samples = Samples::default();
        let ask = |row: &CollectiveRow| self.predicted.collective(row).map(Some);
        self.take("collectives.csv", &mut samples, ask)?;
        for file in ["kernels/all_reduce.csv", "kernels/collectives.csv"] {
            let ask = |row: &DomainCollectiveRow| self.predicted.collective(&row.0).map(Some);
            self.take(file, &mut samples, ask)?;
        }
        Ok(samples)
    }

    /// The steps of `training.csv`, priced by the calibrations of kernels, and of `training_apart.csv`,
    /// where it is there, which nothing is fitted on.
    ///
    /// # Errors
    ///
    /// A table is missing or malformed, or lacks a column.
    pub fn training(&self, kernels: &Calibrations) -> Result<Samples<TrainingQuestion>> {
        let mut samples = Samples::default();
        let step = |row: &TrainingRow, may: bool| self.predicted.training_step(row, kernels, may).map(Some);
        self.take("training.csv", &mut samples, |row: &TrainingRow| step(row, row.was_read))?;
        if self.texts.has("training_apart.csv") {
            self.take("training_apart.csv", &mut samples, |row: &TrainingRow| step(row, false))?;
        }
        Ok(samples)
    }

    /// The steps, batches and loads of `serving.csv`.
    ///
    /// # Errors
    ///
    /// The table is missing or malformed, or lacks a column.
    pub fn serving(&self, kernels: &Calibrations) -> Result<Samples<ServingQuestion>> {
        let mut samples = Samples::default();
        self.take("serving.csv", &mut samples, self.predicted.serving(kernels))?;
        Ok(samples)
    }

    /// The text of a table.
    ///
    /// # Errors
    ///
    /// It is missing.
    pub(super) fn text(&self, file: &str) -> Result<Cow<'_, str>> {
        self.texts.text(file)
    }

    fn take<T: Measured, Q, I: IntoIterator<Item = (Sample<Q>, Option<Reason>)>>(
        &self,
        file: &'static str,
        samples: &mut Samples<Q>,
        ask: impl FnMut(&T) -> std::result::Result<I, Reason>,
    ) -> Result<()> {
        if self.is_partial && !self.texts.has(file) {
            return Ok(());
        }
        samples.take(file, &self.text(file)?, ask)
    }
}

/// What became of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// How many rows there are.
    pub rows: usize,
    /// Those that are predicted: a row that states several times is there for each.
    pub scored: Vec<Scored>,
    /// Those that are not modelled.
    pub left_out: Vec<LeftOut>,
    /// What became of sweeps of tensor parallelism among those rows, where there is a table of them.
    pub sweeps: Option<Sweeps>,
    /// The tables that are not there.
    pub missing: Vec<&'static str>,
}

impl Replayed {
    /// Predicts the rows of those parts that `is_asked`.
    ///
    /// # Errors
    ///
    /// A table is missing or malformed, or lacks a column.
    pub fn of(
        measurements: &Measurements,
        calibrations: &CalibrationSet,
        is_asked: impl Fn(Part) -> bool,
    ) -> Result<Self> {
        let CalibrationSet { kernels, steps, .. } = calibrations;
        let mut replayed = Replayed { missing: measurements.missing(), ..Replayed::default() };
        if is_asked(Part::Kernels) {
            replayed.take(measurements.products()?, &kernels.product);
            replayed.take(measurements.attention()?, &kernels.attention);
            replayed.take(measurements.layer_operations()?, &kernels.product);
        }
        if is_asked(Part::Collectives) {
            replayed.take(measurements.collectives()?, &kernels.collective);
        }
        if is_asked(Part::Training) {
            replayed.take(measurements.training(kernels)?, &steps.training);
        }
        if is_asked(Part::Serving) {
            replayed.take(measurements.serving(kernels)?, &steps.serving);
        }
        if measurements.texts.has(speed_up::FILE) {
            let (scored, left_out) = (&replayed.scored, &replayed.left_out);
            let sweeps = Sweeps::read(&measurements.text(speed_up::FILE)?, scored, left_out, is_asked)?;
            replayed.sweeps = Some(sweeps);
        }
        Ok(replayed)
    }

    fn take<Q: Question>(&mut self, samples: Samples<Q>, calibration: &Calibration<Q::Of>) {
        self.rows += samples.rows;
        self.scored.extend(score(&samples, calibration));
        self.left_out.extend(samples.left_out);
    }

    /// How many rows are predicted, each of which may state several times.
    pub fn predicted(&self) -> usize {
        self.rows - self.left_out.len()
    }

    /// How many rows are not modelled, by reason.
    pub fn reasons(&self) -> BTreeMap<&str, usize> {
        LeftOut::reasons(&self.left_out)
    }
}
