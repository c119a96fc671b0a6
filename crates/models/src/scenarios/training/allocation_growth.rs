//! `AllocationGrowthScenario`: how a compute-optimal allocation grows with compute.

use mlsysim_scenario::{Scenario, equations};

/// How much the compute-optimal number of parameters, or of tokens, grows when the compute grows by
/// a factor.
///
/// # Assumptions
/// The optimal allocation is a power of the compute, with the same exponent over the whole range.
///
/// # Excludes
/// The coefficient of the law, and budgets beyond those to which it was fitted.
///
/// # Derivation
/// With `N ∝ C^a` a factor on `C` is that factor to the power of `a` on `N`. Hoffmann et al. (2022),
/// arXiv:2203.15556, table 2, find exponents near 0.5 for parameters and for tokens alike.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct AllocationGrowthScenario {
    /// By which factor the compute grows.
    #[range(> 0)]
    pub compute_multiple: f64,
    /// The exponent of the allocation in the compute.
    #[range(any)]
    pub exponent: f64,
}

#[equations]
impl AllocationGrowthScenario {
    /// By which fraction the allocation grows: 0.41 is 41 % more.
    #[source("Hoffmann et al. (2022), section 3, arXiv:2203.15556")]
    pub fn growth(&self) -> f64 {
        self.compute_multiple.powf(self.exponent) - 1.0
    }
}
