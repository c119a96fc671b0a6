//! `LowRankUpdateScenario`: a matrix against the two thin factors of a low-rank update.

use mlsysim_quantity::{Bytes, BytesPerParam, Params};
use mlsysim_scenario::{CountProduct, OptionExt, Result, Scenario, equations};

use crate::physics::training_state::low_rank_parameters;

/// A weight matrix against a low-rank update of it, or against the two thin factors in its place.
///
/// # Assumptions
/// The update is the product of an `out_dim` × `rank` and a `rank` × `in_dim` matrix, without biases.
///
/// # Excludes
/// What the rank costs in quality; gradients and optimizer state.
///
/// # Derivation
/// The factors have `rank × (in_dim + out_dim)` values where the matrix has `in_dim × out_dim`.
/// Source: Hu et al. (2021), LoRA, section 4.1, arXiv:2106.09685.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct LowRankUpdateScenario {
    /// How many values enter the matrix.
    #[range(>= 1)]
    pub in_dim: u64,
    /// How many values leave the matrix.
    #[range(>= 1)]
    pub out_dim: u64,
    /// The rank of the update.
    #[range(>= 1)]
    pub rank: u64,
    /// The size of one stored value.
    #[range(>= 0)]
    #[unit(B/param)]
    pub bytes_per_param: Option<BytesPerParam>,
}

#[equations]
impl LowRankUpdateScenario {
    /// How many parameters the matrix has.
    pub fn full_params(&self) -> Result<u64> {
        self.in_dim.times(self.out_dim)
    }

    /// How many parameters the two factors have.
    pub fn update_params(&self) -> Result<u64> {
        low_rank_parameters(self.in_dim, self.out_dim, self.rank)
    }

    /// The share of the matrix's parameters that the factors save.
    pub fn reduction(&self) -> Result<f64> {
        Ok(1.0 - self.update_params()? as f64 / self.full_params()? as f64)
    }

    /// How many times as many parameters the matrix has as the factors.
    pub fn compression(&self) -> Result<f64> {
        Ok(self.full_params()? as f64 / self.update_params()? as f64)
    }

    /// What the matrix takes.
    #[unit(MB)]
    pub fn full_bytes(&self) -> Result<Bytes> {
        Ok(Params::from(self.full_params()?) * self.bytes_per_param.needed("bytes_per_param")?)
    }

    /// What the two factors take.
    #[unit(MB)]
    pub fn update_bytes(&self) -> Result<Bytes> {
        Ok(Params::from(self.update_params()?) * self.bytes_per_param.needed("bytes_per_param")?)
    }

    /// The rank of a matrix is at most its shorter side.
    #[note(update_params, reduction, compression)]
    fn no_lower_rank(&self) -> Option<String> {
        let shorter = self.in_dim.min(self.out_dim);
        (self.rank > shorter).then(|| {
            format!(
                "no matrix of {} × {} has a rank above {shorter}: the update is no low-rank one",
                self.out_dim, self.in_dim
            )
        })
    }
}
