//! The tables of a folder of published measurements, as samples of predictions.

use std::fs;
use std::path::Path;

use mlsysim::predict::{
    AttentionQuestion, Calibration, Calibrations, CollectiveQuestion, ProductQuestion, ServingQuestion,
    TrainingCoefficients, TrainingQuestion,
};
use mlsysim::validation::{Predicted, RankedSet, Samples};

use crate::output::Failure;

/// A folder of measurements.
pub struct Measurements<'a> {
    folder: &'a Path,
    predicted: Predicted,
}

impl<'a> Measurements<'a> {
    /// The folder with tables, and the texts that say what their words stand for.
    pub fn open(folder: &'a Path) -> Result<Self, Failure> {
        let [machines, models, frameworks, exclusions] =
            ["machines.toml", "models.toml", "frameworks.toml", "exclusions.csv"]
                .map(|file| read(folder, file));
        let predicted = Predicted::read(&machines?, &models?, &frameworks?, &exclusions?)?;
        Ok(Measurements { folder, predicted })
    }

    pub fn products(&self) -> Result<Samples<ProductQuestion>, Failure> {
        Ok(self.predicted.products(&self.text("gemm.csv")?, &self.text("kernels/gemm.csv")?)?)
    }

    pub fn attention(&self) -> Result<Samples<AttentionQuestion>, Failure> {
        Ok(self.predicted.attention(&self.text("kernels/attention.csv")?)?)
    }

    pub fn collectives(&self) -> Result<Samples<CollectiveQuestion>, Failure> {
        let kernels = [self.text("kernels/all_reduce.csv")?, self.text("kernels/collectives.csv")?];
        let kernels = kernels.each_ref().map(String::as_str);
        Ok(self.predicted.collectives(&self.text("collectives.csv")?, &kernels)?)
    }

    pub fn training(&self, kernels: &Calibrations) -> Result<Samples<TrainingQuestion>, Failure> {
        let apart = self.folder.join("training_apart.csv").exists();
        let apart = apart.then(|| self.text("training_apart.csv")).transpose()?;
        Ok(self.predicted.training(&self.text("training.csv")?, apart.as_deref(), kernels)?)
    }

    pub fn rankings(
        &self,
        kernels: &Calibrations,
        training: &Calibration<TrainingCoefficients>,
    ) -> Result<Vec<RankedSet>, Failure> {
        Ok(self.predicted.rankings(&self.text("training.csv")?, kernels, training)?)
    }

    pub fn serving(&self, kernels: &Calibrations) -> Result<Samples<ServingQuestion>, Failure> {
        Ok(self.predicted.serving(&self.text("serving.csv")?, kernels)?)
    }

    /// The sweeps of tensor parallelism.
    pub fn sweeps(&self) -> Result<String, Failure> {
        self.text("tp_sweeps.csv")
    }

    fn text(&self, file: &str) -> Result<String, Failure> {
        read(self.folder, file)
    }
}

/// The text of a file in a folder.
pub fn read(folder: &Path, file: &str) -> Result<String, Failure> {
    let path = folder.join(file);
    fs::read_to_string(&path).map_err(|error| Failure::Refused(format!("{}: {error}", path.display())))
}
