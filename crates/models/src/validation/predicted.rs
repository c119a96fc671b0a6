//! `Predicted`: published rows as questions of kernels and collectives, or why they are none.

use std::collections::{BTreeMap, HashMap};

use mlsysim_scenario::{Name, Result};

use super::table::{Exclusion, Measured, Reason, Table};
use super::{AttentionKernel, CollectiveRow, DomainCollectiveRow, Frameworks, KernelRow, KernelShape};
use super::{KnownModels, MeasuredMachines, ProductKernel, PublishedKernel, TrainingRow, precision};
use crate::machine::Collective;
use crate::predict::{
    AttentionQuestion, AttentionRates, Calibrations, CollectiveLibrary, CollectiveQuestion, Practice,
};
use crate::predict::{Pricing, ProductQuestion, Question, Sample, TrainingQuestion};
use crate::transformer::{Accounting, Division, Step};

/// A row that a prediction is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked<Q> {
    /// What was measured.
    pub sample: Sample<Q>,
    /// Why it is scored apart, if it is.
    pub excluded: Option<Reason>,
}

/// The rows of some tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples<Q> {
    /// How many rows there are.
    pub rows: usize,
    /// Those that a prediction is asked for.
    pub asked: Vec<Asked<Q>>,
    /// Those that are not modelled, by reason.
    pub left_out: BTreeMap<Reason, usize>,
}

/// What published rows stand for.
#[derive(Clone, Debug)]
pub struct Predicted {
    pub(super) machines: MeasuredMachines,
    pub(super) models: KnownModels,
    pub(super) frameworks: Frameworks,
    pub(super) excluded: HashMap<String, Reason>,
}

/// Why a row is not modelled.
type Asking<Q> = std::result::Result<Asked<Q>, Reason>;

impl Predicted {
    /// With machines, models and frameworks from their TOML texts, and exclusions from their table.
    ///
    /// # Errors
    ///
    /// One of the texts is malformed, or names what the registry lacks.
    pub fn read(machines: &str, models: &str, frameworks: &str, exclusions: &str) -> Result<Self> {
        let excluded = Table::<Exclusion>::read(exclusions)?.rows.into_iter();
        Ok(Predicted {
            machines: MeasuredMachines::read(machines)?,
            models: KnownModels::read(models)?,
            frameworks: Frameworks::read(frameworks)?,
            excluded: excluded.map(|row| (row.row_id, row.reason)).collect(),
        })
    }

    /// The matrix products of `gemm.csv` and `kernels/gemm.csv`.
    ///
    /// # Errors
    ///
    /// A table is malformed, or lacks a column.
    pub fn products(&self, published: &str, kernels: &str) -> Result<Samples<ProductQuestion>> {
        let mut samples = Samples::new();
        samples.take(published, |row: &PublishedKernel| self.product(&row.0))?;
        samples.take(kernels, |row: &ProductKernel| self.product(&row.0))?;
        Ok(samples)
    }

    /// The attention of `kernels/attention.csv`.
    ///
    /// # Errors
    ///
    /// The table is malformed, or lacks a column.
    pub fn attention(&self, kernels: &str) -> Result<Samples<AttentionQuestion>> {
        let mut samples = Samples::new();
        samples.take(kernels, |row: &AttentionKernel| self.attention_of(&row.0))?;
        Ok(samples)
    }

    /// The collectives of `collectives.csv`, and of tables of `kernels/`.
    ///
    /// # Errors
    ///
    /// A table is malformed, or lacks a column.
    pub fn collectives(&self, published: &str, kernels: &[&str]) -> Result<Samples<CollectiveQuestion>> {
        let mut samples = Samples::new();
        samples.take(published, |row: &CollectiveRow| self.collective(row))?;
        for table in kernels {
            samples.take(table, |row: &DomainCollectiveRow| self.collective(&row.0))?;
        }
        Ok(samples)
    }

    /// The steps of `training.csv`, priced by the calibrations of kernels, and of `training_apart.csv`,
    /// which nothing is fitted on.
    ///
    /// # Errors
    ///
    /// A table is malformed, or lacks a column.
    pub fn training(
        &self,
        published: &str,
        apart: Option<&str>,
        kernels: &Calibrations,
    ) -> Result<Samples<TrainingQuestion>> {
        let mut samples = Samples::new();
        samples.take(published, |row: &TrainingRow| self.training_step(row, kernels, row.was_read))?;
        if let Some(apart) = apart {
            samples.take(apart, |row: &TrainingRow| self.training_step(row, kernels, false))?;
        }
        Ok(samples)
    }

    fn training_step(
        &self,
        row: &TrainingRow,
        kernels: &Calibrations,
        calibrates: bool,
    ) -> Asking<TrainingQuestion> {
        if row.task == "LoRA" {
            return Err("adapters (LoRA) not modelled".to_string());
        }
        let (measured, machine) = self.machines.of(&row.placed)?;
        let framework = self.frameworks.of(&row.framework)?;
        let (mut layout, step) = (row.layout()?, row.step()?);
        let seconds = row.step_seconds().ok_or("no time published")?;
        let model = self.models.model(&row.shape)?;
        let (layers, chunks) = (u64::from(model.layers()), layout.pp * layout.vpp);
        if layout.pp > 1 && !layers.is_multiple_of(chunks) {
            layout.stages = Some(Division::spread(layers, chunks));
        }
        let mut machine = machine.clone();
        machine.domains = layout.devices().div_ceil(machine.domain).max(1);
        machine.network = machine.network.or(measured.assumed_network);
        if machine.domains > 1 && machine.network.is_none() {
            return Err("network not published".to_string());
        }
        let practice = Practice {
            products: Name::from(precision::known(&row.precision)?.products()),
            attention: framework.attention,
            graphs: framework.graphs,
            ..Practice::default()
        };
        // Activations, weights and what replicas gather are of 16 bits, whatever products are in.
        // Those that gather the weights of each layer also reduce its gradients in 16 bits.
        let is_gathered = layout.zero == 3;
        let gradients = if is_gathered { Name::from("bf16") } else { framework.gradients.clone() };
        let cut = framework.pipeline_micro_batch.filter(|_| layout.pp > 1);
        let micro_batch = cut.unwrap_or(step.micro_batch);
        let step = Step { precision: Name::from("bf16"), gradients, micro_batch, ..step };
        let told = |error: mlsysim_scenario::Error| error.to_string();
        let pricing = Pricing::new(&machine, &practice, kernels.kernels()).map_err(told)?;
        let division = Division::new(&model, &layout).map_err(told)?;
        let accounting = Accounting::new(&division, &step).map_err(told)?;
        let question = TrainingQuestion::new(&accounting, &pricing).map_err(told)?;
        let excluded = self.excluded.get(&row.id).cloned();
        Ok(Asked {
            sample: Sample {
                id: row.id.clone(),
                source: row.source.clone(),
                group: row.group.clone(),
                family: measured.device_class().to_string(),
                seconds,
                fits: calibrates && excluded.is_none(),
                question,
            },
            excluded,
        })
    }

    fn product(&self, row: &KernelRow) -> Asking<ProductQuestion> {
        let (measured, machine) = self.machines.of(&row.placed)?;
        let Some(KernelShape::Product(sizes, times)) = row.shape else {
            return Err(if row.class == "gemm" { "shape not published" } else { "not a product" }.to_string());
        };
        let question = ProductQuestion::new(sizes, times, &row.printed, &machine.device, true);
        // The engine's own kernels took 55 to 330 µs at any size, since a host launched them.
        let launched = (row.printed == "fp8_block" && row.from.library.starts_with("vllm"))
            .then(|| "block fp8 of this engine was timed without CUDA graphs".to_string());
        self.asked_kernel(row, measured.device_class(), question, launched)
    }

    fn attention_of(&self, row: &KernelRow) -> Asking<AttentionQuestion> {
        let (measured, machine) = self.machines.of(&row.placed)?;
        let Some(KernelShape::Attention(shape)) = row.shape else {
            return Err("shape not published".to_string());
        };
        let kernel = row.kernel.clone()?;
        let keys = (shape.new + shape.cached) as f64;
        let rates = AttentionRates::new(&row.printed, &machine.device);
        let question = rates.map(|(rates, _)| rates.attention(kernel, keys, shape.new <= 1, true));
        self.asked_kernel(row, measured.device_class(), question, None)
    }

    fn asked_kernel<Q: Question>(
        &self,
        row: &KernelRow,
        family: &str,
        question: Result<Q>,
        excluded: Option<Reason>,
    ) -> Asking<Q> {
        let question = question.map_err(|error| error.to_string())?;
        let seconds = row.seconds.filter(|time| *time > 0.0).ok_or("no time published")?;
        let excluded = self.excluded.get(&row.id).cloned().or(excluded);
        Ok(Asked {
            sample: Sample {
                id: row.id.clone(),
                source: row.from.source.clone(),
                group: row.from.group.clone(),
                family: family.to_string(),
                seconds,
                fits: row.from.calibrates && excluded.is_none() && question.beyond().is_empty(),
                question,
            },
            excluded,
        })
    }

    fn collective(&self, row: &CollectiveRow) -> Asking<CollectiveQuestion> {
        let collective = row.collective()?;
        let from = &row.from;
        if from.source.starts_with("aic_") {
            return Err("the same measurements as in kernels/".to_string());
        }
        let library = library(&from.library)?;
        if collective != Collective::AllReduce && library != CollectiveLibrary::Nccl {
            return Err("only all-reduce is modelled of the kernels of engines".to_string());
        }
        let (measured, machine) = self.machines.of(&row.placed)?;
        let mut machine = machine.clone();
        machine.in_switch_reduction &= !row.without_switch;
        let (payload, seconds) = row.payload_and_seconds()?;
        if row.payload.is_none() {
            return Err("size not published".to_string());
        }
        let reach = row.reach(&machine);
        if reach.ranks <= 1 || payload.base() <= 0.0 {
            return Err("nothing is sent".to_string());
        }
        if reach.domains > 1 && machine.network.is_none() {
            return Err("network not published".to_string());
        }
        let question = CollectiveQuestion::new(collective, payload, reach, &machine, library);
        let question = question.map_err(|error| error.to_string())?;
        let excluded = self.excluded.get(&row.id).cloned();
        // A bridge joins pairs, and what joins the pairs is not published.
        let is_bridge = measured.class.ends_with("bridge");
        let excluded = excluded.or(is_bridge.then(|| "what joins the pairs is not published".to_string()));
        Ok(Asked {
            sample: Sample {
                id: row.id.clone(),
                source: from.source.clone(),
                group: from.group.clone(),
                family: measured.device_class().to_string(),
                seconds,
                fits: from.calibrates && excluded.is_none() && question.beyond().is_empty(),
                question,
            },
            excluded,
        })
    }
}

/// What `printed` says runs a collective.
fn library(printed: &str) -> std::result::Result<CollectiveLibrary, Reason> {
    let printed = printed.to_ascii_lowercase();
    let has = |word: &str| printed.contains(word);
    match () {
        () if has("eager") => Ok(CollectiveLibrary::OwnEager),
        () if has("flashinfer") || (has("trtllm") && (has("graph") || has("custom"))) => {
            Ok(CollectiveLibrary::TensorRtLlm)
        }
        () if has("custom") => Ok(CollectiveLibrary::Own),
        () if has("nccl") || has("rccl") => Ok(CollectiveLibrary::Nccl),
        () if has("trtllm") => Ok(CollectiveLibrary::TensorRtLlm),
        () => Err(format!("library `{printed}` not modelled")),
    }
}

impl<Q> Samples<Q> {
    pub(super) fn new() -> Self {
        Samples { rows: 0, asked: Vec::new(), left_out: BTreeMap::new() }
    }

    /// Counts a row that is not modelled.
    pub(super) fn leave_out(&mut self, reason: Reason) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    fn take<T: Measured>(&mut self, text: &str, ask: impl Fn(&T) -> Asking<Q>) -> Result<()> {
        let table = Table::<T>::read(text)?;
        self.rows += table.rows.len() + table.unread.len();
        let unread = table.unread.into_iter().map(|row| Err(format!("unread: {}", row.reason)));
        for asked in unread.chain(table.rows.iter().map(ask)) {
            match asked {
                Ok(asked) => self.asked.push(asked),
                Err(reason) => *self.left_out.entry(reason).or_default() += 1,
            }
        }
        Ok(())
    }

    /// The samples of a calibration: all but those that are scored apart.
    pub fn of_calibration(&self) -> Vec<Sample<Q>>
    where
        Q: Clone,
    {
        self.asked.iter().filter(|asked| asked.sample.fits).map(|asked| asked.sample.clone()).collect()
    }
}
