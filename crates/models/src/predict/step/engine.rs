//! `Engine` and `Workload`: how requests are served, and which requests; and what is predicted of both.

use std::sync::Arc;

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Error, Name, Result};

use super::{
    Flow, Iterations, KernelCoefficients, Practice, Pricing, ServingClass, ServingQuestion,
};
use crate::machine::Machine;
use crate::predict::Beyond;
use crate::transformer::{
    Accounting, Division, Layout, Mask, MemoryPolicy, Operation, Part, Rates, Step, Transformer,
};

/// How an engine serves requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Engine {
    /// What it does of its own choice in each step.
    pub practice: Practice,
    /// What runs its kernels.
    pub class: ServingClass,
    /// The most sequences at once.
    pub max_batch: u64,
    /// The most tokens of an iteration.
    pub max_tokens: u64,
    /// The share of the memory beside weights and workspace that the KV cache gets.
    pub memory_fraction: f64,
    /// What a device's memory holds beside weights, activations and the cache.
    pub workspace: Bytes,
}

impl Default for Engine {
    fn default() -> Self {
        Engine {
            practice: Practice::default(),
            class: ServingClass::Graphs,
            max_batch: 2048,
            max_tokens: 8192,
            memory_fraction: 0.95,
            workspace: Bytes::from_base(1_073_741_824.0),
        }
    }
}

/// What is asked of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Workload {
    /// A token for each of a batch.
    DecodeStep {
        /// The sequences.
        batch: u64,
        /// The tokens that each has cached.
        context: u64,
    },
    /// The first token of each of a batch.
    Prefill {
        /// The prompts.
        batch: u64,
        /// The tokens of each.
        prompt: u64,
    },
    /// All tokens of a batch that begins and ends together.
    StaticBatch {
        /// The sequences.
        batch: u64,
        /// The tokens of each prompt.
        prompt: u64,
        /// The tokens of each answer.
        answer: u64,
    },
    /// The mean time between two tokens of all requests together, where new ones begin as others end.
    Load {
        /// The tokens of each prompt.
        prompt: u64,
        /// The tokens of each answer.
        answer: u64,
        /// How many requests there are at once, where they are limited.
        requests: Option<u64>,
    },
    /// The mean time between two tokens of one request, where new ones begin as others end.
    LoadedStep {
        /// The tokens of each prompt.
        prompt: u64,
        /// The tokens of each answer.
        answer: u64,
        /// How many requests there are at once.
        requests: u64,
        /// Whether the median is asked for.
        is_median: bool,
    },
}

/// The precision in which weights are stored, by the precision of products that is printed.
fn stored(printed: &str) -> Result<&'static str> {
    let known = crate::validation::precision::known(printed);
    known.map(|known| known.storage).map_err(|reason| Error::input("precision", reason))
}

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

/// What one replica moves and computes for a token, at the least.
struct Least {
    // Of a sequence that gets a token, and of a prompt.
    flops: [Time; 2],
    cache: Time,
    links: [Time; 2],
    network: [Time; 2],
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
        let (flows, regime) = self.flows(workload)?;
        let is_loaded = matches!(workload, Workload::Load { .. } | Workload::LoadedStep { .. });
        let iterations = self.priced(&pricing, &flows, is_loaded)?;
        let unseen = match without {
            Some(kernels) => Some(self.priced(&Pricing { kernels, ..pricing.clone() }, &flows, is_loaded)?),
            None => None,
        };
        let (bound, binds) = self.bound(workload)?;
        Ok(ServingQuestion {
            class: self.engine.class,
            regime,
            iterations,
            unseen: unseen.map(Arc::new),
            is_packed: practice.products.starts_with("int4") && !practice.unpacks,
            bound,
            binds,
            beyond: Beyond::default(),
        })
    }

    fn priced(
        &self,
        pricing: &Pricing,
        flows: &[(f64, Flow); 2],
        is_loaded: bool,
    ) -> Result<[Iterations; 2]> {
        let mut iterations = [Iterations::default(); 2];
        for (each, (times, flow)) in iterations.iter_mut().zip(flows) {
            if *times > 0.0 {
                let pieces = pricing.iteration(self.model, self.layout, *flow)?;
                let layers = f64::from(self.model.layers());
                let scheduled = if is_loaded { flow.sequences * self.layout.pp as f64 } else { 0.0 };
                *each = Iterations { times: *times, spent: pricing.spent(&pieces), layers, scheduled };
            }
        }
        Ok(iterations)
    }

    /// The iterations of `workload` by number and kind, and its regime.
    fn flows(&self, workload: Workload) -> Result<([(f64, Flow); 2], &'static str)> {
        let nothing = (0.0, Flow { sequences: 0.0, context: 0, prompts: 0.0, prompt: 1 });
        let dp = self.layout.dp as f64;
        // A batch passes the stages in parts, as many as there are stages; decode steps of a part wait
        // for its last one, so that only prompts fill and drain the pipeline.
        let stages = self.layout.pp as f64;
        let parts = |batch: f64| batch.clamp(1.0, stages);
        let decode = |batch: f64, context: u64| {
            Flow { sequences: batch / parts(batch), context, prompts: 0.0, prompt: 1 }
        };
        let prefill = |batch: f64, prompt: u64| {
            let parts = parts(batch);
            let flow = Flow { sequences: 0.0, context: 0, prompts: batch / parts, prompt };
            ((parts + stages - 1.0) / stages, flow)
        };
        Ok(match workload {
            Workload::DecodeStep { batch, context } => {
                ([(1.0, decode(batch as f64 / dp, context)), nothing], "decode step")
            }
            Workload::Prefill { batch, prompt } => {
                ([prefill(batch as f64 / dp, prompt), nothing], "prefill")
            }
            Workload::StaticBatch { batch, prompt, answer } => {
                let steps = answer.saturating_sub(1);
                let decode = decode(batch as f64 / dp, prompt + steps.div_ceil(2));
                ([prefill(batch as f64 / dp, prompt), (steps as f64, decode)], "static batch")
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
        let fits = self.sequences(prompt + answer, Some(self.engine))?;
        let requests = requests.map_or(f64::INFINITY, |requests| requests as f64 / dp);
        Ok(fits.min(self.engine.max_batch as f64).min(requests).max(1.0))
    }

    /// How many sequences of `tokens` fit beside the weights.
    ///
    /// Without an engine nothing else is in the memory.
    fn sequences(&self, tokens: u64, engine: Option<&Engine>) -> Result<f64> {
        let printed = &self.engine.practice.products;
        let division = Division::new(self.model, self.layout)?;
        let step = Step { precision: Name::from(stored(printed)?), ..Step::decode(self.layout.dp, 1) };
        let accounting = Accounting::new(&division, &step)?;
        let cached = crate::validation::precision::known(&self.engine.practice.cache)
            .map_err(|reason| Error::input("kv_precision", reason))?;
        let capacity = self.machine.device.memory.capacity;
        let mut least = f64::INFINITY;
        for stage in 0..self.layout.pp {
            let (mut weights, mut cache) = (Bytes::ZERO, 0.0);
            accounting.operations(stage, |operation, layers, _| {
                let parameters = (layers * operation.parameters(&division.shares)) as f64;
                weights += parameters * held(operation, accounting.elements.activation);
                let kept = match operation.work {
                    crate::transformer::Work::Attention { mask: Mask::Window(most), .. } => {
                        tokens.min(u64::from(most))
                    }
                    _ => tokens,
                };
                cache += (layers * operation.cached(&division.shares) * kept) as f64;
            });
            let (used, fraction) = match engine {
                Some(engine) => (engine.workspace + self.working(stage)?, engine.memory_fraction),
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

    /// What the largest iteration works with: its activations, and the scores of its sequences.
    fn working(&self, stage: u64) -> Result<Bytes> {
        let division = Division::new(self.model, self.layout)?;
        let step = Step::decode(self.layout.dp, 1);
        let accounting = Accounting::new(&division, &step)?;
        let account = accounting.account(stage)?;
        let memory = accounting.memory(&account, &MemoryPolicy::default())?;
        let (tokens, sequences) = (self.engine.max_tokens as f64, self.engine.max_batch as f64);
        Ok(tokens * memory.activations + sequences * memory.logits)
    }

    /// The iterations of an engine in which requests begin as others end: those without prompts and
    /// those with, together one; and the sequences in each.
    fn loaded(&self, prompt: u64, answer: u64, requests: Option<u64>) -> Result<([(f64, Flow); 2], f64)> {
        let batch = self.batch(prompt, answer, requests)?;
        let (length, tokens) = (prompt.max(1) as f64, self.engine.max_tokens as f64);
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
        };
        Ok(([(1.0 - share, flow(0.0)), (share, flow(most / length))], batch))
    }

    /// The least time of `workload`, and what takes it.
    fn bound(&self, workload: Workload) -> Result<(Time, &'static str)> {
        let step = |step: Step| self.least_step(step);
        match workload {
            Workload::DecodeStep { batch, context } => step(Step::decode(batch, context)),
            Workload::Prefill { batch, prompt } => step(Step::prefill(batch, prompt, 0)),
            Workload::StaticBatch { batch, prompt, answer } => {
                let (first, binds) = step(Step::prefill(batch, prompt, 0))?;
                let steps = answer.saturating_sub(1);
                if steps == 0 {
                    return Ok((first, binds));
                }
                let (each, each_binds) = step(Step::decode(batch, prompt + steps / 2))?;
                let rest = steps as f64 * each;
                Ok((first + rest, if rest > first { each_binds } else { binds }))
            }
            Workload::LoadedStep { prompt, requests, .. } => {
                let _ = requests;
                step(Step::decode(self.layout.dp, prompt))
            }
            Workload::Load { prompt, answer, requests } => self.least_load(prompt, answer, requests),
        }
    }

    fn rates(&self) -> Result<(Rates, Name, Name)> {
        let practice = &self.engine.practice;
        let known = crate::validation::precision::known(&practice.products)
            .map_err(|reason| Error::input("precision", reason))?;
        let cache = crate::validation::precision::known(&practice.cache)
            .map_err(|reason| Error::input("kv_precision", reason))?;
        let device = &self.machine.device;
        let rates = Rates { peak: device.compute.peak(known.peak)?, memory: device.memory.bandwidth };
        Ok((rates, Name::from(known.storage), Name::from(cache.storage)))
    }

    /// The least time of a step: that of the stage which takes longest.
    fn least_step(&self, step: Step) -> Result<(Time, &'static str)> {
        let (rates, precision, kv_precision) = self.rates()?;
        let step = Step { precision, kv_precision, ..step };
        let division = Division::new(self.model, self.layout)?;
        // Replicas share the batch as evenly as can be; the least is that of a whole one.
        let batch = step.batch.div_ceil(self.layout.dp) * self.layout.dp;
        let step = Step { batch, micro_batch: batch, ..step };
        let accounting = Accounting::new(&division, &step)?;
        let mut slowest = (Time::ZERO, "nothing");
        for stage in 0..self.layout.pp {
            let bound = accounting.bound_at(&accounting.account(stage)?, self.machine, rates)?;
            if bound.time() > slowest.0 {
                slowest = (bound.time(), bound.binds());
            }
        }
        Ok(slowest)
    }

    /// The least time between two tokens of all requests, in as many sequences as the whole memory holds.
    fn least_load(&self, prompt: u64, answer: u64, requests: Option<u64>) -> Result<(Time, &'static str)> {
        let (rates, precision, kv_precision) = self.rates()?;
        let division = Division::new(self.model, self.layout)?;
        let stages = self.layout.pp as f64;
        let dp = self.layout.dp;
        let mean = prompt + answer / 2;
        let least = |step: Step| -> Result<Least> {
            let step = Step { precision: precision.clone(), kv_precision: kv_precision.clone(), ..step };
            let accounting = Accounting::new(&division, &step)?;
            let mut sum = Least {
                flops: [Time::ZERO; 2],
                cache: Time::ZERO,
                links: [Time::ZERO; 2],
                network: [Time::ZERO; 2],
            };
            for stage in 0..self.layout.pp {
                let account = accounting.account(stage)?;
                let bound = accounting.bound_at(&account, self.machine, rates)?;
                sum.flops[0] += bound.arithmetic;
                sum.links[0] += bound.links;
                sum.network[0] += bound.network;
                accounting.operations(stage, |operation, layers, _| {
                    let (_, cache) =
                        operation.least_read(&division.shares, &accounting.load, &accounting.elements);
                    sum.cache += layers as f64 * cache / rates.memory;
                });
            }
            Ok(sum)
        };
        let decode = least(Step::decode(dp, mean))?;
        let prefill = least(Step::prefill(dp, prompt.max(1), 0))?;
        // The cache may fill all of the memory, and a sequence holds no more than it has so far.
        let fits = self.sequences(mean.max(1), None)?.max(1.0);
        let batch = requests.map_or(fits, |requests| fits.min((requests as f64 / dp as f64).max(1.0)));
        let whole = Step { precision, kv_precision, ..Step::decode(dp * batch.floor().max(1.0) as u64, mean) };
        let accounting = Accounting::new(&division, &whole)?;
        let mut weights = Time::ZERO;
        for stage in 0..self.layout.pp {
            accounting.operations(stage, |operation, layers, _| {
                let (read, _) = operation.least_read(&division.shares, &accounting.load, &accounting.elements);
                weights += layers as f64 * read / rates.memory;
            });
        }
        let each = 1.0 / answer.max(1) as f64;
        let both = |of: fn(&Least) -> Time| of(&decode) + each * of(&prefill);
        let ways = [
            ("arithmetic", both(|least| least.flops[0])),
            ("memory", decode.cache + weights / batch),
            ("links", both(|least| least.links[0])),
            ("network", both(|least| least.network[0])),
        ];
        let (binds, time) =
            ways.into_iter().fold(("nothing", Time::ZERO), |most, way| if way.1 > most.1 { way } else { most });
        Ok((time / (stages * dp as f64), binds))
    }
}

/// What a parameter of `operation` takes: tables and the head stay in 16 bits.
fn held(operation: &Operation, element: Bytes) -> Bytes {
    match operation.part {
        Part::Embedding | Part::Head | Part::Router => Bytes::from_base(2.0).max(element),
        _ => element,
    }
}
