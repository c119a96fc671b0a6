//! `ContextGrowthScenario`: what a longer context window costs, as ratios.

use mlsysim_scenario::{Scenario, equations};

/// A context window that grows from `base_tokens` to `tokens`: how much larger the KV cache and the
/// scores of attention become.
///
/// # Assumptions
/// Every token attends to every token of the window, and a cache keeps all of them.
///
/// # Excludes
/// Everything that does not depend on the window: the weights, and the arithmetic of each token
/// outside attention. Sliding windows and sparse attention grow less.
///
/// # Derivation
/// A cache holds a key and a value for each token, so that it grows with the window. Attention
/// scores every token against every token, so that its work and stored scores grow with the square
/// (Vaswani et al., 2017, arXiv:1706.03762, table 1).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct ContextGrowthScenario {
    /// How many tokens the window holds before.
    #[range(>= 1)]
    pub base_tokens: u64,
    /// How many tokens the window holds after.
    #[range(>= 1)]
    pub tokens: u64,
}

#[equations]
impl ContextGrowthScenario {
    /// By how much the window and the KV cache grow.
    pub fn ratio(&self) -> f64 {
        self.tokens as f64 / self.base_tokens as f64
    }

    /// By how much the work of attention scores grows, and what storing them takes.
    pub fn score_ratio(&self) -> f64 {
        self.ratio().powi(2)
    }
}
