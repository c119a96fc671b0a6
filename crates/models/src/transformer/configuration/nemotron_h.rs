//! Nemotron-H and Nemotron 3: layers of one block each, a Mamba 2 mixer, attention, a dense network
//! or experts.

use mlsysim_scenario::Result;

use super::decoder::{Shape, normed, possible_layers};
use super::experts::{DEEPSEEK, Mixture};
use super::keys::Keys;
use super::llama::width;
use super::unmodelled::{Weights, sum};
use crate::transformer::blocks::{Experts, FeedForward, NormWeights, hidden};
use crate::transformer::{Dimension, Extent, Layer, Operation, Part, Transformer};

/// What a layer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mixer {
    Mamba,
    Attention,
    Dense,
    Experts,
}

/// A norm and one block in each layer; networks have no gates.
///
/// Source: NVIDIA (2025), Nemotron-H, arXiv:2504.03624.
pub fn nemotron_h(keys: &Keys) -> Result<Transformer> {
    let mixers = mixers(keys);
    let layers = possible_layers(keys, u32::try_from(mixers.len()).unwrap_or(u32::MAX));
    if keys.optional_count(&["num_hidden_layers"]).is_some_and(|stated| stated != layers) {
        keys.note(format!("there are as many layers as kinds of layers are listed, {layers}"));
    }
    let shape = Shape::of_layers(keys, layers, Some(8), Some(128));
    if keys.tied(false) {
        keys.note("`tie_word_embeddings` is true, but this family has a head of its own; it is counted");
    }
    let has = |mixer: Mixer| mixers.contains(&mixer);
    let bias = keys.flag("mlp_bias", false);
    let mamba = if has(Mixer::Mamba) { mamba(keys, shape.hidden) } else { Vec::new() };
    let dense = match has(Mixer::Dense) {
        true => FeedForward::new(shape.hidden, width(keys), false).with_bias(bias).operations(),
        false => Vec::new(),
    };
    let mixture = has(Mixer::Experts).then(|| mixture(keys, shape.hidden, bias));
    let latent = keys.optional_size(Dimension::ExpertLatent, &["moe_latent_size"]);
    let experts = mixture.map(|mixture| experts(&mixture, latent, bias)).unwrap_or_default();
    let mut model = shape.decoder(keys, NormWeights::Scale, false, |layer| {
        let operations = match mixers.get(layer as usize) {
            Some(Mixer::Mamba) => mamba.clone(),
            Some(Mixer::Dense) => dense.clone(),
            Some(Mixer::Experts) => experts.clone(),
            Some(Mixer::Attention) | None => shape.attention().operations(),
        };
        Layer::of([normed("norm", shape.hidden, NormWeights::Scale, operations)])
    })?;
    model.unmodelled = has(Mixer::Mamba).then_some("the Mamba 2 mixers of its layers");
    Ok(match mixture {
        Some(mixture) => mixture.routes(model),
        None => model,
    })
}

/// What each layer does: the letters of `hybrid_override_pattern`, or the names of a list.
fn mixers(keys: &Keys) -> Vec<Mixer> {
    for name in ["layers_block_type", "layer_types"] {
        if let Some(kinds) = keys.texts(name) {
            let mixer = |kind: &str| match kind {
                "mamba" | "linear_attention" => Some(Mixer::Mamba),
                "attention" | "full_attention" => Some(Mixer::Attention),
                "mlp" => Some(Mixer::Dense),
                "moe" => Some(Mixer::Experts),
                _ => None,
            };
            return known(keys, name, kinds.iter().map(|kind| mixer(kind).ok_or(kind.to_string())));
        }
    }
    let name = "hybrid_override_pattern";
    let Some(pattern) = keys.needed_text(name) else { return vec![Mixer::Attention] };
    let mixer = |letter| match letter {
        'M' => Some(Mixer::Mamba),
        '*' => Some(Mixer::Attention),
        '-' => Some(Mixer::Dense),
        'E' => Some(Mixer::Experts),
        _ => None,
    };
    known(keys, name, pattern.chars().map(|letter| mixer(letter).ok_or(letter.to_string())))
}

/// The mixers that are known; the first other one is refused.
fn known(
    keys: &Keys,
    name: &'static str,
    mixers: impl Iterator<Item = std::result::Result<Mixer, String>>,
) -> Vec<Mixer> {
    let mixer = |mixer| match mixer {
        Ok(mixer) => mixer,
        Err(other) => {
            keys.refuse(
                name,
                format!("Mamba (`M`), attention (`*`), MLP (`-`) and experts (`E`) are read, but `{other}` was given"),
            );
            Mixer::Attention
        }
    };
    mixers.map(mixer).collect()
}

/// Routed experts without biases, and a shared one with.
fn mixture(keys: &Keys, hidden: u32, bias: bool) -> Mixture {
    let mut mixture = Mixture::read(keys, hidden, DEEPSEEK);
    mixture.routed.each.gated = false;
    let width = keys.size(Dimension::SharedFeedForward, &["moe_shared_expert_intermediate_size"]);
    mixture.shared = Some(FeedForward::new(hidden, width, false).with_bias(bias));
    mixture
}

/// The operations of experts, which may work on tokens that have been compressed.
fn experts(mixture: &Mixture, latent: Option<u32>, bias: bool) -> Vec<Operation> {
    let routed = Experts { latent, ..mixture.routed };
    let mut steps = Mixture { routed, ..*mixture }.operations();
    if let Some(width) = latent {
        let (outside, inside) = (hidden(routed.each.hidden), Extent::of(Dimension::ExpertLatent, width));
        let linear = |name, inputs, outputs| Operation::linear(Part::Other, name, inputs, outputs, bias);
        let first = steps.iter().position(|step| step.part == Part::Experts).unwrap_or(0);
        steps.insert(first, linear("latent_down", outside, inside));
        let last = steps.iter().rposition(|step| step.part == Part::Experts).unwrap_or(first);
        steps.insert(last + 1, linear("latent_up", inside, outside));
    }
    steps
}

/// The weights of a Mamba 2 mixer.
///
/// Source: Dao and Gu (2024), Transformers are SSMs, arXiv:2405.21060.
fn mamba(keys: &Keys, hidden: u32) -> Vec<Operation> {
    let size = |names| u64::from(keys.size(Dimension::Unmodelled, names));
    let heads = size(&["mamba_num_heads"]);
    let inner = heads * size(&["mamba_head_dim"]);
    let states = size(&["n_groups", "mamba_n_groups"]) * size(&["ssm_state_size"]);
    let kernel = u64::from(keys.size_or(Dimension::Unmodelled, &["conv_kernel", "mamba_d_conv"], 4));
    let bias = keys.flag("use_bias", false);
    let convolution_bias =
        keys.flag(if keys.has("mamba_conv_bias") { "mamba_conv_bias" } else { "use_conv_bias" }, true);
    let convolved = sum(&[inner, states, states]);
    let input = sum(&[inner, convolved, heads]);
    let weights = Weights { keys, whose: "mamba_num_heads" };
    let mut steps = vec![
        weights.matrix("mamba_input", hidden, input),
        weights.table("mamba_convolution", convolved, kernel + u64::from(convolution_bias)),
        weights.table("mamba_time_step", heads, 3),
        weights.table("mamba_norm", inner, 1),
        weights.matrix("mamba_output", hidden, inner),
    ];
    if bias {
        steps.push(weights.table("mamba_bias", sum(&[input, u64::from(hidden)]), 1));
    }
    steps
}
