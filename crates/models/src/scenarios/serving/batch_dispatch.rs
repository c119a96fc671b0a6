//! `BatchDispatchScenario`: when a batch leaves that waits for its timer and for a worker.

use std::sync::Arc;

use mlsysim_quantity::{Time, format_brief, units::MILLISECOND};
use mlsysim_scenario::{Extremes, Result, Scenario, equations};

use super::BatchingKneeScenario;

/// A batch that may leave when its oldest request has waited long enough, and leaves when a worker
/// is free: the latency of that request against its deadline.
///
/// # Assumptions
/// All listed requests are in the batch; one worker serves one batch at a time; the service time
/// is that of `service`.
///
/// # Excludes
/// The other trigger, a batch that is full before its timer ends, and requests that come later.
///
/// # Derivation
/// The batch leaves at the later of two times: `timeout` after its oldest arrival, and when the
/// worker is free. The oldest request then waits for the batch and the way back.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct BatchDispatchScenario {
    /// When each request of the batch arrives, counted from the oldest.
    #[range(>= 0, nonempty)]
    #[unit(ms)]
    pub arrivals: Vec<Time>,
    /// How long after its oldest arrival the batch may leave.
    #[range(>= 0)]
    #[unit(ms)]
    pub timeout: Time,
    /// When the worker is done with the batch before, on the clock of the arrivals.
    #[range(any)]
    #[unit(ms)]
    pub worker_free: Time,
    /// What a response takes once its batch is served.
    #[range(>= 0)]
    #[unit(ms)]
    pub response_path: Time,
    /// What the oldest request may take in all.
    #[range(>= 0)]
    #[unit(ms)]
    pub deadline: Time,
    /// The service that batches go to.
    pub service: Arc<BatchingKneeScenario>,
}

#[equations]
impl BatchDispatchScenario {
    /// When the timer of the batch ends.
    #[unit(ms)]
    pub fn formation_end(&self) -> Result<Time> {
        Ok(self.oldest_arrival()? + self.timeout)
    }

    /// When the batch leaves.
    #[unit(ms)]
    pub fn dispatch(&self) -> Result<Time> {
        Ok(self.formation_end()?.max(self.worker_free))
    }

    /// How long the batch waits for the worker after its timer has ended.
    #[unit(ms)]
    pub fn backlog_wait(&self) -> Result<Time> {
        Ok(self.dispatch()? - self.formation_end()?)
    }

    /// The time to serve the batch.
    #[unit(ms)]
    pub fn batch_time(&self) -> Time {
        self.service.service_time(self.batch_size())
    }

    /// What the oldest request takes, from its arrival to its response.
    #[unit(ms)]
    pub fn oldest_latency(&self) -> Result<Time> {
        Ok(self.dispatch()? + self.batch_time() + self.response_path - self.oldest_arrival()?)
    }

    /// What is left until the deadline; negative where it is missed.
    #[unit(ms)]
    pub fn slack(&self) -> Result<Time> {
        Ok(self.deadline - self.oldest_latency()?)
    }

    /// What the oldest request would seem to take without the busy worker and the way back.
    #[unit(ms)]
    #[kind(bound)]
    pub fn timer_only_latency(&self) -> Time {
        self.timeout + self.batch_time()
    }

    /// When the oldest request arrives.
    #[unit(ms)]
    fn oldest_arrival(&self) -> Result<Time> {
        self.arrivals.smallest()
    }

    /// How many requests the batch has.
    fn batch_size(&self) -> u64 {
        self.arrivals.len() as u64
    }

    /// A missed deadline stands out.
    #[note(slack)]
    fn late(&self) -> Option<String> {
        let slack = self.slack().ok()?;
        let late = format_brief(-slack.base() / MILLISECOND.base());
        (slack < Time::ZERO).then(|| format!("the oldest request is {late} ms late"))
    }

    /// A request cannot be in a batch that has left.
    #[note(dispatch, batch_time)]
    fn too_late_for_it(&self) -> Option<String> {
        let dispatch = self.dispatch().ok()?;
        let late = self.arrivals.iter().filter(|arrival| **arrival > dispatch).count();
        (late > 0).then(|| format!("{late} of the listed requests arrive after the batch has left"))
    }
}
