//! `ActivationMemoryScenario`: the activations that training keeps, with and without recomputation.

use std::sync::Arc;

use mlsysim_quantity::Bytes;
use mlsysim_quantity::units::BYTE;
use mlsysim_registry::Workload;
use mlsysim_scenario::{Counting, Error, OptionExt, Result, Scenario, equations};

use crate::notes::layers_keep;
use crate::physics::activations::{KEPT_PER_SCORE, KEPT_PER_WIDTH, checkpointed_layers};
use crate::physics::compute::{BYTES_16_BIT, FORWARD_FLOPS_PER_PARAM, TRAINING_FLOPS_PER_PARAM};
use crate::transformer::MemoryPolicy;

/// The activations of a microbatch that training keeps for the backward pass, under each strategy
/// of recomputation.
///
/// # Assumptions
/// A Transformer whose layers are all alike, with multi-head attention, dropout, and a feed-forward
/// block of two matrices that is four times as wide as the model. The whole model is on one device.
/// Whatever takes 2 bytes in 16-bit storage takes `precision_bytes`.
///
/// # Excludes
/// The embedding, the last layer norm and the logits; what grouped-query attention and gated
/// feed-forward blocks keep in place of the assumed ones; a framework's buffers; parallelism.
///
/// # Derivation
/// In 16-bit storage a layer keeps 34 bytes for each token and unit of width, and 5 for each
/// attention score: `s·b·h·(34 + 5·a·s/h)` for sequences of `s` tokens, `b` of them, the width `h`
/// and `a` heads. Selective recomputation rebuilds the scores and keeps the first term, as fused
/// attention does; full recomputation keeps the input of each layer alone. Source: Korthikanti et
/// al. (2022), sections 4.1 and 5, arXiv:2205.05198. The line items are a coarser count of the same
/// memory by the tensors that a reader can name. Checkpoints of segments follow Chen et al. (2016),
/// arXiv:1604.06174.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct ActivationMemoryScenario {
    /// The model that is trained.
    pub workload: Arc<Workload>,
    /// How many sequences pass the model at once.
    #[range(>= 1)]
    pub micro_batch: u64,
    /// How many tokens a sequence has; as many as the model's context holds where none are given.
    #[range(>= 1)]
    pub seq_len: Option<u64>,
    /// The size of one stored element in bytes.
    #[range(> 0)]
    #[default(2)]
    pub precision_bytes: f64,
    /// What normalisation keeps in one layer, as a line item of its own.
    #[range(>= 0)]
    #[unit(MB)]
    pub normalization_per_layer: Option<Bytes>,
    /// The width of the feed-forward block's line item over that of the model.
    #[range(>= 0)]
    #[default(4)]
    pub ffn_multiple: u64,
    /// Into how many equal segments of layers checkpointing divides the model.
    #[range(>= 1)]
    pub checkpoint_segments: Option<u64>,
}

#[equations]
impl ActivationMemoryScenario {
    /// How many tokens a sequence has: as given, or as the model's context holds.
    pub fn sequence(&self) -> Result<u64> {
        self.seq_len.or(self.workload.context_length).needed("seq_len")
    }

    /// What a layer keeps of one token for each unit of width, the attention scores aside.
    #[unit(B)]
    #[source("Korthikanti et al. (2022), section 4.1, arXiv:2205.05198")]
    pub fn per_token_bytes_coefficient(&self) -> Bytes {
        KEPT_PER_WIDTH * (self.element() / BYTES_16_BIT)
    }

    /// What a layer keeps of the attention scores, for one token and unit of width.
    #[unit(B)]
    #[source("Korthikanti et al. (2022), section 4.1, arXiv:2205.05198")]
    pub fn score_bytes_coefficient(&self) -> Result<Bytes> {
        Ok(KEPT_PER_SCORE * (self.element() / BYTES_16_BIT) * self.scores_per_width()?)
    }

    /// The attention scores' share of what a layer keeps without recomputation.
    pub fn score_share(&self) -> Result<f64> {
        Ok(self.score_bytes_coefficient()?
            / (self.per_token_bytes_coefficient() + self.score_bytes_coefficient()?))
    }

    /// What all layers keep under a strategy of recomputation: `none`, `selective` or `full`.
    ///
    /// # Errors
    ///
    /// There is no such strategy, or the model lacks a figure that it needs.
    #[unit(B)]
    #[source("Korthikanti et al. (2022), sections 4.1 and 5, arXiv:2205.05198")]
    pub fn activations(&self, strategy: &str) -> Result<Bytes> {
        if strategy == "none" {
            Ok(self.per_token_activations()? + self.score_activations()?)
        } else if strategy == "selective" {
            self.per_token_activations()
        } else if strategy == "full" {
            Ok(self.layers()? * self.segment_input()?)
        } else {
            Err(unknown_strategy("strategy", strategy))
        }
    }

    /// What all layers keep that grows in proportion to the length of a sequence: everything but
    /// the attention scores.
    #[unit(GB)]
    pub fn per_token_activations(&self) -> Result<Bytes> {
        Ok(self.layers()? as f64 * self.elements()? * self.per_token_bytes_coefficient())
    }

    /// The attention scores that all layers keep, which grow with the square of a sequence's
    /// length.
    #[unit(GB)]
    pub fn score_activations(&self) -> Result<Bytes> {
        Ok(self.layers()? as f64 * self.elements()? * self.score_bytes_coefficient()?)
    }

    /// What one more sequence in the microbatch adds, without attention scores.
    #[unit(GB)]
    pub fn per_sequence_activations(&self) -> Result<Bytes> {
        Ok(self.per_token_activations()? / self.micro_batch)
    }

    /// How many layers a segment has.
    pub fn segment_layers(&self) -> Result<u64> {
        (self.layers()? as f64 / self.segments()? as f64).rounded_down()
    }

    /// The input of one layer or segment.
    #[unit(MB)]
    pub fn segment_input(&self) -> Result<Bytes> {
        Ok(self.elements()? * self.element())
    }

    /// The inputs of all segments, which are kept for the backward pass.
    #[unit(GB)]
    pub fn segment_inputs(&self) -> Result<Bytes> {
        Ok(self.segments()? * self.segment_input()?)
    }

    /// What one segment keeps while the backward pass rebuilds it, without attention scores.
    #[unit(GB)]
    pub fn live_segment(&self) -> Result<Bytes> {
        Ok(self.per_token_activations()? / self.layers()? * self.segment_layers()?)
    }

    /// What checkpointing keeps at its peak: the inputs of all segments, and one segment that is
    /// rebuilt. Its input counts twice, on the safe side.
    #[unit(GB)]
    pub fn checkpointed_activations(&self) -> Result<Bytes> {
        Ok(self.segment_inputs()? + self.live_segment()?)
    }

    /// What evenly spaced checkpoints keep, in units of what one layer keeps.
    ///
    /// # Errors
    ///
    /// The model states no layers.
    pub fn checkpoint_memory_units(&self, #[range(>= 1)] checkpoints: u64) -> Result<f64> {
        Ok(checkpointed_layers(self.layers()?, checkpoints))
    }

    /// Line item: queries, keys, values and the projection's output, each as wide as the model.
    #[unit(MB)]
    pub fn projection_activations_per_layer(&self) -> Result<Bytes> {
        Ok(4.0 * self.elements()? * self.element())
    }

    /// Line item: the hidden activation of the feed-forward block.
    #[unit(MB)]
    pub fn ffn_activations_per_layer(&self) -> Result<Bytes> {
        Ok(self.ffn_multiple as f64 * self.elements()? * self.element())
    }

    /// Line item: the attention scores of one layer.
    #[unit(MB)]
    pub fn score_activations_per_layer(&self) -> Result<Bytes> {
        Ok(self.score_activations()? / self.layers()?)
    }

    /// The line items of one layer, added up.
    #[unit(MB)]
    pub fn line_items_per_layer(&self) -> Result<Bytes> {
        Ok(self.projection_activations_per_layer()?
            + self.ffn_activations_per_layer()?
            + self.score_activations_per_layer()?
            + self.normalization_per_layer.unwrap_or(Bytes::ZERO))
    }

    /// The line items of all layers, added up.
    #[unit(GB)]
    pub fn line_items_total(&self) -> Result<Bytes> {
        Ok(self.line_items_per_layer()? * self.layers()?)
    }

    /// The arithmetic of a training step in units of a forward pass.
    #[source("Kaplan et al. (2020), section 2.1, arXiv:2001.08361")]
    pub fn forward_equivalents(&self) -> f64 {
        TRAINING_FLOPS_PER_PARAM / FORWARD_FLOPS_PER_PARAM
    }

    /// The arithmetic of a training step with full recomputation, which adds a forward pass, in the
    /// same units.
    pub fn recompute_forward_equivalents(&self) -> f64 {
        self.forward_equivalents() * (1.0 + self.recompute_overhead())
    }

    /// What full recomputation adds to the arithmetic of a training step, as a share of it.
    pub fn recompute_overhead(&self) -> f64 {
        FORWARD_FLOPS_PER_PARAM / TRAINING_FLOPS_PER_PARAM
    }

    /// The size of one stored element.
    #[unit(B)]
    fn element(&self) -> Bytes {
        self.precision_bytes * BYTE
    }

    /// How many elements an activation has that is as wide as the model.
    fn elements(&self) -> Result<f64> {
        Ok(self.micro_batch as f64 * self.sequence()? as f64 * self.width()? as f64)
    }

    /// How many attention scores a layer has for each token and unit of width.
    fn scores_per_width(&self) -> Result<f64> {
        Ok(self.workload.heads.needed("workload.heads")? as f64 * self.sequence()? as f64
            / self.width()? as f64)
    }

    /// How many layers the model has.
    fn layers(&self) -> Result<u64> {
        self.workload.layers.needed("workload.layers")
    }

    /// How wide the model is.
    fn width(&self) -> Result<u64> {
        self.workload.hidden_dim.needed("workload.hidden_dim")
    }

    /// Into how many segments the layers are divided.
    fn segments(&self) -> Result<u64> {
        self.checkpoint_segments.needed("checkpoint_segments")
    }

    /// Segments are equal only where they divide the layers.
    #[note(segment_layers, live_segment, checkpointed_activations)]
    fn uneven(&self) -> Option<String> {
        let (layers, segments) = (self.workload.layers?, self.checkpoint_segments?);
        (!layers.is_multiple_of(segments)).then(|| {
            format!(
                "{layers} layers do not divide into {segments} equal segments: the longest has {}, but the layers of a segment are counted as {}",
                layers.div_ceil(segments),
                layers / segments
            )
        })
    }

    /// The count is that of another architecture.
    #[note(
        activations,
        per_token_activations,
        per_sequence_activations,
        score_activations,
        live_segment,
        checkpointed_activations
    )]
    fn other_architecture(&self) -> Option<String> {
        let model = &self.workload;
        let (heads, width) = (model.heads?, model.hidden_dim?);
        let grouped =
            model.kv_heads.filter(|kv| *kv != heads).map(|kv| format!("{kv} KV heads for {heads} heads"));
        let other = model.ffn_dim.filter(|ffn| Some(*ffn) != width.checked_mul(4));
        let other = other.map(|ffn| format!("a feed-forward width of {ffn} for {width}"));
        let latent = model.kv_lora_rank.map(|rank| format!("a latent of {rank} in place of keys and values"));
        let found: Vec<String> = [grouped, latent, other].into_iter().flatten().collect();
        (!found.is_empty()).then(|| {
            format!(
                "{} has {}; counted are multi-head attention, two feed-forward matrices of four times the width, and dropout{}",
                model.name,
                found.join(" and "),
                self.by_its_configuration().unwrap_or_default()
            )
        })
    }

    /// A dropout mask takes one byte whatever the precision.
    #[note(
        per_token_bytes_coefficient,
        score_bytes_coefficient,
        activations,
        per_token_activations,
        score_activations
    )]
    fn masks(&self) -> Option<String> {
        (self.precision_bytes != 2.0).then(|| {
            format!(
                "dropout masks count as if they grew with the element, though they take 1 B: with them as they are, a layer keeps {} B for each token and unit of width, and {} B for each score",
                16.0 * self.precision_bytes + 2.0,
                2.0 * self.precision_bytes + 1.0
            )
        })
    }
}

impl ActivationMemoryScenario {
    /// What the layers of the model keep by its own configuration, as the end of a remark; nothing where
    /// none is published, or where elements are not of 16 bits.
    fn by_its_configuration(&self) -> Option<String> {
        let policy = MemoryPolicy::default();
        let kept = layers_keep(&self.workload, self.micro_batch, self.sequence().ok()?, &policy)
            .filter(|_| self.element() == BYTES_16_BIT)?;
        Some(format!(
            ". By its configuration, with fused attention and without dropout, its layers keep {:.4} GB",
            kept.base() / 1e9
        ))
    }
}

/// The refusal of a strategy of recomputation that does not exist.
pub(super) fn unknown_strategy(field: &str, given: &str) -> Error {
    Error::input(field, format!("\"none\", \"selective\" or \"full\" is needed, but \"{given}\" was given"))
}
