//! `ResidualAdapterScenario`: the parameters that bottleneck adapters add.

use mlsysim_quantity::units::PARAM;
use mlsysim_quantity::{Bytes, BytesPerParam, Params};
use mlsysim_scenario::{Scenario, equations};

/// Bottleneck adapters with a residual connection, one at each of several places of a model whose
/// own weights stay as they are.
///
/// # Assumptions
/// Both projections have biases; all adapters are alike.
///
/// # Excludes
/// Layer norms and a classifier that are trained along, and the optimizer's state.
///
/// # Derivation
/// A projection from `width` to `bottleneck` and one back have `width × bottleneck` weights each,
/// the biases one entry for each of their outputs: `2 w b + b + w`, as in Houlsby et al. (2019),
/// section 2.1, arXiv:1902.00751.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(training)]
pub struct ResidualAdapterScenario {
    /// How wide the activations are that an adapter takes and returns.
    #[range(>= 1)]
    pub width: u64,
    /// How wide the adapter is in its middle.
    #[range(>= 1)]
    pub bottleneck: u64,
    /// How many adapters the model has.
    #[range(>= 0)]
    pub sites: u64,
    /// How large a stored parameter is.
    #[range(>= 0)]
    pub bytes_per_param: BytesPerParam,
}

#[equations]
impl ResidualAdapterScenario {
    /// The parameters of one adapter.
    #[unit(param)]
    #[source("Houlsby et al. (2019), section 2.1, arXiv:1902.00751")]
    pub fn params_per_adapter(&self) -> Params {
        (2.0 * self.width as f64 * self.bottleneck as f64 + self.bottleneck as f64 + self.width as f64)
            * PARAM
    }

    /// The parameters of all adapters.
    #[unit(param)]
    pub fn params_total(&self) -> Params {
        self.params_per_adapter() * self.sites
    }

    /// The size of one adapter.
    #[unit(KB)]
    pub fn adapter_bytes(&self) -> Bytes {
        self.params_per_adapter() * self.bytes_per_param
    }

    /// The size of all adapters.
    #[unit(MB)]
    pub fn total_bytes(&self) -> Bytes {
        self.params_total() * self.bytes_per_param
    }

    /// A middle that is no narrower than the ends is no bottleneck.
    #[note(params_per_adapter, params_total)]
    fn wide(&self) -> Option<String> {
        (self.bottleneck >= self.width)
            .then(|| "the middle is as wide as the ends, so that the adapter is no bottleneck".to_string())
    }
}
