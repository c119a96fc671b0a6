//! How a forecast comes about.

use mlsysim_scenario::{Derivation, Result};

use super::{Forecast, pricing};
use crate::predict::{CalibrationSet, Served};
use crate::transformer::{Accounting, Placed, PlacedLine};

impl Forecast<'_> {
    /// How the part at `path` comes about, such as `passes.attention.query`, or a line of the step on
    /// its machine, such as `memory.weights`; the time of the step where `path` is empty.
    ///
    /// # Errors
    ///
    /// There is no such part; the message names the nearest.
    pub fn explain(&self, path: &str) -> Result<Derivation> {
        if PlacedLine::is_meant(path) {
            return self.placed.explain(PlacedLine::parse(path)?);
        }
        let derived = self.derive(path)?;
        let notes = self.placed.machine.figure_notes();
        Ok(Derivation { notes: derived.notes.iter().cloned().chain(notes).collect(), ..derived })
    }

    fn derive(&self, path: &str) -> Result<Derivation> {
        let CalibrationSet { kernels, steps, .. } = self.calibrations;
        let Placed { machine, policy, accounting, .. } = self.placed;
        let pricing = pricing(machine, &self.engine.practice, policy, self.calibrations)?;
        if let Some(workload) = self.workload {
            let Accounting { division, .. } = accounting;
            let (machine, engine) = (self.placed.machine, self.engine);
            let served = Served { model: division.model, layout: division.layout, machine, engine };
            return steps.serving.explain_part(&self.predicted, path, &served, workload, kernels);
        }
        steps.training.explain_part(&self.predicted, path, accounting, &pricing, kernels)
    }
}
