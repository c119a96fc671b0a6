//! What differs from layer to layer: which keys tokens attend to, and which layers have experts.

use mlsysim_scenario::listed;

use super::decoder::windowed;
use super::keys::Keys;
use crate::transformer::Mask;

/// The kinds of layers that most families with windows have.
pub const USUAL: &[&str] = &["full_attention", "attention", "sliding_attention"];

/// Those of families that spell them in one way only.
pub const WINDOWED: &[&str] = &["full_attention", "sliding_attention"];

/// Those of families whose tokens attend within chunks.
pub const CHUNKED: &[&str] = &["full_attention", "attention", "chunked_attention"];

/// The mask of each layer: what `layer_types` says, which is one of the kinds that are `known`, or else
/// what `otherwise` makes of its number.
///
/// A windowed or chunked layer has `length`; without one a window is the whole sequence, and a chunk
/// is refused.
pub fn masks(
    keys: &Keys,
    layers: u32,
    known: &[&'static str],
    length: Option<u32>,
    otherwise: impl Fn(u32) -> Mask,
) -> Vec<Mask> {
    let Some(kinds) = kinds(keys, "layer_types", layers) else { return (0..layers).map(otherwise).collect() };
    let refused = |message: String| {
        keys.refuse("layer_types", message);
        Mask::Causal
    };
    let mask = |kind: &&str| match (*kind, length) {
        (kind, _) if !known.contains(&kind) => {
            refused(format!("{} are modelled here, but `{kind}` was given", listed(known.iter().copied())))
        }
        ("sliding_attention", length) => windowed(length),
        ("chunked_attention", Some(length)) => Mask::Chunk(length),
        ("chunked_attention", None) => refused(
            "how long the chunks of `chunked_attention` are is needed, but nothing says it".to_string(),
        ),
        _ => Mask::Causal,
    };
    kinds.iter().map(mask).collect()
}

/// The mask of a layer that has `window` if it slides.
pub fn sliding(window: Option<u32>, slides: bool) -> Mask {
    if slides { windowed(window) } else { Mask::Causal }
}

/// A list of one name for each layer, if it is there.
pub fn kinds<'a>(keys: &Keys<'a>, name: &'static str, layers: u32) -> Option<Vec<&'a str>> {
    let kinds = keys.texts(name)?;
    if kinds.len() != layers as usize {
        keys.refuse(name, format!("{layers} names are needed, one for each layer, not {}", kinds.len()));
    }
    Some(kinds)
}

/// The mask of a layer in such a list; a list that is too short has been refused.
pub fn mask_of(masks: &[Mask], layer: u32) -> Mask {
    masks.get(layer as usize).copied().unwrap_or(Mask::Causal)
}

/// The window, or what the class assumes where the file does not mention it; null is none.
pub fn window(keys: &Keys, otherwise: Option<u32>) -> Option<u32> {
    length(keys, "sliding_window", otherwise)
}

/// A length of windows or chunks.
pub fn length(keys: &Keys, name: &'static str, otherwise: Option<u32>) -> Option<u32> {
    if !keys.says(name) {
        return otherwise;
    }
    let length = keys.optional_count(&[name])?;
    if length == 0 {
        keys.refuse(name, "1 or more tokens are needed, or null for none, but `0` was given");
    }
    Some(length.max(1))
}

/// A period in layers, 1 or more.
pub fn period(keys: &Keys, name: &'static str, otherwise: u32) -> u32 {
    let period = keys.optional_count(&[name]).unwrap_or(otherwise);
    if period == 0 {
        keys.refuse(name, "every first, second, … layer is meant, but `0` was given");
    }
    period.max(1)
}

/// Whether `layer` is the last of a period of `period` layers.
pub const fn ends_period(layer: u32, period: u32) -> bool {
    (layer + 1).is_multiple_of(period)
}

/// Flags, 0 or not, for each layer of `layers`; more of them are for layers that are not counted.
pub fn flags(keys: &Keys, name: &str, flags: &[u32], layers: u32) -> Vec<bool> {
    if flags.len() < layers as usize {
        keys.refuse(name, format!("{layers} flags are needed, one for each layer, not {}", flags.len()));
    }
    flags.iter().take(layers as usize).map(|flag| *flag != 0).collect()
}

/// Which layers have rotary positions: those that `no_rope_layers` marks, in spite of its name, or
/// else all but the last of every `no_rope_layer_interval`.
pub fn rotary_layers(keys: &Keys, layers: u32) -> Vec<bool> {
    let interval = period(keys, "no_rope_layer_interval", 4);
    match keys.counts("no_rope_layers").filter(|list| !list.is_empty()) {
        Some(list) => flags(keys, "no_rope_layers", &list, layers),
        None => (0..layers).map(|layer| !ends_period(layer, interval)).collect(),
    }
}

/// Whether each layer is one of those that a list numbers from 0.
pub fn numbered(keys: &Keys, name: &'static str, list: &[u32], layers: u32) -> Vec<bool> {
    let mut stands = vec![false; layers as usize];
    for number in list {
        match stands.get_mut(*number as usize) {
            Some(place) => *place = true,
            None => keys.refuse(
                name,
                format!("there are {layers} layers, numbered from 0, but `{number}` was given"),
            ),
        }
    }
    stands
}

/// Which layers have a dense network: those that `mlp_layer_types` calls so, or else the first of
/// them, as many as `first_k_dense_replace` says or the class assumes.
pub fn dense_layers(keys: &Keys, layers: u32, first: u32) -> Vec<bool> {
    let first = keys.optional_count(&["first_k_dense_replace"]).unwrap_or(first);
    let Some(kinds) = kinds(keys, "mlp_layer_types", layers) else {
        return (0..layers).map(|layer| layer < first).collect();
    };
    let dense = |kind: &&str| match *kind {
        "dense" => true,
        "sparse" => false,
        other => {
            keys.refuse(
                "mlp_layer_types",
                format!("`dense` and `sparse` are known, but `{other}` was given"),
            );
            true
        }
    };
    kinds.iter().map(dense).collect()
}
