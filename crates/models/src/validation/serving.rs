//! `ServingRow`: a published measurement of inference, and the steps that it is made of.

use mlsysim_scenario::{Define, Name};

use super::table::{Cells, Measured, Reason};
use super::{Placed, Shape, precision};
use crate::transformer::{Layout, Step};

/// A published measurement of inference.
#[derive(Clone, Debug, PartialEq)]
pub struct ServingRow {
    /// The name of the row.
    pub id: String,
    /// Where it comes from, as a key.
    pub source: String,
    /// What it belongs with, so that it is left out with it.
    pub group: String,
    /// The engine, as printed.
    pub framework: String,
    /// Its release, or where none is printed the date of the publication.
    pub release: String,
    /// The model.
    pub shape: Shape,
    /// The devices.
    pub placed: Placed,
    /// How many devices there are.
    pub n_gpus: Option<u64>,
    /// How many ranks share each layer.
    pub tp: Option<u64>,
    /// How many stages there are.
    pub pp: Option<u64>,
    /// How many ranks share the experts.
    pub ep: Option<u64>,
    /// How many replicas there are.
    pub dp: Option<u64>,
    /// How requests came: `static_batch`, `max_load`, `max_concurrency` or `request_rate`.
    pub load_kind: String,
    /// The sequences of a static batch, or the requests at once.
    pub batch: Option<u64>,
    /// The tokens of a prompt.
    pub input_len: Option<u64>,
    /// The tokens of an answer.
    pub output_len: Option<u64>,
    /// The precision of weights, as printed.
    pub weight_precision: String,
    /// The precision of the KV cache, as printed.
    pub kv_precision: String,
    /// The time to the first token, in ms.
    pub ttft_ms: Option<f64>,
    /// The time of each further token, in ms.
    pub tpot_ms: Option<f64>,
    /// The time of a whole batch, in ms.
    pub e2e_ms: Option<f64>,
    /// The time of a prefill, in ms.
    pub prefill_ms: Option<f64>,
    /// The tokens made in a second, by all devices.
    pub output_tokens_per_s: Option<f64>,
}

impl Measured for ServingRow {
    #[rustfmt::skip]
    const COLUMNS: &'static [&'static str] = &[
        "row_id", "source_id", "model", "arch", "layers", "hidden", "heads", "kv_heads", "ffn_hidden", "vocab",
        "n_experts", "topk", "gpu", "interconnect", "n_gpus", "tp", "pp", "ep", "dp", "load_kind",
        "batch_or_concurrency", "input_len", "output_len", "weight_precision", "kv_precision", "ttft_ms",
        "tpot_ms", "e2e_latency_ms", "prefill_latency_ms", "output_tokens_per_s",
    ];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        Ok(ServingRow {
            id: cells.needed("row_id")?.to_string(),
            source: cells.string("source_id"),
            group: cells.string("group"),
            framework: cells.string("framework"),
            release: [cells.string("version"), cells.string("date")]
                .into_iter()
                .find(|printed| !printed.is_empty())
                .unwrap_or_default(),
            shape: Shape::read(cells)?,
            placed: Placed::read(cells)?,
            n_gpus: cells.count("n_gpus")?,
            tp: cells.count("tp")?,
            pp: cells.count("pp")?,
            ep: cells.count("ep")?,
            dp: cells.count("dp")?,
            load_kind: cells.string("load_kind"),
            batch: cells.count("batch_or_concurrency")?,
            input_len: cells.count("input_len")?,
            output_len: cells.count("output_len")?,
            weight_precision: cells.string("weight_precision"),
            kv_precision: cells.string("kv_precision"),
            ttft_ms: cells.number("ttft_ms")?,
            tpot_ms: cells.number("tpot_ms")?,
            e2e_ms: cells.number("e2e_latency_ms")?,
            prefill_ms: cells.number("prefill_latency_ms")?,
            output_tokens_per_s: cells.number("output_tokens_per_s")?,
        })
    }

    fn id(&self) -> &str {
        &self.id
    }
}

impl ServingRow {
    /// The layout that the row states.
    ///
    /// # Errors
    ///
    /// The degree of tensor parallelism is not published, or the degrees are not the devices.
    pub fn layout(&self) -> Result<Layout, Reason> {
        let Some(tp) = self.tp.or(if self.n_gpus == Some(1) { Some(1) } else { None }) else {
            return Err("layout not published".to_string());
        };
        let (pp, dp) = (self.pp.unwrap_or(1), self.dp.unwrap_or(1));
        if self.n_gpus.is_some_and(|devices| devices != tp * pp * dp) {
            return Err("tp · pp · dp is not the number of devices".to_string());
        }
        let layout = Layout { tp, pp, dp, ep: self.ep.unwrap_or(1), ..Layout::whole() };
        layout.checked().map_err(|error| error.to_string())
    }

    /// The batch, the prompt and the precision that a step of either kind needs.
    fn batch_and_prompt(&self) -> Result<(u64, u64), Reason> {
        if self.load_kind != "static_batch" {
            return Err(format!("the scheduler chose the batch ({})", self.load_kind));
        }
        match (self.batch, self.input_len) {
            (Some(batch), Some(prompt)) if batch > 0 && prompt > 0 => Ok((batch, prompt)),
            _ => Err("batch or prompt not published".to_string()),
        }
    }

    fn stored(&self, step: Step) -> Result<Step, Reason> {
        let weights = precision::known(&self.weight_precision)?;
        // Where the cache's precision is not printed, the smallest is assumed, so that a bound holds.
        let cache = precision::known(&self.kv_precision).map_or("fp8", |known| known.storage);
        let step = Step { precision: Name::from(weights.storage), kv_precision: Name::from(cache), ..step };
        step.checked().map_err(|error| error.to_string())
    }

    /// The prefill of the static batch.
    ///
    /// # Errors
    ///
    /// The batch was not static, or its size or a precision is not known.
    pub fn prefill(&self) -> Result<Step, Reason> {
        let (batch, prompt) = self.batch_and_prompt()?;
        self.stored(Step::prefill(batch, prompt, 0))
    }

    /// The first decode step of the static batch, the one with the shortest cache.
    ///
    /// # Errors
    ///
    /// The batch was not static, or its size or a precision is not known.
    pub fn decode(&self) -> Result<Step, Reason> {
        let (batch, prompt) = self.batch_and_prompt()?;
        self.stored(Step::decode(batch, prompt))
    }
}
