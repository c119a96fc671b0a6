//! What differs from layer to layer: which keys tokens attend to, and which layers have experts.

use super::decoder::windowed;
use super::keys::Keys;
use crate::transformer::Mask;

/// The mask of each layer: what `layer_types` says, or else what `otherwise` makes of its number.
///
/// A windowed layer has `window`, a chunked one `chunk`, where they are set.
pub fn masks(
    keys: &Keys,
    layers: u32,
    window: Option<u32>,
    chunk: Option<u32>,
    otherwise: impl Fn(u32) -> Mask,
) -> Vec<Mask> {
    let Some(kinds) = kinds(keys, "layer_types", layers) else { return (0..layers).map(otherwise).collect() };
    let mask = |kind: &&str| match *kind {
        "full_attention" | "attention" => Mask::Causal,
        "sliding_attention" => windowed(window),
        "chunked_attention" => chunk.map_or(Mask::Causal, Mask::Chunk),
        other => {
            let message = format!(
                "`full_attention`, `sliding_attention` and `chunked_attention` are read, but `{other}` was given"
            );
            keys.refuse("layer_types", message);
            Mask::Causal
        }
    };
    kinds.iter().map(mask).collect()
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
