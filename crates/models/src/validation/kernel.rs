//! `KernelRow`: a published time of one kernel, and the kernel that it states.

use super::table::{Cells, Measured, Reason};
use super::{Placed, Provenance, precision};
use crate::transformer::{AttentionShape, Kernel, Mask};

/// A published time of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelRow {
    /// The name of the row.
    pub id: String,
    /// What it is: `gemm` or `attention`, or the name of a pass over activations.
    pub class: &'static str,
    /// The devices.
    pub placed: Placed,
    /// What it computes and moves, or why that is not known.
    pub kernel: Result<Kernel, Reason>,
    /// The key of the peak at which it computes.
    pub peak: Result<&'static str, Reason>,
    /// The time, in seconds.
    pub seconds: Option<f64>,
    /// Its shape, where all of it is published.
    pub shape: Option<KernelShape>,
    /// The precision, as printed.
    pub printed: String,
    /// Where it comes from.
    pub from: Provenance,
}

/// The shape of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KernelShape {
    /// Products of `[rows, columns, inner]`, so many in one kernel.
    Product([u64; 3], f64),
    /// Attention, forward.
    Attention(AttentionShape),
}

/// The result of a product is written in 16 bits, whatever goes in.
const PRODUCT_BYTES: f64 = 2.0;

/// A row of `gemm.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedKernel(pub KernelRow);

impl Measured for PublishedKernel {
    #[rustfmt::skip]
    const COLUMNS: &'static [&'static str] = &[
        "row_id", "op", "gpu", "precision", "m", "n", "k", "groups", "batch", "heads", "head_dim", "seq_len",
        "causal", "direction", "time_us", "tflops",
    ];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        let (class, kernel) = match cells.needed("op")? {
            "attention" => ("attention", attention(cells)?),
            "gemm" | "grouped_gemm" | "bmm" => ("gemm", product(cells)?),
            other => return Err(format!("op: `{other}` is not modelled")),
        };
        let tflops = cells.number("tflops")?.filter(|rate| *rate > 0.0);
        let printed = cells.number("time_us")?.map(|time| time / 1e6);
        let from_rate = match (&kernel, tflops) {
            (Ok(kernel), Some(rate)) => Some(kernel.flops.base() / (rate * 1e12)),
            _ => None,
        };
        Ok(PublishedKernel(KernelRow {
            id: cells.needed("row_id")?.to_string(),
            class,
            placed: Placed::of(cells)?,
            kernel,
            peak: precision::known(cells.text("precision").unwrap_or_default()).map(|known| known.peak),
            seconds: printed.or(from_rate),
            shape: if class == "gemm" { product_shape(cells)? } else { None },
            printed: cells.string("precision"),
            from: Provenance::published(cells),
        }))
    }

    fn id(&self) -> &str {
        &self.0.id
    }
}

fn product_shape(cells: &Cells) -> Result<Option<KernelShape>, Reason> {
    let sizes = [cells.count("m")?, cells.count("n")?, cells.count("k")?];
    let [Some(m), Some(n), Some(k)] = sizes else { return Ok(None) };
    let times = cells.count("groups")?.or(cells.count("batch")?).unwrap_or(1);
    Ok(Some(KernelShape::Product([m, n, k], times as f64)))
}

fn product(cells: &Cells) -> Result<Result<Kernel, Reason>, Reason> {
    let Some(KernelShape::Product(sizes, times)) = product_shape(cells)? else {
        return Ok(Err("shape not published".to_string()));
    };
    let bytes = precision::known(cells.text("precision").unwrap_or_default()).map(|known| known.bytes);
    Ok(bytes.map(|bytes| Kernel::product(sizes, bytes, PRODUCT_BYTES).repeated(times)))
}

fn attention(cells: &Cells) -> Result<Result<Kernel, Reason>, Reason> {
    let (heads, width, sequence) = (cells.count("heads")?, cells.count("head_dim")?, cells.count("seq_len")?);
    let (Some(width), Some(sequence)) = (width, sequence) else {
        return Ok(Err("shape not published".to_string()));
    };
    let causal = matches!(cells.text("causal"), Some("yes" | "true" | "True" | "1"));
    // A rate does not depend on how many heads and sequences there are.
    let shape = AttentionShape {
        sequences: cells.count("batch")?.unwrap_or(1),
        heads: heads.unwrap_or(1),
        kv_heads: heads.unwrap_or(1),
        head_width: width,
        new: sequence,
        cached: 0,
        mask: if causal { Mask::Causal } else { Mask::Full },
    };
    let forward = precision::known(cells.text("precision").unwrap_or_default())
        .map(|known| Kernel::attention(&shape, known.bytes));
    Ok(match cells.text("direction") {
        // Five products in place of two, as the published rates count them.
        Some("bwd" | "backward") => {
            forward.map(|kernel| Kernel { flops: 2.5 * kernel.flops, moved: 2.0 * kernel.moved })
        }
        Some("fwd" | "forward") | None => forward,
        Some("fwd+bwd" | "fwd_bwd") => {
            forward.map(|kernel| Kernel { flops: 3.5 * kernel.flops, moved: 3.0 * kernel.moved })
        }
        Some(other) => Err(format!("direction `{other}` not modelled")),
    })
}

/// A row of `kernels/gemm.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductKernel(pub KernelRow);

impl Measured for ProductKernel {
    const COLUMNS: &'static [&'static str] = &["gpu", "gemm_dtype", "m", "n", "k", "latency_us"];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        let sizes = [cells.needed_count("m")?, cells.needed_count("n")?, cells.needed_count("k")?];
        let known = precision::known(cells.needed("gemm_dtype")?);
        Ok(ProductKernel(KernelRow {
            id: format!("k-gemm-{}", cells.line()),
            class: "gemm",
            placed: Placed::of(cells)?,
            kernel: known.clone().map(|known| Kernel::product(sizes, known.bytes, PRODUCT_BYTES)),
            peak: known.map(|known| known.peak),
            seconds: cells.number("latency_us")?.map(|time| time / 1e6),
            shape: Some(KernelShape::Product(sizes, 1.0)),
            printed: cells.string("gemm_dtype"),
            from: Provenance::tabled(cells, &["gpu", "gemm_dtype"]),
        }))
    }

    fn id(&self) -> &str {
        &self.0.id
    }
}

/// A row of `kernels/attention.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionKernel(pub KernelRow);

impl Measured for AttentionKernel {
    const COLUMNS: &'static [&'static str] = &[
        "gpu",
        "backend",
        "version",
        "phase",
        "kv_cache_dtype",
        "batch_size",
        "seq",
        "num_heads",
        "num_kv_heads",
        "head_dim",
        "latency_us",
    ];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        let known = precision::known(cells.needed("kv_cache_dtype")?);
        let sequence = cells.needed_count("seq")?;
        let phase = cells.needed("phase")?;
        let (class, new) = match phase {
            "context" => ("attention, prefill", sequence),
            "generation" => ("attention, decode", 1),
            other => return Err(format!("phase: `{other}` is not modelled")),
        };
        let shape = AttentionShape {
            sequences: cells.needed_count("batch_size")?,
            heads: cells.needed_count("num_heads")?,
            kv_heads: cells.needed_count("num_kv_heads")?,
            head_width: cells.needed_count("head_dim")?,
            new,
            cached: sequence.saturating_sub(new),
            mask: Mask::Causal,
        };
        let values_are_keys =
            new == 1 && caches_keys_only(cells.needed("backend")?, cells.needed("version")?);
        let kernel = |element| {
            let kernel = Kernel::attention(&shape, element);
            if values_are_keys { kernel.without_cached_values(&shape, element) } else { kernel }
        };
        Ok(AttentionKernel(KernelRow {
            id: format!("k-attention-{}", cells.line()),
            class,
            placed: Placed::of(cells)?,
            kernel: known.clone().map(|known| kernel(known.bytes)),
            peak: known.map(|known| known.peak),
            seconds: cells.number("latency_us")?.map(|time| time / 1e6),
            shape: Some(KernelShape::Attention(shape)),
            printed: cells.string("kv_cache_dtype"),
            from: Provenance::tabled(cells, &["gpu", "phase", "kv_cache_dtype"]),
        }))
    }

    fn id(&self) -> &str {
        &self.0.id
    }
}

/// Whether the benchmark of an engine had a cache of keys only, and read them for values again.
///
/// That of TensorRT-LLM asked for a cache of the type `SELFKONLY` until it was moved to 1.3.0rc20; for
/// this type TensorRT-LLM gives the blocks of keys to values too (`WindowBlockManager::setOffsets`), so
/// that half of the bytes cross the memory and the level-2 cache has the rest. What is measured agrees:
/// `k-attention-120` has 128 · 8,192 tokens of 2 heads of 128 numbers, which are 537 MB of keys and as
/// many of values. In 365 µs, both would cross an A100's memory of 2.04 TB/s at 2.94 TB/s, and keys
/// alone at 1.47 TB/s; vLLM, with values of their own, reaches 1.49 TB/s there (`k-attention-188`).
///
/// Source: github.com/ai-dynamo/aiconfigurator, issue 1379 and pull request 1356.
fn caches_keys_only(backend: &str, version: &str) -> bool {
    let mut numbers = version.split('.').map(str::parse::<u64>);
    let release = (numbers.next(), numbers.next());
    backend == "trtllm" && matches!(release, (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < (1, 3))
}

/// A row of `layer_ops.csv`: of its passes only norms say all that they move.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerKernel(pub KernelRow);

impl Measured for LayerKernel {
    const COLUMNS: &'static [&'static str] =
        &["row_id", "gpu", "op", "precision", "hidden", "num_tokens", "direction", "time_us"];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        let known = precision::known(cells.text("precision").unwrap_or_default());
        let operation = cells.needed("op")?;
        let numbers = match operation {
            "input_layernorm" | "post_attention_layernorm" => {
                cells.count("num_tokens")?.zip(cells.count("hidden")?).map(|(tokens, hidden)| tokens * hidden)
            }
            _ => rows_and_columns(operation),
        };
        let kernel = match numbers {
            Some(numbers) => known.clone().map(|known| Kernel::elementwise(numbers as f64, known.bytes)),
            None => Err("operation without a shape of its own".to_string()),
        };
        Ok(LayerKernel(KernelRow {
            id: cells.needed("row_id")?.to_string(),
            class: "norm or softmax",
            placed: Placed::of(cells)?,
            kernel,
            peak: known.map(|known| known.peak),
            seconds: cells.number("time_us")?.map(|time| time / 1e6),
            shape: None,
            printed: cells.string("precision"),
            from: Provenance::published(cells),
        }))
    }

    fn id(&self) -> &str {
        &self.0.id
    }
}

/// The numbers of `layernorm M=128 N=4096`.
fn rows_and_columns(operation: &str) -> Option<u64> {
    let mut words = operation.split(' ');
    words.next().filter(|name| matches!(*name, "layernorm" | "softmax"))?;
    let rows: u64 = words.next()?.strip_prefix("M=")?.parse().ok()?;
    let columns: u64 = words.next()?.strip_prefix("N=")?.parse().ok()?;
    rows.checked_mul(columns)
}
