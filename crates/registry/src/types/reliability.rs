//! How often parts fail, and what a recovery takes.

use mlsysim_scenario::{Name, Record};

/// A part of a server and how long one lasts.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct ReliabilityComponent {
    /// What the part is.
    #[default("")]
    pub name: Name,
    /// The mean time to failure, in hours.
    #[range(> 0)]
    pub mttf_hours: f64,
    /// Soft errors in a billion hours for each megabit.
    pub soft_error_fit_per_mbit: Option<f64>,
}

/// What passes between a failure and the first step after it.
#[derive(Clone, Debug, PartialEq, Record)]
pub struct RecoveryProfile {
    /// Seconds until a silent server counts as lost.
    pub heartbeat_timeout_s: f64,
    /// Seconds until a failure is understood.
    pub detection_time_s: f64,
    /// Seconds until a spare server is assigned.
    pub reschedule_time_s: f64,
    /// Seconds until the job runs again.
    pub restart_time_s: f64,
    /// Seconds until it runs at full speed.
    pub warmup_time_s: f64,
    /// Gigabytes a second at which checkpoints are written.
    pub checkpoint_write_bw_gbs: f64,
}
