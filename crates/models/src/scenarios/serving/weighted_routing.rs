//! `WeightedRoutingScenario`: traffic over unlike servers, by capacity and in equal shares.

use mlsysim_scenario::{Error, Map, MapExt, Result, Scenario, SumProduct, Total, equations, listed};

/// Traffic that is spread over pools of unlike servers in proportion to what each server can
/// serve, against a split into equal shares.
///
/// # Assumptions
/// The servers of a pool are alike; requests are alike; the router knows each capacity.
///
/// # Excludes
/// Queues at the servers, and what changes while the router does not look.
///
/// # Derivation
/// A server's weight is its capacity over that of the fleet, so that every server is used to the
/// same share: the offered requests over the total capacity. Equal shares ignore capacity.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct WeightedRoutingScenario {
    /// How many servers each pool has.
    #[range(>= 0, nonempty)]
    pub servers: Map<u64>,
    /// How many requests one server of each pool can serve in a second.
    #[range(>= 0, nonempty)]
    pub capacity: Map<f64>,
    /// How many requests in a second the fleet is offered.
    #[range(>= 0)]
    pub offered: f64,
}

#[equations]
impl WeightedRoutingScenario {
    /// How many requests in a second the whole fleet can serve.
    #[kind(bound)]
    pub fn total_capacity(&self) -> f64 {
        self.servers.sum_product(&self.capacity)
    }

    /// The share of the traffic that one server of a pool gets.
    pub fn weight(&self, #[keys(servers)] pool: &str) -> Result<f64> {
        Ok(self.capacity.at("pool", pool)? / self.total_capacity())
    }

    /// The share of its capacity that a server of a pool uses, the same for all pools.
    pub fn utilization(&self, #[keys(servers)] pool: &str) -> Result<f64> {
        Ok(self.offered * self.weight(pool)? / self.capacity.at("pool", pool)?)
    }

    /// How many requests in a second each server gets in an equal split.
    pub fn equal_split_load(&self) -> f64 {
        self.offered / self.servers.total() as f64
    }

    /// The share of its capacity that a server of a pool uses in an equal split.
    pub fn equal_split_utilization(&self, #[keys(servers)] pool: &str) -> Result<f64> {
        Ok(self.equal_split_load() / self.capacity.at("pool", pool)?)
    }

    /// Both maps are of the same pools.
    #[check]
    fn pools_agree(&self) -> Result<()> {
        let refuse = |field: &str, missing: &str, pools: &Map<f64>| {
            let message = format!(
                "the pool `{missing}` is missing; it has {}",
                listed(pools.keys().map(AsRef::as_ref))
            );
            Error::input(field, message)
        };
        if let Some(missing) = self.servers.keys().find(|pool| !self.capacity.contains_key(*pool)) {
            return Err(refuse("capacity", missing, &self.capacity));
        }
        match self.capacity.keys().find(|pool| !self.servers.contains_key(*pool)) {
            Some(missing) => Err(refuse("servers", missing, &self.servers.each(|count| *count as f64))),
            None => Ok(()),
        }
    }

    /// No spread of the traffic helps a fleet that is too small.
    #[infeasible(total_capacity, utilization)]
    fn too_small(&self) -> Option<String> {
        (self.offered >= self.total_capacity() && self.offered > 0.0).then(|| {
            "the offered requests are no fewer than the fleet can serve: its queues grow without bound"
                .to_string()
        })
    }

    /// An equal split may overload the slower servers of a fleet that is large enough.
    #[note(equal_split_load, equal_split_utilization)]
    fn unevenly_loaded(&self) -> Option<String> {
        let load = self.equal_split_load();
        let overloaded = self.capacity.iter().filter(|(pool, capacity)| {
            self.servers.get(*pool).is_some_and(|count| *count > 0) && load >= **capacity && load > 0.0
        });
        let pools: Vec<&str> = overloaded.map(|(pool, _)| pool.as_ref()).collect();
        (!pools.is_empty()).then(|| {
            format!(
                "an equal share is no less than a server can serve in {}: queues there grow without bound",
                listed(pools.into_iter())
            )
        })
    }
}
