//! `TorusScenario`: a torus against a fat tree.

use mlsysim_quantity::Bandwidth;
use mlsysim_scenario::{CountProduct, Counting, Provided, Result, Scenario, equations};

use crate::physics::topology::{fat_tree_longest_path, torus_bisection_links, torus_longest_path};

/// Endpoints in a torus of equal sides against a fat tree without oversubscription, with links of
/// the same bandwidth.
///
/// # Assumptions
/// The endpoints fill a torus whose sides are all as long; the fat tree carries what the links of
/// one half send.
///
/// # Excludes
/// Routing, congestion, and the links' length and price.
///
/// # Derivation
/// A plane through the torus cuts each ring across it twice: Dally and Towles (2004), Principles
/// and Practices of Interconnection Networks, chapter 5. A full fat tree has a link for each
/// endpoint of one half.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct TorusScenario {
    /// How many endpoints there are.
    #[range(>= 1)]
    pub n_endpoints: u64,
    /// The bandwidth of one link in one direction.
    #[range(> 0)]
    #[unit(Gbps)]
    pub link_bandwidth: Bandwidth,
    /// How many dimensions the torus has.
    #[range(>= 1)]
    #[default(3)]
    pub dims: u64,
    /// How many tiers of switches the fat tree has.
    #[range(>= 1)]
    #[default(3)]
    pub fat_tree_tiers: u64,
}

#[equations]
impl TorusScenario {
    /// How many endpoints a side of the torus has, to the nearest whole number.
    pub fn side(&self) -> Result<u64> {
        (self.n_endpoints as f64).powf(1.0 / self.dims as f64).round_ties_even().counted()
    }

    /// The links of the torus that its middle cuts.
    ///
    /// # Errors
    ///
    /// A torus of one endpoint a side has no middle.
    pub fn torus_cut_links(&self) -> Result<u64> {
        torus_bisection_links(self.side()?, self.dims)?
            .provided(self.side()? > 1, "a torus of one endpoint a side has no links to cut")
    }

    /// The links of the fat tree that its middle cuts: one for each endpoint of one half.
    pub fn fat_tree_cut_links(&self) -> u64 {
        self.n_endpoints / 2
    }

    /// What crosses the middle of the torus in one direction.
    #[unit(Gbps)]
    pub fn torus_bisection(&self) -> Result<Bandwidth> {
        Ok(self.torus_cut_links()? * self.link_bandwidth)
    }

    /// What crosses the middle of the fat tree in one direction.
    #[unit(Gbps)]
    pub fn fat_tree_bisection(&self) -> Bandwidth {
        self.fat_tree_cut_links() * self.link_bandwidth
    }

    /// The hops between the two endpoints of the torus that are farthest apart.
    pub fn torus_diameter(&self) -> Result<u64> {
        torus_longest_path(self.side()?, self.dims)
    }

    /// The switches between the two endpoints of the fat tree that are farthest apart.
    pub fn fat_tree_path_switches(&self) -> u64 {
        fat_tree_longest_path(self.fat_tree_tiers)
    }

    /// Endpoints that fill no torus of equal sides.
    #[note(side, torus_cut_links, torus_bisection, torus_diameter)]
    fn uneven(&self) -> Option<String> {
        let side = self.side().ok()?;
        let filled = side.to_the(self.dims).ok();
        (filled != Some(self.n_endpoints)).then(|| {
            let held = filled.map_or("more".to_string(), |filled| filled.to_string());
            format!(
                "{} endpoints fill no torus of {} equal sides: one of {side} a side has {held}",
                self.n_endpoints, self.dims
            )
        })
    }

    /// Sides for which the middle is no plain plane.
    #[note(torus_cut_links, torus_bisection)]
    fn odd_side(&self) -> Option<String> {
        match self.side().ok()? {
            2 => Some("with two endpoints a side a ring is one link there and one back; where they are one and the same, half as many are cut".to_string()),
            side if side > 1 && !side.is_multiple_of(2) => Some(format!(
                "an odd side of {side} has no plane through its middle: the equation counts one that leaves halves of {} and {}",
                side / 2,
                side / 2 + 1
            )),
            _ => None,
        }
    }
}
