//! Which layers have a sliding window.

use super::decoder::windowed;
use super::keys::Keys;
use crate::transformer::Mask;

/// The width of the window: what the class assumes where the file says nothing, and none where it
/// says `null`.
pub fn window(keys: &Keys, assumed: Option<u32>) -> Option<u32> {
    if keys.is_null("sliding_window") {
        return None;
    }
    keys.optional_count_in(&["sliding_window"], 1, u64::from(u32::MAX)).or(assumed)
}

/// The mask of each layer.
pub struct Masks(Vec<Mask>);

impl Masks {
    /// Causal in every layer.
    pub const CAUSAL: Masks = Masks(Vec::new());

    /// The mask of `layer`.
    pub fn of(&self, layer: u32) -> Mask {
        self.0.get(layer as usize).copied().unwrap_or(Mask::Causal)
    }
}

/// Which layers have `window`: by `layer_types` where the file has it, else by `slides` of its number.
pub fn masks(keys: &Keys, layers: u32, window: Option<u32>, slides: impl Fn(u32) -> bool) -> Masks {
    let types = keys.texts("layer_types");
    if let Some(types) = &types {
        if types.len() != layers as usize {
            let message =
                format!("one for each of `{layers}` layers is needed, but `{}` were given", types.len());
            keys.refuse("layer_types", message);
        }
        let known = ["full_attention", "sliding_attention"];
        if let Some(other) = types.iter().find(|kind| !known.contains(kind)) {
            let message = format!(
                "`full_attention` and `sliding_attention` are modelled here, but `{other}` was given"
            );
            keys.refuse("layer_types", message);
        }
    }
    let slides = |layer: u32| match &types {
        Some(types) => types.get(layer as usize) == Some(&"sliding_attention"),
        None => slides(layer),
    };
    let mask = |layer| if slides(layer) { windowed(window) } else { Mask::Causal };
    Masks((0..layers).map(mask).collect())
}
