//! `TrainingRow`: a published step of training, and the layout and the step that it states.

use mlsysim_scenario::{Define, Name};

use super::table::{Cells, Measured, Reason};
use super::{Placed, Shape, precision};
use crate::transformer::{Layout, Recompute, Step};

/// A published step of training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRow {
    /// The name of the row.
    pub id: String,
    /// Where it comes from, as a key.
    pub source: String,
    /// What it belongs with, so that it is left out with it.
    pub group: String,
    /// What it was measured with, as printed.
    pub framework: String,
    /// Whether the number was seen in its source, and not recalled.
    pub was_read: bool,
    /// What is trained: `pretrain`, `SFT` or `LoRA`.
    pub task: String,
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
    /// How many replicas there are.
    pub dp: Option<u64>,
    /// How many ranks share the experts.
    pub ep: Option<u64>,
    /// How many ranks share each sequence.
    pub cp: Option<u64>,
    /// How many chunks of layers a stage has.
    pub vpp: Option<u64>,
    /// What replicas share.
    pub zero_stage: Option<u64>,
    /// The tokens of a sequence.
    pub seq_len: Option<u64>,
    /// The sequences of a micro-batch.
    pub micro_batch: Option<u64>,
    /// The sequences of a step.
    pub global_batch: Option<u64>,
    /// What is computed again: `none`, `selective`, `full` or `unknown`.
    pub recompute: String,
    /// Whether ranks of a layer share the tokens between blocks.
    pub sequence_parallel: bool,
    /// The precision, as printed.
    pub precision: String,
    /// What a step takes, in seconds.
    pub iteration_s: Option<f64>,
    /// The tokens of a second, on all devices.
    pub tokens_per_s: Option<f64>,
    /// The arithmetic of a second on each device, in 10¹² operations.
    pub tflops_per_gpu: Option<f64>,
    /// What each device held, in GiB or GB, as printed.
    pub memory_gib: Option<f64>,
}

impl Measured for TrainingRow {
    #[rustfmt::skip]
    const COLUMNS: &'static [&'static str] = &[
        "row_id", "source_id", "task", "model", "arch", "layers", "hidden", "heads", "kv_heads", "ffn_hidden",
        "vocab", "seq_len", "n_experts", "topk", "gpu", "gpus_per_node", "interconnect", "n_gpus", "tp", "pp",
        "dp", "ep", "cp", "vpp", "zero_stage", "micro_batch", "global_batch", "recompute", "sequence_parallel",
        "precision", "iteration_s", "tflops_per_gpu", "tokens_per_s", "tokens_per_s_per_gpu",
        "mem_gib_per_gpu",
    ];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        let n_gpus = cells.count("n_gpus")?;
        let each = cells.number("tokens_per_s_per_gpu")?;
        let all = each.and_then(|each| Some(each * n_gpus? as f64));
        Ok(TrainingRow {
            id: cells.needed("row_id")?.to_string(),
            source: cells.string("source_id"),
            group: cells.text("group").or(cells.text("source_id")).unwrap_or_default().to_string(),
            framework: cells.string("framework"),
            was_read: cells.text("evidence") != Some("memory"),
            task: cells.string("task"),
            shape: Shape::read(cells)?,
            placed: Placed::read(cells)?,
            n_gpus,
            tp: cells.count("tp")?,
            pp: cells.count("pp")?,
            dp: cells.count("dp")?,
            ep: cells.count("ep")?,
            cp: cells.count("cp")?,
            vpp: cells.count("vpp")?,
            zero_stage: cells.count("zero_stage")?,
            seq_len: cells.count("seq_len")?,
            micro_batch: cells.count("micro_batch")?,
            global_batch: cells.count("global_batch")?,
            recompute: recompute(cells)?,
            sequence_parallel: cells.text("sequence_parallel") == Some("yes"),
            precision: cells.string("precision"),
            iteration_s: cells.number("iteration_s")?,
            tokens_per_s: cells.number("tokens_per_s")?.or(all),
            tflops_per_gpu: cells.number("tflops_per_gpu")?,
            memory_gib: cells.number("mem_gib_per_gpu")?,
        })
    }

    fn id(&self) -> &str {
        &self.id
    }
}

/// What is computed again, by one of the words that there are for it.
fn recompute(cells: &Cells) -> Result<String, Reason> {
    match cells.text("recompute").unwrap_or("unknown") {
        word @ ("none" | "selective" | "full" | "unknown") => Ok(word.to_string()),
        word => {
            Err(format!("recompute: `none`, `selective`, `full` or `unknown` is needed, but it is `{word}`"))
        }
    }
}

impl TrainingRow {
    /// The layout that the row states.
    ///
    /// # Errors
    ///
    /// A degree is not published, or the degrees are not the number of devices.
    pub fn layout(&self) -> Result<Layout, Reason> {
        let (Some(tp), Some(pp)) = (self.tp, self.pp) else {
            return Err("layout not published".to_string());
        };
        let cp = self.cp.unwrap_or(1);
        let dp = match (self.dp, self.n_gpus) {
            (Some(dp), _) => dp,
            (None, Some(devices)) if devices > 0 && devices.is_multiple_of(tp * pp * cp) => {
                devices / (tp * pp * cp)
            }
            _ => return Err("number of replicas not published".to_string()),
        };
        if self.n_gpus.is_some_and(|devices| devices != tp * pp * cp * dp) {
            return Err("tp · pp · dp · cp is not the number of devices".to_string());
        }
        let ep = self.ep.unwrap_or(1);
        let layout = Layout {
            tp,
            pp,
            dp,
            cp,
            ep,
            sp: self.sequence_parallel && tp > 1,
            vpp: self.vpp.unwrap_or(1).max(1),
            zero: self.zero_stage.unwrap_or(0),
            // Megatron's experts are whole on each rank unless told otherwise.
            etp: (ep > 1).then_some(1),
            ..Layout::whole()
        };
        layout.checked().map_err(|error| error.to_string())
    }

    /// The step that the row states, in the precision of storage that it prints; its gradients in 16
    /// bits, the smallest in which they are exchanged, so that a bound holds.
    ///
    /// # Errors
    ///
    /// The batch or the sequence is not published, or the precision is not known.
    pub fn step(&self) -> Result<Step, Reason> {
        let (Some(sequence), Some(batch)) = (self.seq_len, self.global_batch) else {
            return Err("sequence or global batch not published".to_string());
        };
        let Some(micro_batch) = self.micro_batch else { return Err("micro-batch not published".to_string()) };
        let known = precision::known(&self.precision)?;
        let step = Step {
            micro_batch,
            recompute: self.recomputed(),
            precision: Name::from(known.storage),
            gradients: Name::from("bf16"),
            ..Step::training(batch, sequence)
        };
        step.checked().map_err(|error| error.to_string())
    }

    /// What the row says is computed again; nothing where it does not say.
    pub fn recomputed(&self) -> Recompute {
        match self.recompute.as_str() {
            "full" => Recompute::Full,
            "selective" => Recompute::Selective,
            _ => Recompute::Nothing,
        }
    }

    /// What a step took, in seconds, as printed or from the tokens of a second.
    pub fn step_seconds(&self) -> Option<f64> {
        let tokens = || Some(self.global_batch? as f64 * self.seq_len? as f64);
        self.iteration_s.or_else(|| Some(tokens()? / self.tokens_per_s?)).filter(|time| *time > 0.0)
    }
}
