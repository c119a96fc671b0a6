//! `RequestZonesScenario`: which part of a request is the same in every turn.

use mlsysim_scenario::{Error, Map, MapExt, Result, Scenario, Total, equations};

/// A request laid out in zones of which the first ones never change between turns.
///
/// # Assumptions
/// The zones stand in the order in which they are sent. A cache of prefixes serves what is equal
/// from the first token on, so that only leading zones can be shared.
///
/// # Excludes
/// Rounding to whole blocks, and equal zones behind one that differs.
///
/// # Derivation
/// The tokens of the leading zones are added up and set against those of all zones.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(memory_kv)]
pub struct RequestZonesScenario {
    /// The tokens of each zone, in the order in which they are sent.
    #[range(>= 0, nonempty)]
    pub zones: Map<u64>,
    /// How many zones from the first on are the same in every turn.
    #[range(>= 0)]
    pub shared_zones: u64,
}

#[equations]
impl RequestZonesScenario {
    /// The tokens of the whole request.
    pub fn total_tokens(&self) -> u64 {
        self.zones.total()
    }

    /// The tokens of the zones that are shared.
    pub fn shared_tokens(&self) -> u64 {
        self.zones.leading(self.shared_zones).total()
    }

    /// The share of the request that a cache of prefixes can serve.
    pub fn shared_share(&self) -> f64 {
        self.shared_tokens() as f64 / self.total_tokens() as f64
    }

    /// No more zones are shared than there are.
    #[check]
    fn zones_are_there(&self) -> Result<()> {
        let zones = self.zones.len();
        if self.shared_zones > zones as u64 {
            let given = self.shared_zones;
            return Err(Error::input(
                "shared_zones",
                format!("at most the {zones} zones of the request can be shared, but `{given}` was given"),
            ));
        }
        Ok(())
    }
}
