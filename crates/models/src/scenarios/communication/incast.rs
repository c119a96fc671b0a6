//! `IncastScenario`: many senders to one port with a finite buffer.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Scenario, equations};

use crate::solvers::{IncastModel, IncastResult};

/// Many senders at once to one port of a switch with a finite buffer: how soon it overflows, and
/// whether anybody can hear of it in time.
///
/// # Assumptions
/// Those of `IncastModel`: all senders begin at the same time, at their full rates, and the buffer
/// is empty then.
///
/// # Excludes
/// Pauses, buffers that ports share, and what senders do once they hear of the congestion.
///
/// # Derivation
/// The inputs are those of `IncastModel`, whose equations stand with its result.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct IncastScenario {
    /// How many send at once.
    #[range(>= 1)]
    pub n_senders: u64,
    /// The rate of each sender.
    #[range(>= 0)]
    #[unit(Gbps)]
    pub sender_bandwidth: Bandwidth,
    /// The rate of the port to which they send.
    #[range(> 0)]
    #[unit(Gbps)]
    pub egress_bandwidth: Bandwidth,
    /// What the switch can hold for that port.
    #[range(>= 0)]
    #[unit(MB)]
    pub buffer: Bytes,
    /// The round trip in which senders hear of the congestion.
    #[range(>= 0)]
    #[unit("µs")]
    pub feedback_rtt: Time,
}

#[equations]
impl IncastScenario {
    /// The load, and how soon the buffer overflows and drains, by `IncastModel`.
    pub fn result(&self) -> IncastResult {
        IncastModel {
            n_senders: self.n_senders,
            sender_bandwidth: self.sender_bandwidth,
            egress_bandwidth: self.egress_bandwidth,
            buffer: self.buffer,
            feedback_rtt: self.feedback_rtt,
        }
        .solve()
    }
}
