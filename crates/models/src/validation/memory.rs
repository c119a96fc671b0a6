//! `MemoryCase`: what a device held in a published step of training, against what is modelled.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_quantity::units::GIBIBYTE;
use mlsysim_scenario::{Name, Record, Result};

use super::table::Reason;
use super::{KnownModels, TrainingRow, records};
use crate::transformer::{Accounting, Division, Memory, MemoryPolicy, Recompute, Step};

/// How the framework of a source uses memory, as the source states it.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct MemorySetting {
    /// The source that it is of.
    pub of: Name,
    /// The printed precisions of the rows that it serves; any where nothing is listed.
    pub precisions: Option<Vec<Name>>,
    /// Where this stands.
    pub reason: Name,
    /// How the framework uses memory.
    pub policy: Arc<MemoryPolicy>,
    /// The precision in which weights and activations are held.
    #[default("bf16")]
    pub precision: Name,
    /// The precision in which gradients are held.
    #[default("fp32")]
    pub gradients: Name,
    /// Whether what its tables call a micro-batch is all that a replica works on, which a pipeline
    /// cuts into micro-batches of a size that is not published.
    #[default(false)]
    pub local_batch: bool,
    /// How many bytes a unit of the printed figure has.
    #[default(1073741824)]
    #[range(>= 1, <= 1073741824)]
    pub unit: u64,
}

/// The settings of every source that publishes memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemorySettings(Vec<MemorySetting>);

/// What a device held, against what is modelled.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryCase {
    /// The row.
    pub id: String,
    /// Its source.
    pub source: String,
    /// What was measured.
    pub measured: Bytes,
    /// What the fullest stage holds.
    pub memory: Memory,
}

impl MemoryCase {
    /// How far the model is from the measurement, as a share of it; negative where it is too low.
    pub fn error(&self) -> f64 {
        self.memory.total() / self.measured - 1.0
    }
}

impl MemorySettings {
    /// Reads them from a TOML text, a section for each source.
    ///
    /// # Errors
    ///
    /// A section has an unknown key or a figure out of its range.
    pub fn read(text: &str) -> Result<Self> {
        let settings = records::<MemorySetting>(text)?;
        Ok(MemorySettings(settings.into_iter().map(|(_, setting)| setting).collect()))
    }

    /// The case of a row; nothing where it publishes no memory.
    ///
    /// # Errors
    ///
    /// Why the row is left out.
    pub fn case(
        &self,
        row: &TrainingRow,
        models: &KnownModels,
    ) -> std::result::Result<Option<MemoryCase>, Reason> {
        let Some(printed) = row.memory_gib else { return Ok(None) };
        let Some(setting) = self.0.iter().find(|setting| setting.serves(row)) else {
            return Err(format!("no setting for {}", row.source));
        };
        let model = models.model(&row.shape)?;
        let layout = row.layout()?;
        let (Some(sequence), Some(micro_batch)) = (row.seq_len, row.micro_batch) else {
            return Err("sequence or micro-batch not published".to_string());
        };
        if setting.local_batch && layout.pp > 1 {
            return Err("micro-batch of the pipeline not published".to_string());
        }
        // Memory depends on how many micro-batches there are, not on whether they make the batch.
        let each = layout.dp * micro_batch;
        let batch = row.global_batch.unwrap_or(each).div_ceil(each).max(1) * each;
        let step = Step {
            micro_batch,
            recompute: row.recomputed(),
            precision: setting.precision.clone(),
            gradients: setting.gradients.clone(),
            ..Step::training(batch, sequence)
        };
        let told = |error: mlsysim_scenario::Error| error.to_string();
        let division = Division::new(&model, &layout).map_err(told)?;
        let accounting = Accounting::new(&division, &step).map_err(told)?;
        let policy = &setting.policy;
        let policy = match step.recompute {
            Recompute::Full => (**policy).clone(),
            _ => MemoryPolicy { recompute_layers: None, ..(**policy).clone() },
        };
        let mut fullest = Memory::default();
        for stage in 0..layout.pp {
            let account = accounting.account(stage).map_err(told)?;
            let memory = accounting.memory(&account, &policy).map_err(told)?;
            if memory.total() > fullest.total() {
                fullest = memory;
            }
        }
        Ok(Some(MemoryCase {
            id: row.id.clone(),
            source: row.source.clone(),
            measured: printed * (setting.unit as f64 / GIBIBYTE.base()) * GIBIBYTE,
            memory: fullest,
        }))
    }
}

impl MemorySetting {
    fn serves(&self, row: &TrainingRow) -> bool {
        let precisions = self.precisions.as_deref();
        let is_listed = |names: &[Name]| names.iter().any(|name| **name == *row.precision);
        *self.of == *row.source && precisions.is_none_or(is_listed)
    }
}

/// How far a group of cases is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// The median of the sizes of their errors.
    pub median: f64,
    /// The size of error that nine in ten stay within.
    pub ninetieth: f64,
    /// The mean of their errors, with their signs.
    pub bias: f64,
}

impl Spread {
    /// The spread of `errors`; nothing where there are none.
    ///
    /// ```
    /// use mlsysim_models::validation::Spread;
    ///
    /// let spread = Spread::of(&[0.1, -0.3, 0.2]).ok_or("none")?;
    /// assert_eq!((spread.median, spread.ninetieth), (0.2, 0.3));
    /// assert!(spread.bias.abs() < 1e-12);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn of(errors: &[f64]) -> Option<Spread> {
        let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let at =
            |share: f64| sizes.get(((sizes.len() as f64 * share).ceil() as usize).saturating_sub(1)).copied();
        Some(Spread {
            count: errors.len(),
            median: at(0.5)?,
            ninetieth: at(0.9)?,
            bias: errors.iter().sum::<f64>() / errors.len() as f64,
        })
    }
}
