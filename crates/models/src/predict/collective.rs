//! `CollectiveQuestion`: a collective in a group of ranks on a machine, by a library.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Derivation, Result};

use super::explain::{at_full_rate, coefficients as named, computed, counted};
use super::{Beyond, CollectiveCoefficients, CollectiveLibrary, LinkClass, Question};
use crate::machine::{Algorithm, Collective, CollectiveBound, Machine, Reach};
use crate::physics::kernel_time::{launched_time, link_time};

/// A collective in a group of ranks on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveQuestion {
    collective: Collective,
    library: CollectiveLibrary,
    class: LinkClass,
    // Within a domain.
    ranks: f64,
    has_switch: bool,
    shares_links: bool,
    // What the payload takes at the full rate of a link, and of the memory.
    on_link: Time,
    on_memory: Time,
    // Between how many domains, whose network takes what the bound says at its full rate.
    domains: f64,
    bound: CollectiveBound,
    beyond: Beyond,
}

/// Why what crosses a network is beyond the calibration.
const NO_NETWORK: &str = "no network between domains is in the calibration";

/// A way of doing a collective.
struct Way {
    // What its coefficients begin with.
    name: &'static str,
    latency: Time,
    // What a rank sends, at the full rate of its link.
    sent: Time,
    roughness: f64,
    share: f64,
}

/// Those that a library chooses from.
type Ways = [Option<Way>; 3];

impl Way {
    fn time(&self) -> Time {
        link_time(self.latency, self.sent, self.roughness, self.share)
    }

    fn derivation(&self, of: &CollectiveCoefficients) -> Derivation {
        let roughness = format!("{}_roughness", self.name);
        let share =
            if self.name == "single" { "ring_share".to_string() } else { format!("{}_share", self.name) };
        let renamed = |label: &str, value: f64, name: &str| Derivation {
            parts: named(&[name], of),
            ..counted(label, value, "")
        };
        let parts = vec![
            computed("latency", self.latency, "Its latency.", "", Vec::new()),
            at_full_rate("at_full_rate", self.sent, "What a rank sends at the full rate of its link."),
            renamed("roughness", self.roughness, &roughness),
            renamed("share", self.share, &share),
        ];
        computed(self.name, self.time(), "", link_time::FORMULA.output.equation.text, parts)
    }
}

impl CollectiveQuestion {
    /// `collective` on `payload` in a group that lies on `machine` as `reach` says, by `library`.
    ///
    /// The payload is what is reduced or gathered in all, or what a rank holds before an all-to-all.
    ///
    /// ```
    /// use mlsysim_models::machine::{Collective, Machine};
    /// use mlsysim_models::predict::{CollectiveLibrary, CollectiveQuestion, shipped};
    /// use mlsysim_quantity::{Bytes, Time};
    ///
    /// let (machine, payload) = (Machine::named("DGX_H100")?, Bytes::from_base(16e6));
    /// let ask = |ranks| CollectiveQuestion::new(
    ///     Collective::AllReduce, payload, machine.reach(ranks, 1), &machine, CollectiveLibrary::Nccl,
    /// );
    /// let predicted = shipped()?.collective.predict(&ask(8)?);
    /// assert!(predicted.time >= predicted.bound && predicted.bound > Time::ZERO);
    /// assert_eq!(shipped()?.collective.predict(&ask(1)?).high, Time::ZERO);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The group spans domains and the machine has no network.
    pub fn new(
        collective: Collective,
        payload: Bytes,
        reach: Reach,
        machine: &Machine,
        library: CollectiveLibrary,
    ) -> Result<Self> {
        let bound = machine.collective_bound(collective, payload, reach)?;
        Ok(Self::bounded(collective, payload, reach, machine, library, bound))
    }

    /// The same with a bound of its own: what is sent to several ranks may cross a link less often than
    /// once for each.
    pub(super) fn bounded(
        collective: Collective,
        payload: Bytes,
        reach: Reach,
        machine: &Machine,
        library: CollectiveLibrary,
        bound: CollectiveBound,
    ) -> Self {
        let (class, is_known) = LinkClass::of(machine);
        let unknown = (!is_known && reach.ranks > 1).then(|| {
            format!("the links of {} are not in the calibration, {} is nearest", machine.name, class.name())
        });
        let beyond =
            Beyond::of(unknown.into_iter().collect()).and_fixed((reach.domains > 1).then_some(NO_NETWORK));
        // Kernels of engines' own reduce only, and NCCL does the rest for them.
        let library = if collective == Collective::AllReduce { library } else { CollectiveLibrary::Nccl };
        let on_link = payload / machine.link;
        let on_link = match collective {
            Collective::AllToAll if reach.ranks > 1 => {
                bound.on_links * (reach.per_domain as f64 / (reach.per_domain as f64 - 1.0).max(1.0))
            }
            _ => on_link,
        };
        CollectiveQuestion {
            collective,
            library,
            class,
            ranks: reach.per_domain as f64,
            has_switch: machine.in_switch_reduction && reach.per_domain > 2,
            shares_links: class == LinkClass::Pcie,
            on_link,
            on_memory: payload / machine.device.memory.bandwidth,
            domains: reach.domains as f64,
            bound,
            beyond,
        }
    }

    /// The same with nothing to send: what is left is latency.
    #[must_use]
    pub fn without_payload(&self) -> Self {
        let bound = CollectiveBound::default();
        CollectiveQuestion { on_link: Time::ZERO, on_memory: Time::ZERO, bound, ..self.clone() }
    }

    /// Its time by the model in two parts: what a message of no bytes would take, and the rest.
    ///
    /// ```
    /// use mlsysim_models::machine::{Collective, Machine};
    /// use mlsysim_models::predict::{CollectiveLibrary, CollectiveQuestion, Question, shipped};
    /// use mlsysim_quantity::Bytes;
    ///
    /// let machine = Machine::named("DGX_H100")?;
    /// let of = shipped()?.kernels().collective;
    /// let split = |bytes| CollectiveQuestion::new(
    ///     Collective::AllReduce, Bytes::from_base(bytes), machine.reach(8, 1), &machine, CollectiveLibrary::Nccl,
    /// ).map(|question| question.split(&of));
    /// let ([one, small], [other, large]) = (split(1e3)?, split(1e9)?);
    /// assert!(one == other && one > small && large > 100.0 * one);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn split(&self, of: &CollectiveCoefficients) -> [Time; 2] {
        let (all, latency) = (self.time(of), self.without_payload().time(of));
        let latency = latency.min(all);
        [latency, all - latency]
    }

    /// What runs it.
    pub fn library(&self) -> CollectiveLibrary {
        self.library
    }

    /// Its least time, on links and on the network.
    pub fn least(&self) -> CollectiveBound {
        self.bound
    }

    /// The same on a host whose devices have links of their own to each other.
    #[must_use]
    pub fn unshared(self) -> Self {
        CollectiveQuestion { shares_links: false, ..self }
    }

    /// The parts within domains and between them.
    pub fn times(&self, of: &CollectiveCoefficients) -> [Time; 2] {
        [self.within(of), self.between(of)]
    }

    /// What a rank sends by `algorithm`, at the full rate of its link.
    fn sent(&self, algorithm: Algorithm) -> Time {
        let plan = algorithm.plan(self.collective, self.ranks as u64, Bytes::from_base(1.0));
        plan.map_or(0.0, |plan| plan.sent.base()) * self.on_link
    }

    /// What PCIe makes longer, by sharing.
    fn sharing(&self, of: &CollectiveCoefficients) -> f64 {
        if self.shares_links { (self.ranks / 2.0).max(1.0).powf(of.pcie_sharing) } else { 1.0 }
    }

    /// The latency of NCCL on these links: its start, and what a doubling of the group adds.
    fn latency(&self, of: &CollectiveCoefficients) -> [Time; 2] {
        let both = match self.class {
            LinkClass::NvLink3 => [of.nvlink3_start, of.nvlink3_doubling],
            LinkClass::NvLink4 => [of.nvlink4_start, of.nvlink4_doubling],
            LinkClass::NvLink5 => [of.nvlink5_start, of.nvlink5_doubling],
            LinkClass::Pcie => [of.pcie_start, of.pcie_doubling],
        };
        both.map(|time| Time::from_base(1e-6 * time))
    }

    /// The ways of an all-reduce, of latencies of their own: at once or of low latency, around a ring,
    /// and through a switch where there is one that adds up.
    fn ways_of_all_reduce(&self, of: &CollectiveCoefficients, latencies: [Time; 3], is_own: bool) -> Ways {
        let [low, ring, switch] = latencies;
        let way = |name, latency, algorithm, roughness, share: f64| {
            let sent = self.sharing(of) * self.sent(algorithm);
            Some(Way { name, latency, sent, roughness, share: share.min(1.0) })
        };
        let soon = if is_own {
            way("one_shot", low, Algorithm::OneShot, 0.0, of.one_shot_share)
        } else {
            way("low", low, Algorithm::Ring, of.low_roughness, of.low_share)
        };
        let through = way("switch", switch, Algorithm::InSwitch, of.switch_roughness, of.switch_share);
        [
            soon,
            way("ring", ring, Algorithm::Ring, of.ring_roughness, of.ring_share),
            through.filter(|_| self.has_switch),
        ]
    }

    /// The ways within a domain, of which the fastest is taken.
    fn ways(&self, of: &CollectiveCoefficients) -> Ways {
        let [start, doubling] = self.latency(of);
        let doublings = self.ranks.log2();
        match (self.collective, self.library) {
            (Collective::AllReduce, CollectiveLibrary::Nccl) => {
                let low = start + doublings * doubling;
                let high = of.bandwidth_latency * low;
                self.ways_of_all_reduce(of, [low, high, high], false)
            }
            (Collective::AllReduce, library) => {
                let own = match self.class {
                    LinkClass::NvLink3 => of.nvlink3_own,
                    LinkClass::NvLink4 => of.nvlink4_own,
                    LinkClass::NvLink5 => of.nvlink5_own,
                    LinkClass::Pcie => of.pcie_own,
                };
                let factor =
                    if library == CollectiveLibrary::TensorRtLlm { of.tensorrt_latency } else { 1.0 };
                let low = Time::from_base(1e-6 * factor * own);
                // What the switch adds up is left to NCCL.
                let switch = of.bandwidth_latency * (start + doublings * doubling);
                let each = [low, of.two_shot_latency * low, switch];
                self.ways_of_all_reduce(of, each, true)
            }
            (collective, _) => {
                let is_direct = matches!(collective, Collective::AllToAll | Collective::SendReceive);
                let [start_factor, doubling_factor] =
                    if is_direct { [of.direct_start, 0.0] } else { [of.half_start, of.half_doubling] };
                let latency = start_factor * start + doubling_factor * doublings * doubling;
                let sent = self.sharing(of) * self.sent(Algorithm::Ring);
                let (roughness, share) = (of.single_roughness, of.ring_share.min(1.0));
                [Some(Way { name: "single", latency, sent, roughness, share }), None, None]
            }
        }
    }

    /// The part within a domain.
    fn within(&self, of: &CollectiveCoefficients) -> Time {
        if self.ranks <= 1.0 {
            return Time::ZERO;
        }
        let times = self.ways(of).into_iter().flatten().map(|way| way.time());
        let kernel = times.reduce(Time::min).unwrap_or(Time::ZERO);
        if self.library == CollectiveLibrary::OwnEager {
            let copies = 2.0 * self.on_memory;
            launched_time(Time::from_base(1e-6 * of.host), kernel + copies)
        } else {
            kernel
        }
    }

    /// The part between domains, taken to behave as links of the same latency.
    fn between(&self, of: &CollectiveCoefficients) -> Time {
        if self.domains <= 1.0 {
            return Time::ZERO;
        }
        let [start, doubling] = self.latency(of);
        let latency = of.bandwidth_latency * (start + self.domains.log2() * doubling);
        link_time(latency, self.bound.on_network, of.ring_roughness, of.ring_share.min(1.0))
    }
}

impl Question for CollectiveQuestion {
    type Of = CollectiveCoefficients;

    fn time(&self, of: &CollectiveCoefficients) -> Time {
        self.within(of) + self.between(of)
    }

    fn bound(&self) -> Time {
        self.bound.time()
    }

    fn speed_of_light(&self) -> Time {
        self.bound()
    }

    fn binds(&self, of: &CollectiveCoefficients) -> &'static str {
        let (within, between) = (self.within(of), self.between(of));
        let time = self.predicted(of);
        match () {
            () if time == Time::ZERO => "nothing",
            () if between > within => "network",
            // Less than half of the time would be left without latency.
            () if self.bound() * 4.0 < time => "latency",
            () => "links",
        }
    }

    fn derivation(&self, of: &CollectiveCoefficients) -> Derivation {
        let ways = self.ways(of);
        let ways: Vec<&Way> = ways.iter().flatten().filter(|_| self.ranks > 1.0).collect();
        let names: Vec<&str> = ways.iter().map(|way| way.name).collect();
        let mut parts: Vec<Derivation> = ways.iter().map(|way| way.derivation(of)).collect();
        let mut equation =
            if names.is_empty() { "0".to_string() } else { format!("min({})", names.join(", ")) };
        if self.library == CollectiveLibrary::OwnEager && !names.is_empty() {
            equation = format!("launched_time(host, {equation} + 2 × on_memory)");
            parts.extend(named(&["host"], of));
            parts.push(at_full_rate(
                "on_memory",
                self.on_memory,
                "The payload at the bandwidth of the memory.",
            ));
        }
        if self.domains > 1.0 {
            equation.push_str(" + between");
            let meaning = "The network, with the latency of the links.";
            parts.push(computed("between", self.between(of), meaning, "", Vec::new()));
        }
        computed("model", self.time(of), "The time by the model.", equation, parts)
    }

    fn regime(&self) -> &'static str {
        match (self.domains > 1.0, self.class, self.collective, self.library) {
            (true, ..) => "collective between domains",
            (_, LinkClass::Pcie, ..) => "collective on PCIe",
            (.., CollectiveLibrary::OwnEager) => "all-reduce of an engine, eager",
            (.., CollectiveLibrary::Own | CollectiveLibrary::TensorRtLlm) => {
                "all-reduce of an engine, NVLink"
            }
            (_, _, Collective::AllReduce, _) => "all-reduce, NVLink",
            (_, _, Collective::AllGather, _) => "all-gather, NVLink",
            (_, _, Collective::ReduceScatter, _) => "reduce-scatter, NVLink",
            (_, _, Collective::AllToAll, _) => "all-to-all, NVLink",
            (_, _, Collective::Broadcast | Collective::SendReceive, _) => "send-receive, NVLink",
        }
    }

    fn beyond(&self) -> &Beyond {
        &self.beyond
    }
}
