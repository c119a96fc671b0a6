//! `IncastModel`: many senders to one port.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Solver, equations};

/// Many senders to one port of a switch, whose buffer takes what the port cannot send on.
///
/// The buffer fills at the rate of all senders less that of the port. Senders slow down only when
/// they hear of it, one round trip later; what the port carries in that time is the
/// bandwidth-delay product.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = IncastResult)]
pub struct IncastModel {
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

#[equations(result = IncastResult)]
impl IncastModel {
    /// The rate of all senders together.
    #[unit(Gbps)]
    pub fn offered_load(&self) -> Bandwidth {
        self.n_senders * self.sender_bandwidth
    }

    /// How many times more is sent than the port carries.
    pub fn oversubscription(&self) -> f64 {
        self.offered_load() / self.egress_bandwidth
    }

    /// The rate at which the buffer fills; below 0 where the port keeps up.
    #[unit(Gbps)]
    pub fn net_fill_rate(&self) -> Bandwidth {
        self.offered_load() - self.egress_bandwidth
    }

    /// The time in which an empty buffer is full; nothing where the port keeps up.
    #[unit("µs")]
    pub fn overflow_time(&self) -> Option<Time> {
        if self.net_fill_rate() > Bandwidth::ZERO { Some(self.buffer / self.net_fill_rate()) } else { None }
    }

    /// The time in which the port empties a full buffer while nobody sends.
    #[unit("µs")]
    pub fn drain_time(&self) -> Time {
        self.buffer / self.egress_bandwidth
    }

    /// What the port carries within one round trip.
    #[unit(KB)]
    pub fn bandwidth_delay_product(&self) -> Bytes {
        self.egress_bandwidth * self.feedback_rtt
    }

    /// A port that carries everything needs no buffer.
    #[note(overflow_time, net_fill_rate)]
    fn keeps_up(&self) -> Option<String> {
        (self.net_fill_rate() <= Bandwidth::ZERO)
            .then(|| "the port carries all that is sent, so that the buffer never overflows".to_string())
    }

    /// A buffer that is full before anybody hears of it loses packets, unless senders are paused.
    #[note(overflow_time)]
    fn too_late(&self) -> Option<String> {
        let overflow = self.overflow_time().filter(|time| *time < self.feedback_rtt)?;
        Some(format!(
            "the buffer is full after {:.3} µs, before a feedback of {:.3} µs can slow any sender",
            overflow.base() * 1e6,
            self.feedback_rtt.base() * 1e6
        ))
    }
}
