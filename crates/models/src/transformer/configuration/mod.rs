//! Reading what a model publishes of itself, a Hugging Face `config.json` or Llama's `params.json`,
//! into a [`Transformer`].
//!
//! Each family has a reader of a few lines: which keys it has, how its blocks are put together,
//! and what its class assumes where an older file says nothing.

mod bert;
mod chatglm;
mod cohere;
mod decoder;
mod deepseek;
mod deepseek_v4;
mod duplicates;
mod experts;
mod falcon;
mod families;
mod gemma;
mod gemma4;
mod generic;
mod gpt;
mod keys;
mod llama;
mod llama4;
mod minimax;
mod mixtral;
mod nemotron_h;
mod olmo;
mod opt;
mod patterns;
mod phi;
mod qwen;
mod qwen_hybrid;
mod shared_experts;
mod starcoder;
mod t5;
mod unmodelled;
mod usual_experts;

use mlsysim_scenario::{Error, Result};
use serde_json::{Map, Value};

use crate::transformer::Transformer;
use duplicates::Unique;
use families::{FAMILIES, GENERIC};
use keys::Keys;

/// The longest configuration that is read; real ones have a few kilobytes.
pub const LONGEST: usize = 4 << 20;

/// The most parameters that a count is given for: beyond, a size is a slip and sums could overflow.
const MOST_PARAMETERS: u128 = 1 << 53;

impl Transformer {
    /// Reads a configuration: the text of a `config.json` or a `params.json`.
    ///
    /// A text model within a multimodal one is found. A family that is not known and has the usual
    /// keys is read as a decoder of the Llama kind, with a note.
    ///
    /// ```
    /// use mlsysim_models::transformer::Transformer;
    ///
    /// let config = r#"{
    ///     "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    ///     "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    ///     "vocab_size": 128256
    /// }"#;
    /// assert_eq!(Transformer::from_config(config)?.counts().total, 8_030_261_248);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is no JSON object, has a key twice, lacks keys that its family needs (the message names them), has a
    /// size that cannot be, or describes something that is not modelled.
    pub fn from_config(text: &str) -> Result<Transformer> {
        if text.len() > LONGEST {
            let megabytes = LONGEST >> 20;
            return Err(Error::malformed(format!(
                "a configuration has a few kilobytes, and at most {megabytes} MiB are read; this one has {} bytes",
                text.len()
            )));
        }
        // Some editors put a byte order mark before the text.
        let text = text.trim_start_matches('\u{feff}');
        let no_json = |error: serde_json::Error| Error::malformed(format!("this is no JSON: {error}"));
        let (value, text) = match serde_json::from_str::<Value>(text) {
            Ok(value) => (value, text.to_string()),
            Err(error) => {
                let text = with_nulls(text).ok_or_else(|| no_json(error))?;
                (serde_json::from_str(&text).map_err(no_json)?, text)
            }
        };
        serde_json::from_str::<Unique>(&text).map_err(|error| Error::malformed(error.to_string()))?;
        let Value::Object(object) = value else {
            return Err(Error::malformed("a configuration is a JSON object, `{\"model_type\": …}`"));
        };
        Self::from_object(&object)
    }

    /// Reads a configuration that has been parsed.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Transformer::from_config).
    pub fn from_object(object: &Map<String, Value>) -> Result<Transformer> {
        let keys = Keys::of(object)?;
        let family = FAMILIES.iter().find(|family| family.model_types.contains(&keys.model_type()));
        let mut model = (family.unwrap_or(&GENERIC).read)(&keys)?;
        let groups = (keys.optional_count(&["n_group"]), keys.optional_count(&["topk_group"]));
        if let (Some(routing), (Some(groups @ 2..), Some(chosen @ 1..))) = (model.routing.as_mut(), groups) {
            routing.groups = Some((groups, chosen));
        }
        keys.finish(&mut model)?;
        let most = model.operations().try_fold(0u128, |sum, (operation, times)| {
            let sum = sum + u128::from(times) * operation.most_parameters();
            (sum <= MOST_PARAMETERS).then_some(sum)
        });
        match most {
            Some(1..) => Ok(model),
            Some(0) => Err(Error::malformed("this configuration describes a model without a parameter")),
            None => {
                Err(Error::malformed("these sizes make more than 9e15 parameters; one of them is a slip"))
            }
        }
    }
}

/// The text with `null` for what Python writes as `Infinity` and `NaN`, which are no JSON; nothing
/// where there is none. Real configurations have them as limits that no count needs.
fn with_nulls(text: &str) -> Option<String> {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    if !WORDS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let mut cleaned = String::with_capacity(text.len() + 64);
    let (mut rest, mut is_quoted) = (text, false);
    while let Some(first) = rest.chars().next() {
        let word = WORDS.iter().find(|word| !is_quoted && rest.starts_with(**word));
        let taken = match word {
            Some(word) => word.len(),
            // What a backslash escapes ends no string.
            None if is_quoted && first == '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            None => first.len_utf8(),
        };
        is_quoted ^= first == '"';
        let (head, tail) = rest.split_at(taken);
        cleaned.push_str(if word.is_some() { "null" } else { head });
        rest = tail;
    }
    Some(cleaned)
}
