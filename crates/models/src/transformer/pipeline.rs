//! `Turn`: the order in which a stage of a pipeline works on micro-batches.

use super::{Layout, Pass, Schedule};

/// A pass of one micro-batch through one chunk of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The micro-batch, from 0.
    pub micro_batch: u64,
    /// The chunk of the stage, from 0.
    pub chunk: u64,
    /// [`Pass::Forward`] or [`Pass::Backward`], which also computes again what was not kept.
    pub pass: Pass,
}

impl Layout {
    /// What `stage` works on, first to last, of so many micro-batches.
    ///
    /// Forward passes go through chunks in rounds of as many micro-batches as there are stages, and backward
    /// passes in the same rounds through the chunks from the last. With GPipe all forward passes come
    /// first. With 1F1B a stage begins with as many as it takes until the first micro-batch comes back, and
    /// then does one forward and one backward pass in turn.
    ///
    /// ```
    /// use mlsysim_models::transformer::{Layout, Pass, Schedule};
    ///
    /// let layout = Layout { pp: 4, ..Layout::whole() };
    /// let order = |stage| -> String {
    ///     let turns = layout.turns(stage, 4, Schedule::OneForwardOneBackward);
    ///     turns.iter().map(|turn| if turn.pass == Pass::Forward { 'F' } else { 'B' }).collect()
    /// };
    /// assert_eq!((order(0).as_str(), order(3).as_str()), ("FFFFBBBB", "FBFBFBFB"));
    /// ```
    ///
    /// Passes of weights that are put off are none of these.
    ///
    /// Source: Huang et al. (2019), GPipe, section 2.3, arXiv:1811.06965; Narayanan et al. (2021), section
    /// 2.2 and figure 4, arXiv:2104.04473.
    pub fn turns(&self, stage: u64, micro_batches: u64, schedule: Schedule) -> Vec<Turn> {
        let chunks = self.vpp;
        let round = |first: u64| first..(first + self.pp).min(micro_batches);
        let rounds = || (0..micro_batches).step_by(self.pp.max(1) as usize).map(round);
        let passes = |pass: Pass| {
            let through = rounds().flat_map(move |round| {
                (0..chunks).flat_map(move |at| round.clone().map(move |micro_batch| (micro_batch, at)))
            });
            through.map(move |(micro_batch, at)| {
                let chunk = if pass == Pass::Forward { at } else { chunks - 1 - at };
                Turn { micro_batch, chunk, pass }
            })
        };
        let (mut forward, mut backward) = (passes(Pass::Forward), passes(Pass::Backward));
        let after = self.pp - 1 - stage;
        let ahead = match schedule {
            Schedule::GPipe => micro_batches * chunks,
            Schedule::OneForwardOneBackward if chunks > 1 => 2 * after + (chunks - 1) * self.pp,
            Schedule::OneForwardOneBackward | Schedule::ZeroBubbleH1 => after,
            Schedule::ZeroBubbleH2 => 2 * after,
        };
        let mut turns: Vec<Turn> = forward.by_ref().take(ahead as usize).collect();
        for turn in forward {
            turns.push(turn);
            turns.extend(backward.next());
        }
        turns.extend(backward);
        turns
    }
}
