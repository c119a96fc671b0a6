//! `UsualExperts`: the experts that the usual keys describe, for families without a reader.

use serde_json::Value;

use super::decoder::Shape;
use super::keys::Keys;
use super::patterns::{dense_layers, ends_period, numbered};
use crate::transformer::blocks::{Experts, FeedForward};
use crate::transformer::{Dimension, Operation};

/// Routed experts, shared ones, and the layers that have them.
pub struct UsualExperts {
    pub experts: u32,
    pub per_token: u32,
    hidden: u32,
    width: u32,
    shared_width: Option<u32>,
    routed: Vec<bool>,
}

const COUNTS: [&str; 6] = [
    "n_routed_experts",
    "num_local_experts",
    "num_experts",
    "moe_num_experts",
    "num_routed_experts",
    "n_experts",
];

const PER_TOKEN: [&str; 10] = [
    "num_experts_per_tok",
    "num_experts_per_token",
    "moe_topk",
    "moe_top_k",
    "moe_k",
    "top_k_experts",
    "num_selected_experts",
    "num_activated_experts",
    "top_k",
    "topk",
];

const WIDTHS: [&str; 5] = [
    "moe_intermediate_size",
    "expert_intermediate_size",
    "moe_ffn_hidden_size",
    "expert_ffn_hidden_size",
    "intermediate_size",
];

const SHARED_COUNTS: [&str; 4] =
    ["n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"];

const SHARED_WIDTHS: [&str; 3] =
    ["shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"];

/// Keys that choose the layers with experts in ways of one family.
const OWN_WAYS: [&str; 9] = [
    "expert_layer_period",
    "expert_layer_offset",
    "interleave_moe_layer_step",
    "moe_layers",
    "moe_layer_interval",
    "moe_layer_start_index",
    "moe_layer_end_index",
    "moe_latent_size",
    "zero_expert_num",
];

impl UsualExperts {
    /// Whether every layer has experts.
    pub fn is_everywhere(&self) -> bool {
        self.routed.iter().all(|routed| *routed)
    }

    /// Router, experts and shared experts of `layer`, if it has them.
    pub fn operations(&self, layer: u32, gated: bool) -> Option<Vec<Operation>> {
        self.routed.get(layer as usize).filter(|routed| **routed)?;
        let each = FeedForward::new(self.hidden, self.width, gated);
        let UsualExperts { experts, per_token, .. } = *self;
        let mut steps = Experts::new(each, experts, per_token).operations();
        let shared = self.shared_width.map(|width| FeedForward::new(self.hidden, width, gated));
        steps.extend(shared.iter().flat_map(FeedForward::shared_experts));
        Some(steps)
    }
}

/// The experts of a configuration, if it has any; refused where it speaks of experts by other than
/// the usual keys, so that they are never counted as one network.
pub fn usual_experts(keys: &Keys, shape: &Shape) -> Option<UsualExperts> {
    let experts = keys.optional_count(&COUNTS).filter(|experts| *experts > 1);
    let Some(experts) = experts else {
        refuse_hidden_experts(keys);
        return None;
    };
    keys.derived(Dimension::Experts, experts, "the number of experts");
    for name in OWN_WAYS.into_iter().filter(|name| keys.has(name)) {
        let message =
            "which layers have experts, and how, is not modelled by this key for a family without a reader";
        keys.refuse(name, message);
    }
    let per_token = keys.count_in(&PER_TOKEN, 1, u64::from(experts));
    let width = keys.size(Dimension::ExpertFeedForward, &WIDTHS);
    Some(UsualExperts {
        experts,
        per_token: per_token.clamp(1, experts),
        hidden: shape.hidden,
        width,
        shared_width: shared_width(keys, width),
        routed: routed(keys, shape.layers),
    })
}

/// The width of all shared experts together.
fn shared_width(keys: &Keys, width: u32) -> Option<u32> {
    let count = keys.optional_count(&SHARED_COUNTS);
    let stated = keys.optional_count(&SHARED_WIDTHS).filter(|width| *width > 0);
    let together = match (count, stated) {
        (Some(0), _) | (None, None) => return None,
        (Some(1) | None, Some(stated)) => stated,
        (Some(count), None) => count.saturating_mul(width),
        (Some(count), Some(_)) => {
            let message =
                format!("whether it is the width of one or of all `{count}` shared experts is not known");
            keys.refuse("shared_expert_intermediate_size", message);
            return None;
        }
    };
    keys.note("a gate of the shared experts, which some families have, is not counted");
    Some(keys.derived(Dimension::SharedFeedForward, together, "the shared experts together"))
}

/// Which layers have experts, by the keys that DeepSeek and Qwen have for it.
fn routed(keys: &Keys, layers: u32) -> Vec<bool> {
    let first = keys.optional_count(&["num_dense_layers"]).unwrap_or(0);
    let is_dense = dense_layers(keys, layers, first);
    if keys.has("mlp_layer_types") {
        return is_dense.iter().map(|dense| !dense).collect();
    }
    let only_dense = keys.counts("mlp_only_layers").unwrap_or_default();
    let only_dense = numbered(keys, "mlp_only_layers", &only_dense, layers);
    let step = keys.optional_count(&["decoder_sparse_step"]).unwrap_or(1).max(1);
    let listed = match keys.value("moe_layer_freq") {
        Some(Value::Array(_)) => keys.counts("moe_layer_freq"),
        _ => None,
    };
    let period = match listed {
        Some(_) => 1,
        None => keys.optional_count(&["moe_layer_freq"]).unwrap_or(1).max(1),
    };
    if let Some(listed) = &listed
        && listed.len() != layers as usize
    {
        keys.refuse("moe_layer_freq", format!("one number for each of `{layers}` layers is needed"));
    }
    (0..layers)
        .map(|layer| {
            let is_listed = listed.as_ref().is_none_or(|list| list.get(layer as usize) == Some(&1));
            let is_dense =
                [&is_dense, &only_dense].iter().any(|list| list.get(layer as usize) == Some(&true));
            is_listed && !is_dense && layer.is_multiple_of(period) && ends_period(layer, step)
        })
        .collect()
}

/// Refuses a configuration that speaks of experts without saying how many by a usual key.
fn refuse_hidden_experts(keys: &Keys) {
    let speaks = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["expert", "moe"]
            .iter()
            .any(|word| name.split(['_', '-']).any(|part| part.starts_with(word) || part.ends_with(word)))
    };
    let is_count = |value: &Value| match value {
        Value::Bool(flag) => *flag,
        value => value.as_f64().is_some_and(|number| number > 1.0),
    };
    let is_denied = COUNTS.iter().any(|name| keys.has(name));
    if is_denied {
        // A count of one or none says that there are no experts; what else is said of them is idle.
        return;
    }
    if speaks(keys.model_type()) {
        keys.refuse("model_type", "it speaks of experts, but no `num_experts` says how many there are");
    }
    for (name, value) in keys.entries() {
        let found = match value {
            Value::Object(object) if !name.starts_with("quant") => {
                speaks(name) || object.iter().any(|(inner, value)| speaks(inner) && is_count(value))
            }
            Value::Array(items) => speaks(name) && !items.is_empty(),
            value => speaks(name) && is_count(value),
        };
        if found {
            keys.refuse(name, "it speaks of experts, but no `num_experts` says how many there are");
        }
    }
}
