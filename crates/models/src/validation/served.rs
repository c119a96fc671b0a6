//! Rows of inference as samples of predictions: one for each time that a row states.

use super::predicted::Predicted;
use super::samples::Origin;
use super::table::Reason;
use super::{ServingRow, Shape, precision};
use crate::predict::{Calibrations, KernelCoefficients, Sample, Served, ServingQuestion, Workload};
use crate::transformer::Transformer;

/// The times that a row states, each with why it is scored apart, if it is; or why it is not modelled.
type Several = std::result::Result<Vec<(Sample<ServingQuestion>, Option<Reason>)>, Reason>;

/// A published figure within this of another that it follows from is that one again.
const AGAIN: f64 = 0.03;

impl Predicted {
    /// The steps, batches and loads of rows: the model of each shape is read once.
    pub(super) fn serving<'a>(
        &'a self,
        kernels: &'a Calibrations,
    ) -> impl FnMut(&ServingRow) -> Several + use<'a> {
        let mut models: Vec<(Shape, std::result::Result<Transformer, Reason>)> = Vec::new();
        move |row| {
            let known = models.iter().position(|(shape, _)| *shape == row.shape);
            let at = known.unwrap_or_else(|| {
                models.push((row.shape.clone(), self.models.model(&row.shape)));
                models.len() - 1
            });
            let (_, model) = &models[at];
            self.served(row, model.as_ref().map_err(Clone::clone)?, kernels)
        }
    }

    fn served(&self, row: &ServingRow, model: &Transformer, calibrations: &Calibrations) -> Several {
        let told = |error: mlsysim_scenario::Error| error.to_string();
        if let Some(what) = model.unmodelled {
            return Err(format!("not modelled: {what}"));
        }
        let (measured, machine) = self.machines.of(&row.placed)?;
        precision::known(&row.weight_precision)?;
        let release = format!("{} {}", row.framework, row.release);
        let framework = self.frameworks.of(if row.framework.is_empty() { "" } else { &release })?;
        let engine = framework.engine(&row.weight_precision, &row.kv_precision, measured.shares_links);
        let layout = row.layout()?;
        let mut machine = machine.clone();
        machine.domains = layout.devices().div_ceil(machine.domain).max(1);
        if machine.domains > 1 && machine.network.is_none() {
            return Err("network not published".to_string());
        }
        let served = Served { model, layout: &layout, machine: &machine, engine: &engine };
        let family = measured.device_class();
        let kernels = calibrations.kernels();
        let without: KernelCoefficients = calibrations.kernels_without(family);
        let excluded = self.excluded.get(&row.id).cloned();
        let mut asked = Vec::new();
        for (metric, seconds, workload) in row.workloads(framework.median_times)? {
            let mut question = served.question(workload, kernels, Some(without)).map_err(told)?;
            if framework.is_any() {
                question = question.by_unknown(&row.framework);
            }
            let origin = Origin {
                id: &format!("{} {metric}", row.id),
                source: &row.source,
                group: &row.group,
                family,
                calibrates: !framework.is_any(),
            };
            asked.push(origin.sample(seconds, question, excluded.clone()));
        }
        if asked.is_empty() { Err("no time published".to_string()) } else { Ok(asked) }
    }
}

impl ServingRow {
    /// The times that the row states, in seconds, by what they are called and what they are of.
    ///
    /// # Errors
    ///
    /// A length is not published, or how requests came is not modelled.
    fn workloads(&self, is_median: bool) -> std::result::Result<Vec<(&'static str, f64, Workload)>, Reason> {
        let positive = |number: Option<f64>| number.filter(|number| *number > 0.0);
        let prompt = self.input_len.filter(|tokens| *tokens > 0).ok_or("prompt not published")?;
        let answer = self.output_len.filter(|tokens| *tokens > 0);
        let rate = positive(self.output_tokens_per_s);
        let first = positive(self.prefill_ms.or(self.ttft_ms)).map(|ms| ms / 1e3);
        let each = positive(self.tpot_ms).map(|ms| ms / 1e3);
        let whole = positive(self.e2e_ms).map(|ms| ms / 1e3);
        let batch = self.batch.filter(|batch| *batch > 0);
        let mut all = Vec::new();
        match self.load_kind.as_str() {
            "static_batch" => {
                let batch = batch.ok_or("batch not published")?;
                let context = prompt + answer.unwrap_or(1) / 2;
                all.extend(first.map(|time| ("ttft", time, Workload::Prefill { batch, prompt, context: 0 })));
                all.extend(each.map(|time| ("tpot", time, Workload::DecodeStep { batch, context })));
                if let Some(answer) = answer {
                    let from_rate =
                        rate.filter(|_| each.is_none()).map(|rate| (batch * answer) as f64 / rate);
                    // Some tables print the sum of decode steps beside the time of one.
                    let is_again = |time: f64| {
                        each.is_some_and(|each| (time / (each * answer as f64) - 1.0).abs() < AGAIN)
                    };
                    let whole = whole.filter(|time| !is_again(*time)).or(from_rate);
                    let workload = Workload::StaticBatch { batch, prompt, answer };
                    all.extend(whole.map(|time| ("e2e", time, workload)));
                }
            }
            "max_load" => {
                let answer = answer.ok_or("answer not published")?;
                let workload = Workload::Load { prompt, answer, requests: None };
                all.extend(rate.map(|rate| ("throughput", 1.0 / rate, workload)));
            }
            "max_concurrency" => {
                let (answer, requests) =
                    (answer.ok_or("answer not published")?, batch.ok_or("concurrency not published")?);
                let workload = Workload::Load { prompt, answer, requests: Some(requests) };
                all.extend(rate.map(|rate| ("throughput", 1.0 / rate, workload)));
                let step = Workload::LoadedStep { prompt, answer, requests, is_median };
                all.extend(each.map(|time| ("tpot", time, step)));
                // Under load a request waits in a queue before its prefill.
                let alone = first.filter(|_| requests == 1);
                all.extend(
                    alone.map(|time| ("ttft", time, Workload::Prefill { batch: 1, prompt, context: 0 })),
                );
            }
            "request_rate" => return Err("requests at a rate, which queue".to_string()),
            other => return Err(format!("load `{other}` not modelled")),
        }
        Ok(all)
    }
}
