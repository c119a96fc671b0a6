//! The least time of a step on a machine: what its arithmetic, its memory and each link take at
//! their full rates, all at once.

use mlsysim_quantity::{Bandwidth, Bytes, FlopRate, Time};
use mlsysim_scenario::Result;

use crate::machine::{CollectiveBound, Machine, Reach};
use crate::transformer::{Account, Accounting, Exchange, Group, Pass, Phase, Recompute, Routing};

/// The rates of a machine's device that bound a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The peak of its arithmetic in the precision of the step.
    pub peak: FlopRate,
    /// The bandwidth of its memory.
    pub memory: Bandwidth,
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
        machine.reach(self.ranks, self.stride)
    }

    /// The least time of one such exchange on `machine`; tokens of which `routing` sends copies to
    /// several experts are sent once to where several of those are.
    ///
    /// # Errors
    ///
    /// The group spans domains and the machine has no network.
    pub fn bound(&self, machine: &Machine, routing: Option<Routing>) -> Result<CollectiveBound> {
        let (payload, reach) = (self.payload_bytes(), self.reach(machine));
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
        Ok(Rates {
            peak: device.compute.peak(peak_key(&self.step.precision))?,
            memory: device.memory.bandwidth,
        })
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
        let mut bound = StepBound {
            arithmetic: account.total_flops() / rates.peak,
            memory: self.least_read(account) / rates.memory,
            links: Time::ZERO,
            network: Time::ZERO,
        };
        let mut refused = Ok(());
        let routing = self.division.model.routing;
        self.exchanges(account.stage, account, |exchange| match exchange.bound(machine, routing) {
            Ok(least) => {
                bound.links += exchange.times.product() * least.on_links;
                bound.network += exchange.times.product() * least.on_network;
            }
            Err(error) => refused = Err(error),
        });
        refused.map(|()| bound)
    }

    /// What has to be read from memory: weights in each pass of each micro-batch, and the cache.
    ///
    /// Activations may stay on the chip, so that they are not counted.
    fn least_read(&self, account: &Account) -> Bytes {
        let every = self.load.micro_batches as f64;
        let passes = match self.step.phase {
            Phase::Training => Pass::ALL.len() as f64 - f64::from(!self.recomputes_all()),
            _ => 1.0,
        };
        let mut read = Bytes::ZERO;
        self.operations(account.stage, |operation, layers, _| {
            let (weights, cache) = operation.least_read(&self.division.shares, &self.load, &self.elements);
            read += layers as f64 * every * (passes * weights + cache);
        });
        read
    }

    fn recomputes_all(&self) -> bool {
        self.step.recompute == Recompute::Full
    }
}

/// The key under which a device states its dense peak for a precision of storage.
fn peak_key(precision: &str) -> &str {
    match precision {
        "bf16" | "fp16" => "fp16_dense",
        other => other,
    }
}
