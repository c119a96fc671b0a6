//! The least time of a step on a machine: what its arithmetic, its memory and each link take at
//! their full rates, all at once.

use mlsysim_quantity::{Bandwidth, FlopRate, Time};
use mlsysim_scenario::{Result, choices};

use crate::machine::{CollectiveBound, Machine, Reach, Spread, peak_of};
use crate::transformer::{Account, Accounting, Exchange, Group, Pass, Phase, Recompute, Routing};

/// The rates of a machine's device that bound a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The peak of its arithmetic in the precision of the step.
    pub peak: FlopRate,
    /// The bandwidth of its memory.
    pub memory: Bandwidth,
}

choices! {
    /// What takes time at the least.
    pub enum Resource {
        /// The arithmetic, at its peak.
        Arithmetic = "arithmetic",
        /// The memory of the device, at its bandwidth.
        Memory = "memory",
        /// The links of a domain, at their rate in one direction.
        Links = "links",
        /// The network, at what a device gets of it.
        Network = "network",
    }
}

/// The least time of a step of one rank, and what takes it.
///
/// Everything overlaps: the arithmetic runs at its peak, memory is read at its full bandwidth and
/// each link carries its bytes at its full rate, and the slowest of them decides. Nothing can be
/// faster on this machine, and no pipeline is as fast, because it fills and drains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepBound {
    /// What the arithmetic takes.
    pub arithmetic: Time,
    /// What reading the weights and the cache takes, once in each pass of a micro-batch.
    pub memory: Time,
    /// What exchanges take on the links of a domain.
    pub links: Time,
    /// What exchanges take on the network.
    pub network: Time,
}

impl StepBound {
    /// The entries with their names.
    pub fn entries(&self) -> [(&'static str, Time); 4] {
        [
            ("arithmetic", self.arithmetic),
            ("memory", self.memory),
            ("links", self.links),
            ("network", self.network),
        ]
    }

    /// What `resource` takes.
    pub fn of(&self, resource: Resource) -> Time {
        self.entries()[resource as usize].1
    }

    /// The least time of the step.
    pub fn time(&self) -> Time {
        self.entries().iter().fold(Time::ZERO, |most, (_, time)| if *time > most { *time } else { most })
    }

    /// What takes it.
    pub fn binds(&self) -> &'static str {
        let time = self.time();
        self.entries().iter().find(|(_, each)| *each == time).map_or("nothing", |(name, _)| name)
    }
}

impl Exchange {
    /// How its group lies over the domains of `machine`.
    pub fn reach(&self, machine: &Machine) -> Reach {
        machine.reach_of(&self.spread)
    }

    /// The least time of one such exchange on `machine`; tokens of which `routing` sends copies to
    /// several experts are sent once to where several of those are.
    ///
    /// # Errors
    ///
    /// The group spans domains and the machine has no network.
    pub fn bound(&self, machine: &Machine, routing: Option<Routing>) -> Result<CollectiveBound> {
        self.bound_over(self.reach(machine), machine, routing)
    }

    /// The same where it is known how the group lies.
    pub(crate) fn bound_over(
        &self,
        reach: Reach,
        machine: &Machine,
        routing: Option<Routing>,
    ) -> Result<CollectiveBound> {
        let payload = self.payload_bytes();
        match self.group {
            Group::Expert => {
                let experts =
                    routing.map_or((1, 1), |routing| (routing.experts.into(), routing.per_token.into()));
                let most = routing.map_or(1.0, |routing| routing.most_domains(reach.domains));
                machine.dispatch_bound(payload, experts, most, reach)
            }
            _ => machine.collective_bound(self.collective, payload, reach),
        }
    }
}

impl Accounting<'_> {
    /// The rates of `machine`'s device for this step.
    ///
    /// # Errors
    ///
    /// The device states no peak for the step's precision.
    pub fn rates(&self, machine: &Machine) -> Result<Rates> {
        let device = &machine.device;
        Ok(Rates { peak: peak_of(device, peak_key(&self.step.precision))?, memory: device.memory.bandwidth })
    }

    /// The least time of the step for a rank of `account`'s stage on `machine`.
    ///
    /// # Errors
    ///
    /// The device states no peak for the precision, or a group spans domains without a network.
    pub fn bound(&self, account: &Account, machine: &Machine) -> Result<StepBound> {
        self.bound_at(account, machine, self.rates(machine)?)
    }

    /// The same at `rates` of their own: where numbers are stored in one format and computed with in
    /// another.
    ///
    /// # Errors
    ///
    /// A group spans domains without a network.
    pub fn bound_at(&self, account: &Account, machine: &Machine, rates: Rates) -> Result<StepBound> {
        machine.is_consistent()?;
        let mut bound = StepBound {
            arithmetic: account.total_flops() / rates.peak,
            memory: account.least_read / rates.memory,
            links: Time::ZERO,
            network: Time::ZERO,
        };
        let mut refused = Ok(());
        let routing = self.division.model.routing;
        // Exchanges of the same group follow each other.
        let mut last = (Spread::line(1, 1), Reach::even(1, 1));
        self.exchanges(account.stage, account, |exchange| {
            if last.0 != exchange.spread {
                last = (exchange.spread, exchange.reach(machine));
            }
            match exchange.bound_over(last.1, machine, routing) {
                Ok(least) => {
                    let times = exchange.times.product();
                    bound.links += times * least.on_links;
                    bound.network += times * least.on_network;
                }
                Err(error) => refused = Err(error),
            }
        });
        refused.map(|()| bound)
    }

    /// How many passes of a micro-batch read the weights.
    pub(crate) fn reading_passes(&self) -> f64 {
        match self.step.phase {
            Phase::Training if self.step.recompute == Recompute::Full => Pass::ALL.len() as f64,
            Phase::Training => (Pass::ALL.len() - 1) as f64,
            _ => 1.0,
        }
    }
}

/// The key under which a device states its dense peak for a precision of storage.
pub(crate) fn peak_key(precision: &str) -> &str {
    match precision {
        "bf16" | "fp16" => "fp16_dense",
        other => other,
    }
}
