//! DeepSeek-V4: attention over compressed keys, several streams of activations between layers, and
//! experts in every layer.

use mlsysim_scenario::Result;

use super::decoder::{Shape, layers, normed};
use super::experts::{DEEPSEEK, Mixture};
use super::keys::Keys;
use super::patterns;
use super::unmodelled::{Weights, sum};
use crate::transformer::blocks::{NormWeights, hidden, norm, weights};
use crate::transformer::{Dimension, Extent, Layer, Operation, Part, Transformer};

/// How the keys of a layer are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    /// Not at all: there is only the window.
    None,
    /// A few tokens to one, of which an indexer chooses.
    Sparse,
    /// Many tokens to one, all of which are attended to.
    Heavy,
}

/// Its weights; neither its attention, nor the size of its cache, nor its hyper-connections are
/// modelled.
pub fn deepseek_v4(keys: &Keys) -> Result<Transformer> {
    let shape = Shape::without_heads(keys, layers(keys));
    let attention = Attention::read(keys, &shape);
    let mixture = Mixture::read(keys, shape.hidden, DEEPSEEK).with_shared_width(keys, DEEPSEEK.width);
    let bias = keys.flag("mlp_bias", false);
    let mixture = Mixture { shared: mixture.shared.map(|shared| shared.with_bias(bias)), ..mixture };
    let compressions = compressions(keys, shape.layers);
    let streams = Streams { keys, hidden: shape.hidden, count: keys.count(&["hc_mult"]) };
    let model = shape.decoder(keys, NormWeights::Scale, keys.tied(false), |layer| {
        let compression = compressions.get(layer as usize).copied().unwrap_or(Compression::Heavy);
        let block = |name, mut operations: Vec<Operation>| {
            operations.extend(streams.connection());
            normed(name, shape.hidden, NormWeights::Scale, operations)
        };
        Layer::of([
            block("attention_norm", attention.operations(compression)),
            block("mlp_norm", mixture.operations()),
        ])
    })?;
    let mut model = mixture.routes(model);
    model.head.splice(0..0, streams.head());
    model.unmodelled = Some("attention over compressed keys and hyper-connections (DeepSeek-V4)");
    keys.note("its KV cache holds compressed keys and is not counted");
    Ok(model)
}

/// The sizes of its attention: queries from a compressed latent, one key that is the value too, and
/// an output projected in groups.
struct Attention<'k, 'a> {
    weights: Weights<'k, 'a>,
    hidden: u32,
    heads: u32,
    head_width: u32,
    query_rank: u32,
    output_groups: u32,
    output_rank: u32,
    index_heads: u32,
    index_width: u32,
    /// Tokens to one compressed key, where an indexer chooses and where none does.
    rates: [u32; 2],
}

impl<'k, 'a> Attention<'k, 'a> {
    fn read(keys: &'k Keys<'a>, shape: &Shape) -> Self {
        let rate = |name: &'static str, legacy: &'static str, otherwise: u32| {
            let stated = keys.within("compress_rates");
            let stated = stated.and_then(|rates| keys.size_below(Dimension::Unmodelled, rates, name));
            keys.optional_size(Dimension::Unmodelled, &[legacy]).or(stated).unwrap_or(otherwise)
        };
        let attention = Attention {
            weights: Weights { keys, whose: "head_dim" },
            hidden: shape.hidden,
            heads: shape.heads,
            head_width: keys.size(Dimension::HeadWidth, &["head_dim"]),
            query_rank: keys.size(Dimension::QueryRank, &["q_lora_rank"]),
            output_groups: keys.size(Dimension::Unmodelled, &["o_groups"]),
            output_rank: keys.size(Dimension::Unmodelled, &["o_lora_rank"]),
            index_heads: keys.size(Dimension::IndexHeads, &["index_n_heads"]),
            index_width: keys.size(Dimension::IndexWidth, &["index_head_dim"]),
            rates: [
                rate("compressed_sparse_attention", "compress_rate_csa", 4),
                rate("heavily_compressed_attention", "compress_rate_hca", 128),
            ],
        };
        let attended = u64::from(attention.heads) * u64::from(attention.head_width);
        if !attended.is_multiple_of(u64::from(attention.output_groups)) {
            keys.refuse("o_groups", format!("heads × head_dim, `{attended}`, do not divide by it"));
        }
        attention
    }

    fn operations(&self, compression: Compression) -> Vec<Operation> {
        let part = Part::Attention;
        let linear = |name, inputs, outputs| Operation::linear(part, name, inputs, outputs, false);
        let activations = hidden(self.hidden);
        let heads = Extent::of(Dimension::Heads, self.heads);
        let width = Extent::of(Dimension::HeadWidth, self.head_width);
        let rank = Extent::of(Dimension::QueryRank, self.query_rank);
        let attended = u64::from(self.heads) * u64::from(self.head_width);
        let groups = u64::from(self.output_groups) * u64::from(self.output_rank);
        let mut steps = vec![
            linear("query_down", activations, rank),
            norm(part, "query_down_norm", rank, NormWeights::Scale),
            linear("query_up", rank, heads.by(Dimension::HeadWidth, self.head_width)),
            linear("key", activations, width),
            norm(part, "key_norm", width, NormWeights::Scale),
            weights(part, "sinks", heads),
            self.table("output_down", attended / u64::from(self.output_groups), groups),
            self.table("output_up", groups, u64::from(self.hidden)),
        ];
        match compression {
            Compression::None => {}
            Compression::Heavy => steps.extend(self.compressor("", self.head_width, 1, self.rates[1])),
            Compression::Sparse => {
                steps.extend(self.compressor("", self.head_width, 2, self.rates[0]));
                steps.extend(self.compressor("index", self.index_width, 2, self.rates[0]));
                let index = Extent::of(Dimension::IndexHeads, self.index_heads);
                steps.push(linear("index_query", rank, index.by(Dimension::IndexWidth, self.index_width)));
                steps.push(linear("index_weights", activations, index));
            }
        }
        steps
    }

    /// What makes one key of `rate` tokens: keys and gates in `series` of `width`, a bias for each
    /// position among them, and a norm.
    fn compressor(&self, whose: &str, width: u32, series: u64, rate: u32) -> [Operation; 3] {
        let all = series * u64::from(width);
        let names = match whose {
            "index" => ["index_compression", "index_positions", "index_norm"],
            _ => ["compression", "compression_positions", "compression_norm"],
        };
        [
            self.table(names[0], u64::from(self.hidden), sum(&[all, all])),
            self.table(names[1], u64::from(rate), all),
            self.table(names[2], u64::from(width), 1),
        ]
    }

    fn table(&self, name: &'static str, rows: u64, columns: u64) -> Operation {
        self.weights.table_of(Part::Attention, name, rows, columns)
    }
}

/// The streams of activations between layers, and what mixes them (manifold-constrained
/// hyper-connections).
struct Streams<'k, 'a> {
    keys: &'k Keys<'a>,
    hidden: u32,
    count: u32,
}

impl Streams<'_, '_> {
    /// Around a block: what it reads of the streams, what it adds to them, and how they mix.
    fn connection(&self) -> [Operation; 2] {
        let count = u64::from(self.count);
        self.mixer(count.saturating_mul(count + 2), 3)
    }

    /// Behind the last layer: one stream of all.
    fn head(&self) -> [Operation; 2] {
        self.mixer(u64::from(self.count), 1)
    }

    /// A matrix from all streams to `outputs`, a bias, and some scales.
    fn mixer(&self, outputs: u64, scales: u64) -> [Operation; 2] {
        let weights = Weights { keys: self.keys, whose: "hc_mult" };
        let all = u64::from(self.count) * u64::from(self.hidden);
        [
            weights.table("stream_mixer", all, outputs),
            weights.table("stream_scales", sum(&[outputs, scales]), 1),
        ]
    }
}

/// The compression of each layer: by name, by ratio, or else as in the released model.
fn compressions(keys: &Keys, layers: u32) -> Vec<Compression> {
    if let Some(kinds) = patterns::kinds(keys, "layer_types", layers) {
        let compression = |kind: &&str| match *kind {
            "sliding_attention" => Compression::None,
            "compressed_sparse_attention" => Compression::Sparse,
            "heavily_compressed_attention" => Compression::Heavy,
            other => {
                let message = format!(
                    "`sliding_attention`, `compressed_sparse_attention` and `heavily_compressed_attention` are known, but `{other}` was given"
                );
                keys.refuse("layer_types", message);
                Compression::None
            }
        };
        return kinds.iter().map(compression).collect();
    }
    let name = "compress_ratios";
    if let Some(ratios) = keys.counts(name) {
        if ratios.len() < layers as usize {
            keys.refuse(
                name,
                format!("{layers} ratios are needed, one for each layer, not {}", ratios.len()),
            );
        }
        let compression = |ratio: &u32| match ratio {
            0 => Compression::None,
            4 => Compression::Sparse,
            128 => Compression::Heavy,
            other => {
                keys.refuse(name, format!("0, 4 and 128 are known, but `{other}` was given"));
                Compression::None
            }
        };
        // Those beyond the layers are of layers that predict further tokens.
        return ratios.iter().take(layers as usize).map(compression).collect();
    }
    (0..layers)
        .map(|layer| match layer > 1 && !layer.is_multiple_of(2) {
            true => Compression::Sparse,
            false => Compression::Heavy,
        })
        .collect()
}
