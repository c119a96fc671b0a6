//! `SpeculativeRoundScenario`: tokens that a draft proposes and the model verifies at once.

use mlsysim_quantity::Time;
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

use crate::physics::decode::speculated_tokens;

/// One round of speculative decoding: a draft proposes tokens, and the model verifies them in one
/// step.
///
/// # Assumptions
/// Each token is accepted with the same probability, whatever the others, and none behind the first
/// that is not. The model adds one token of its own. Drafting and verifying follow each other.
///
/// # Excludes
/// What verifying several tokens costs beyond `verify_time`, and the memory of the draft.
///
/// # Derivation
/// The expected tokens of a round are a geometric series (Leviathan, Kalman and Matias, 2023,
/// arXiv:2211.17192, equation 1). The round's time is shared among them.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct SpeculativeRoundScenario {
    /// The probability that a proposed token is accepted.
    #[range(>= 0, <= 1)]
    pub acceptance: f64,
    /// How many tokens the draft proposes.
    #[range(>= 0)]
    pub draft_length: u64,
    /// The time of all the draft's steps together.
    #[range(>= 0)]
    #[unit(ms)]
    pub draft_time: Option<Time>,
    /// The time in which the model verifies them, as long as a decode step of its own.
    #[range(> 0)]
    #[unit(ms)]
    pub verify_time: Time,
    /// The time of one step of the draft, where `draft_time` is not given.
    #[range(>= 0)]
    #[unit(ms)]
    pub draft_step: Option<Time>,
}

#[equations]
impl SpeculativeRoundScenario {
    /// What drafting costs in a round.
    ///
    /// # Errors
    ///
    /// Neither `draft_time` nor `draft_step` is given.
    #[unit(ms)]
    pub fn draft_cost(&self) -> Result<Time> {
        self.draft_time.or(self.draft_steps()).needed("draft_time")
    }

    /// How many tokens a round yields on average.
    pub fn expected_tokens(&self) -> f64 {
        speculated_tokens(self.acceptance, self.draft_length)
    }

    /// The time of a round.
    #[unit(ms)]
    pub fn round_time(&self) -> Result<Time> {
        Ok(self.draft_cost()? + self.verify_time)
    }

    /// The time of a round for each token that it yields.
    #[unit(ms)]
    pub fn per_token_time(&self) -> Result<Time> {
        Ok(self.round_time()? / self.expected_tokens())
    }

    /// How many times faster that is than decoding without a draft; below 1 where drafting costs more
    /// than it saves.
    pub fn tpot_gain(&self) -> Result<f64> {
        Ok(self.verify_time / self.per_token_time()?)
    }

    /// The draft's steps, one for each token that it proposes.
    #[unit(ms)]
    fn draft_steps(&self) -> Option<Time> {
        Some(self.draft_length * self.draft_step?)
    }

    /// Only one of two times of the draft can count.
    #[note(draft_cost)]
    fn stated_twice(&self) -> Option<String> {
        (self.draft_time.is_some() && self.draft_step.is_some())
            .then(|| "`draft_time` stands for all steps, so that `draft_step` has no part in it".to_string())
    }
}
