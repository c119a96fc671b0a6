//! Where groups of ranks lie: the order of groups on devices, stages, rails, hosts, and what is refused.
#![allow(clippy::unwrap_used)]

use mlsysim::machine::{Collective, Figures, Link, Machine, Reach, Spread, Wiring};
use mlsysim::quantity::{Bandwidth, Bytes};
use mlsysim::transformer::{
    Accounting, Division, Exchange, Group, Layout, MemoryPolicy, Placed, Resource, Step, Transformer,
};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;

/// A model with experts whose sizes divide by many degrees.
fn model() -> Transformer {
    let config = serde_json::json!({
        "model_type": "mixtral", "hidden_size": 96, "intermediate_size": 96, "num_hidden_layers": 4,
        "num_attention_heads": 12, "num_key_value_heads": 12, "vocab_size": 256, "tie_word_embeddings": true,
        "num_local_experts": 12, "num_experts_per_tok": 2,
    });
    Transformer::from_config(&config.to_string()).unwrap()
}

fn machine(domain: u64, domains: u64) -> Machine {
    let server = Machine::named("DGX_H100").unwrap();
    Machine { domain, domains, network: Some(Bandwidth::from_base(50e9)), ..server }
}

/// Every exchange of every stage.
fn exchanges(layout: &Layout) -> Vec<(u64, Exchange)> {
    let model = model();
    let division = Division::new(&model, layout).unwrap();
    let step = Step::training(layout.dp, 12 * layout.cp);
    let accounting = Accounting::new(&division, &step).unwrap();
    let of_stage = |stage| {
        let account = accounting.account(stage).unwrap();
        accounting.merged_exchanges(&account).into_iter().map(move |exchange| (stage, exchange))
    };
    (0..layout.pp).flat_map(of_stage).collect()
}

/// The dimensions of a layout in its order, each with its ranks, as layers or as experts are numbered.
fn dimensions(layout: &Layout, of_experts: bool) -> Vec<(String, u64)> {
    let ranks = |name: &str| match (name, of_experts) {
        ("pp", _) => layout.pp,
        ("tp", false) => layout.tp,
        ("cp", false) => layout.cp,
        ("dp", false) => layout.dp,
        ("tp", true) => layout.expert_tensor(),
        ("ep", true) => layout.ep,
        ("dp", true) => layout.expert_replicas(),
        _ => 1,
    };
    layout.order.written().split('-').map(|name| (name.to_string(), ranks(name))).collect()
}

/// The groups of an exchange, as lists of devices, by numbering every rank.
fn groups(layout: &Layout, stage: u64, exchange: &Exchange) -> Vec<Vec<u64>> {
    let of_experts = matches!(exchange.group, Group::Expert | Group::ExpertTensor)
        || exchange.group == Group::ExpertData && (layout.ep > 1 || layout.expert_tensor() != layout.tp);
    let along: &[&str] = match exchange.group {
        Group::Tensor | Group::ExpertTensor => &["tp"],
        Group::Context => &["cp"],
        Group::Expert => &["ep"],
        Group::Pipeline => &["pp"],
        Group::Data | Group::ExpertData if of_experts => &["dp"],
        Group::Data | Group::ExpertData => &["cp", "dp"],
    };
    let stages = match exchange.what {
        "activations to the next stage" => [stage, stage + 1],
        "gradients to the stage before" => [stage.wrapping_sub(1), stage],
        _ => [0, layout.pp - 1],
    };
    let dimensions = dimensions(layout, of_experts);
    let mut groups: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
    for device in 0..layout.devices() {
        let (mut rest, mut others, mut own) = (device, Vec::new(), true);
        for (name, ranks) in &dimensions {
            let place = rest % ranks;
            rest /= ranks;
            if !along.contains(&name.as_str()) {
                others.push(place);
            } else if exchange.group == Group::Pipeline {
                own = stages.contains(&place);
            }
        }
        if own {
            groups.entry(others).or_default().push(device);
        }
    }
    groups.into_values().collect()
}

/// How a list of devices lies.
fn lies(devices: &[u64], domain: u64) -> Reach {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    devices.iter().for_each(|device| *counts.entry(device / domain).or_default() += 1);
    Reach {
        ranks: devices.len() as u64,
        per_domain: *counts.values().min().unwrap(),
        most_per_domain: *counts.values().max().unwrap(),
        domains: counts.len() as u64,
        across: counts.keys().max().unwrap() - counts.keys().min().unwrap() + 1,
    }
}

fn orders() -> impl Strategy<Value = String> {
    Just(["tp", "cp", "ep", "dp", "pp"].to_vec()).prop_shuffle().prop_map(|names| names.join("-"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    /// In any order, each group lies as its ranks do when all are numbered one by one.
    #[test]
    fn groups_lie_where_their_ranks_are(
        order in orders(),
        tp in 1u64..5,
        cp in 1u64..4,
        dp in 1u64..5,
        pp in select(vec![1u64, 2, 4]),
        ep in select(vec![1u64, 2, 3, 4, 6]),
        etp in select(vec![None, Some(1u64), Some(2)]),
        domain in 1u64..48,
    ) {
        let etp = etp.map_or(String::new(), |etp| format!(",etp={etp}"));
        let layout = Layout::parse(&format!("tp={tp},cp={cp},dp={dp},pp={pp},ep={ep}{etp},order={order}"));
        let model = model();
        prop_assume!(layout.as_ref().is_ok_and(|layout| Division::new(&model, layout).is_ok()));
        let layout = layout.unwrap();
        prop_assume!(layout.devices().is_multiple_of(domain));
        let machine = machine(domain, layout.devices() / domain);
        for (stage, exchange) in exchanges(&layout) {
            let all = groups(&layout, stage, &exchange);
            let worst = all.iter().map(|devices| lies(devices, domain));
            let worst = worst.max_by_key(|reach| (reach.domains, u64::MAX - reach.per_domain)).unwrap();
            let told = exchange.reach(&machine);
            prop_assert_eq!((told.ranks, told.domains, told.per_domain), (worst.ranks, worst.domains, worst.per_domain),
                "{:?} {} in {}", exchange.group, exchange.what, layout.written());
        }
    }

    /// The order changes where ranks are, and nothing of what they hold, compute and send.
    #[test]
    fn the_order_changes_no_account(order in orders(), tp in 1u64..5, cp in 1u64..4, dp in 1u64..5) {
        let model = model();
        let account = |layout: &str| {
            let layout = Layout::parse(layout).unwrap();
            let division = Division::new(&model, &layout).unwrap();
            let step = Step::training(dp, 12 * cp);
            Accounting::new(&division, &step).unwrap().account(0).unwrap()
        };
        let degrees = format!("tp={tp},cp={cp},dp={dp},zero=3");
        prop_assert_eq!(account(&degrees), account(&format!("{degrees},order={order}")));
    }

    /// Rails, more bandwidth of a host and peers are never slower; a host without limits is no limit.
    #[test]
    fn better_wiring_is_never_slower(
        ranks in 2u64..64, stride in 1u64..16, oversubscription in 1.0f64..8.0, rails in 1u64..16, host in 10.0f64..4000.0,
    ) {
        let plain = Machine { oversubscription, ..machine(8, 128) };
        let rail = Machine { rail_domains: Some(rails), ..plain.clone() };
        let hosted = |rate: f64| Machine {
            peer_to_peer: false, host_memory: Some(Bandwidth::from_base(rate * 1e9)), ..plain.clone()
        };
        for collective in Collective::ALL {
            let time = |machine: &Machine| {
                let reach = machine.reach(ranks, stride);
                machine.collective_bound(*collective, Bytes::from_base(1e9), reach).unwrap()
            };
            prop_assert!(time(&rail).time() <= time(&plain).time());
            let reach = rail.reach(ranks, stride);
            if rail.link_of(reach) == Link::Rail {
                prop_assert!(reach.across <= rails);
                let full = Machine { oversubscription: 1.0, ..plain.clone() };
                prop_assert_eq!(time(&rail), time(&full));
            }
            prop_assert!(time(&hosted(host)).on_links >= time(&plain).on_links);
            prop_assert!(time(&hosted(2.0 * host)).on_links <= time(&hosted(host)).on_links);
            prop_assert_eq!(time(&hosted(1e9)), time(&plain));
        }
    }
}

/// A stage is charged for the link that its own neighbours are behind.
#[test]
fn a_stage_sends_over_the_link_to_its_neighbour() {
    let (model, layout) = (Transformer::named("Llama3_70B").unwrap(), Layout::parse("tp=2,pp=8").unwrap());
    let (division, step) = (Division::new(&model, &layout).unwrap(), Step::training(8, 4096));
    let accounting = Accounting::new(&division, &step).unwrap();
    let machine = Machine::on("DGX_H100", Some(2), Some("InfiniBand_NDR")).unwrap();
    let crosses = |stage| {
        let bound = accounting.bound(&accounting.account(stage).unwrap(), &machine).unwrap();
        bound.of(Resource::Network).base() > 0.0
    };
    // A server has four stages: the fourth hands on to the other one, and gets its gradients.
    let crossing: Vec<bool> = (0..8).map(crosses).collect();
    assert_eq!(crossing, [false, false, false, true, true, false, false, false]);

    let policy = MemoryPolicy::default();
    let placed = Placed::new(&accounting, &machine, &policy).unwrap();
    let links = |stage| -> Vec<Link> {
        let groups = placed.groups(&accounting.account(stage).unwrap()).unwrap();
        groups.iter().filter(|group| group.group == Group::Pipeline).map(|group| group.link).collect()
    };
    assert_eq!((links(2), links(3)), (vec![Link::Domain], vec![Link::Network, Link::Domain]));

    // Interleaved chunks go on from the last stage to the first.
    let layout = Layout::parse("tp=2,pp=8,vpp=2").unwrap();
    let division = Division::new(&model, &layout).unwrap();
    let accounting = Accounting::new(&division, &step).unwrap();
    let bound = accounting.bound(&accounting.account(0).unwrap(), &machine).unwrap();
    assert!(bound.network.base() > 0.0);
}

/// A ring over two servers sends what crosses between them through the ports of both of its ranks there.
#[test]
fn a_ring_over_domains_uses_links_and_network() {
    let machine = machine(8, 2);
    let bound = machine
        .collective_bound(
            Collective::SendReceive,
            Bytes::from_base(1e9),
            machine.reach_of(&Spread::line(16, 1)),
        )
        .unwrap();
    assert_eq!(bound.on_links.base(), 1e9 / machine.link.base());
    assert_eq!(bound.on_network.base(), 1e9 / 8.0 / 50e9);
}

#[test]
fn what_an_order_and_a_wiring_lack_is_said() {
    let orders = [
        ("tp-cp-dp-pp", "lacks `ep`"),
        ("tp-cp-ep-dp", "lacks `pp`"),
        ("tp-cp-ep-dp-pq", "did you mean `pp`?"),
        ("tp-cp-ep-dp-dp", "has `dp` twice"),
        ("tp-tp-cp-ep-dp-pp", "has `tp` twice"),
        ("TP-cp-ep-dp-pp", "did you mean `tp`?"),
        ("tp,cp,ep,dp,pp", "is no group"),
        ("", "`` of `` is no group; there are"),
        ("5", "`5` of `5` is no group"),
    ];
    for (order, said) in orders {
        let inputs = [("order", order)];
        let error = mlsysim::Define::from_inputs(inputs).map(|_: Layout| ()).unwrap_err();
        assert_eq!(error.field(), Some("order"));
        assert!(
            error
                .to_string()
                .starts_with("order: the groups in their order are needed, as in `tp-cp-ep-dp-pp`, but ")
        );
        assert!(error.to_string().contains(said), "{order}: {error}");
    }
    // Experts and layers have other ranks between their stages.
    let error = Layout::parse("tp=2,pp=2,dp=4,ep=4,etp=1,order=tp-cp-ep-pp-dp").unwrap_err();
    assert_eq!(error.field(), Some("order"));
    let error = Layout::parse("cp=4,dp=6,pp=2,zero=1,shard=6,order=cp-pp-tp-ep-dp").unwrap_err();
    assert_eq!(error.field(), Some("shard"));
    assert!(Layout::parse("cp=4,dp=6,pp=2,zero=1,shard=8,order=cp-pp-tp-ep-dp").is_ok());

    let network = (Some(2), Some("InfiniBand_NDR"));
    let wirings = [
        ("rails=32", network, "rails"),
        ("rail_domains=0", network, "rail_domains"),
        ("oversubscription=0.5", network, "oversubscription"),
        ("ports=1.5", network, "ports"),
        ("ports=4,ports=8", network, "ports"),
        ("ports=4", (None, None), "ports"),
        ("rail_domains=4", (None, None), "rail_domains"),
        ("oversubscription=2", (None, None), "oversubscription"),
        ("peer_to_peer=false", network, "host_memory"),
        ("host_memory=400 GB/s", network, "host_memory"),
        ("peer_to_peer=false,host_memory=0 GB/s", network, "host_memory"),
        ("peer_to_peer=perhaps", network, "peer_to_peer"),
    ];
    for (wiring, (nodes, fabric), field) in wirings {
        let machine =
            Wiring::parse(wiring).and_then(|wiring| Machine::wired("DGX_H100", nodes, fabric, &wiring));
        assert_eq!(machine.unwrap_err().field(), Some(field), "{wiring}");
    }
}

/// What the registry says of a machine, stated by a user, changes nothing but that; twice as much changes
/// the figure that it is about.
#[test]
fn stated_figures_take_the_place_of_the_registry() {
    let wiring = Wiring::default();
    for system in ["Training_512_H100", "Training_1K_A100"] {
        let machine = Machine::named(system).unwrap();
        let device = &machine.device;
        let [link, network] = [machine.link, machine.network.unwrap()].map(|rate| rate.base());
        let figures = [
            ("peak.bf16", device.peak("fp16_dense").unwrap().base(), "flop/s"),
            ("peak.int8", device.peak("int8").unwrap().base(), "flop/s"),
            ("memory.capacity", device.memory.capacity.base(), "B"),
            ("memory.bandwidth", device.memory.bandwidth.base(), "B/s"),
            ("link.bandwidth", link, "B/s"),
            ("network.bandwidth", network, "B/s"),
            ("tdp", device.tdp.unwrap().base(), "W"),
        ];
        // Not every device states its cache.
        let cache = device.memory.l2_cache.map(|cache| ("memory.l2_cache", cache.base(), "B"));
        let figures: Vec<_> = figures.into_iter().chain(cache).collect();
        let stated = |scale: f64| {
            let of = |(name, value, unit): (&str, f64, &str)| format!("{name}={:e} {unit}", scale * value);
            let figures =
                Figures::parse(&figures.iter().copied().map(of).collect::<Vec<_>>().join(",")).unwrap();
            Machine::stated(system, None, None, &wiring, &figures).unwrap()
        };
        let told = |machine: &Machine| {
            let device = &machine.device;
            let peaks =
                ["fp16_dense", "bf16_dense", "int8", "fp32"].map(|key| device.peak(key).unwrap().base());
            let memory = &device.memory;
            let memory = [
                memory.capacity.base(),
                memory.bandwidth.base(),
                memory.l2_cache.map_or(0.0, |cache| cache.base()),
            ];
            let rates = [machine.link.base(), machine.network.unwrap().base(), device.tdp.unwrap().base()];
            (peaks, memory, rates)
        };
        assert_eq!(told(&stated(1.0)), told(&machine), "{system}");
        let (once, twice) = (told(&machine), told(&stated(2.0)));
        let [half, brain, integer, single] = once.0;
        assert_eq!(twice.0, [2.0 * half, 2.0 * brain, 2.0 * integer, single], "{system}");
        assert_eq!((twice.1, twice.2), (once.1.map(|value| 2.0 * value), once.2.map(|value| 2.0 * value)));

        let model = Transformer::named("Llama3_8B").unwrap();
        let layout = Layout::parse("tp=8,dp=2").unwrap();
        let (division, step) = (Division::new(&model, &layout).unwrap(), Step::training(16, 4096));
        let accounting = Accounting::new(&division, &step).unwrap();
        let account = accounting.account(0).unwrap();
        let bound = |machine: &Machine| accounting.bound(&account, machine).unwrap();
        assert_eq!(bound(&stated(1.0)), bound(&machine), "{system}");
        assert!(bound(&stated(2.0)).time() < bound(&machine).time(), "{system}");
    }
    // A network that is stated joins servers that have none.
    let figures = Figures::parse("network.bandwidth=25 GB/s,network.latency=3 µs").unwrap();
    let machine = Machine::stated("DGX_H100", Some(4), None, &wiring, &figures).unwrap();
    assert_eq!((machine.devices(), machine.network.map(|rate| rate.base())), (32, Some(25e9)));
}
