//! Routed experts as configurations state them, with what stands beside them.

use super::keys::Keys;
use crate::transformer::blocks::{Experts, FeedForward, hidden, weights};
use crate::transformer::{Dimension, Extent, Operation, Part, Routing, Transformer};

/// The network of a layer with routed experts.
#[derive(Clone, Copy, Debug)]
pub struct Mixture {
    /// The experts and their router.
    pub routed: Experts,
    /// The experts that every token passes, joined into one network.
    pub shared: Option<FeedForward>,
    /// Whether a number for each token scales what the shared experts give.
    pub shared_gate: bool,
    /// Whether the router adds a number to the score of each expert that it learns (a parameter,
    /// not the buffer of DeepSeek-V3).
    pub correction: bool,
}

/// The names of the sizes of routed experts.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// How wide one is.
    pub width: &'static [&'static str],
    /// How many there are.
    pub experts: &'static [&'static str],
    /// How many a token passes.
    pub per_token: &'static [&'static str],
}

/// The names of DeepSeek and of those who followed.
pub const DEEPSEEK: Names = Names {
    width: &["moe_intermediate_size"],
    experts: &["n_routed_experts", "num_local_experts", "num_experts"],
    per_token: &["num_experts_per_tok"],
};

/// The names of Qwen.
pub const QWEN: Names = Names {
    width: &["moe_intermediate_size"],
    experts: &["num_experts", "num_local_experts"],
    per_token: &["num_experts_per_tok"],
};

/// The names of Mixtral, whose experts are as wide as a dense network would be.
pub const MIXTRAL: Names = Names {
    width: &["intermediate_size"],
    experts: &["num_local_experts", "num_experts"],
    per_token: &["num_experts_per_tok"],
};

impl Mixture {
    /// Reads routed experts with gates and without biases, and nothing beside them.
    pub fn read(keys: &Keys, hidden: u32, names: Names) -> Self {
        let experts = keys.size(Dimension::Experts, names.experts);
        let per_token = keys.count(names.per_token);
        Self::of(keys, hidden, names, (experts, per_token))
    }

    /// The same for a family that may state how many there are layer by layer; they have to be the
    /// same in each.
    pub fn read_uniform(keys: &Keys, hidden: u32, names: Names) -> Self {
        let experts = keys.uniform_count(names.experts);
        if experts == 0 {
            keys.refuse(names.experts[0], "1 or more experts are needed, but `0` was given");
        }
        let experts = keys.derived(Dimension::Experts, experts.max(1), names.experts[0]);
        Self::of(keys, hidden, names, (experts, keys.uniform_count(names.per_token)))
    }

    fn of(keys: &Keys, hidden: u32, names: Names, (experts, per_token): (u32, u32)) -> Self {
        let width = keys.size(Dimension::ExpertFeedForward, names.width);
        if per_token == 0 || per_token > experts {
            let message = format!(
                "a token passes 1 to all of the `{experts}` experts of a layer, but `{per_token}` was given"
            );
            keys.refuse(names.per_token[0], message);
        }
        let each = FeedForward::new(hidden, width, true);
        let routed = Experts::new(each, experts, per_token.clamp(1, experts));
        Mixture { routed, shared: None, shared_gate: false, correction: false }
    }

    /// The same with as many shared experts of the same width as `name` says, or as the class
    /// assumes where the file does not mention them.
    #[must_use]
    pub fn with_shared(self, keys: &Keys, name: &'static str, otherwise: u32) -> Self {
        let otherwise = if keys.says(name) { 0 } else { otherwise };
        let FeedForward { hidden, width, .. } = self.routed.each;
        let shared = match keys.optional_count(&[name]).unwrap_or(otherwise) {
            0 => None,
            count => {
                let how = "width of an expert × shared experts";
                let width = keys.derived(Dimension::SharedFeedForward, width.saturating_mul(count), how);
                Some(FeedForward::new(hidden, width, true))
            }
        };
        Mixture { shared, ..self }
    }

    /// The same with shared experts that are as wide together as the first of `names` says.
    #[must_use]
    pub fn with_shared_width(self, keys: &Keys, names: &[&'static str]) -> Self {
        let width = keys.size(Dimension::SharedFeedForward, names);
        Mixture { shared: Some(FeedForward::new(self.routed.each.hidden, width, true)), ..self }
    }

    /// Its operations: the router, the routed experts, the shared ones and their gate.
    pub fn operations(&self) -> Vec<Operation> {
        let mut steps = self.routed.operations();
        if self.correction {
            let routes = Extent::of(Dimension::Routes, self.routed.experts);
            steps.push(weights(Part::Router, "router_correction", routes));
        }
        if let Some(shared) = self.shared {
            steps.extend(shared.shared_experts());
        }
        if self.shared_gate {
            let inputs = hidden(self.routed.each.hidden);
            steps.push(Operation::linear(Part::Router, "shared_gate", inputs, Extent::ONE, false));
        }
        steps
    }

    /// `model`, which has it in some layers, knows of its routing.
    #[must_use]
    pub fn routes(&self, mut model: Transformer) -> Transformer {
        if model.kinds().iter().any(|layer| layer.is_routed()) {
            let Experts { experts, per_token, .. } = self.routed;
            model.routing = Some(Routing::new(experts, per_token));
        }
        model
    }
}

/// The network of each layer of a model that has dense ones and ones with experts.
#[derive(Clone, Debug)]
pub struct Networks {
    is_dense: Vec<bool>,
    dense: Option<FeedForward>,
    mixture: Option<Mixture>,
}

impl Networks {
    /// Reads what the layers need; the sizes of what no layer has are not asked for.
    pub fn read(
        is_dense: Vec<bool>,
        dense: impl FnOnce() -> FeedForward,
        mixture: impl FnOnce() -> Mixture,
    ) -> Self {
        let (some, all) = (is_dense.contains(&true), !is_dense.contains(&false));
        Networks { dense: some.then(dense), mixture: (!all).then(mixture), is_dense }
    }

    /// The operations of the network of a layer.
    pub fn operations(&self, layer: u32) -> Vec<Operation> {
        let is_dense = self.is_dense.get(layer as usize).copied().unwrap_or(true);
        match (&self.dense, &self.mixture) {
            (Some(dense), _) if is_dense => dense.operations(),
            (_, Some(mixture)) if !is_dense => mixture.operations(),
            _ => Vec::new(),
        }
    }

    /// `model`, whose layers have these networks, knows of their routing.
    #[must_use]
    pub fn routes(&self, model: Transformer) -> Transformer {
        match &self.mixture {
            Some(mixture) => mixture.routes(model),
            None => model,
        }
    }
}
