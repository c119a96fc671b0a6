//! `Shape`: the sizes that almost every decoder states, and the model made from its layers.

use mlsysim_scenario::Result;

use super::keys::Keys;
use crate::transformer::blocks::{Grouped, NormWeights, block_norm, head, hidden, token_table};
use crate::transformer::{Dimension, Layer, Mask, Operation, Transformer};

/// The most layers that are believed.
pub const MOST_LAYERS: u64 = 10_000;

/// The sizes that almost every decoder states.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub hidden: u32,
    pub layers: u32,
    pub heads: u32,
    pub kv_heads: u32,
    pub head_width: u32,
    pub vocabulary: u32,
}

/// What a family calls its sizes, its own name first.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    hidden: &'static [&'static str],
    layers: &'static [&'static str],
    heads: &'static [&'static str],
}

impl Names {
    /// As most families do.
    pub const USUAL: Names = Names {
        hidden: &["hidden_size", "n_embd", "d_model", "n_embed"],
        layers: &["num_hidden_layers", "n_layer", "n_layers", "num_layers"],
        heads: &["num_attention_heads", "n_head", "n_heads", "num_heads"],
    };

    /// As GPT-2 and its heirs do.
    pub const GPT: Names = Names {
        hidden: &["n_embd", "hidden_size", "n_embed"],
        layers: &["n_layer", "num_hidden_layers", "num_layers"],
        heads: &["n_head", "num_attention_heads", "num_heads"],
    };

    /// As MPT does.
    pub const MPT: Names = Names {
        hidden: &["d_model", "hidden_size"],
        layers: &["n_layers", "num_hidden_layers"],
        heads: &["n_heads", "num_attention_heads"],
    };

    /// As XGLM does.
    pub const XGLM: Names = Names {
        hidden: &["d_model", "hidden_size"],
        layers: &["num_layers", "num_hidden_layers"],
        heads: &["attention_heads", "num_attention_heads"],
    };

    /// As T5 does.
    pub const T5: Names = Names {
        hidden: &["d_model", "hidden_size"],
        layers: &["num_layers", "num_hidden_layers"],
        heads: &["num_heads", "num_attention_heads"],
    };
}

impl Shape {
    /// Reads the sizes by their usual names.
    ///
    /// Without `num_key_value_heads` there are as many as heads; without `head_dim` a head is as
    /// wide as the hidden width over the heads.
    pub fn read(keys: &Keys) -> Self {
        Self::assuming(keys, None, None)
    }

    /// The same for a family whose class assumes a number of KV heads or a width of heads where the
    /// configuration does not mention them; null means as many as heads and hidden over heads.
    pub fn assuming(keys: &Keys, kv_heads: Option<u32>, head_width: Option<u32>) -> Self {
        Shape::sizes(keys, &Names::USUAL).with_heads(keys, kv_heads, head_width)
    }

    /// The same for a family whose number of layers is known otherwise.
    pub fn of_layers(keys: &Keys, layers: u32, kv_heads: Option<u32>, head_width: Option<u32>) -> Self {
        Shape::without_heads(keys, layers).with_heads(keys, kv_heads, head_width)
    }

    /// The same with the number of KV heads and the width of a head.
    fn with_heads(self, keys: &Keys, kv_heads: Option<u32>, head_width: Option<u32>) -> Self {
        let assumed = |name, value: Option<u32>| value.filter(|_| !keys.says(name));
        let kv_names = ["num_key_value_heads", "num_kv_heads"];
        let shape = self.with_kv_heads(keys, &kv_names, assumed("num_key_value_heads", kv_heads));
        let stated = keys.optional_size(Dimension::HeadWidth, &["head_dim"]);
        let head_width = match (stated, assumed("head_dim", head_width)) {
            (Some(stated), _) => stated,
            (None, Some(assumed)) => keys.size_or(Dimension::HeadWidth, &[], assumed),
            (None, None) => shape.split_width(keys, "head_dim"),
        };
        Shape { head_width, ..shape }
    }

    /// The same for attention that has no KV heads and no one width of its heads: the one number is
    /// that of the heads, the other 1, and neither is used.
    pub fn without_heads(keys: &Keys, layers: u32) -> Self {
        let hidden = keys.size(Dimension::Hidden, &["hidden_size", "n_embd", "d_model"]);
        let heads = keys.size(Dimension::Heads, &["num_attention_heads", "n_head", "n_heads"]);
        let vocabulary = keys.size(Dimension::Vocabulary, &["vocab_size"]);
        Shape { hidden, layers, heads, kv_heads: heads, head_width: 1, vocabulary }
    }

    /// Reads the sizes of a family that knows neither groups of heads nor a width of heads of its
    /// own: each head has a key and a value, and together they are as wide as the activations.
    pub fn multi_head(keys: &Keys, names: &Names) -> Self {
        let shape = Shape::sizes(keys, names);
        let head_width = shape.split_width(keys, names.heads[0]);
        Shape { head_width, ..shape.with_kv_heads_of(keys, shape.heads, "as many as heads") }
    }

    /// The same for heads of any width, which is not yet right.
    pub fn multi_head_of_any_width(keys: &Keys, names: &Names) -> Self {
        let shape = Shape::sizes(keys, names);
        shape.with_kv_heads_of(keys, shape.heads, "as many as heads")
    }

    /// What every family states; the rest is not yet right.
    fn sizes(keys: &Keys, names: &Names) -> Self {
        let hidden = keys.size(Dimension::Hidden, names.hidden);
        let heads = keys.size(Dimension::Heads, names.heads);
        let layers = keys.count_in(names.layers, 1, MOST_LAYERS);
        let vocabulary = keys.size(Dimension::Vocabulary, &["vocab_size"]);
        Shape { hidden, layers, heads, kv_heads: heads, head_width: 1, vocabulary }
    }

    /// The hidden width over the heads.
    fn split_width(&self, keys: &Keys, name: &str) -> u32 {
        let Shape { hidden, heads, .. } = *self;
        if !hidden.is_multiple_of(heads) {
            let message = match name {
                "head_dim" => format!(
                    "it is needed where the `{hidden}` of the hidden width do not divide by the `{heads}` heads"
                ),
                _ => format!("the `{hidden}` of the hidden width do not divide by the `{heads}` heads"),
            };
            keys.refuse(name, message);
        }
        keys.derived(Dimension::HeadWidth, (hidden / heads).max(1), "hidden / heads")
    }

    /// The same with the number of heads of keys and values that one of `names` gives, else that the
    /// class assumes, else as many as heads.
    pub fn with_kv_heads(self, keys: &Keys, names: &[&'static str], assumed: Option<u32>) -> Self {
        let heads = self.heads;
        let given = keys.optional_size(Dimension::KvHeads, names);
        let Some(kv_heads) = given.or(assumed) else {
            return self.with_kv_heads_of(keys, heads, "as many as heads");
        };
        if !heads.is_multiple_of(kv_heads) {
            let message = match given {
                Some(_) => format!("the `{heads}` heads do not divide by `{kv_heads}`"),
                None => format!(
                    "it is needed where the `{heads}` heads do not divide by the `{kv_heads}` that the family assumes"
                ),
            };
            keys.refuse(keys.given(names), message);
        }
        match given {
            Some(kv_heads) => Shape { kv_heads, ..self },
            None => self.with_kv_heads_of(
                keys,
                kv_heads,
                "assumed by its family where the configuration says nothing",
            ),
        }
    }

    /// The same, where the number follows from something else.
    pub fn with_kv_heads_of(self, keys: &Keys, kv_heads: u32, how: &str) -> Self {
        Shape { kv_heads: keys.derived(Dimension::KvHeads, kv_heads, how), ..self }
    }

    /// Causal attention of these sizes, without biases or norms.
    pub fn attention(&self) -> Grouped {
        Grouped { kv_heads: self.kv_heads, ..Grouped::new(self.hidden, self.heads, self.head_width) }
    }

    /// A decoder: the table of tokens, `layer` of each number, a last norm and a head.
    pub fn decoder(
        &self,
        keys: &Keys,
        norm: NormWeights,
        tied: bool,
        layer: impl FnMut(u32) -> Layer,
    ) -> Result<Transformer> {
        let mut model = self.stack(keys, layer);
        model.head.push(block_norm("last_norm", self.hidden, norm));
        model.head.push(head(self.vocabulary, hidden(self.hidden), false, tied));
        model.tied = tied;
        Ok(model)
    }

    /// The table of tokens and `layer` of each number, without anything behind them.
    pub fn stack(&self, keys: &Keys, layer: impl FnMut(u32) -> Layer) -> Transformer {
        let mut model = Transformer::new(keys.model_type(), self.hidden, self.vocabulary);
        model.embedding.push(token_table(self.vocabulary, hidden(self.hidden)));
        for layer in (0..self.layers).map(layer) {
            model.push(layer);
        }
        model.context = keys
            .optional_count(&["max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length"])
            .map(u64::from);
        note_what_is_left_out(keys);
        let differs = keys.within("per_layer_config").is_some_and(|layers| !layers.is_empty());
        if differs && !keys.model_type().starts_with("gemma4") {
            keys.refuse(
                "per_layer_config",
                "sizes that differ from layer to layer are not read for this family",
            );
        }
        model
    }

    /// The same, with a bias of the head where `bias` is set.
    pub fn decoder_with_head_bias(
        &self,
        keys: &Keys,
        norm: NormWeights,
        (tied, bias): (bool, bool),
        layer: impl FnMut(u32) -> Layer,
    ) -> Result<Transformer> {
        let mut model = self.decoder(keys, norm, tied, layer)?;
        model.head.pop();
        model.head.push(head(self.vocabulary, hidden(self.hidden), bias, tied));
        Ok(model)
    }
}

/// The number of layers, if it can be.
pub fn layers(keys: &Keys) -> u32 {
    keys.count_in(Names::USUAL.layers, 1, MOST_LAYERS)
}

/// `layers`, which follow from something else, if a model can have as many.
pub fn possible_layers(keys: &Keys, layers: u32) -> u32 {
    if layers == 0 || u64::from(layers) > MOST_LAYERS {
        keys.refuse(
            "num_hidden_layers",
            format!("1 to {MOST_LAYERS} layers are possible, but `{layers}` was given"),
        );
    }
    u64::from(layers).min(MOST_LAYERS) as u32
}

/// Says what a configuration has and the counts have not.
fn note_what_is_left_out(keys: &Keys) {
    let names = ["num_nextn_predict_layers", "num_mtp_layers", "num_mtp_modules", "mtp_num_hidden_layers"];
    match keys.optional_count(&names) {
        None | Some(0) => {}
        Some(1) => {
            keys.note("the layer that predicts a further token (multi-token prediction) is not counted")
        }
        Some(count) => {
            keys.note(format!(
                "the {count} layers that predict further tokens (multi-token prediction) are not counted"
            ));
        }
    }
    if keys.is_nested() || keys.has_around("vision_config") || keys.has_around("audio_config") {
        keys.note("only the text model is counted, without what reads images or sound");
    }
    if keys.has("quantization_config") || keys.has_around("quantization_config") {
        keys.note("the checkpoint is quantised; parameters are those of the model before that");
    }
}

/// A block with a norm before it.
pub fn normed(
    name: &'static str,
    hidden: u32,
    norm: NormWeights,
    operations: Vec<Operation>,
) -> Vec<Operation> {
    std::iter::once(block_norm(name, hidden, norm)).chain(operations).collect()
}

/// The layer of most decoders: attention and a network, each with a scaling norm before it.
pub fn pre_normed(hidden: u32, attention: Vec<Operation>, network: Vec<Operation>) -> Layer {
    normed_layer(hidden, NormWeights::Scale, attention, network)
}

/// The same with `norm` before each.
pub fn normed_layer(
    hidden: u32,
    norm: NormWeights,
    attention: Vec<Operation>,
    network: Vec<Operation>,
) -> Layer {
    Layer::of([normed("attention_norm", hidden, norm, attention), normed("mlp_norm", hidden, norm, network)])
}

/// The same with a norm behind each of the two as well (Gemma 2, GLM-4).
pub fn sandwiched(hidden: u32, attention: Vec<Operation>, network: Vec<Operation>) -> Layer {
    let norm = NormWeights::Scale;
    let block = |before, after, operations| {
        let mut block = normed(before, hidden, norm, operations);
        block.push(block_norm(after, hidden, norm));
        block
    };
    Layer::of([
        block("attention_norm", "attention_output_norm", attention),
        block("mlp_norm", "mlp_output_norm", network),
    ])
}

/// A block with a norm behind it.
pub fn post_normed(
    name: &'static str,
    hidden: u32,
    norm: NormWeights,
    operations: Vec<Operation>,
) -> Vec<Operation> {
    operations.into_iter().chain([block_norm(name, hidden, norm)]).collect()
}

/// Causal attention, with a window where `window` is set.
pub fn windowed(window: Option<u32>) -> Mask {
    window.map_or(Mask::Causal, Mask::Window)
}

/// A size that four times the hidden width stand for where the file says nothing.
pub fn four_times(keys: &Keys, hidden: u32, names: &[&'static str]) -> u32 {
    keys.optional_size(Dimension::FeedForward, names)
        .unwrap_or_else(|| keys.derived(Dimension::FeedForward, hidden.saturating_mul(4), "4 × hidden"))
}
