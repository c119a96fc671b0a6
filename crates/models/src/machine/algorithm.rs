//! The algorithms of collectives: the steps that each takes and the bytes that a rank sends.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::choices;

use crate::physics::communication::{ring_all_reduce_factor, ring_all_reduce_rounds, ring_phase_factor};

choices! {
    /// What the ranks of a group do together.
    pub enum Collective {
        /// Each ends with the sum of what all had.
        AllReduce = "all-reduce",
        /// Each ends with its part of that sum.
        ReduceScatter = "reduce-scatter",
        /// Each ends with the parts of all.
        AllGather = "all-gather",
        /// Each sends every other its own part.
        AllToAll = "all-to-all",
        /// All end with what one had.
        Broadcast = "broadcast",
        /// One sends to the next.
        SendReceive = "send-receive",
    }
}

choices! {
    /// How they do it.
    pub enum Algorithm {
        /// Parts go round a ring.
        Ring = "ring",
        /// Up a binary tree and down again, in pieces.
        Tree = "tree",
        /// The same on two trees with half of the payload each, so that every rank sends alike
        /// (Sanders, Speck and Träff 2009).
        DoubleTree = "double-tree",
        /// Halves are exchanged with ever nearer partners, then gathered from ever farther ones
        /// (Thakur, Rabenseifner and Gropp 2005).
        RecursiveHalving = "recursive-halving",
        /// The whole is exchanged with partners at twice the distance each time (the same).
        RecursiveDoubling = "recursive-doubling",
        /// Each rank sends all it has to all others at once.
        OneShot = "one-shot",
        /// Each rank gathers and adds its part from all others, and then sends it to all.
        TwoShot = "two-shot",
        /// The switch adds up what ranks send, and sends it to all of them (NVLS, SHARP).
        InSwitch = "in-switch",
    }
}

/// What an algorithm costs a rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The steps that follow on each other, each with its latency.
    pub steps: u64,
    /// What the rank that sends most sends in all of them.
    pub sent: Bytes,
}

impl Plan {
    /// The time of the steps at `alpha` each, and of the bytes at `bandwidth` in one direction.
    pub fn time(&self, alpha: Time, bandwidth: Bandwidth) -> Time {
        self.steps * alpha + self.sent / bandwidth
    }
}

impl Collective {
    /// The part of a payload that a rank of `ranks` sends at least, by the algorithm that sends least;
    /// `in_switch` says whether a switch that adds up is there.
    ///
    /// ```
    /// use mlsysim_models::machine::Collective;
    ///
    /// assert_eq!(Collective::AllReduce.least_share(8, false), 1.75);
    /// assert_eq!(Collective::AllReduce.least_share(8, true), 1.125);
    /// assert_eq!(Collective::AllGather.least_share(8, true), 0.875);
    /// assert_eq!(Collective::AllReduce.least_share(1, true), 0.0);
    /// ```
    pub fn least_share(self, ranks: u64, in_switch: bool) -> f64 {
        if ranks <= 1 {
            return 0.0;
        }
        match self {
            Collective::AllReduce if in_switch => ring_all_reduce_factor(ranks).min(1.0 + 1.0 / ranks as f64),
            Collective::AllReduce => ring_all_reduce_factor(ranks),
            Collective::ReduceScatter | Collective::AllGather | Collective::AllToAll => {
                ring_phase_factor(ranks)
            }
            Collective::Broadcast | Collective::SendReceive => 1.0,
        }
    }
}

impl Algorithm {
    /// What `operation` on `payload` costs a rank of `ranks`; nothing where the algorithm cannot do
    /// it.
    ///
    /// The payload is what is reduced, broadcast or gathered in all, or what a rank holds before an
    /// all-to-all. A group of one does nothing, in no step.
    ///
    /// ```
    /// use mlsysim_models::machine::{Algorithm, Collective};
    /// use mlsysim_quantity::Bytes;
    ///
    /// let gigabyte = Bytes::from_base(1e9);
    /// let ring = Algorithm::Ring.plan(Collective::AllReduce, 8, gigabyte).ok_or("none")?;
    /// assert_eq!((ring.steps, ring.sent.base()), (14, 1.75e9));
    /// let switch = Algorithm::InSwitch.plan(Collective::AllReduce, 8, gigabyte).ok_or("none")?;
    /// assert_eq!(switch.sent.base(), 1.125e9);
    /// assert!(Algorithm::InSwitch.plan(Collective::AllToAll, 8, gigabyte).is_none());
    /// # Ok::<(), &str>(())
    /// ```
    pub fn plan(self, operation: Collective, ranks: u64, payload: Bytes) -> Option<Plan> {
        if ranks <= 1 {
            return Some(Plan { steps: 0, sent: Bytes::ZERO });
        }
        let others = ranks - 1;
        let doublings = u64::from(ranks.ilog2());
        // Ranks beyond a power of two hand over what they have first, and get the result back.
        let (folded, returned) = if ranks.is_power_of_two() { (0, 0.0) } else { (2, 1.0) };
        let phase = ring_phase_factor(ranks);
        let (steps, share) = match (operation, self) {
            (Collective::SendReceive, _) => (1, 1.0),
            (Collective::AllReduce, Algorithm::Ring) => {
                (ring_all_reduce_rounds(ranks), ring_all_reduce_factor(ranks))
            }
            // A rank between others sends the sum up once and the result to two below.
            (Collective::AllReduce, Algorithm::Tree) => match ranks {
                2 => (2, 1.0),
                3 | 4 => (2 * doublings, 2.0),
                _ => (2 * doublings, 3.0),
            },
            // Half of the payload on each tree; what lies between others in one is a leaf in the other.
            (Collective::AllReduce, Algorithm::DoubleTree) => match ranks {
                2 => (2, 1.0),
                3 | 4 => (2 * doublings, 1.5),
                _ => (2 * doublings, 2.0),
            },
            (Collective::AllReduce, Algorithm::RecursiveHalving) => {
                let largest = 1 << doublings;
                (2 * doublings + folded, ring_all_reduce_factor(largest) + returned)
            }
            (Collective::AllReduce, Algorithm::RecursiveDoubling) => {
                (doublings + folded, doublings as f64 + returned)
            }
            (Collective::AllReduce, Algorithm::OneShot) => (1, others as f64),
            (Collective::AllReduce, Algorithm::TwoShot) => (2, ring_all_reduce_factor(ranks)),
            (Collective::AllReduce, Algorithm::InSwitch) => (2, 1.0 + 1.0 / ranks as f64),
            (Collective::ReduceScatter | Collective::AllGather, Algorithm::Ring) => (others, phase),
            (
                Collective::ReduceScatter | Collective::AllGather,
                Algorithm::RecursiveHalving | Algorithm::RecursiveDoubling,
            ) if ranks.is_power_of_two() => (doublings, phase),
            (Collective::ReduceScatter | Collective::AllGather, Algorithm::OneShot) => (1, phase),
            (Collective::AllToAll, Algorithm::Ring) => (others, phase),
            (Collective::AllToAll, Algorithm::OneShot) => (1, phase),
            (Collective::Broadcast, Algorithm::Ring) => (others, 1.0),
            (Collective::Broadcast, Algorithm::Tree) => (doublings, if ranks > 2 { 2.0 } else { 1.0 }),
            (Collective::Broadcast, Algorithm::OneShot) => (1, others as f64),
            (Collective::Broadcast, Algorithm::TwoShot) => (2, 2.0 * phase),
            (Collective::Broadcast, Algorithm::InSwitch) => (1, 1.0),
            _ => return None,
        };
        Some(Plan { steps, sent: share * payload })
    }
}
