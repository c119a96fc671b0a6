//! What a step takes at the least, as trees: arithmetic, memory, and exchanges on links and network.

use mlsysim_scenario::{Derivation, Kind, Result, Value, constant};

use super::lines::summed;
use super::memory::Derived;
use super::tree::{computed, count, given, number, stated};
use crate::machine::{Link, Reach, domains_reached};
use crate::physics::communication::{ring_all_reduce_factor, ring_phase_factor};
use crate::transformer::bound::peak_key;
use crate::transformer::{Account, Collective, Exchange, Group, Line, Pass, Placed, Resource, Work};

impl Placed<'_> {
    pub(super) fn derive_bound(&self, resource: Resource) -> Result<Derived> {
        let account = self.accounting.account(self.slowest)?;
        Ok(match resource {
            Resource::Arithmetic => self.derive_arithmetic(&account),
            Resource::Memory => self.derive_reading(&account),
            Resource::Links | Resource::Network => self.derive_exchanges(&account, resource)?,
        })
    }

    /// Where a figure of the device comes from.
    fn of_device(&self, figure: &str, what: &str) -> String {
        self.machine.source_of(figure, format!("{what} of {}", self.machine.device.name))
    }

    fn derive_arithmetic(&self, account: &Account) -> Derived {
        let mut passes = Vec::new();
        for pass in Pass::ALL {
            let derived = self.accounting.explain(account, Line::Flops(*pass, None));
            if account.pass_flops(*pass).base() > 0.0 {
                passes.push(Derivation { label: pass.name().to_string(), ..derived });
            }
        }
        let flops = constant(&account.total_flops());
        let flops = computed("flops", flops, "The arithmetic of a rank in a step.", summed(&passes), passes);
        let key = peak_key(&self.accounting.step.precision);
        let source = self.of_device(&format!("peak.{key}"), &format!("the peak `{key}`"));
        let peak = stated("peak", constant(&self.rates.peak), source);
        ("flops / peak".to_string(), vec![flops, peak])
    }

    fn derive_reading(&self, account: &Account) -> Derived {
        let accounting = self.accounting;
        let every = accounting.load.micro_batches as f64;
        let passes = accounting.reading_passes();
        let shares = &accounting.division.shares;
        let (mut parts, mut sum) = (Vec::new(), 0.0);
        accounting.operations(account.stage, |operation, layers, _| {
            let [weights, cache] = accounting.read_by(operation);
            if weights.base() + cache.base() == 0.0 {
                return;
            }
            let bytes = layers as f64 * every * (passes * weights + cache);
            sum += bytes.base();
            let mut uses =
                vec![accounting.factor("micro_batches", every), accounting.factor("layers", layers as f64)];
            let mut equation = "micro_batches × layers × cached_tokens × numbers_per_token × cached_element";
            if let Work::Attention { mask, read: [first, second], .. } = &operation.work {
                let both = vec![accounting.extent("first", first), accounting.extent("second", second)];
                let numbers = count(first.on(shares) + second.on(shares));
                let cached = number(accounting.elements.cached.base());
                uses.extend([
                    accounting.cached_tokens(*mask),
                    computed("numbers_per_token", numbers, "", "first + second", both),
                    given("cached_element", cached, "the precision of the cache"),
                ]);
            } else {
                equation = "micro_batches × layers × passes × weights × element";
                uses.extend([
                    given(
                        "passes",
                        number(passes),
                        "forward, backward, and forward again where it is recomputed",
                    ),
                    accounting.read_weights(operation),
                    given("element", number(accounting.elements.activation.base()), "the precision"),
                ]);
            }
            parts.push(computed(operation.name, constant(&bytes), "", equation, uses));
        });
        let read = constant(&mlsysim_quantity::Bytes::from_base(sum));
        let read = computed("read", read, "Weights in each pass, and the cache.", summed(&parts), parts);
        let source = self.of_device("memory.bandwidth", "the memory");
        (
            "read / bandwidth".to_string(),
            vec![read, stated("bandwidth", constant(&self.rates.memory), source)],
        )
    }

    /// The time of every exchange on the links of a domain, or on the network.
    fn derive_exchanges(&self, account: &Account, resource: Resource) -> Result<Derived> {
        let routing = self.accounting.division.model.routing;
        let mut parts = Vec::new();
        for exchange in self.accounting.merged_exchanges(account) {
            let least = exchange.bound(self.machine, routing)?;
            let once = if resource == Resource::Links { least.on_links } else { least.on_network };
            if once.base() == 0.0 {
                continue;
            }
            let mut derived = self.accounting.exchange(&exchange);
            derived.parts.retain(|part| part.label != "share");
            derived.parts.push(self.share(&exchange, resource));
            derived.parts.push(self.rate(resource, exchange.reach(self.machine)));
            let time = constant(&(exchange.times.product() * once));
            let derived = computed(derived.label, time, "", "times × share × payload / rate", derived.parts);
            parts.push(Derivation { kind: Kind::Bound, ..derived });
        }
        Ok((summed(&parts), parts))
    }

    /// What a device sends in a second over the links, or over its part of the network.
    fn rate(&self, resource: Resource, reach: Reach) -> Derivation {
        let machine = self.machine;
        let link = || stated("link", constant(&machine.link), self.of_device("link.bandwidth", "the links"));
        let given_rate = |rate: Option<_>| rate.map_or(Value::Null, |rate| constant(&rate));
        let source = machine.source_of("network.bandwidth", format!("the network of {}", machine.name));
        let (value, meaning, equation, parts) = match (resource, machine.link_of(reach)) {
            (Resource::Links, _) if machine.peer_to_peer => {
                return Derivation { label: "rate".to_string(), ..link() };
            }
            (Resource::Links, _) => {
                let memory = stated("host_memory", given_rate(machine.host_memory), "the machine");
                let devices = given("domain", count(machine.domain), "the machine");
                let share = Some(machine.link_share());
                let meaning = "What a device gets of its host's memory, written and read.";
                (share, meaning, "min(link, host_memory / (2 × domain))", vec![link(), memory, devices])
            }
            (_, Link::Rail) => {
                return stated("rate", given_rate(machine.network), format!("{source}, on its rail"));
            }
            _ => {
                let parts = vec![
                    stated("network", given_rate(machine.network), source),
                    stated("oversubscription", Value::Number(machine.oversubscription), "the network"),
                ];
                (machine.network_share(), "What a device gets.", "network / oversubscription", parts)
            }
        };
        let derived = computed("rate", given_rate(value), meaning, equation, parts);
        Derivation { kind: Kind::Stated, ..derived }
    }

    /// The part of a payload that a rank sends over the links, or over the network, by the algorithm that
    /// sends least.
    fn share(&self, exchange: &Exchange, resource: Resource) -> Derivation {
        let machine = self.machine;
        let reach = exchange.reach(machine);
        let Reach { ranks, per_domain, most_per_domain, domains, .. } = reach;
        let source = "how the group lies on the machine";
        let fewest = || given("per_domain", count(per_domain), source);
        let most = || given("most_per_domain", count(most_per_domain), source);
        let all = || given("ranks", count(ranks), source);
        let over = || given("domains", count(domains), source);
        let on_links = resource == Resource::Links;
        let (all_ranks, own, together) = (ranks as f64, per_domain as f64, most_per_domain as f64);
        let (value, meaning, equation, parts) = match exchange.collective {
            Collective::AllToAll if exchange.group == Group::Expert => {
                return self.share_of_tokens(reach, on_links);
            }
            Collective::AllReduce if on_links => {
                let (ring, switch) = (ring_all_reduce_factor(most_per_domain), 1.0 + 1.0 / together);
                match machine.in_switch_reduction && switch < ring {
                    true => (switch, "The switch adds up.", "1 + 1 / most_per_domain", vec![most()]),
                    false => (ring, "A ring.", "2 × (most_per_domain - 1) / most_per_domain", vec![most()]),
                }
            }
            Collective::AllReduce if machine.in_network_reduction => {
                (1.0 / own, "Switches add up.", "1 / per_domain", vec![fewest()])
            }
            Collective::AllReduce => {
                let ring = 2.0 * (domains as f64 - 1.0) / all_ranks;
                let equation = "max(2 × (domains - 1) / ranks, 1 / per_domain)";
                let meaning = "All domains together, or the one with fewest ranks.";
                (ring.max(1.0 / own), meaning, equation, vec![over(), all(), fewest()])
            }
            Collective::ReduceScatter | Collective::AllGather if on_links => {
                let equation = "(most_per_domain - 1) / most_per_domain";
                (ring_phase_factor(most_per_domain), "", equation, vec![most()])
            }
            Collective::ReduceScatter | Collective::AllGather => {
                let equation = "(ranks - per_domain) / ranks / per_domain";
                ((all_ranks - own) / all_ranks / own, "", equation, vec![all(), fewest()])
            }
            Collective::AllToAll if on_links => {
                ((together - 1.0) / all_ranks, "", "(most_per_domain - 1) / ranks", vec![most(), all()])
            }
            Collective::AllToAll => {
                ((all_ranks - own) / all_ranks, "", "(ranks - per_domain) / ranks", vec![fewest(), all()])
            }
            Collective::Broadcast | Collective::SendReceive if !on_links => {
                (1.0 / own, "", "1 / per_domain", vec![fewest()])
            }
            Collective::Broadcast | Collective::SendReceive => (1.0, "The whole.", "1", Vec::new()),
        };
        computed("share", number(value), meaning, equation, parts)
    }

    /// The same of tokens that are sent to experts, once to each place that has any of them.
    fn share_of_tokens(&self, reach: Reach, on_links: bool) -> Derivation {
        let Reach { ranks, most_per_domain, domains, .. } = reach;
        let routing = self.accounting.division.model.routing;
        let (experts, copies) =
            routing.map_or((1, 1), |routing| (u64::from(routing.experts), u64::from(routing.per_token)));
        let source = "how the group lies on the machine";
        let places = if on_links { ranks } else { domains };
        let missed = given(
            "missed",
            Value::Number(1.0 - domains_reached(places, experts, copies) / places as f64),
            "that none of the copies is for the experts of a place, when each choice is equally likely",
        );
        let mut parts = vec![given("places", count(places), source), missed];
        let mut reached = domains_reached(places, experts, copies);
        let mut equation = "places × (1 - missed)";
        if !on_links {
            let most = routing.map_or(1.0, |routing| routing.most_domains(domains));
            parts.push(given("most", number(most), "the routing"));
            reached = reached.min(most);
            equation = "min(places × (1 - missed), most)";
        }
        let meaning = "Places that have an expert of a token, on average.";
        let derived = computed("reached", Value::Number(reached), meaning, equation, parts);
        let each = reached / copies as f64;
        let copies = given("copies", count(copies), "the configuration");
        let (value, equation, own) = match on_links {
            true => (
                each * (most_per_domain - 1) as f64 / ranks as f64,
                "(most_per_domain - 1) / ranks × reached / copies",
                vec![
                    given("most_per_domain", count(most_per_domain), source),
                    given("ranks", count(ranks), source),
                ],
            ),
            false => (
                each * (domains - 1) as f64 / domains as f64,
                "(domains - 1) / domains × reached / copies",
                vec![given("domains", count(domains), source)],
            ),
        };
        let parts = own.into_iter().chain([derived, copies]).collect();
        computed("share", number(value), "", equation, parts)
    }
}
