//! `Served`: a model on an engine, and the iterations that a workload makes of it.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_scenario::{Error, Name, Result};

use super::{Engine, Flow, Iterations, KernelCoefficients, Pricing, ServingQuestion, Workload};
use crate::machine::Machine;
use crate::predict::{Beyond, DeviceFamily};
use crate::transformer::{
    Accounting, Division, Layout, Mask, MemoryPolicy, Operation, Part, Step, Transformer, Work,
};
use crate::validation::precision::{self, Precision};

/// Devices that no kernel of the calibration was measured on, and that engines were, by a part of their
/// names.
const SERVED: [&str; 2] = ["MI300X", "T4"];

/// The tokens of the longest sequences that engines were measured on.
const LONGEST: u64 = 32_768;

/// The share of the memory beside weights that limits are tuned for.
///
/// Source of this and of the ranges below: NVIDIA/TensorRT-LLM, tensorrt_llm/bench/build/tuning.py, which
/// also rounds both limits up.
const TUNED_SHARE: f64 = 0.95;

/// The most sequences that limits are tuned for.
const TUNED_BATCH: f64 = 4096.0;

/// What the limit of sequences is tuned within.
const TUNED_BATCHES: [f64; 2] = [64.0, 4096.0];

/// What the limit of tokens is tuned within.
const TUNED_TOKENS: [f64; 2] = [2048.0, 32_768.0];

/// Everything that questions about one engine on one machine share.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// The model.
    pub model: &'a Transformer,
    /// How it is split.
    pub layout: &'a Layout,
    /// The machine.
    pub machine: &'a Machine,
    /// The engine.
    pub engine: &'a Engine,
}

impl Served<'_> {
    /// The question of `workload`, by the coefficients of `kernels`, and by those `without` the family
    /// of the device.
    ///
    /// # Errors
    ///
    /// A length is 0, a precision is not known, the model does not fit, or a group spans domains and the
    /// machine has no network.
    pub fn question(
        &self,
        workload: Workload,
        kernels: KernelCoefficients,
        without: Option<KernelCoefficients>,
    ) -> Result<ServingQuestion> {
        let practice = &self.engine.practice;
        let pricing = Pricing::new(self.machine, practice, kernels)?;
        workload.check()?;
        let (flows, regime) = self.flows(workload)?;
        let iterations = self.priced(&pricing, &flows, workload)?;
        let unseen = match without {
            Some(kernels) => Some(self.priced(&Pricing { kernels, ..pricing.clone() }, &flows, workload)?),
            None => None,
        };
        let (bound, binds) = self.bound(workload)?;
        Ok(ServingQuestion {
            class: self.engine.class,
            regime,
            iterations,
            unseen: unseen.map(Arc::new),
            is_packed: practice.products.starts_with("int4"),
            bound,
            binds,
            beyond: self.beyond(workload),
        })
    }

    /// What of it the calibration of serving lacks.
    fn beyond(&self, workload: Workload) -> Beyond {
        let mut beyond = Vec::new();
        let device = &self.machine.device;
        let is_served = SERVED.iter().any(|name| device.name.contains(name));
        if !DeviceFamily::of(device).1 && !is_served {
            beyond.push(format!("{} is of no family of devices in the calibration", device.name));
        }
        if self.engine.practice.products.starts_with("mx") {
            let printed = &self.engine.practice.products;
            beyond.push(format!("products in `{printed}` are not in the calibration"));
        }
        if let Workload::Prefill { context: 1.., .. } = workload {
            beyond.push("prompts behind cached tokens are not in the calibration".to_string());
        }
        if workload.longest() > LONGEST {
            beyond.push(format!(
                "sequences of {} tokens are longer than those of the calibration, which have {LONGEST} at most",
                workload.longest()
            ));
        }
        Beyond::of(beyond)
    }

    fn priced(
        &self,
        pricing: &Pricing,
        flows: &[(f64, Flow); 2],
        workload: Workload,
    ) -> Result<[Iterations; 2]> {
        let mut iterations = [Iterations::default(); 2];
        for (each, (times, flow)) in iterations.iter_mut().zip(flows) {
            if *times > 0.0 {
                let pieces = pricing.iteration(self.model, self.layout, *flow)?;
                let (layers, stages) = (f64::from(self.model.layers()), self.layout.pp as f64);
                let scheduled =
                    if workload.is_loaded() { flow.sequences * self.layout.pp as f64 } else { 0.0 };
                let name = match () {
                    () if flow.sequences == 0.0 => "prefill",
                    () if flow.prompts > 0.0 => "iterations with prompts",
                    () if workload.is_loaded() => "iterations without prompts",
                    () => "decode steps",
                };
                *each = Iterations {
                    name,
                    times: *times,
                    spent: pricing.spent_on(&pieces),
                    layers,
                    stages,
                    scheduled,
                };
            }
        }
        Ok(iterations)
    }

    /// The iterations of `workload` by number and kind, and its regime.
    pub(super) fn flows(&self, workload: Workload) -> Result<([(f64, Flow); 2], &'static str)> {
        let nothing = (0.0, Flow { sequences: 0.0, context: 0, prompts: 0.0, prompt: 1, behind: 0 });
        let dp = self.layout.dp as f64;
        // A batch passes the stages in parts, as many as there are stages; decode steps of a part wait
        // for its last one, so that only prompts fill and drain the pipeline.
        let stages = self.layout.pp as f64;
        let parts = |batch: f64| batch.clamp(1.0, stages);
        let decode = |batch: f64, context: u64| Flow {
            sequences: batch / parts(batch),
            context,
            prompts: 0.0,
            prompt: 1,
            behind: 0,
        };
        let prefill = |batch: f64, prompt: u64, behind: u64| {
            let parts = parts(batch);
            let flow = Flow { sequences: 0.0, context: 0, prompts: batch / parts, prompt, behind };
            ((parts + stages - 1.0) / stages, flow)
        };
        Ok(match workload {
            Workload::DecodeStep { batch, context } => {
                ([(1.0, decode(batch as f64 / dp, context)), nothing], "decode step")
            }
            Workload::Prefill { batch, prompt, context } => {
                let batch = batch as f64 / dp;
                let last = (1.0, decode(batch, context + prompt - 1));
                let flows = match prompt {
                    _ if !self.engine.ends_prompts_apart => [prefill(batch, prompt, context), nothing],
                    1 => [last, nothing],
                    _ => [prefill(batch, prompt - 1, context), last],
                };
                (flows, "prefill")
            }
            Workload::StaticBatch { batch, prompt, answer } => {
                let steps = answer.saturating_sub(1);
                let decode = decode(batch as f64 / dp, prompt + steps.div_ceil(2));
                ([prefill(batch as f64 / dp, prompt, 0), (steps as f64, decode)], "static batch")
            }
            Workload::Load { prompt, answer, requests } => {
                let (flows, batch) = self.loaded(prompt, answer, requests)?;
                let [(less, first), (more, second)] = flows;
                let tokens = batch * dp;
                ([(less / tokens, first), (more / tokens, second)], "maximum load")
            }
            Workload::LoadedStep { prompt, answer, requests, is_median } => {
                let ([(less, first), (more, second)], _) = self.loaded(prompt, answer, Some(requests))?;
                // The median is one of the iterations that are most.
                let [less, more] = match is_median {
                    true if less >= more => [1.0, 0.0],
                    true => [0.0, 1.0],
                    false => [less, more],
                };
                ([(less, first), (more, second)], "decode step")
            }
        })
    }

    /// The sequences that a replica works on at once, as its memory and its engine let it.
    ///
    /// # Errors
    ///
    /// Not even one fits.
    pub fn batch(&self, prompt: u64, answer: u64, requests: Option<u64>) -> Result<f64> {
        let dp = self.layout.dp as f64;
        let fits = self.sequences(prompt, answer, true)?;
        let requests = requests.map_or(f64::INFINITY, |requests| requests as f64 / dp);
        let [most, _] = self.limits(prompt, answer)?;
        Ok(fits.min(most).min(requests).max(1.0))
    }

    /// The precisions of weights and of the KV cache.
    pub(super) fn precisions(&self) -> Result<[Precision; 2]> {
        let practice = &self.engine.practice;
        Ok([
            precision::known(&practice.products).map_err(|reason| Error::input("precision", reason))?,
            precision::known(&practice.cache).map_err(|reason| Error::input("kv_precision", reason))?,
        ])
    }

    /// How many sequences of a prompt and an answer fit beside the weights, at the fullest.
    ///
    /// Where nothing `is_served`, nothing else is in the memory.
    pub(super) fn sequences(&self, prompt: u64, answer: u64, is_served: bool) -> Result<f64> {
        let tokens = prompt + answer;
        let [weights, cached] = self.precisions()?;
        let division = Division::new(self.model, self.layout)?;
        let step = Step { precision: Name::from(weights.storage), ..Step::decode(self.layout.dp, 1) };
        let accounting = Accounting::new(&division, &step)?;
        let capacity = self.machine.device.memory.capacity;
        let limits = if is_served { Some(self.limits(prompt, answer)?) } else { None };
        let mut least = f64::INFINITY;
        for stage in 0..self.layout.pp {
            let (mut weights, mut cache) = (Bytes::ZERO, 0.0);
            accounting.operations(stage, |operation, layers, _| {
                let parameters = (layers * operation.parameters(&division.shares)) as f64;
                weights += parameters * held(operation, accounting.elements.activation);
                let kept = match operation.work {
                    Work::Attention { mask: Mask::Window(most), .. } => tokens.min(u64::from(most)),
                    _ => tokens,
                };
                cache += (layers * operation.cached(&division.shares) * kept) as f64;
            });
            let (used, fraction) = match limits {
                Some(limits) => {
                    (self.engine.workspace + self.working(stage, limits)?, self.engine.memory_fraction)
                }
                None => (Bytes::ZERO, 1.0),
            };
            let free = capacity - weights - used;
            let one = Bytes::from_base(cache * cached.bytes);
            if one > Bytes::ZERO {
                least = least.min(fraction * (free / one));
            }
        }
        if least <= 0.0 {
            let (model, machine) = (&self.model.name, &self.machine.name);
            return Err(Error::input(
                "layout",
                format!("the weights of {model} leave no memory for a KV cache on the devices of {machine}"),
            ));
        }
        Ok(least)
    }

    /// The most sequences of all stages and the most tokens of an iteration of one.
    fn limits(&self, prompt: u64, answer: u64) -> Result<[f64; 2]> {
        let Engine { max_batch, max_tokens, tunes, .. } = *self.engine;
        let stages = self.layout.pp as f64;
        if !tunes {
            return Ok([max_batch as f64 * stages, max_tokens as f64]);
        }
        let held = TUNED_SHARE * self.sequences(prompt, answer, false)?;
        let batch = held.min(TUNED_BATCH) / stages;
        let tokens = batch * (1.0 + prompt as f64 / answer.max(1) as f64);
        let [[few, many], [least, most]] = [TUNED_BATCHES, TUNED_TOKENS];
        Ok([batch.clamp(few, many) * stages, tokens.clamp(least, most)])
    }

    /// What the largest iteration works with: its activations, and the scores of its sequences.
    fn working(&self, stage: u64, [sequences, tokens]: [f64; 2]) -> Result<Bytes> {
        let sequences = sequences / self.layout.pp as f64;
        let division = Division::new(self.model, self.layout)?;
        let step = Step::decode(self.layout.dp, 1);
        let accounting = Accounting::new(&division, &step)?;
        let account = accounting.account(stage)?;
        let memory = accounting.memory(&account, &MemoryPolicy::default())?;
        Ok(tokens * memory.activations + sequences * memory.logits)
    }

    /// The iterations of an engine in which requests begin as others end: those without prompts and
    /// those with, together one; and the sequences in each.
    fn loaded(&self, prompt: u64, answer: u64, requests: Option<u64>) -> Result<([(f64, Flow); 2], f64)> {
        let batch = self.batch(prompt, answer, requests)?;
        let [_, tokens] = self.limits(prompt, answer)?;
        // Each stage works on as many.
        let (length, tokens) = (prompt.max(1) as f64, tokens * self.layout.pp as f64);
        // Each sequence needs its prompt once in as many iterations as its answer has tokens.
        let each = length / answer.max(1) as f64;
        let batch = batch.min(tokens / (1.0 + each));
        let mean = batch * each;
        let room = (tokens - batch).max(length.min(tokens)).max(mean);
        let most = room.min((batch * length).max(mean));
        let share = (mean / most).min(1.0);
        let context = prompt + answer / 2;
        // Stages work on a part of the sequences each, all at once.
        let stages = self.layout.pp as f64;
        let flow = |prompts: f64| Flow {
            sequences: batch / stages,
            context,
            prompts: prompts / stages,
            prompt: prompt.max(1),
            behind: 0,
        };
        Ok(([(1.0 - share, flow(0.0)), (share, flow(most / length))], batch))
    }
}

/// What a parameter of `operation` takes: tables and the head stay in 16 bits.
fn held(operation: &Operation, element: Bytes) -> Bytes {
    match operation.part {
        Part::Embedding | Part::Head | Part::Router => Bytes::from_base(2.0).max(element),
        _ => element,
    }
}
