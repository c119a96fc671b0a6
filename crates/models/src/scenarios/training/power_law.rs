//! `PowerLawScenario`: what a power law of the loss asks for a lower one.

use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

/// A term of the loss that falls as a power of a resource, such as compute, data or parameters.
///
/// # Assumptions
/// The term is `A × R^-exponent` over the whole range, and nothing but the one resource limits it.
///
/// # Excludes
/// The irreducible part of the loss, which no resource lowers: the outputs are about the term, not
/// about the whole loss.
///
/// # Derivation
/// A resource that grows by a factor `m` leaves `m^-exponent` of the term. Solved for the factor: a
/// term that is lower by the fraction `r` needs `(1 / (1 - r))^(1 / exponent)` times the resource,
/// half the term `2^(1 / exponent)` times. The exponents of the named cases are of Kaplan et al.
/// (2020), arXiv:2001.08361.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct PowerLawScenario {
    /// The exponent of the law, as a positive number.
    #[range(> 0)]
    pub exponent: f64,
    /// The fraction by which the term is to fall.
    #[range(> 0, < 1)]
    pub loss_reduction: Option<f64>,
    /// By which factor the resource grows.
    #[range(> 0)]
    pub resource_multiple: Option<f64>,
}

#[equations]
impl PowerLawScenario {
    /// What `resource_multiple` times the resource leave of the term.
    ///
    /// # Errors
    ///
    /// `resource_multiple` is not set.
    #[source("Kaplan et al. (2020), section 1.2, arXiv:2001.08361")]
    pub fn multiple_factor(&self) -> Result<f64> {
        Ok(self.resource_multiple.needed("resource_multiple")?.powf(-self.exponent))
    }

    /// The fraction by which the term falls with `resource_multiple` times the resource.
    ///
    /// # Errors
    ///
    /// `resource_multiple` is not set.
    pub fn multiple_reduction(&self) -> Result<f64> {
        Ok(1.0 - self.multiple_factor()?)
    }

    /// How many times the resource half the term takes.
    pub fn halving_multiple(&self) -> f64 {
        2.0_f64.powf(1.0 / self.exponent)
    }

    /// How many times the resource it takes to lower the term by `loss_reduction`.
    ///
    /// # Errors
    ///
    /// `loss_reduction` is not set.
    pub fn reduction_multiple(&self) -> Result<f64> {
        Ok((1.0 / (1.0 - self.loss_reduction.needed("loss_reduction")?)).powf(1.0 / self.exponent))
    }
}
