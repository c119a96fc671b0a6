//! `MM1ServiceSpeedupScenario`: what a faster service gains in a queue.

use mlsysim_quantity::{Frequency, Time};
use mlsysim_scenario::{Result, Scenario, equations};

use crate::physics::queueing::mm1_time_in_system;

/// The same arrivals at one server before and after its service time changes: a shorter service
/// also lowers the load, so that the wait shrinks by more than the service.
///
/// # Assumptions
/// One server (M/M/1): arrivals are a Poisson stream, service times are exponential, requests are
/// served in turn and none gives up.
///
/// # Excludes
/// Batching, several servers, and the tail of the distribution.
///
/// # Derivation
/// The mean time in an M/M/1 system is the service time over `1 − utilization` (Kleinrock, 1975).
/// The arrivals are those that load the slow server to `utilization`; the fast one has as many.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct MM1ServiceSpeedupScenario {
    /// The mean service time before.
    #[range(> 0)]
    #[unit(ms)]
    pub slow_service: Time,
    /// The mean service time after.
    #[range(> 0)]
    #[unit(ms)]
    pub fast_service: Time,
    /// The share of time in which the server is busy before.
    #[range(>= 0, < 1)]
    pub utilization: f64,
}

#[equations]
impl MM1ServiceSpeedupScenario {
    /// How many requests arrive in a unit of time.
    #[unit(1/s)]
    pub fn arrival_rate(&self) -> Frequency {
        self.utilization / self.slow_service
    }

    /// The share of time in which the server is busy after.
    pub fn fast_utilization(&self) -> f64 {
        self.utilization * (self.fast_service / self.slow_service)
    }

    /// The mean time in the system before, waiting and service.
    #[unit(ms)]
    pub fn slow_time(&self) -> Result<Time> {
        mm1_time_in_system(self.slow_service, self.utilization)
    }

    /// The mean time in the system after, waiting and service.
    ///
    /// # Errors
    ///
    /// The server is overloaded, so that its queue only grows.
    #[unit(ms)]
    pub fn fast_time(&self) -> Result<Time> {
        mm1_time_in_system(self.fast_service, self.fast_utilization())
    }

    /// The mean time in the queue before.
    #[unit(ms)]
    pub fn slow_wait(&self) -> Result<Time> {
        Ok(self.slow_time()? - self.slow_service)
    }

    /// The mean time in the queue after.
    #[unit(ms)]
    pub fn fast_wait(&self) -> Result<Time> {
        Ok(self.fast_time()? - self.fast_service)
    }

    /// How many times shorter the service is.
    pub fn service_gain(&self) -> f64 {
        self.slow_service / self.fast_service
    }

    /// How many times shorter the time in the system is.
    pub fn time_gain(&self) -> Result<f64> {
        Ok(self.slow_time()? / self.fast_time()?)
    }

    /// How many times shorter the wait is.
    pub fn wait_gain(&self) -> Result<f64> {
        Ok(self.slow_wait()? / self.fast_wait()?)
    }

    /// The names of the inputs promise the contrary.
    #[note(service_gain, time_gain, wait_gain)]
    fn slower(&self) -> Option<String> {
        (self.fast_service > self.slow_service)
            .then(|| "the service after is the longer one, so that each gain is below 1".to_string())
    }

    /// An overloaded server has no mean time.
    #[infeasible(fast_utilization, fast_time, fast_wait)]
    fn unstable(&self) -> Option<String> {
        (self.fast_utilization() >= 1.0).then(|| {
            "after the change requests arrive at least as fast as the server can serve them: the queue grows without bound".to_string()
        })
    }
}
