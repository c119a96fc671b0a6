//! `Predicted`: published rows as questions of kernels and collectives, or why they are none.

use std::collections::HashMap;

use mlsysim_scenario::{Name, Result};

use super::precision;
use super::samples::{Asking, Origin};
use super::table::{Exclusion, Reason, Table};
use super::{CollectiveRow, Frameworks, KernelRow, KernelShape, KnownModels, MeasuredMachines, TrainingRow};
use crate::machine::Collective;
use crate::predict::{
    AttentionQuestion, AttentionRates, Calibrations, CollectiveLibrary, CollectiveQuestion, Practice,
};
use crate::predict::{Pricing, ProductQuestion, Question, TrainingQuestion};
use crate::transformer::{Accounting, Division, Step};

/// What published rows stand for.
#[derive(Clone, Debug)]
pub struct Predicted {
    pub(super) machines: MeasuredMachines,
    pub(super) models: KnownModels,
    pub(super) frameworks: Frameworks,
    pub(super) excluded: HashMap<String, Reason>,
}

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

    pub(super) fn training_step(
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
            overlaps: framework.overlaps,
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
        let mut question = TrainingQuestion::new(&accounting, &pricing).map_err(told)?;
        if framework.is_any() {
            question = question.by_unknown(&row.framework);
        }
        let excluded = self.excluded.get(&row.id).cloned();
        let origin = Origin {
            id: &row.id,
            source: &row.source,
            group: &row.group,
            family: measured.device_class(),
            calibrates: calibrates && !framework.is_any(),
        };
        Ok(origin.sample(seconds, question, excluded))
    }

    pub(super) fn product(&self, row: &KernelRow) -> Asking<ProductQuestion> {
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

    pub(super) fn attention_of(&self, row: &KernelRow) -> Asking<AttentionQuestion> {
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
        Ok(row.from.origin(&row.id, family, &question).sample(seconds, question, excluded))
    }

    pub(super) fn collective(&self, row: &CollectiveRow) -> Asking<CollectiveQuestion> {
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
        if measured.unknown_network || reach.domains > 1 && machine.network.is_none() {
            return Err("network not published".to_string());
        }
        let question = CollectiveQuestion::new(collective, payload, reach, &machine, library);
        let question = question.map_err(|error| error.to_string())?;
        let excluded = self.excluded.get(&row.id).cloned();
        // A bridge joins pairs, and what joins the pairs is not published.
        let is_bridge = measured.class.ends_with("bridge");
        let excluded = excluded.or(is_bridge.then(|| "what joins the pairs is not published".to_string()));
        let family = measured.device_class();
        Ok(from.origin(&row.id, family, &question).sample(seconds, question, excluded))
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
