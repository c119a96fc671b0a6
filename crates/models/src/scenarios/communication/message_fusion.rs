//! `MessageFusionScenario`: many small messages, one by one or as one.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Scenario, equations};

use crate::physics::communication::{critical_size, point_to_point_time};

/// How much of a startup the bytes of a message may be before they are worth a word.
const NEGLIGIBLE: f64 = 0.1;

/// Small messages on one path, sent one by one or fused into one.
///
/// # Assumptions
/// Each message alone is so short that its startup is all it takes; fused, the startup is paid
/// once and the bytes as they are.
///
/// # Excludes
/// The bytes of the messages that are sent alone, copying them together, and waiting until the last
/// of them is there.
///
/// # Derivation
/// The α–β model of Hockney (1994), Parallel Computing 20, 389-398, without the bytes of messages
/// far below the critical size.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(communication)]
pub struct MessageFusionScenario {
    /// The startup of a message.
    #[range(>= 0)]
    #[unit("µs")]
    pub alpha: Time,
    /// The bandwidth of the path in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// The size of one message.
    #[range(>= 0)]
    #[unit(KB)]
    pub message: Bytes,
    /// How many messages there are.
    #[range(>= 1)]
    pub count: u64,
}

#[equations]
impl MessageFusionScenario {
    /// The critical size: the message whose bytes take as long as its startup.
    #[unit(B)]
    pub fn crossover(&self) -> Bytes {
        critical_size(self.alpha, self.bandwidth)
    }

    /// All messages as one.
    #[unit(KB)]
    pub fn fused_message(&self) -> Bytes {
        self.count * self.message
    }

    /// The time of the messages one by one, their startups alone.
    #[unit("µs")]
    pub fn separate_time(&self) -> Time {
        self.count * self.alpha
    }

    /// The time of the fused message.
    #[unit("µs")]
    pub fn fused_time(&self) -> Time {
        point_to_point_time(self.fused_message(), self.alpha, self.bandwidth)
    }

    /// How many times faster the fused message is.
    pub fn speedup(&self) -> f64 {
        self.separate_time() / self.fused_time()
    }

    /// The time of the bytes of one message, without its startup.
    #[unit(ns)]
    pub fn transfer_time(&self) -> Time {
        self.message / self.bandwidth
    }

    /// How many times longer the startup of one message takes than its bytes.
    pub fn startup_to_transfer(&self) -> f64 {
        self.alpha / self.transfer_time()
    }

    /// The bytes of a message that is not small are left out of one time and not of the other.
    #[note(separate_time, speedup)]
    fn not_small(&self) -> Option<String> {
        (self.transfer_time() > NEGLIGIBLE * self.alpha).then(|| {
            format!(
                "the bytes of each message alone take {:.3} µs beside a startup of {:.3} µs; separate_time leaves them out, and the speed-up is too low by that",
                self.transfer_time().base() * 1e6,
                self.alpha.base() * 1e6
            )
        })
    }
}
