//! `ReplicaStartupScenario`: the phases that a replica's warm and cold starts pay.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Error, Map, MapExt, Name, Result, Scenario, Total, equations};

/// The start of a serving replica as a sum of named phases, once warm and once cold.
///
/// # Assumptions
/// The phases of a path follow one another. A path may pass a phase more than once.
///
/// # Excludes
/// Phases that overlap, and the queue of requests that grows while a replica starts.
///
/// # Derivation
/// A start takes the sum of the phases that its path names. Where a phase is known as a range only,
/// `phases` holds the figure that is added, and `ranges` the range that it was taken from.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ReplicaStartupScenario {
    /// The time of each phase.
    #[range(>= 0, nonempty)]
    pub phases: Map<Time>,
    /// The least and the greatest time of those phases that are stated as a range.
    #[range(>= 0)]
    #[default(Map::new())]
    pub ranges: Map<Vec<Time>>,
    /// The phases of a start on a machine that has the weights and the engine.
    pub warm_path: Vec<Name>,
    /// The phases of a start on a machine that has neither.
    pub cold_path: Vec<Name>,
}

#[equations]
impl ReplicaStartupScenario {
    /// The time of a warm start: the phases of its path.
    ///
    /// # Errors
    ///
    /// The path names a phase that there is not.
    #[unit(s)]
    pub fn warm_total(&self) -> Result<Time> {
        Ok(self.phases.along("warm_path", &self.warm_path)?.total())
    }

    /// The time of a cold start: the phases of its path.
    ///
    /// # Errors
    ///
    /// The path names a phase that there is not.
    #[unit(s)]
    pub fn cold_total(&self) -> Result<Time> {
        Ok(self.phases.along("cold_path", &self.cold_path)?.total())
    }

    /// Paths and ranges name phases, and a range has two ends.
    #[check]
    fn phases_are_known(&self) -> Result<()> {
        self.phases.along("warm_path", &self.warm_path)?;
        self.phases.along("cold_path", &self.cold_path)?;
        for (phase, range) in &self.ranges {
            self.phases.at("ranges", phase)?;
            match range.as_slice() {
                [low, high] if low <= high => {}
                [low, high] => {
                    let message = format!("the least time, {low}, is above the greatest, {high}");
                    return Err(Error::input(format!("ranges.{phase}"), message));
                }
                other => {
                    let message =
                        format!("a least and a greatest time are needed, not {} times", other.len());
                    return Err(Error::input(format!("ranges.{phase}"), message));
                }
            }
        }
        Ok(())
    }

    /// How far a warm start may be from its total.
    #[note(warm_total)]
    fn warm_range(&self) -> Option<String> {
        self.range_of(&self.warm_path)
    }

    /// How far a cold start may be from its total.
    #[note(cold_total)]
    fn cold_range(&self) -> Option<String> {
        self.range_of(&self.cold_path)
    }

    /// A phase outside its own range was not taken from it.
    #[note(warm_total, cold_total)]
    fn outside(&self) -> Option<String> {
        let (phase, time) = self.phases.iter().find(|(phase, time)| {
            let range = self.ranges.get(*phase).map(Vec::as_slice);
            matches!(range, Some([low, high]) if *time < low || *time > high)
        })?;
        Some(format!(
            "the phase `{phase}` counts with {time}, which is outside the range that is stated for it"
        ))
    }
}

impl ReplicaStartupScenario {
    /// Between what a start along `path` takes, where one of its phases is stated as a range.
    fn range_of(&self, path: &[Name]) -> Option<String> {
        path.iter().find(|phase| self.ranges.contains_key(*phase))?;
        let end = |index: usize| -> Option<Time> {
            let stated = |phase| self.ranges.get(phase).and_then(|range| range.get(index));
            path.iter().map(|phase| stated(phase).or(self.phases.get(phase))).sum()
        };
        Some(format!("between {} and {}, by the ranges of its phases", end(0)?, end(1)?))
    }
}
